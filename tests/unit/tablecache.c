// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the cache of unwind tables: what is in it is what was made; what was
 * spoilt, cut short, renamed or written by somebody else is made anew.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/err.h"
#include "lib/base/siphash.h"
#include "lib/unwind/tablecache.h"
#include "tap.h"

/* A trampoline of signals, which is no part of .eh_frame. */
asm(".pushsection .text\n"
    "	.fill 64, 1, 0x90\n"
    "t_return: .byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05\n"
    "	.fill 64, 1, 0x90\n"
    ".popsection\n");

static char dir[64] = "/tmp/wallprof-tablecache.XXXXXX";
static struct wp_tablecache *cache;
static struct wp_unwindtable first;
static char entry[512];
static uid_t owner = 1000;	/* of the files */

/* The table of a program through the cache. Returns whether it was a hit. */
static bool look(const char *path, struct wp_unwindtable *table)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct wp_elfcode codes;
	struct wp_tablename name;
	bool hit = false;
	__u64 key[2] = { 0 };

	memset(table, 0, sizeof(*table));
	if (!wp_elfcode_read_fd(&codes, elf, fd)) {
		if (cache)
			wp_tablecache_key(cache, owner, key);
		wp_tablename_of(&name, elf, &codes, key);
		hit = wp_tablecache_get(cache, owner, &name, table);
		if (hit)
			table->machine = codes.machine;
		else if (!wp_unwindtable_from_elf(table, elf, &codes))
			wp_tablecache_put(cache, owner, &name, table);
	}
	elf_end(elf);
	close(fd);
	return hit;
}

/* Look once more; whether it was a hit, or -1 if another table came out. */
static int again(void)
{
	struct wp_unwindtable table;
	int hit = look("/proc/self/exe", &table);

	if (!table.data || table.size != first.size || table.machine != first.machine ||
	    memcmp(table.data, first.data, first.size))
		hit = -1;
	wp_unwindtable_free(&table);
	return hit;
}

static void reopen(void)
{
	wp_tablecache_close(cache);
	wp_tablecache_open(&cache, dir);
}

static bool is_table(const char *name)
{
	return name[0] != '.' && strcmp(name, "key") && strcmp(name, "state") &&
	       strcmp(name, "index");
}

/* The one table that is in the directory. */
static int find_entry(void)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	int nr = 0;

	while ((e = readdir(d))) {
		if (!is_table(e->d_name))
			continue;
		snprintf(entry, sizeof(entry), "%s/%s", dir, e->d_name);
		nr++;
	}
	closedir(d);
	return nr;
}

static void flip(off_t at)
{
	int fd = open(entry, O_RDWR);
	char c;

	if (pread(fd, &c, 1, at) != 1)
		abort();
	c ^= 0x40;
	if (pwrite(fd, &c, 1, at) != 1)
		abort();
	close(fd);
}

static void spoil(void)
{
	struct stat st;
	off_t at, bad = 0, tried = 0;

	if (stat(entry, &st))
		abort();
	for (at = 0; at < st.st_size; at += at < 64 ? 1 : st.st_size / 61) {
		flip(at);
		tried++;
		bad += again() != 0 || again() != 1;
	}
	ok(tried > 60 && !bad, "a byte that was changed: made anew, %d times", (int)tried);
	for (bad = 0, at = 0; at < st.st_size; at += at < 64 ? 1 : st.st_size / 61) {
		if (truncate(entry, at))
			abort();
		bad += again() != 0 || again() != 1;
	}
	ok(!bad, "a file that was cut short");
	if (truncate(entry, st.st_size + 1))
		abort();
	ok(!again() && again() == 1, "a file that is too long");
}

