// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of where files of debug information are looked for: those that belong to a file
 * are found in their places; whatever a file calls them, nothing else is opened, which
 * inotify would see.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/symbols/symbols.h"
#include "tap.h"

#define CODE	0x1000

static char dir[] = "/tmp/wp-debugfiles-XXXXXX";

enum { NAMES = 1, NOTE, SYMTAB, STRTAB, LINK, NR };

/**
 * struct elf - a file with little in it
 * @id: first byte of its build-id; 0: it has none
 * @symbol: its only function, or NULL
 * @link: of .gnu_debuglink, or NULL
 * @crc: the same
 */
struct elf {
	unsigned char id;
	const char *symbol;
	const char *link;
	__u32 crc;
};

static const char *at(const char *name)
{
	static char path[2][PATH_MAX];
	static int turn;

	turn = !turn;
	snprintf(path[turn], PATH_MAX, "%s/%s", dir, name);
	return path[turn];
}

/* Returns the file's checksum. */
static __u32 make(const char *name, const struct elf *want)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
		Elf64_Shdr sh[NR];
		char names[64];
		struct {
			Elf64_Nhdr head;
			char name[4];
			unsigned char id[8];
		} note;
		Elf64_Sym sym[2];
		char strings[64];
		char link[96];
	} f = {
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_shentsize = sizeof(Elf64_Shdr), .e_phnum = 2, .e_shnum = NR,
			.e_shstrndx = NAMES,
		},
		.names = "\0.gnu_debuglink",
		.note = { { 4, sizeof(f.note.id), NT_GNU_BUILD_ID }, "GNU", { want->id } },
	};
	size_t len = want->link ? (strlen(want->link) + 4) & ~3UL : 0;
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	f.eh.e_phoff = offsetof(typeof(f), ph);
	f.eh.e_shoff = offsetof(typeof(f), sh);
	f.ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = 2 * CODE, .p_memsz = 2 * CODE };
	f.ph[1] = (Elf64_Phdr){ .p_type = want->id ? PT_NOTE : PT_NULL,
				.p_offset = offsetof(typeof(f), note), .p_filesz = sizeof(f.note) };
	f.sh[NAMES] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(typeof(f), names), .sh_size = 64 };
	if (want->symbol) {
		f.sh[SYMTAB] = (Elf64_Shdr){
			.sh_type = SHT_SYMTAB, .sh_link = STRTAB, .sh_entsize = sizeof(*f.sym),
			.sh_offset = offsetof(typeof(f), sym), .sh_size = sizeof(f.sym),
		};
		f.sh[STRTAB] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = 64,
					     .sh_offset = offsetof(typeof(f), strings) };
		f.sym[1] = (Elf64_Sym){ .st_name = 1, .st_value = CODE, .st_size = 16,
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					.st_shndx = 1 };
		strcpy(f.strings + 1, want->symbol);
	}
	if (want->link) {
		f.sh[LINK] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_PROGBITS,
					   .sh_offset = offsetof(typeof(f), link),
					   .sh_size = len + 4 };
		strcpy(f.link, want->link);
		memcpy(f.link + len, &want->crc, 4);
	}
	if (fd < 0 || write(fd, &f, sizeof(f)) != sizeof(f))
		perror(name);
	close(fd);
	return crc32(0, (void *)&f, sizeof(f));
}

static const char *name_of(const char *path, const char *symfs)
{
	const struct wp_symbols_options options = { .symfs = symfs };
	static char name[64];
	struct wp_symbols *symbols;
	struct wp_symbol symbol;
	__u32 file;

	wp_symbols_new(&symbols, &options);
	file = wp_symbols_file(symbols, WP_SYMBOLS_ELF, path, NULL, 1);
	snprintf(name, sizeof(name), "%s",
		 wp_symbols_find(symbols, file, CODE, &symbol) ? symbol.name : "-");
	wp_symbols_free(symbols);
	return name;
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got, wanted);
}

/* What a stripped file's function is called with that link, of a file with that id. */
static const char *linked(unsigned char id, const char *link, __u32 crc)
{
	const struct elf stripped = { .id = id, .link = link, .crc = crc };

	make("bin/p", &stripped);
	return name_of(at("bin/p"), NULL);
}

static void places(void)
{
	const struct elf debug = { .id = 7, .symbol = "found" }, bare = { .symbol = "bare" };
	const struct elf other = { .id = 8, .symbol = "other" };
	__u32 crc;

	make("bin/d", &debug);
	is(linked(7, "d", 0), "found", "beside the file, by its build-id");
	is(linked(8, "d", 0), "-", "not with another one");
	is(linked(0, "d", 0), "-", "nor without one, with another checksum");
	crc = make("bin/d", &bare);
	is(linked(0, "d", crc), "bare", "by its checksum");
	is(linked(7, "d", crc), "bare", "also if only one of both has a build-id");
	is(linked(0, "d", crc ^ 1), "-", "not with another one");
	crc = make("bin/d", &other);
	is(linked(7, "d", crc), "-", "not by its checksum, if build-ids differ");
	unlink(at("bin/d"));
	make("bin/.debug/d", &debug);
	is(linked(7, "d", 0), "found", "in the directory that is named .debug");
	unlink(at("bin/.debug/d"));
	make("bin/p.debug", &debug);
	is(linked(7, NULL, 0), "found", "as it is usual, if the file names none");
	is(linked(0, NULL, 0), "-", "but not unless it has a build-id");
	unlink(at("bin/p.debug"));
	make("elsewhere", &debug);
	if (symlink("../elsewhere", at("bin/d")))
		perror("link");
	is(linked(7, "d", 0), "found", "a link to a file");
	unlink(at("bin/d"));
	if (symlink("p", at("bin/d")))
		perror("link");
	is(linked(7, "d", 0), "-", "a link to the file itself");
	unlink(at("bin/d"));
}

