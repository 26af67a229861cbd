// SPDX-License-Identifier: GPL-2.0
/*
 * A process that is there before the recording and after it: one thread of it
 * sleeps all the time, one wakes now and then, one spins.
 *
 *	blocked FILE
 *
 * writes "what tid" lines to FILE when all are where they belong, and goes on
 * until it is killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "truth.h"

static volatile int tids[3];

static FRAME void blocked_nap(uint64_t ns)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	raw_sleep(ns);
}

static FRAME void blocked_root(void *arg)
{
	tids[0] = raw(SYS_gettid, 0, 0, 0, 0, 0);
	for (;;)
		blocked_nap(100000 * SEC);
	(void)arg;
}

static FRAME void waking_root(void *arg)
{
	tids[1] = raw(SYS_gettid, 0, 0, 0, 0, 0);
	for (;;)
		blocked_nap(50 * MS);
	(void)arg;
}

static FRAME void awake_root(void *arg)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	tids[2] = raw(SYS_gettid, 0, 0, 0, 0, 0);
	for (;;)
		;
	(void)arg;
}

/*
 * Whether a thread sleeps and has left its CPU: only then does the kernel show its
 * system call.
 */
static int is_off(int tid)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return text[0] >= '0' && text[0] <= '9';
}

static void *thread(void *arg)
{
	rooted((void (*)(void *))arg, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	void *roots[] = { blocked_root, waking_root, awake_root };
	pthread_t threads[3];
	char temporary[4096];
	FILE *f;

	if (argc != 2)
		return 2;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, thread, roots[i]))
			abort();
	while (!tids[0] || !tids[1] || !tids[2] || !is_off(tids[0]))
		raw_sleep(5 * MS);
	snprintf(temporary, sizeof(temporary), "%s.new", argv[1]);
	f = fopen(temporary, "w");
	if (!f) {
		perror(temporary);
		return 1;
	}
	fprintf(f, "main\t%d\nblocked\t%d\nwaking\t%d\nawake\t%d\n", getpid(),
		tids[0], tids[1], tids[2]);
	fclose(f);
	rename(temporary, argv[1]);
	pthread_join(threads[0], NULL);
	return 0;
}
