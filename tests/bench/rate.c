// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads that hand a byte to each other at a rate: each millisecond so many times, and
 * then they wait for the next one. With one CPU each handover is a switch.
 *
 *	rate SWITCHES-PER-SECOND
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static void pass(int from, int to)
{
	char c = 0;

	if ((from >= 0 && read(from, &c, 1) != 1) || (to >= 0 && write(to, &c, 1) != 1))
		exit(1);
}

static void *answer(void *arg)
{
	for (;;)
		pass(there[0], back[1]);
	return arg;
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? atol(argv[1]) / 2000 : 0;
	struct timespec next;
	pthread_t t;

	if (n < 1 || pipe(there) || pipe(back) || pthread_create(&t, NULL, answer, NULL))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		for (long i = 0; i < n; i++) {
			pass(-1, there[1]);
			pass(back[0], -1);
		}
		next.tv_nsec += 1000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}
