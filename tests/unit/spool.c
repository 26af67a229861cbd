// SPDX-License-Identifier: GPL-2.0
/* Tests of the spool of the agent: order, limits, full disks, and kills at any point. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/otlp/spool.h"
#include "tap.h"

#define KILLS	30

static const struct wp_spool_limits wide = { .bytes = 1 << 30, .age = 86400 };
static char top[] = "/tmp/wallprof-spool.XXXXXX";

static struct wp_spool *open_in(const char *name, const struct wp_spool_limits *limits, int *err)
{
	struct wp_spool *s = NULL;
	char path[256];
	int dir;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	mkdir(path, 0700);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*err = wp_spool_open(&s, dir, limits);
	if (*err)
		close(dir);
	return s;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", top, dir, name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static bool is_there(const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", top, dir, name);
	return !access(path, F_OK);
}

/* Whether the first message is this one. */
static bool first_is(struct wp_spool *s, const char *text, __u64 ns)
{
	struct wp_spool_segment segment;
	bool same;
	char *data;

	if (!wp_spool_first(s, &segment) || segment.ns != ns || segment.bytes != strlen(text))
		return false;
	data = wp_spool_map(s, &segment);
	same = data && !memcmp(data, text, segment.bytes);
	if (data)
		munmap(data, segment.bytes);
	return same;
}

/* Removes the oldest message; returns as wp_spool_remove() does. */
static int drop_first(struct wp_spool *s)
{
	struct wp_spool_segment segment;

	return wp_spool_first(s, &segment) ? wp_spool_remove(s, &segment) : -ENOENT;
}

static void test_order(void)
{
	struct wp_spool_segment segment;
	struct wp_spool *s;
	int err;

	s = open_in("order", &wide, &err);
	ok(!err && !wp_spool_nr(s) && !wp_spool_first(s, &segment), "a new directory is empty");
	ok(!wp_spool_add(s, WP_SPOOL_PROFILES, "one", 3, 11) && !wp_spool_add(s, WP_SPOOL_PROFILES, "second", 6, 22) &&
	   !wp_spool_add(s, WP_SPOOL_PROFILES, "3", 1, 33), "messages are added");
	ok(wp_spool_nr(s) == 3 && first_is(s, "one", 11), "the oldest is the first");
	ok(!drop_first(s) && first_is(s, "second", 22), "then the next one");
	wp_spool_close(s);

	put_file("order", "incomplete", "half of a mess");
	put_file("order", "notes.txt", "mine");
	put_file("order", "00000000000000000009-00000000000000000001-00000000000000000005.otlp.gz",
		 "four");
	s = open_in("order", &wide, &err);
	ok(!err && wp_spool_nr(s) == 2 && first_is(s, "second", 22),
	   "another process finds what is left, in order");
	ok(!is_there("order", "incomplete"), "what is incomplete is removed");
	ok(is_there("order", "notes.txt"), "what is not ours stays");
	ok(!wp_spool_add(s, WP_SPOOL_PROFILES, "new", 3, 1) && wp_spool_nr(s) == 3, "another one is added");
	wp_spool_close(s);
	s = open_in("order", &wide, &err);
	drop_first(s);
	drop_first(s);
	ok(first_is(s, "new", 1), "it is the newest, also for the next process");
	drop_first(s);
	ok(!wp_spool_nr(s) && !wp_spool_first(s, &segment), "all are removed");
	wp_spool_close(s);
	s = open_in("order", &wide, &err);
	ok(!err && !wp_spool_nr(s), "... from the disk, too");
	wp_spool_close(s);
}

static void test_limits(void)
{
	const struct wp_spool_limits narrow = { .bytes = 10, .age = 100 };
	struct timespec old[2] = { { .tv_nsec = UTIME_OMIT } };
	struct wp_spool *s, *other;
	char path[512];
	int err;

	s = open_in("limits", &narrow, &err);
	ok(wp_spool_add(s, WP_SPOOL_PROFILES, "eleven bytes", 11, 1) == -EFBIG, "a message above the limit is refused");
	wp_spool_add(s, WP_SPOOL_PROFILES, "aaaa", 4, 1);
	wp_spool_add(s, WP_SPOOL_PROFILES, "bbbb", 4, 2);
	ok(!wp_spool_excess(s, 2) && wp_spool_excess(s, 3), "the limit of bytes is exact");
	drop_first(s);
	ok(!wp_spool_excess(s, 6) && wp_spool_excess(s, 7), "... also after a removal");
	other = open_in("limits", &narrow, &err);
	ok(!other && err == -EWOULDBLOCK, "a directory has one process");
	wp_spool_close(s);

	snprintf(path, sizeof(path),
		 "%s/limits/00000000000000000002-00000000000000000002-00000000000000000004.otlp.gz",
		 top);
	old[1].tv_sec = time(NULL) - 50;
	utimensat(AT_FDCWD, path, old, 0);
	s = open_in("limits", &narrow, &err);
	ok(s && !wp_spool_excess(s, 0), "a message of an earlier process may be some time old");
	wp_spool_close(s);
	old[1].tv_sec = time(NULL) - 101;
	utimensat(AT_FDCWD, path, old, 0);
	s = open_in("limits", &narrow, &err);
	ok(s && wp_spool_excess(s, 0), "... but not too old");
	wp_spool_close(s);
	old[1].tv_sec = time(NULL) + 1000000;
	utimensat(AT_FDCWD, path, old, 0);
	s = open_in("limits", &narrow, &err);
	ok(s && !wp_spool_excess(s, 0) && wp_spool_nr(s) == 1, "one of the future stays");
	wp_spool_close(s);
}

