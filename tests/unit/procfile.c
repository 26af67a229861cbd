// SPDX-License-Identifier: GPL-2.0
/*
 * Files of processes whose lock is not free: a /proc of our own, in which such files are
 * FIFOs that nobody writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/perfdata/perfdata.h"
#include "lib/proc/kthreads.h"
#include "lib/proc/procmaps.h"
#include "lib/record/synthesize.h"
#include "tap.h"

#define MANY	70

static const char maps[] =
	"1000-2000 r-xp 00000000 08:01 7                          /usr/bin/evil\n";

static char root[] = "/tmp/wallprof-procfile.XXXXXX";

static char *in_root(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_root(name), "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

/* The directory of a user's process; with @maps NULL its memory map is locked. */
static int make_process_of(int uid, int pid, const char *text)
{
	char name[64], line[128];

	snprintf(name, sizeof(name), "%d", pid);
	mkdir(in_root(name), 0755);
	snprintf(name, sizeof(name), "%d/stat", pid);
	snprintf(line, sizeof(line), "%d (e) (vil) S 1 1\n", pid);
	write_file(name, line);
	snprintf(name, sizeof(name), "%d/comm", pid);
	write_file(name, "e) (vil\n");
	snprintf(name, sizeof(name), "%d/status", pid);
	snprintf(line, sizeof(line), "Name:\tUid:\nState:\tS (sleeping)\nPPid:\t1\nUid:\t%d\t0\t0\t0\n",
		 uid);
	write_file(name, line);
	snprintf(name, sizeof(name), "%d/task", pid);
	mkdir(in_root(name), 0755);
	snprintf(name, sizeof(name), "%d/maps", pid);
	if (text)
		write_file(name, text);
	else if (mkfifo(in_root(name), 0644))
		abort();
	snprintf(name, sizeof(name), "%d", pid);
	return open(in_root(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make_process(int pid, const char *text)
{
	return make_process_of(0, pid, text);
}

/* Its memory map is free: who waits for the FIFO gets its end. */
static void set_free(int pid)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%d/maps", pid);
	fd = open(in_root(name), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	unlink(in_root(name));
	write_file(name, maps);
	close(fd);
}

static struct wp_procfile_stats stats(void)
{
	struct wp_procfile_stats s;

	wp_procfile_stats(&s);
	return s;
}

static void test_free(void)
{
	struct wp_procfile_text t = { 0 };
	int dir = make_process(1, maps), fd;
	char *large = malloc(1 << 20);

	ok(wp_procfile_read(dir, "maps", &t) == (ssize_t)strlen(maps) && !strcmp(t.text, maps),
	   "a file is read");
	memset(large, 'x', (1 << 20) - 1);
	large[(1 << 20) - 1] = 0;
	write_file("1/large", large);
	ok(wp_procfile_read(dir, "large", &t) == (1 << 20) - 1 && !strcmp(t.text, large),
	   "a large one, too");
	ok(wp_procfile_read_at(dir, "large", (1 << 20) - 3, 16, &t) == 2 && !strcmp(t.text, "xx") &&
	   wp_procfile_read_at(dir, "none", 0, 1, &t) == -ENOENT &&
	   wp_procfile_read_at(dir, "maps", 0, 0, &t) == -EINVAL, "a part of it");
	write_file("1/empty", "");
	ok(!wp_procfile_read(dir, "empty", &t) && !*t.text, "an empty one");
	ok(wp_procfile_read(dir, "none", &t) == -ENOENT, "one that is not there");
	ok(wp_procfile_read(dir, "task", &t) == -EISDIR, "one that cannot be read");
	fd = wp_procfile_open(dir, "maps", O_PATH);
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "a file is opened");
	close(fd);
	ok(wp_procfile_open(dir, "none", O_PATH) == -ENOENT, "one that is not there");
	ok(!stats().busy && !stats().refused, "nobody was busy");
	close(dir);
	free(large);
	free(t.text);
}

static void test_busy(void)
{
	struct wp_procfile_text t = { 0 };
	int dir = make_process(2, NULL), other = make_process(3, maps);
	ssize_t n;

	ok(wp_procfile_read(dir, "maps", &t) == -EBUSY, "a lock that is not free");
	ok(!!strstr(wp_last_warning(), "process 2 (e) (vil)"), "the process is named: %s",
	   wp_last_warning());
	wp_clear_errors();
	ok(wp_procfile_read(dir, "stat", &t) == -EBUSY &&
	   wp_procfile_open(dir, "stat", O_PATH) == -EBUSY && stats().busy == 1,
	   "nothing else of it is tried");
	ok(wp_procfile_read(other, "maps", &t) > 0, "another process is read");
	set_free(2);
	do {
		n = wp_procfile_read(dir, "maps", &t);
	} while (n == -EBUSY);
	ok(n == (ssize_t)strlen(maps) && !strcmp(t.text, maps), "free again, it is read");
	ok(!*wp_last_warning(), "it was named once");
	close(dir);
	close(other);
	free(t.text);
}

static unsigned int nr_forks, nr_maps;

static int count(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	(void)ctx;
	nr_forks += rec->type == PERF_RECORD_FORK;
	nr_maps += rec->type == PERF_RECORD_MMAP2 && !time;
	return 0;
}

/* Its thread and name are written at once, its mappings when they can be read. */
static void test_late(void)
{
	struct wp_busy busy = { 0 };
	struct wp_synth s = { .fn = count, .root = root, .busy = &busy };

	close(make_process(4, NULL));
	ok(!wp_proc_synthesize_all(&s) && nr_forks == 4 && nr_maps == 3 && s.nr_busy == 1 &&
	   busy.nr == 1 && busy.pid[0] == 4, "all but the mappings of one");
	ok(!wp_proc_synthesize_busy(&s) && nr_maps == 3 && busy.nr == 1, "not yet");
	set_free(4);
	while (busy.nr && !wp_proc_synthesize_busy(&s))
		;
	ok(nr_forks == 4 && nr_maps == 4, "then they are written, once");
	ok(!wp_proc_synthesize_busy(&s) && nr_maps == 4, "and no more");
	s.no_maps = true;
	ok(!wp_proc_synthesize_all(&s) && nr_forks == 8 && nr_maps == 4, "names only");
	wp_busy_free(&busy);
}

/* The stat file of one that is in execve() waits as well. */
static void test_exec(void)
{
	struct wp_synth s = { .fn = count, .root = root };
	int dir = make_process(8, maps);
	char name[16];

	if (unlink(in_root("8/stat")) || mkfifo(in_root("8/stat"), 0644))
		abort();
	nr_forks = 0;
	nr_maps = 0;
	ok(!wp_proc_synthesize_all(&s) && nr_forks == 5 && nr_maps == 4 && s.nr_busy == 1 &&
	   !s.nr_vanished, "its thread and name are written: %u %u", nr_forks, nr_maps);
	ok(wp_procdir_living(dir) == -1, "its first thread is alive");
	ok(!wp_kthreads_name(root, 8, name, sizeof(name)), "it is no kernel thread");
	close(dir);
}

/* Each costs one thread, and there are not that many. They are there at the end. */
static void test_many(void)
{
	struct wp_procfile_text t = { 0 };
	int dir, i, nr_busy = 0;

	wp_procfile_hurry();
	for (i = 0; i < MANY; i++) {
		dir = make_process_of(1000, 100 + i, NULL);
		nr_busy += wp_procfile_read(dir, "maps", &t) == -EBUSY;
		close(dir);
	}
	ok(nr_busy == MANY && stats().refused && stats().refused < MANY,
	   "too many processes that are busy");
	dir = make_process_of(1001, 7, maps);
	ok(wp_procfile_read(dir, "maps", &t) > 0, "those of another user are read");
	close(dir);
	dir = make_process_of(1000, 5, maps);
	ok(wp_procfile_read(dir, "maps", &t) == -EBUSY, "of that user none is read");
	for (i = 0; i < MANY; i++)
		set_free(100 + i);
	while (wp_procfile_read(dir, "maps", &t) == -EBUSY)
		;
	ok(t.text && !strcmp(t.text, maps), "and again when they are free");
	close(dir);
	dir = make_process(6, NULL);
	ok(wp_procfile_read(dir, "maps", &t) == -EBUSY, "one is busy when the process ends");
	close(dir);
	free(t.text);
}

int main(void)
{
	char command[300];

	if (!mkdtemp(root))
		return 1;
	test_free();
	test_busy();
	test_late();
	test_exec();
	test_many();
	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		return 1;
	return done();
}
