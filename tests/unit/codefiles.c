// SPDX-License-Identifier: GPL-2.0
/*
 * The files of this very process, and such as no process should have: what
 * table do their mappings get, and when?
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/codefiles.h"
#include "lib/sandbox/openfile.h"
#include "tap.h"

#define PAGE 4096

/* What was pushed, and how it is answered. */
static struct {
	int refuse;
	__u32 pushed;
	size_t bytes;
} module;

static int push(void *ctx, const void *table, size_t size, __u32 *id)
{
	__u32 nr = __atomic_add_fetch(&module.pushed, 1, __ATOMIC_SEQ_CST);

	(void)ctx;
	(void)table;
	__atomic_add_fetch(&module.bytes, size, __ATOMIC_SEQ_CST);
	if (module.refuse)
		return module.refuse;
	*id = nr;
	return 0;
}

static struct wp_codefiles *new_files(void)
{
	struct wp_codefiles_options opt = { .push = push };

	memset(&module, 0, sizeof(module));
	return wp_codefiles_new(&opt);
}

static void settle(struct wp_codefiles *files)
{
	struct pollfd fd = { .fd = wp_codefiles_fd(files), .events = POLLIN };
	__u64 count;

	while (wp_codefiles_busy(files)) {
		poll(&fd, 1, 100);
		if (fd.revents && read(fd.fd, &count, sizeof(count)) < 0)
			break;
	}
}

/* The mapping that holds an address. */
struct search {
	const void *addr;
	struct wp_codefiles *files;
	struct wp_codefile *file;
	struct wp_procmap found;
	char name[4096];
};

static int look(void *ctx, int dir, const struct wp_procmap *m)
{
	struct search *s = ctx;

	if ((uintptr_t)s->addr < m->start || (uintptr_t)s->addr >= m->end)
		return 0;
	s->found = *m;
	snprintf(s->name, sizeof(s->name), "%s", m->name);
	s->found.name = s->name;
	return wp_codefiles_find(s->files, dir, &s->found, 1, &s->file);
}

static bool find_map(struct wp_codefiles *files, int dir, const void *addr, struct search *s)
{
	struct wp_procmaps text = {};

	memset(s, 0, sizeof(*s));
	s->addr = addr;
	s->files = files;
	wp_procmaps_each(&text, dir, PROT_EXEC, look, s);
	wp_procmaps_free(&text);
	return s->found.end;
}

/* Look a mapping up until its table is there. */
static bool table_of(struct wp_codefiles *files, int dir, const void *addr,
		     struct wallprof_map *map)
{
	struct search s;
	bool last;

	if (!find_map(files, dir, addr, &s))
		return false;
	last = wp_codefile_map(files, s.file, &s.found, map);
	settle(files);
	if (s.file && !last)
		last = wp_codefile_map(files, s.file, &s.found, map);
	return last && map->start == s.found.start && map->end == s.found.end;
}

static void libraries(int dir)
{
	struct wp_codefiles *files = new_files();
	struct wp_codefiles_stats stats;
	struct wallprof_map map, again;
	Dl_info info;

	ok(table_of(files, dir, (void *)qsort, &map) && map.table, "libc has a table");
	ok(dladdr((void *)qsort, &info) && map.bias == (uintptr_t)info.dli_fbase,
	   "its addresses are those of the file less its base");
	ok(table_of(files, dir, (void *)qsort, &again) && again.table == map.table &&
	   module.pushed == 1, "it is pushed once");
	ok(table_of(files, dir, (void *)libraries, &map) && map.table == 2,
	   "the program has one, too");
	if (getauxval(AT_SYSINFO_EHDR)) {
		ok(table_of(files, dir, (void *)getauxval(AT_SYSINFO_EHDR), &map) &&
		   map.table == 3, "so has the vdso");
		ok(map.bias == getauxval(AT_SYSINFO_EHDR), "whose addresses begin at 0");
	}
	wp_codefiles_stats(files, &stats);
	ok(stats.files == 3 && stats.did.tables == 3 && !stats.did.cached && !stats.did.no_table &&
	   stats.did.bytes == module.bytes && stats.did.ns, "all is counted");
	wp_codefiles_free(files);
}