/* The file of another program does not pass for ours. */
static void swapped(void)
{
	struct wp_unwindtable sh;
	char ours[512], theirs[512];
	struct dirent *e;
	DIR *d;

	strcpy(ours, entry);
	look("/bin/sh", &sh);
	wp_unwindtable_free(&sh);
	d = opendir(dir);
	theirs[0] = '\0';
	while ((e = readdir(d))) {
		if (is_table(e->d_name) &&
		    strcmp(e->d_name, strrchr(ours, '/') + 1))
			snprintf(theirs, sizeof(theirs), "%s/%s", dir, e->d_name);
	}
	closedir(d);
	ok(theirs[0] && !rename(theirs, ours) && !again() && again() == 1,
	   "another program's table under our name");
}

static void others(void)
{
	char target[600];

	snprintf(target, sizeof(target), "%s/target", dir);
	if (rename(entry, target) || symlink("target", entry))
		abort();
	ok(!again() && again() == 1, "a symbolic link is not followed");
	unlink(target);
	unlink(entry);
	ok(!mkfifo(entry, 0600) && !again(), "a FIFO does not hold it up");
	unlink(entry);
	again();
	chmod(entry, 0666);
	ok(!again() && again() == 1, "a file that others may write");
	if (!geteuid()) {
		ok(!chown(entry, 12345, 12345) && !again() && again() == 1,
		   "somebody else's file");
		ok(!chown(dir, 12345, 12345), "somebody else's directory...");
		reopen();
		ok(!cache && !again(), "...is not used");
		if (chown(dir, 0, 0))
			abort();
	}
	chmod(dir, 0777);
	reopen();
	ok(!cache && !again(), "a directory that others may write is not used");
	chmod(dir, 0700);
	reopen();
	ok(cache && again() == 1, "but it is when it is ours alone");
}

static void key(void)
{
	char path[600];
	int fd;

	snprintf(path, sizeof(path), "%s/key", dir);
	unlink(path);
	reopen();
	ok(cache && !again() && again() == 1, "with another key, tables are made anew");
	if (truncate(path, 3))
		abort();
	reopen();
	ok(cache && !again() && again() == 1, "a key that was cut short is replaced");
	fd = open(path, O_RDONLY);
	fchmod(fd, 0644);
	close(fd);
	unlink(path);
	ok(!symlink("/etc/passwd", path), "a key that is a symbolic link...");
	reopen();
	ok(cache && !again() && again() == 1, "...is replaced");
}

/* Several recordings at once: none sees half a file. */
static void together(void)
{
	int i, n, status, bad = 0;

	for (i = 0; i < 4; i++) {
		if (!fork()) {
			reopen();
			for (n = 0; n < 100; n++) {
				if (again() < 0)
					_exit(1);
				if (i == 0)
					unlink(entry);
			}
			_exit(0);
		}
	}
	for (i = 0; i < 4; i++) {
		wait(&status);
		bad += !!status;
	}
	ok(!bad, "several at once");
}

static void siphash(void)
{
	/* From the authors' test vectors: bytes 0, 1, 2, ... under a key likewise. */
	static const struct {
		size_t size;
		__u64 hash;
	} known[] = {
		{ 0, 0x726fdb47dd0e0e31ULL }, { 1, 0x74f839c593dc67fdULL },
		{ 7, 0xab0200f58b01d137ULL }, { 8, 0x93f5f5799a932462ULL },
		{ 15, 0xa129ca6149be45e5ULL }, { 63, 0x958a324ceb064572ULL },
	};
	__u64 secret[2] = { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL };
	unsigned char bytes[64];
	struct wp_siphash h;
	size_t i, k, bad = 0;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		wp_siphash_begin(&h, secret);
		wp_siphash_add(&h, bytes, known[i].size);
		bad += wp_siphash_end(&h) != known[i].hash;
		/* In pieces it is the same. */
		wp_siphash_begin(&h, secret);
		for (k = 0; k < known[i].size; k += 3)
			wp_siphash_add(&h, bytes + k,
				       known[i].size - k < 3 ? known[i].size - k : 3);
		bad += wp_siphash_end(&h) != known[i].hash;
	}
	ok(!bad, "the hash is SipHash-2-4");
}

