// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps in libc, in functions that keep no frame pointer, in the first thread
 * and in another one, as long as that does: so each has half of the time, however
 * late its naps end. Built with -O2 -fomit-frame-pointer.
 *
 *	nofp NAPS
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static __attribute__((noinline)) void nofp_inner(void)
{
	const struct timespec ts = { .tv_nsec = 50000000 };

	nanosleep(&ts, NULL);
	__asm__ volatile("" : : : "memory");
}

static volatile int over;
static int naps_wanted;

static __attribute__((noinline)) void nofp_outer(volatile char *room, int naps)
{
	for (int i = 0; naps ? i < naps : !over; i++) {
		room[i % 100] = 0;
		nofp_inner();
	}
}

static void *nofp_thread(void *arg)
{
	volatile char room[100];

	nofp_outer(room, naps_wanted);
	over = 1;
	return arg;
}

int main(int argc, char **argv)
{
	volatile char room[200];
	pthread_t thread;

	if (argc != 2)
		return 2;
	naps_wanted = atoi(argv[1]);
	if (pthread_create(&thread, NULL, nofp_thread, NULL))
		return 1;
	nofp_outer(room, 0);
	pthread_join(thread, NULL);
	return room[0];
}