/* Map a new file with such contents, executable; its name is gone. */
static void *map_file(const char *path, const void *data, size_t size, bool gone)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	void *at;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return NULL;
	at = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (gone)
		unlink(path);
	return at == MAP_FAILED ? NULL : at;
}

static void odd_ones(int dir, const char *tmp)
{
	struct wp_codefiles *files = new_files();
	struct wp_codefiles_stats stats;
	struct wallprof_map map;
	char path[4096], text[PAGE] = "#!/bin/sh\n";
	void *at;

	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(table_of(files, dir, at, &map) && !map.table && !map.bias,
	   "memory without a file has no table");
	snprintf(path, sizeof(path), "%s/text\nfile", tmp);
	at = map_file(path, text, sizeof(text), false);
	ok(at && table_of(files, dir, at, &map) && !map.table, "nor has a text");
	unlink(path);
	at = map_file(path, text, sizeof(text), true);
	ok(at && table_of(files, dir, at, &map) && !map.table, "nor a deleted one");
	wp_codefiles_stats(files, &stats);
	ok(!stats.did.tables && stats.did.no_table == stats.files, "they are counted as such");
	wp_codefiles_free(files);
}

/* A copy of this program that was deleted, and one that came in its place. */
static void deleted(int dir, const char *tmp)
{
	struct wp_codefiles *files = new_files();
	char path[4096], *data;
	struct wallprof_map map;
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *at;

	snprintf(path, sizeof(path), "%s/copy", tmp);
	if (fd < 0 || fstat(fd, &st) || !(data = malloc(st.st_size)) ||
	    read(fd, data, st.st_size) != st.st_size) {
		ok(false, "this program can be read");
		return;
	}
	close(fd);
	at = map_file(path, data, st.st_size, true);
	/* Without the right to follow mappings there is no way to it. */
	if (access("/proc/self/map_files/.", R_OK | X_OK) || geteuid())
		ok(true, "a deleted file has a table # SKIP needs root");
	else
		ok(at && table_of(files, dir, at, &map) && map.table == 1,
		   "a deleted file has a table");
	at = map_file(path, data, st.st_size, false);
	ok(at && table_of(files, dir, at, &map) && map.table,
	   "so has one that came in its place");
	unlink(path);
	free(data);
	wp_codefiles_free(files);
}

/* Any file, as if it were old enough. */
static bool recognize(struct wp_fileident *ident, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return false;
	wp_fileident_set(ident, &st, &fs, 0);
	return true;
}

/* Another one after the first look. */
static bool changes(struct wp_fileident *ident, int fd)
{
	static unsigned int looks;

	if (!recognize(ident, fd))
		return false;
	ident->changed[1] += looks++;
	return true;
}

/* The table of a file, by a recording of its own. Returns how many were known, or -1. */
static int record(struct wp_tablecache *cache, int dir, void *at, size_t bytes)
{
	struct wp_codefiles_options opt = { .push = push, .cache = cache };
	struct wp_codefiles_stats stats;
	struct wp_codefiles *files;
	struct wallprof_map map;
	bool found;

	memset(&module, 0, sizeof(module));
	files = wp_codefiles_new(&opt);
	found = table_of(files, dir, at, &map) && map.table == 1;
	wp_codefiles_stats(files, &stats);
	wp_codefiles_free(files);
	return found && stats.did.cached >= stats.did.known && (!bytes || module.bytes == bytes) ?
	       (int)stats.did.known : -1;
}

/* Change a byte of a file in place, until that can be seen. */
static void touch(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat old, st;
	char c;

	if (fd < 0 || fstat(fd, &old) || pread(fd, &c, 1, at) != 1)
		abort();
	c ^= 1;
	do {
		if (pwrite(fd, &c, 1, at) != 1 || fstat(fd, &st))
			abort();
	} while (st.st_ctim.tv_sec == old.st_ctim.tv_sec &&
		 st.st_ctim.tv_nsec == old.st_ctim.tv_nsec);
	close(fd);
}

