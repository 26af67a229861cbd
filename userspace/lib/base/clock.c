// SPDX-License-Identifier: GPL-2.0
/* What a clock and the time of day were at the same time. */
#include <errno.h>

#include "lib/base/clock.h"

/* A program can lose its CPU between two readings, for long on a busy host. */
#define TRIES	8

static __u64 ns_of(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000ULL + ts->tv_nsec;
}

/**
 * wp_clock_pair() - read a clock and the time of day at once: the tightest pair of a few
 * @id: the clock
 * @at: set to its time, nanoseconds
 * @day: set to nanoseconds since 1970
 *
 * Return: 0 or a negative errno: there is no such clock.
 */
int wp_clock_pair(clockid_t id, __u64 *at, __u64 *day)
{
	struct timespec before, tod, after;
	__u64 best = ~0ULL, took;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (clock_gettime(id, &before) || clock_gettime(CLOCK_REALTIME, &tod) ||
		    clock_gettime(id, &after))
			return -errno;
		took = ns_of(&after) - ns_of(&before);
		if (took >= best)
			continue;
		best = took;
		*at = ns_of(&before) + took / 2;
		*day = ns_of(&tod);
	}
	return 0;
}
