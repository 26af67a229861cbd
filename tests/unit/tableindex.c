// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the index of files whose tables' names are known, and of what is recognized
 * later: what is there is what was put there; what was spoilt, cut short, or is of a file
 * that has changed is not found.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unwind/tableindex.h"
#include "tap.h"

#define SLOT	512
#define NOW	1000000

static char dir[64] = "/tmp/wallprof-tableindex.XXXXXX", path[128];
static const __u64 key[2] = { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL };
static int dir_fd, idx = -1;

static void reopen(void)
{
	if (idx >= 0)
		close(idx);
	idx = wp_tableindex_open(dir_fd);
}

/* What is put there for a file of this number. */
static struct wp_tableentry entry_of(__u64 ino)
{
	struct wp_tableentry e = {
		.file = {
			.fs = 7, .dev = 0xfd01, .ino = ino, .size = 4096, .owner = 1000,
			.modified = { 5, 6 }, .changed = { 7, 8 },
		},
		.name = { .id = { .size = 20, .data = "identity of the file" }, .hash = ~ino },
		.codes = {
			.machine = 62, .entry = 0x1234, .bytes = 77, .nr = 2, .fd = -1,
			.code = { { 1 << 12, 2 << 12, 0, 4096 }, { 3 << 12, 4 << 12, 8192, 99 } },
		},
		.table = { .ino = 4711 },
	};

	return e;
}

static bool is_there(const struct wp_tableentry *e)
{
	struct wp_tableentry found;

	return wp_tableindex_find(idx, key, &e->file, &found) && !memcmp(&found, e, sizeof(found));
}

static off_t size(void)
{
	struct stat st;

	return fstat(idx, &st) ? -1 : st.st_size;
}

static void flip(off_t at, char c)
{
	if (pwrite(idx, &c, 1, at) != 1)
		abort();
}

static void found(void)
{
	struct wp_tableentry e = entry_of(1), other, got;
	struct wp_fileident file;
	__u64 stranger[2] = { 1, 2 };
	unsigned int i, bad = 0;

	ok(!is_there(&e), "nothing is there at first");
	wp_tableindex_put(idx, key, &e);
	ok(is_there(&e), "a file is found");
	reopen();
	ok(is_there(&e), "by the next one, too");
	ok(!wp_tableindex_find(idx, stranger, &e.file, &got), "not with another key");
	/* Each word decides. */
	for (i = 0; i < sizeof(file) / 4; i++) {
		file = e.file;
		((__u32 *)&file)[i] ^= 1;
		bad += wp_tableindex_find(idx, key, &file, &got);
	}
	ok(i == 18 && !bad, "nor one that differs");
	other = e;
	other.file.changed[1]++;
	other.name.hash++;
	wp_tableindex_put(idx, key, &other);
	ok(is_there(&other) && !wp_tableindex_find(idx, key, &e.file, &got),
	   "a file that has changed takes the place of what it was");
}

static void spoilt(void)
{
	struct wp_tableentry e = entry_of(1), got;
	unsigned int bad = 0, tried = 0;
	off_t at;
	char c;

	wp_tableindex_put(idx, key, &e);
	for (at = size() - SLOT; at < size(); at++, tried++) {
		if (pread(idx, &c, 1, at) != 1)
			abort();
		flip(at, c ^ 0x10);
		bad += wp_tableindex_find(idx, key, &e.file, &got);
		flip(at, c);
		bad += !is_there(&e);
	}
	ok(tried == SLOT && !bad, "a byte that was changed: not found");
	flip(size() - 1, ~c);
	wp_tableindex_put(idx, key, &e);
	ok(is_there(&e), "and put there again");
	for (bad = 0, at = size() - 1; at >= 0; at -= at > 2 * SLOT ? 997 : 1) {
		if (ftruncate(idx, at))
			abort();
		bad += wp_tableindex_find(idx, key, &e.file, &got);
	}
	wp_tableindex_put(idx, key, &e);
	ok(!bad && is_there(&e), "a file that was cut short");
}

/* What is valid has still to be plausible: a worker made it. */
static void implausible(void)
{
	struct wp_tableentry e = entry_of(2), got;
	unsigned int bad = 0;

	e.codes.nr = 0;
	wp_tableindex_put(idx, key, &e);
	bad += wp_tableindex_find(idx, key, &e.file, &got);
	e = entry_of(2);
	e.codes.code[1].start = e.codes.code[0].start;
	wp_tableindex_put(idx, key, &e);
	bad += wp_tableindex_find(idx, key, &e.file, &got);
	e = entry_of(2);
	e.codes.code[0].size = 1 << 20;
	wp_tableindex_put(idx, key, &e);
	bad += wp_tableindex_find(idx, key, &e.file, &got);
	e = entry_of(2);
	e.name.id.size = WP_BUILDID_MAX + 1;
	wp_tableindex_put(idx, key, &e);
	bad += wp_tableindex_find(idx, key, &e.file, &got);
	ok(!bad, "code that no file has is not found");
	e = entry_of(3);
	e.codes.nr = WP_CODE_MAX;
	wp_tableindex_put(idx, key, &e);
	ok(!wp_tableindex_find(idx, key, &e.file, &got), "nor more than there is room for");
}