/* The limit of a file's size is met as a full disk is, in the middle of a message. */
static void test_full(void)
{
	struct rlimit before, limit;
	struct wp_spool *s;
	char big[8192];
	int err;

	memset(big, 'x', sizeof(big));
	s = open_in("full", &wide, &err);
	wp_spool_add(s, WP_SPOOL_PROFILES, "before", 6, 1);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(wp_spool_add(s, WP_SPOOL_PROFILES, big, sizeof(big), 2) == -EFBIG && wp_spool_nr(s) == 1,
	   "a message that does not fit on the disk is not in the spool");
	ok(!is_there("full", "incomplete"), "... and leaves nothing");
	setrlimit(RLIMIT_FSIZE, &before);
	ok(!wp_spool_add(s, WP_SPOOL_PROFILES, big, sizeof(big), 2) && wp_spool_nr(s) == 2,
	   "with room it is added");
	wp_spool_close(s);
}

/* Adds messages for good, and says so of each. */
static void __attribute__((noreturn)) write_messages(int out)
{
	struct wp_spool *s;
	char text[5000];
	__u64 nr;
	int err;

	s = open_in("kill", &wide, &err);
	for (nr = 1; s && !err; nr++) {
		memset(text, 'a' + nr % 26, sizeof(text));
		err = wp_spool_add(s, WP_SPOOL_PROFILES, text, 1 + nr * 37 % sizeof(text), nr);
		if (!err && write(out, &nr, sizeof(nr)) != sizeof(nr))
			break;
	}
	_exit(1);
}

/* Whether messages 1 to @nr are there, as they were written, and at most one more. */
static bool has_all(struct wp_spool *s, __u64 nr)
{
	struct wp_spool_segment segment;
	__u64 i;

	if (wp_spool_nr(s) < nr || wp_spool_nr(s) > nr + 1)
		return false;
	for (i = 1; wp_spool_first(s, &segment); i++) {
		char *data = wp_spool_map(s, &segment);
		size_t at;
		bool same = data && segment.ns == i && segment.bytes == 1 + i * 37 % 5000;

		for (at = 0; same && at < segment.bytes; at++)
			same = data[at] == (char)('a' + i % 26);
		if (data)
			munmap(data, segment.bytes);
		if (!same || drop_first(s))
			return false;
	}
	return true;
}

static void test_kills(void)
{
	unsigned int i, whole = 0;

	for (i = 0; i < KILLS; i++) {
		__u64 nr = 0, seen;
		struct wp_spool *s;
		int out[2], err;
		pid_t pid;

		if (pipe(out))
			break;
		pid = fork();
		if (!pid)
			write_messages(out[1]);
		close(out[1]);
		while (nr < 1 + i && read(out[0], &seen, sizeof(seen)) == sizeof(seen))
			nr = seen;
		/* Somewhere in the next ones. */
		usleep(i * 97 % 400);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		while (read(out[0], &seen, sizeof(seen)) == sizeof(seen))
			nr = seen;
		close(out[0]);
		s = open_in("kill", &wide, &err);
		whole += s && has_all(s, nr);
		if (s)
			wp_spool_close(s);
	}
	ok(whole == KILLS, "after a kill all is there that was said to be");
}

/* On a file system that has all times. */
static void test_old(void)
{
	static const time_t when[] = { INT64_MIN, -9999999999, INT64_MAX };
	static const struct wp_spool_limits a_day = { .bytes = 1 << 30, .age = 86400 };
	char dir[] = "/dev/shm/wallprof-spool.XXXXXX", path[256];
	struct wp_spool *s;
	unsigned int i;
	int fd;

	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof(path), "%s/%020d-%020d-%020d.otlp.gz", dir, 1, 1, 0);
	for (i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
		const struct timespec times[2] = { { .tv_sec = 0 }, { .tv_sec = when[i] } };

		fd = open(path, O_WRONLY | O_CREAT, 0600);
		futimens(fd, times);
		close(fd);
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (ok(!wp_spool_open(&s, fd, &a_day) && wp_spool_nr(s) == 1 &&
		       wp_spool_excess(s, 0) == (when[i] < 0), "a file of the second %lld",
		       (long long)when[i]))
			wp_spool_close(s);
	}
	unlink(path);
	rmdir(dir);
}

