/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of all times in a recording. */
#ifndef WP_LIB_BASE_CLOCK_H
#define WP_LIB_BASE_CLOCK_H

#include <time.h>
#include <linux/types.h>

/* CLOCK_MONOTONIC, nanoseconds. */
static inline __u64 wp_clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int wp_clock_pair(clockid_t id, __u64 *at, __u64 *day);

#endif /* WP_LIB_BASE_CLOCK_H */
