// SPDX-License-Identifier: GPL-2.0
/* The library of loads.c: naps of 50 ms in libc, by functions without frame pointers. */
#include <time.h>

static __attribute__((noinline)) int nofp_inner(volatile char *room)
{
	const struct timespec ts = { .tv_nsec = 50000000 };

	nanosleep(&ts, NULL);
	return room[0];
}

int nofp_outer(int nr);
int nofp_outer(int nr)
{
	volatile char room[300];
	int sum = 0;

	for (room[0] = 0; nr > 0; nr--)
		sum += nofp_inner(room);
	return sum;
}