/*
 * A file that has the same frames, but other code: anybody can make one, and its
 * table is not to be taken for ours.
 */
static void other_code(void)
{
	static const char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static char bytes[8 << 20];
	char path[sizeof(dir) + 8];
	struct wp_unwindtable table;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, sizeof(bytes));
	char *found = NULL, *at = bytes;

	close(fd);
	/* The asm's, not this function's own: between bytes that fill up. */
	while (n > 0 && (at = memmem(at, bytes + n - at, code, sizeof(code)))) {
		if (at[-1] == (char)0x90 && at[sizeof(code)] == (char)0x90)
			found = at;
		at++;
	}
	ok(found && n < (ssize_t)sizeof(bytes), "this program has a trampoline");
	if (!found)
		return;
	*found = 0;
	snprintf(path, sizeof(path), "%s.other", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	ok(write(fd, bytes, n) == n, "a copy has none");
	close(fd);
	ok(!look(path, &table) && table.data &&
	   (table.size != first.size || memcmp(table.data, first.data, first.size)),
	   "it has a table of its own");
	wp_unwindtable_free(&table);
	ok(again() == 1, "and this program its own");
	unlink(path);
}

/* The frame of one function, as .debug_frame has it. */
static const __u8 frame[] = {
	/* A CIE: the CFA is rsp + 8, the return address is below */
	20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16,
	0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0,
	/* An FDE: 64 bytes at 0x400100 */
	20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x40, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
};

/* Look at a file that has these bytes in a section of this name. */
static bool look_at(const char *name, const void *bytes, size_t size,
		    struct wp_unwindtable *table)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph;
		Elf64_Shdr sh[3];
		char strings[16];
		__u8 bytes[256];
	} file = {
		.eh = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = offsetof(typeof(file), ph), .e_phentsize = sizeof(file.ph),
			.e_phnum = 1, .e_ehsize = sizeof(file.eh),
			.e_shoff = offsetof(typeof(file), sh), .e_shentsize = sizeof(*file.sh),
			.e_shnum = 3, .e_shstrndx = 2,
		},
		.ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000,
			.p_memsz = 4096 },
		.sh = {
			{},
			{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = size,
			  .sh_offset = offsetof(typeof(file), bytes) },
			{ .sh_type = SHT_STRTAB, .sh_size = sizeof(file.strings),
			  .sh_offset = offsetof(typeof(file), strings) },
		},
	};
	char path[sizeof(dir) + 8];
	bool hit;
	int fd;

	snprintf(file.strings + 1, sizeof(file.strings) - 1, "%s", name);
	memcpy(file.bytes, bytes, size);
	snprintf(path, sizeof(path), "%s.frame", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (write(fd, &file, sizeof(file)) != sizeof(file))
		abort();
	close(fd);
	hit = look(path, table);
	unlink(path);
	return hit;
}

/* The same bytes in other sections: what they mean is not the same. */
static void other_section(void)
{
	__u8 packed[128] = { 'Z', 'L', 'I', 'B', [11] = sizeof(frame) };
	uLongf size = sizeof(packed) - 12;
	struct wp_unwindtable table, same;

	if (compress(packed + 12, &size, frame, sizeof(frame)) != Z_OK)
		abort();
	ok(!look_at(".zdebug_frame", packed, 12 + size, &table) && table.nr_fdes == 1,
	   "a frame that was packed");
	ok(look_at(".debug_frame", frame, sizeof(frame), &same) && table.size == same.size &&
	   !memcmp(table.data, same.data, same.size), "the same one that was not");
	wp_unwindtable_free(&table);
	wp_unwindtable_free(&same);
	ok(!look_at(".eh_frame", frame, sizeof(frame), &same) && !same.data,
	   "in .eh_frame its bytes mean something else");
	wp_unwindtable_free(&same);
}