/* More than fit. */
static void full(void)
{
	enum { NR = 20000 };
	unsigned int there = 0, bad = 0;
	struct wp_tableentry e;
	__u64 i;

	for (i = 1; i <= NR; i++) {
		e = entry_of(i);
		wp_tableindex_put(idx, key, &e);
		bad += !is_there(&e);
	}
	for (i = 1; i <= NR; i++) {
		e = entry_of(i);
		there += is_there(&e);
	}
	ok(!bad && there > 3000 && there <= 4096 && size() <= 4096 * SLOT,
	   "the last one always finds a place, in a file of 2 MiB: %u of %u", there, NR);
}

/* What stands in its place. */
static void others(void)
{
	struct wp_tableentry e = entry_of(1);
	char target[160];
	struct stat st;

	snprintf(target, sizeof(target), "%s/target", dir);
	wp_tableindex_put(idx, key, &e);
	if (rename(path, target) || symlink("target", path))
		abort();
	reopen();
	ok(idx >= 0 && !is_there(&e) && !lstat(path, &st) && S_ISREG(st.st_mode),
	   "a symbolic link is not followed");
	unlink(target);
	unlink(path);
	if (mkfifo(path, 0600))
		abort();
	reopen();
	wp_tableindex_put(idx, key, &e);
	ok(is_there(&e), "a FIFO is replaced");
	chmod(path, 0666);
	reopen();
	ok(!is_there(&e), "so is a file that others may write");
	unlink(path);
	if (mkdir(path, 0700))
		abort();
	reopen();
	wp_tableindex_put(idx, key, &e);
	ok(is_there(&e), "and a directory");
	if (geteuid())
		return;
	if (chown(path, 12345, 12345))
		abort();
	reopen();
	ok(!is_there(&e) && !lstat(path, &st) && !st.st_uid, "and somebody else's file");
	wp_tableindex_put(idx, key, &e);
}

/* Where nothing can be written, what is there is found. */
static void read_only(void)
{
	struct wp_tableentry e = entry_of(1), other = entry_of(2);
	int status;

	wp_tableindex_put(idx, key, &e);
	if ((!geteuid() && (chown(path, 12345, 12345) || chown(dir, 12345, 12345))) ||
	    chmod(path, 0400) || chmod(dir, 0500))
		abort();
	if (!fork()) {
		if (!geteuid() && setuid(12345))
			_exit(2);
		reopen();
		wp_tableindex_put(idx, key, &other);
		_exit(!is_there(&e) || is_there(&other));
	}
	wait(&status);
	ok(!status, "a directory that cannot be written");
	if (chmod(path, 0600) || chmod(dir, 0700) ||
	    (!geteuid() && (chown(path, 0, 0) || chown(dir, 0, 0))))
		abort();
}

/* Without room, nothing is added. */
static void no_room(void)
{
	const struct rlimit none = { 0, RLIM_INFINITY };
	struct wp_tableentry e = entry_of(1);
	int status;

	unlink(path);
	reopen();
	if (!fork()) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &none))
			_exit(2);
		wp_tableindex_put(idx, key, &e);
		_exit(is_there(&e));
	}
	wait(&status);
	ok(!status && !size(), "a disk that is full");
	close(idx);
	idx = -1;
	wp_tableindex_put(idx, key, &e);
	ok(!is_there(&e), "and no index at all");
}

static void recognized(void)
{
	struct stat st = {
		.st_mode = S_IFREG | 0755, .st_dev = 1, .st_ino = 2, .st_size = 3, .st_uid = 4,
		.st_mtim = { 5, 6 }, .st_ctim = { NOW - WP_FILEIDENT_AGE - 1, 8 },
	};
	struct statfs fs = { .f_type = EXT4_SUPER_MAGIC }, tmp = { .f_type = TMPFS_MAGIC };
	struct wp_fileident a, b;

	ok(wp_fileident_set(&a, &st, &fs, NOW), "a file that has not changed for a minute is recognized");
	ok(a.dev == 1 && a.ino == 2 && a.size == 3 && a.owner == 4 && a.modified[0] == 5 &&
	   a.modified[1] == 6 && a.changed[0] == st.st_ctim.tv_sec && a.changed[1] == 8,
	   "by what its status says");
	ok(!wp_fileident_set(&b, &st, &tmp, NOW), "not in memory");
	fs.f_flags = ST_RDONLY;
	ok(!wp_fileident_set(&b, &st, &fs, NOW), "nor in an image");
	fs.f_flags = ST_NOATIME;
	fs.f_fsid.__val[0] = 1;
	ok(wp_fileident_set(&b, &st, &fs, NOW) && !wp_fileident_same(&a, &b),
	   "nor in another file system of the same number");
	st.st_ctim.tv_sec++;
	ok(!wp_fileident_set(&b, &st, &fs, NOW), "nor one that changed within a minute");
	st.st_ctim.tv_sec = NOW + 1;
	ok(!wp_fileident_set(&b, &st, &fs, NOW), "or that has a time to come");
	st.st_ctim.tv_sec = 1;
	st.st_mode = S_IFDIR | 0755;
	ok(!wp_fileident_set(&b, &st, &fs, NOW), "nor what is no file");
}

int main(void)
{
	recognized();
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/index", dir);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	reopen();
	found();
	spoilt();
	implausible();
	others();
	read_only();
	full();
	no_room();
	close(dir_fd);
	unlink(path);
	return rmdir(dir) ? 1 : done();
}
