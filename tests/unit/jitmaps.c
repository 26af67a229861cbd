// SPDX-License-Identifier: GPL-2.0
/*
 * Which lists of generated code are read: by their owners, and by what those of one owner
 * take together. Built without sanitizers, as tests/unit/worker.c.
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

static const char *path_of(pid_t pid)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return path;
}

/* The list of a process: one line, and a hole up to that size. */
static void write_list(pid_t pid, off_t size, uid_t owner)
{
	FILE *f = fopen(path_of(pid), "wx");

	if (!f || fputs("1000 10 generated\n", f) < 0 || fflush(f) ||
	    (size && ftruncate(fileno(f), size)) ||
	    (!geteuid() && fchown(fileno(f), owner, owner)) || fclose(f))
		perror(path_of(pid));
}

static int count(void *ctx, __u32 pid, const void *data, size_t bytes, size_t text)
{
	bool *seen = ctx;
	int i;

	for (i = 0; i < NR; i++)
		seen[i] |= (pid_t)pid == child[i];
	return 0;
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
	int i, up[2];
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
	owned();
	for (i = 0; i < NR; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	wp_filereader_end();
	return done();
}
