// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps in libc, in functions that keep no frame pointer, in the first thread
 * and in another one. Built with -O2 -fomit-frame-pointer.
 */
#include <pthread.h>
#include <time.h>

static __attribute__((noinline)) void nofp_inner(void)
{
	const struct timespec ts = { .tv_nsec = 50000000 };

	nanosleep(&ts, NULL);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void nofp_outer(volatile char *room)
{
	for (int i = 0; i < 100; i++) {
		room[i] = i;
		nofp_inner();
	}
}

static void *nofp_thread(void *arg)
{
	volatile char room[100];

	nofp_outer(room);
	return arg;
}

int main(void)
{
	volatile char room[200];
	pthread_t thread;

	if (pthread_create(&thread, NULL, nofp_thread, NULL))
		return 1;
	nofp_outer(room);
	pthread_join(thread, NULL);
	return room[0];
}