/* The only table there. */
static void touch_table(const char *dir)
{
	char command[8300], name[4096] = "";
	FILE *list;

	snprintf(command, sizeof(command), "ls %s/*-*-*", dir);
	list = popen(command, "r");
	if (!list || !fgets(name, sizeof(name), list))
		abort();
	pclose(list);
	name[strcspn(name, "\n")] = '\0';
	touch(name, 100);
}

static void recordings(struct wp_tablecache *cache, int dir, void *at, const char *path,
		       const char *cached)
{
	size_t bytes;

	ok(!record(cache, dir, at, 0) && !record(cache, dir, at, module.bytes),
	   "a file that was changed just now is read each time");
	bytes = module.bytes;
	wp_tablecache_set_ident(cache, changes);
	ok(!record(cache, dir, at, bytes), "one that changes while it is read...");
	wp_tablecache_set_ident(cache, recognize);
	ok(!record(cache, dir, at, bytes), "...is read again");
	ok(record(cache, dir, at, bytes) == 1, "one that is known is not");
	ok(record(cache, dir, at, bytes) == 1, "nor when its table was verified, too");
	touch_table(cached);
	ok(!record(cache, dir, at, bytes) && record(cache, dir, at, bytes) == 1,
	   "with a table that was spoilt it is");
	/* The minor version of what made it, which is not looked at. */
	touch(path, offsetof(Elf64_Ehdr, e_ident) + EI_PAD);
	ok(!record(cache, dir, at, bytes) && record(cache, dir, at, bytes) == 1,
	   "and when it was changed in place");
}

/* Files that an earlier recording has read. */
static void known(int dir, const char *tmp)
{
	char path[4096], cached[4096], command[8300];
	struct wp_tablecache *cache = NULL;
	struct stat st;
	void *at;
	int fd;

	snprintf(path, sizeof(path), "%s/program", tmp);
	snprintf(cached, sizeof(cached), "%s/cache", tmp);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), path);
	fd = system(command) ? -1 : wp_openfile(path, 0, &st);
	if (fd < 0 || wp_tablecache_open(&cache, cached)) {
		ok(false, "a program, and a cache");
		return;
	}
	at = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (wp_openfile_is_served(fd))
		ok(true, "a file that is known is not read again # SKIP not on a disk");
	else
		recordings(cache, dir, at, path, cached);
	munmap(at, st.st_size);
	close(fd);
	wp_tablecache_close(cache);
	snprintf(command, sizeof(command), "rm -r %s %s", path, cached);
	ok(!system(command), "all is removed");
}

static void refused(int dir)
{
	struct wp_codefiles *files = new_files();
	struct wp_codefiles_stats stats;
	struct wallprof_map map;

	module.refuse = -ENOMEM;
	ok(table_of(files, dir, (void *)qsort, &map) && !map.table,
	   "a table that is refused is no table");
	ok(table_of(files, dir, (void *)qsort, &map) && module.pushed == 1,
	   "and is not tried again");
	wp_codefiles_stats(files, &stats);
	ok(stats.did.refused == 1 && stats.did.error == -ENOMEM && !stats.did.tables,
	   "that is counted, with the reason");
	wp_codefiles_free(files);
}

/* Look all files up until each has its table, or gets none. */
static bool settle_all(struct wp_codefiles *files, int dir, void **at, int nr)
{
	struct wallprof_map map;
	bool all = false;
	struct search s;
	int i;

	while (!all) {
		all = true;
		for (i = 0; i < nr; i++) {
			if (!find_map(files, dir, at[i], &s) || !s.file)
				return false;
			all &= wp_codefile_map(files, s.file, &s.found, &map);
		}
		settle(files);
	}
	return true;
}

/* More files at once than are kept open. */
static void many(int dir, const char *tmp)
{
	enum { NR = 600 };
	struct wp_codefiles *files = new_files();
	struct wp_codefiles_stats stats;
	char text[PAGE] = "no program";
	struct search s;
	void *at[NR];
	bool good = true;
	int i;

	for (i = 0; i < NR; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%d", tmp, i);
		at[i] = map_file(path, text, sizeof(text), false);
		good = good && at[i];
	}
	good = good && settle_all(files, dir, at, NR);
	wp_codefiles_stats(files, &stats);
	ok(good && stats.files == NR && stats.did.no_table == NR, "600 files at once");
	for (i = 0; i < NR; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%d", tmp, i);
		unlink(path);
		munmap(at[i], sizeof(text));
	}
	wp_codefiles_free(files);
	/* Stopped while there is work. */
	files = new_files();
	good = find_map(files, dir, (void *)qsort, &s) && s.file;
	wp_codefiles_free(files);
	ok(good, "it ends while a table is being made");
}

