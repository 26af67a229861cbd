// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: two processes that send a word to and fro, as perf bench
 * sched pipe does, from the bottom of a recursion.
 *
 *	depth FRAMES same|other OPERATIONS
 *
 * same: from the same place each time. other: from two places in turn, which
 * differ in the outermost frame of the recursion alone: a walk sees that only
 * when it has read all of them.
 *
 * System calls are made in place, since libc's functions keep no frame pointer.
 * Says what "perf bench" says: microseconds of an operation, two switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int in, out;

static inline long call(long nr, long fd, void *word)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(nr), "D"(fd), "S"(word), "d"(4L)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Each level is a frame of its own: what follows the call keeps it. */
static __attribute__((noinline, noclone)) int turn(int depth, int first)
{
	int word = 0, ret;

	if (depth) {
		ret = turn(depth - 1, first);
		__asm__ volatile("" : "+r"(ret));
		return ret;
	}
	if (first)
		return call(SYS_write, out, &word) == 4 && call(SYS_read, in, &word) == 4;
	return call(SYS_read, in, &word) == 4 && call(SYS_write, out, &word) == 4;
}

/* Whether all turns were good. */
static __attribute__((noinline)) int play(int depth, int other, long operations, int first)
{
	int good = 1;
	long i;

	for (i = 0; i < operations; i++) {
		if (other && i & 1) {
			good &= turn(depth, first);
			/* Unlike the other place, so that compilers keep two. */
			__asm__ volatile("nop" : "+r"(good));
		} else {
			good &= turn(depth, first);
			__asm__ volatile("" : "+r"(good));
		}
	}
	return good;
}

int main(int argc, char **argv)
{
	int there[2], back[2], depth, other, status;
	struct timespec from, to;
	long operations;
	pid_t pid;

	if (argc != 4 || (strcmp(argv[2], "same") && strcmp(argv[2], "other"))) {
		fprintf(stderr, "usage: depth FRAMES same|other OPERATIONS\n");
		return 2;
	}
	/* _start, libc's two, main, play. */
	depth = atoi(argv[1]) - 6;
	other = !strcmp(argv[2], "other");
	operations = atol(argv[3]);
	if (depth < 1 || pipe(there) || pipe(back))
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid < 0)
		return 1;
	in = pid ? back[0] : there[0];
	out = pid ? there[1] : back[1];
	if (!play(depth, other, operations, !!pid))
		return 1;
	if (!pid)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.6f usecs/op\n", ((to.tv_sec - from.tv_sec) * 1e9 +
				   (to.tv_nsec - from.tv_nsec)) / 1e3 / operations);
	return 0;
}
