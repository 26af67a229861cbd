/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Since when the threads slept that were asleep when the session began. See sleepers.c.
 */
#ifndef WP_LIB_SLEEPERS_H
#define WP_LIB_SLEEPERS_H

#include <stddef.h>
#include <linux/types.h>

struct wp_device;

/**
 * struct wp_sleeper - a thread
 * @tid: its id
 * @start_time: when it was born
 * @since: when it had left its CPU
 */
struct wp_sleeper {
	__u32 tid;
	__u64 start_time;
	__u64 since;
};

/**
 * struct wp_sleepers - all of them
 * @threads: in order of @tid, then of @start_time
 * @nr: their number
 */
struct wp_sleepers {
	struct wp_sleeper *threads;
	size_t nr;
};

int wp_sleepers_read(struct wp_sleepers *s, const struct wp_device *dev);
__u64 wp_sleepers_since(const struct wp_sleepers *s, __u32 tid, __u64 start_time);
void wp_sleepers_free(struct wp_sleepers *s);

#endif /* WP_LIB_SLEEPERS_H */