static int watch;

static void watch_for(const char *path)
{
	if (inotify_add_watch(watch, path, IN_OPEN) < 0)
		perror(path);
}

static void untouched(const char *name, const char *what)
{
	struct inotify_event event;
	int opened = 0;

	/* All are of files, whose events have no names. */
	while (read(watch, &event, sizeof(event)) == sizeof(event))
		opened += !!(event.mask & IN_OPEN);
	is(name, "-", what);
	ok(!opened, "nor is it opened");
}

/* A FIFO that is open already does not stop who opens it. */
static void hostile(void)
{
	const struct elf debug = { .id = 7, .symbol = "found" };
	int fifo, terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char up[PATH_MAX], device[64];

	/* A device that nobody else knows. */
	if (terminal < 0 || unlockpt(terminal) || ptsname_r(terminal, device, sizeof(device)))
		perror("terminal");
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	make("d", &debug);
	watch_for(at("d"));
	watch_for(device);
	untouched(linked(7, "../d", 0), "a name with a step upwards");
	untouched(linked(7, at("d"), 0), "a path");
	snprintf(up, sizeof(up), "../../../../../..%s", device);
	untouched(linked(7, up, 0), "a device by a path");
	untouched(linked(7, "", 0), "no name");
	untouched(linked(7, ".", 0), "the directory");
	untouched(linked(7, "..", 0), "the one above");
	make("bin/\001d", &debug);
	watch_for(at("bin/\001d"));
	untouched(linked(7, "\001d", 0), "a name that cannot be printed");
	unlink(at("bin/\001d"));
	if (symlink(device, at("bin/d")))
		perror("link");
	untouched(linked(7, "d", 0), "a link to a device");
	unlink(at("bin/d"));
	if (mkfifo(at("bin/d"), 0600))
		perror("fifo");
	fifo = open(at("bin/d"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	watch_for(at("bin/d"));
	untouched(linked(7, "d", 0), "a FIFO");
	rename(at("bin/d"), at("bin/p.debug"));
	untouched(linked(7, NULL, 0), "one with the usual name");
	rename(at("bin/p.debug"), at("bin/.debug/d"));
	untouched(linked(7, "d", 0), "one in the directory that is named .debug");
	unlink(at("bin/.debug/d"));
	close(fifo);
	close(terminal);
	close(watch);
}

/* Another root: links stay in it, and packages' places are those there. */
static void in_root(void)
{
	const struct elf debug = { .id = 7, .symbol = "found" }, stripped = { .id = 7 };
	const struct elf linked = { .id = 7, .link = "d" };

	mkdir(at("root"), 0700);
	mkdir(at("root/usr"), 0700);
	mkdir(at("root/usr/lib"), 0700);
	mkdir(at("root/usr/lib/debug"), 0700);
	mkdir(at("root/usr/lib/debug/.build-id"), 0700);
	mkdir(at("root/usr/lib/debug/.build-id/07"), 0700);
	mkdir(at("root/usr/lib/debug/bin"), 0700);
	mkdir(at("root/bin"), 0700);
	make("root/bin/p", &stripped);
	make("root/usr/lib/debug/.build-id/07/00000000000000.debug", &debug);
	is(name_of("/bin/p", at("root")), "found", "where packages have it, by its build-id");
	is(name_of("/../bin/p", at("root")), "found", "above the root is the root");
	unlink(at("root/usr/lib/debug/.build-id/07/00000000000000.debug"));
	make("root/bin/p", &linked);
	make("root/usr/lib/debug/bin/d", &debug);
	is(name_of("/bin/p", at("root")), "found", "there by its name");
	unlink(at("root/usr/lib/debug/bin/d"));
	make("d", &debug);
	if (symlink("../../d", at("root/bin/d")))
		perror("link");
	is(name_of("/bin/p", at("root")), "-", "a link does not lead out of the root");
	make("out", &debug);
	if (symlink(at("out"), at("root/bin/out")))
		perror("link");
	is(name_of("/bin/out", at("root")), "-", "nor that of a file");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	unsetenv("DEBUGINFOD_URLS");
	setenv("PERF_BUILDID_DIR", dir, 1);
	mkdir(at("bin"), 0700);
	mkdir(at("bin/.debug"), 0700);
	places();
	hostile();
	in_root();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		perror(dir);
	return done();
}
