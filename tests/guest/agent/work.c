// SPDX-License-Identifier: GPL-2.0
/*
 * Three threads, each of which does one thing for good: the first waits in wait_here(),
 * "napper" naps in nap_here(), called by nap_there(), "spinner" runs in spin_here() or,
 * without "spin", waits, too.
 *
 *	work FILE [spin]
 *
 * FILE gets its id when all three are at it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define IN_ITS_PLACE __attribute__((noinline, noclone)) static void

/* What follows the call keeps it from being the function's end. */
#define STAY __asm__ volatile("" ::: "memory")

static pthread_barrier_t all;
static volatile unsigned long spins;

IN_ITS_PLACE nap_here(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 7000000 }, NULL);
	STAY;
}

IN_ITS_PLACE nap_there(void)
{
	nap_here();
	STAY;
}

static void *nap(void *arg)
{
	pthread_setname_np(pthread_self(), "napper");
	pthread_barrier_wait(&all);
	for (;;)
		nap_there();
	return arg;
}

IN_ITS_PLACE wait_here(void)
{
	pause();
	STAY;
}

IN_ITS_PLACE spin_here(void)
{
	for (;;)
		spins++;
}

static void *spin(void *arg)
{
	pthread_setname_np(pthread_self(), "spinner");
	pthread_barrier_wait(&all);
	if (!arg)
		wait_here();
	spin_here();
	return arg;
}

int main(int argc, char **argv)
{
	FILE *f = argc >= 2 ? fopen(argv[1], "w") : NULL;
	pthread_t t;

	if (!f || pthread_barrier_init(&all, NULL, 3) || pthread_create(&t, NULL, nap, NULL) ||
	    pthread_create(&t, NULL, spin, argv[2]))
		return 1;
	pthread_barrier_wait(&all);
	fprintf(f, "%d\n", getpid());
	if (fclose(f))
		return 1;
	wait_here();
	return 0;
}