/* A directory that holds as much as it may: what is not used goes. */
static void full(void)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	const struct timespec older[2] = {};
	char path[sizeof(dir) + 8], known[sizeof(dir) + 8];
	struct stat st;
	int fd;

	while (find_entry())
		unlink(entry);
	snprintf(known, sizeof(known), "%s/index", dir);
	utimensat(AT_FDCWD, known, older, 0);
	snprintf(path, sizeof(path), "%s/large", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ok(!ftruncate(fd, 1L << 30) && !futimens(fd, old), "a directory of 1 GiB");
	close(fd);
	snprintf(entry, sizeof(entry), "%s/state", dir);
	unlink(entry);
	reopen();
	ok(!stat(path, &st), "is opened without a look at its files");
	ok(!again() && again() == 1 && stat(path, &st), "and takes another table for an old one");
	ok(!stat(known, &st), "not for the index");
	ok(find_entry() == 1 && !utimensat(AT_FDCWD, entry, old, 0) && again() == 1 &&
	   !stat(entry, &st) && st.st_mtim.tv_sec > 1, "that a table is used is noted");
}

/* A directory that cannot be written: tables are made, and the reason is known. */
static void read_only(void)
{
	char state[600], path[sizeof(dir) + 8];
	struct wp_tablecache *none;
	int fd;

	while (find_entry())
		unlink(entry);
	reopen();
	ok(!again() && !wp_tablecache_error(cache), "a table is kept");
	unlink(entry);
	snprintf(state, sizeof(state), "rm -rf %s", dir);
	if (system(state))
		abort();
	ok(!again() && wp_tablecache_error(cache) == -ENOENT, "in a directory that is gone none is");
	if (mkdir(dir, 0700))
		abort();
	chmod(dir, 0777);
	ok(wp_tablecache_open(&none, dir) == -EPERM && !none, "nor where others can write");
	chmod(dir, 0700);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	close(fd);
	ok(wp_tablecache_open(&none, path) == -ENOTDIR && !none, "nor in a file");
	ok(wp_tablecache_open(&none, "/proc/self/there/is/none") == -ENOENT && !none,
	   "nor where no directory can be made");
	reopen();
}

/* The owner of a file is part of its table's name. */
static void owners(void)
{
	char command[600], wanted[16];
	struct wp_unwindtable table, same;
	struct dirent *e;
	bool found = false;
	DIR *d;

	if (geteuid())
		return;
	snprintf(command, sizeof(command), "cp /proc/self/exe %s.own && chown 12345 %s.own", dir,
		 dir);
	if (system(command))
		abort();
	snprintf(command, sizeof(command), "%s.own", dir);
	owner = 12345;
	look(command, &table);
	ok(table.data && look(command, &same), "the table of somebody's file");
	wp_unwindtable_free(&table);
	wp_unwindtable_free(&same);
	snprintf(wanted, sizeof(wanted), "-12345");
	d = opendir(dir);
	while ((e = readdir(d)))
		found |= strlen(e->d_name) > 6 &&
			 !strcmp(e->d_name + strlen(e->d_name) - 6, wanted);
	closedir(d);
	ok(found, "is kept under his number");
	unlink(command);
}

int main(void)
{
	char command[128];

	elf_version(EV_CURRENT);
	wp_set_verbosity(WP_QUIET);
	siphash();
	if (!mkdtemp(dir))
		return 1;
	wp_tablecache_open(&cache, dir);
	ok(cache && !look("/proc/self/exe", &first) && first.data, "a table is made");
	ok(again() == 1, "and found again");
	reopen();
	ok(again() == 1, "by others, too");
	ok(find_entry() == 1, "it is one file");
	spoil();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	swapped();
	other_code();
	other_section();
	/* One entry again */
	if (system(command) || mkdir(dir, 0700))
		return 1;
	reopen();
	again();
	find_entry();
	others();
	key();
	full();
	find_entry();
	together();
	owners();
	read_only();
	wp_tablecache_close(cache);
	cache = NULL;
	ok(again() == 0, "without a cache tables are made");
	wp_unwindtable_free(&first);
	return system(command) || done();
}
