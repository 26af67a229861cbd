// SPDX-License-Identifier: GPL-2.0
/*
 * Which lists of generated code are read: by their owners, by what those of one owner take
 * together, and when there are more than fit. Built without sanitizers, as tests/unit/worker.c.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/job.h"
#include "lib/sandbox/zygote.h"
#include "lib/symbols/jitmaps.h"
#include "tap.h"

#define MIB		(1LL << 20)
#define NR		6
#define NOBODY		65534
#define STRANGER	65533

static pid_t child[NR];
static int up[2];

static const char *path_of(pid_t pid)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return path;
}

/* Opens the list of a process; one may be left of another process of that number. */
static FILE *new_list(pid_t pid)
{
	unlink(path_of(pid));
	return fopen(path_of(pid), "wx");
}

/* The list of a process: one line, and a hole up to that size. */
static void write_list(pid_t pid, off_t size, uid_t owner)
{
	FILE *f = new_list(pid);

	if (!f || fputs("1000 10 generated\n", f) < 0 || fflush(f) ||
	    (size && ftruncate(fileno(f), size)) ||
	    (!geteuid() && fchown(fileno(f), owner, owner)) || fclose(f))
		perror(path_of(pid));
}

static void count(void *ctx, const struct wp_jitmap *map)
{
	bool *seen = ctx;
	int i;

	for (i = 0; i < NR; i++)
		seen[i] |= (pid_t)map->pid == child[i];
}

/* Of one owner: small ones, and more than may be read. */
static void limited(void)
{
	static const off_t sizes[NR] = { 0, 300 * MIB, 300 * MIB, 600 * MIB, 4096, 100 * MIB };
	struct wp_jitmaps *jit = NULL;
	bool seen[NR] = { false };
	int i;

	for (i = 0; i < NR; i++) {
		write_list(child[i], sizes[i], geteuid());
		wp_jitmaps_see(&jit, child[i]);
	}
	wp_jitmaps_each(jit, count, seen);
	ok(seen[0] && seen[4], "small lists are read, whatever is larger");
	ok(seen[1] && seen[5], "and larger ones, up to a limit for all of an owner's");
	ok(!seen[2] && !seen[3], "those beyond it are not");
	wp_jitmaps_free(jit);
	for (i = 0; i < NR; i++)
		unlink(path_of(child[i]));
}

/* A list of names that do not compress well. */
static void write_names(pid_t pid, size_t size, uid_t owner)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	FILE *f = new_list(pid);
	unsigned int i, seed = 1;
	size_t addr = 0x1000;

	while (f && (size_t)ftell(f) < size) {
		fprintf(f, "%zx 10 ", addr += 16);
		for (i = 0; i < 500; i++)
			putc(digits[rand_r(&seed) >> 16 & 63], f);
		putc('\n', f);
	}
	if (!f || fchown(fileno(f), owner, owner) || fclose(f))
		perror(path_of(pid));
}

/* Some owner's lists fill all of the room, if they can. */
static void shared(void)
{
	struct wp_jitmaps *jit = NULL;
	bool seen[NR] = { false };
	int i;

	if (geteuid()) {
		printf("# not root: lists of others are not tried\n");
		return;
	}
	for (i = 0; i < NR; i++) {
		write_names(child[i], i < NR - 1 ? 14 * MIB : 2 * MIB, i < NR - 1 ? NOBODY : 0);
		wp_jitmaps_see(&jit, child[i]);
	}
	wp_jitmaps_each(jit, count, seen);
	ok(seen[0] && !seen[NR - 2], "one owner's lists fill the room");
	ok(seen[NR - 1], "another one's has its part");
	wp_jitmaps_free(jit);
	for (i = 0; i < NR; i++)
		unlink(path_of(child[i]));
}

/* A user has so many processes that all entries are in use. */
static void crowded(void)
{
	static pid_t pid[WP_JITMAPS_MAX + 8];
	struct wp_jitmaps *jit = NULL;
	bool seen[NR] = { false };
	char byte;
	int i;

	if (geteuid()) {
		printf("# not root: users are not tried\n");
		return;
	}
	for (i = 0; i < WP_JITMAPS_MAX + 8; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			if (setuid(STRANGER))
				_exit(1);
			if (write(up[1], "", 1) == 1)
				pause();
			_exit(0);
		}
	}
	for (i = 0; i < WP_JITMAPS_MAX + 8 && read(up[0], &byte, 1) == 1; i++)
		;
	for (i = 0; i < WP_JITMAPS_MAX + 8; i++)
		wp_jitmaps_see(&jit, pid[i]);
	for (i = 0; i < NR; i++) {
		write_list(child[i], 0, NOBODY);
		wp_jitmaps_see(&jit, child[i]);
	}
	wp_jitmaps_see(&jit, pid[WP_JITMAPS_MAX]);
	wp_jitmaps_each(jit, count, seen);
	for (i = 0; i < NR && seen[i]; i++)
		;
	ok(i == NR, "another user's processes have lists, too: %d", i);
	wp_jitmaps_free(jit);
	for (i = 0; i < NR; i++)
		unlink(path_of(child[i]));
	for (i = 0; i < WP_JITMAPS_MAX + 8; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

static bool is_opened(pid_t pid, uid_t owner)
{
	int fd;

	write_list(pid, 0, owner);
	fd = wp_jitmap_open(pid);
	unlink(path_of(pid));
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The process is nobody's. */
static void owned(void)
{
	pid_t pid = child[0];

	ok(is_opened(pid, geteuid()), "a list of ours");
	if (geteuid()) {
		printf("# not root: lists of others are not tried\n");
		return;
	}
	ok(is_opened(pid, NOBODY), "a list of the process's user");
	ok(!is_opened(pid, STRANGER), "not one of somebody else's");
	write_list(pid, 0, STRANGER);
	ok(access(path_of(pid), F_OK) == 0, "which is there");
	unlink(path_of(pid));
}

int main(void)
{
	int i;
	char byte;

	wp_set_verbosity(WP_SILENT);
	if (wp_zygote_begin(wp_job_do) || pipe(up))
		return 1;
	for (i = 0; i < NR; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		if (!geteuid() && setuid(NOBODY))
			_exit(1);
		if (write(up[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	for (i = 0; i < NR && read(up[0], &byte, 1) == 1; i++)
		;
	ok(i == NR, "%d processes", i);
	limited();
	shared();
	crowded();
	owned();
	for (i = 0; i < NR; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	wp_filereader_end();
	return done();
}
