// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the copies of files that are kept for reports: where they are, who can read
 * them, and what is not copied.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/opener.h"
#include "lib/symbols/idfiles.h"
#include "lib/symbols/keepfiles.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-keepfiles.XXXXXX";
static const struct wp_buildid id = { 20, { 0xab, 0xcd, 1, 2, 3 } };
static const struct wp_buildid none;
static unsigned int nap_ns;
static unsigned int nr_writes;
static bool discards;

/* The library's, too: a disk that takes its time. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
	const struct timespec nap = { 0, nap_ns };

	nr_writes++;
	if (discards)
		return size;
	if (nap_ns)
		nanosleep(&nap, NULL);
	return syscall(SYS_pwrite64, fd, data, size, at);
}

/* The library's, too: there is room for everything. */
int fstatvfs64(int fd, struct statvfs64 *fs)
{
	(void)fd;
	*fs = (struct statvfs64){ .f_bavail = 1 << 30, .f_frsize = 4096 };
	return 0;
}

static const char *at(const char *name)
{
	static char path[4][512];
	static int nr;
	char *p = path[nr++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static int source(const char *text)
{
	int fd = open(at("source"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	return fd;
}

/* One file, in a cache of that name. */
static struct wp_keepfiles_stats keep(const char *cache, int fd, const struct wp_buildid *of,
				      struct wp_filestat *stat)
{
	struct wp_keepfiles *k = wp_keepfiles_new(at(cache));
	struct wp_keepfiles_stats stats;
	struct stat st;

	if (fstat(fd, &st))
		abort();
	*stat = wp_filestat_of(&st);
	wp_keepfiles_add(k, fd, of, &st);
	wp_keepfiles_end(k, &stats);
	return stats;
}

static bool has(int fd, const char *text)
{
	char found[64] = "";
	bool good = fd >= 0 && pread(fd, found, sizeof(found) - 1, 0) >= 0 && !strcmp(found, text);

	if (fd >= 0)
		close(fd);
	return good;
}

static void kept(void)
{
	static const char name[] = "cache/wallprof/abcd010203000000000000000000000000000000/elf";
	struct wp_keepfiles_stats stats;
	struct wp_filestat stat;
	struct stat st;

	stats = keep("cache", source("first"), &id, &stat);
	ok(stats.kept == 1 && stats.bytes == 5 && !stats.failed, "a file is copied");
	ok(!lstat(at(name), &st) && S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600 &&
	   st.st_uid == geteuid(), "nobody else can read it");
	ok(has(open(at("cache/.build-id/ab/cd010203000000000000000000000000000000/elf"),
		    O_RDONLY | O_CLOEXEC), "first"), "perf finds it by its build-id");
	stats = keep("cache", source("other"), &id, &stat);
	ok(!stats.kept && stats.there == 1 && has(open(at(name), O_RDONLY | O_CLOEXEC), "first"),
	   "what is there stays");
	stats = keep("cache", source("without"), &none, &stat);
	setenv("PERF_BUILDID_DIR", at("cache"), 1);
	ok(stats.kept == 1 && has(wp_idfiles_kept(&stat), "without"),
	   "one without a build-id is found by its inode, size and time");
	stat.mtime_nsec ^= 1;
	ok(wp_idfiles_kept(&stat) < 0, "and by nothing less");
}

static void not_kept(void)
{
	struct wp_keepfiles_stats stats;
	struct wp_filestat stat;
	int fd = source("");

	if (ftruncate(fd, WP_KEEPFILES_FILE + 1))
		abort();
	stats = keep("large", fd, &id, &stat);
	ok(!stats.kept && stats.large == 1 &&
	   access(at("large/wallprof/abcd010203000000000000000000000000000000"), F_OK),
	   "one that is too large is not copied, and leaves nothing");
	mkdir(at("linked"), 0700);
	mkdir(at("elsewhere"), 0700);
	if (symlink(at("elsewhere"), at("linked/wallprof")))
		abort();
	stats = keep("linked", source("first"), &id, &stat);
	ok(!stats.kept && stats.failed == 1 && !rmdir(at("elsewhere")),
	   "nothing is copied through a link");
	mkdir(at("shared"), 0700);
	chmod(at("shared"), 0777);
	ok(!wp_keepfiles_new(at("shared")), "nor where others can write");
}

/* Of two owners: one has files for more than all of the room. */
static void of_owners(void)
{
	struct wp_keepfiles *k = wp_keepfiles_new(at("owners"));
	struct wp_keepfiles_stats stats;
	struct stat st;
	int i, fd;

	discards = true;
	for (i = 0; i < 6; i++) {
		unlink(at("source"));
		fd = source("");
		if (ftruncate(fd, 200 << 20) || fstat(fd, &st))
			abort();
		st.st_uid = 1000 + i / 5;
		wp_keepfiles_add(k, fd, &none, &st);
	}
	wp_keepfiles_end(k, &stats);
	discards = false;
	ok(stats.kept == 3 && stats.large == 3 && !stats.failed,
	   "an owner takes no more than it leaves for others: %llu %llu",
	   (unsigned long long)stats.kept, (unsigned long long)stats.large);
}

/* Once the end was asked for, which it stays. */
static void in_a_hurry(void)
{
	struct wp_keepfiles_stats stats;
	struct wp_filestat stat;
	int fd = source("");

	wp_opener_hurry();
	if (ftruncate(fd, 33 << 20))
		abort();
	stats = keep("late", fd, &id, &stat);
	ok(!stats.kept && stats.failed == 1 &&
	   access(at("late/wallprof/abcd010203000000000000000000000000000000"), F_OK),
	   "in a hurry, a large one is not copied, and leaves nothing");
	stats = keep("late", source("small"), &id, &stat);
	ok(stats.kept == 1, "a small one is");
	nap_ns = 20000000;
	nr_writes = 0;
	fd = source("");
	if (ftruncate(fd, 16 << 20))
		abort();
	stats = keep("slow", fd, &id, &stat);
	ok(nr_writes && !stats.kept && stats.failed == 1 &&
	   access(at("slow/wallprof/abcd010203000000000000000000000000000000"), F_OK),
	   "none to a slow disk, and it leaves nothing");
	nap_ns = 0;
}

int main(void)
{
	char command[64];

	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	kept();
	not_kept();
	of_owners();
	in_a_hurry();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return done();
}