/* Names that we do not give: what is behind them, there would be no number or no time for. */
static void test_names(void)
{
	struct wp_spool *s;
	int err;

	s = open_in("names", &wide, &err);
	wp_spool_close(s);
	put_file("names", "18446744073709551615-00000000000000000001-00000000000000000004.otlp.gz",
		 "last");
	put_file("names", "00000000000000000001-18446744073709551615-00000000000000000004.otlp.gz",
		 "long");
	put_file("names", "99999999999999999999-00000000000000000001-00000000000000000004.otlp.gz",
		 "more");
	s = open_in("names", &wide, &err);
	ok(!err && !wp_spool_nr(s), "files of impossible numbers and times are not ours");
	ok(!wp_spool_add(s, WP_SPOOL_PROFILES, "one", 3, 1) && !wp_spool_add(s, WP_SPOOL_PROFILES, "two", 3, 2) && first_is(s, "one", 1),
	   "... and change no order");
	wp_spool_close(s);
	s = open_in("names", &wide, &err);
	ok(!err && wp_spool_nr(s) == 2 && first_is(s, "one", 1), "... also for the next process");
	wp_spool_close(s);
}

/* Names are as they were before there were kinds, except those of metrics. */
static void test_kinds(void)
{
	struct wp_spool_segment segment;
	struct wp_spool *s;
	int err;

	wp_spool_close(open_in("kinds", &wide, &err));
	put_file("kinds", "00000000000000000001-00000000000000000011-00000000000000000003.otlp.gz",
		 "old");
	s = open_in("kinds", &wide, &err);
	ok(wp_spool_first(s, &segment) && segment.kind == WP_SPOOL_PROFILES,
	   "a file of a version without kinds has profiles");
	ok(!wp_spool_add(s, WP_SPOOL_METRICS, "sums", 4, 0) &&
	   !wp_spool_add(s, WP_SPOOL_PROFILES, "new", 3, 22), "both kinds are added");
	wp_spool_close(s);
	put_file("kinds", "00000000000000000004-00000000000000000011-00000000000000000003.logs.gz",
		 "log");
	s = open_in("kinds", &wide, &err);
	ok(wp_spool_nr(s) == 3 && wp_spool_nr_of(s, WP_SPOOL_PROFILES) == 2 &&
	   wp_spool_nr_of(s, WP_SPOOL_METRICS) == 1, "... and counted, but no other kind");
	ok(first_is(s, "old", 11) && !drop_first(s) && first_is(s, "sums", 0) &&
	   wp_spool_first(s, &segment) && segment.kind == WP_SPOOL_METRICS &&
	   !drop_first(s) && first_is(s, "new", 22) && wp_spool_first(s, &segment) &&
	   segment.kind == WP_SPOOL_PROFILES, "... in one order");
	ok(!wp_spool_add(s, WP_SPOOL_METRICS, "more", 4, 0) &&
	   wp_spool_first_of(s, WP_SPOOL_METRICS, &segment) && segment.bytes == 4 &&
	   !wp_spool_remove(s, &segment) && first_is(s, "new", 22) &&
	   !wp_spool_first_of(s, WP_SPOOL_METRICS, &segment) && wp_spool_nr(s) == 1,
	   "one of a kind is removed while an older one of another waits");
	ok(!drop_first(s) && !wp_spool_nr_of(s, WP_SPOOL_PROFILES) &&
	   !wp_spool_nr_of(s, WP_SPOOL_METRICS), "... until none is left");
	ok(!wp_spool_add(s, WP_SPOOL_PYROSCOPE, "push", 4, 5) &&
	   !wp_spool_add(s, WP_SPOOL_PARCA, "json", 4, 6), "profiles of other formats are added");
	wp_spool_close(s);
	s = open_in("kinds", &wide, &err);
	ok(wp_spool_nr(s) == 2 && first_is(s, "push", 5) && wp_spool_first(s, &segment) &&
	   segment.kind == WP_SPOOL_PYROSCOPE && !drop_first(s) && first_is(s, "json", 6) &&
	   wp_spool_first(s, &segment) && segment.kind == WP_SPOOL_PARCA,
	   "... and known to the next process");
	wp_spool_close(s);
}

static void test_not_ours(void)
{
	struct wp_spool *s;
	int err, status;
	char path[256];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/others", top);
	mkdir(path, 0700);
	chmod(top, 0711);
	chmod(path, 0555);
	pid = fork();
	if (!pid) {
		if (!geteuid() && setresuid(65534, 65534, 65534))
			_exit(1);
		s = open_in("others", &wide, &err);
		_exit(!s && err == -EACCES ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	ok(!status, "a directory that cannot be written is an error");
}

int main(void)
{
	char command[128];

	if (!mkdtemp(top))
		return 1;
	test_order();
	test_limits();
	test_full();
	test_old();
	test_names();
	test_kinds();
	test_not_ours();
	test_kills();
	snprintf(command, sizeof(command), "rm -rf %s", top);
	if (system(command))
		return 1;
	return done();
}