/* Files that are not looked up are dropped, if there are many; others have what they had. */
static void swept(int dir, const char *tmp)
{
	enum { NR = 20 };
	const __u64 minute = 60 * 1000000000ULL;
	struct wp_codefiles *files = new_files();
	struct wp_codefiles_stats stats;
	char text[PAGE] = "no program", path[4096];
	struct wallprof_map map, again;
	void *at[NR];
	bool good = true;
	__u64 before;
	int i;

	for (i = 0; i < NR; i++) {
		snprintf(path, sizeof(path), "%s/%d", tmp, i);
		at[i] = map_file(path, text, sizeof(text), false);
		good = good && at[i];
	}
	good = good && settle_all(files, dir, at, NR) && table_of(files, dir, (void *)qsort, &map);
	wp_codefiles_stats(files, &stats);
	ok(good && stats.files == NR + 1 && stats.did.no_table == NR && module.pushed == 1,
	   "some files, and one with a table");
	wp_codefiles_sweep(files, wp_clock_now() + 2 * minute, NR + 1);
	ok(table_of(files, dir, (void *)qsort, &again) && module.pushed == 1,
	   "so many are no reason to drop any");
	before = wp_clock_now();
	ok(settle_all(files, dir, at, NR / 2), "some are looked up");
	wp_codefiles_sweep(files, before + minute, 1);
	good = settle_all(files, dir, at, NR);
	wp_codefiles_stats(files, &stats);
	ok(good && stats.files == NR + 1 + NR / 2 && stats.did.no_table == NR + NR / 2,
	   "the others are dropped, and new when they are looked up");
	ok(table_of(files, dir, (void *)qsort, &again) && again.table && module.pushed == 2,
	   "a table is pushed again");
	wp_codefiles_sweep(files, before + minute + minute / 10, 1);
	good = settle_all(files, dir, at, NR);
	wp_codefiles_stats(files, &stats);
	ok(good && stats.files == NR + 2 + NR / 2, "not before some time has passed");
	for (i = 0; i < NR; i++) {
		snprintf(path, sizeof(path), "%s/%d", tmp, i);
		unlink(path);
		munmap(at[i], sizeof(text));
	}
	/* While tables are made. */
	good = table_of(files, dir, (void *)swept, &map);
	wp_codefiles_sweep(files, before + 10 * minute, 0);
	find_map(files, dir, (void *)qsort, &(struct search){});
	wp_codefiles_sweep(files, before + 20 * minute, 0);
	settle(files);
	ok(good && table_of(files, dir, (void *)qsort, &map) && map.table, "one that waits is kept");
	wp_codefiles_free(files);
}

static void *outlives(void *arg)
{
	pause();
	return arg;
}

/* A process whose first thread has ended: its /proc/PID/maps is empty. */
static void without_leader(void)
{
	struct wp_codefiles *files = new_files();
	struct wallprof_map map;
	char path[64], c;
	pthread_t thread;
	int dir, fd;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    pthread_create(&thread, NULL, outlives, NULL))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (c = 1; c; usleep(1000)) {
		fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC);
		c = read(fd, &c, 1) == 1;
		close(fd);
	}
	ok(table_of(files, dir, (void *)qsort, &map) && map.table,
	   "a process whose first thread has ended has tables");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(dir);
	wp_codefiles_free(files);
}

int main(void)
{
	int dir = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char tmp[] = "/tmp/wallprof-codefiles.XXXXXX";

	wp_set_verbosity(WP_SILENT);
	if (dir < 0 || !mkdtemp(tmp))
		return 1;
	libraries(dir);
	odd_ones(dir, tmp);
	deleted(dir, tmp);
	known(dir, tmp);
	refused(dir);
	many(dir, tmp);
	swept(dir, tmp);
	without_leader();
	rmdir(tmp);
	return done();
}
