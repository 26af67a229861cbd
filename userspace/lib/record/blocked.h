/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Since when the threads slept that were asleep when the session began. See blocked.c.
 */
#ifndef WP_LIB_RECORD_BLOCKED_H
#define WP_LIB_RECORD_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

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
 * @threads: in order of @tid, then of @start_time, as far as they are @sorted
 * @nr: their number
 * @room: for how many there is memory
 * @sorted: all of them are
 * @known: they were read
 */
struct wp_sleepers {
	struct wp_sleeper *threads;
	size_t nr;
	size_t room;
	bool sorted;
	bool known;
};

int wp_sleepers_read(struct wp_sleepers *s, const struct wp_device *dev);
int wp_sleepers_add(struct wp_sleepers *s, const struct wallprof_task *task);
__u64 wp_sleepers_since(struct wp_sleepers *s, __u32 tid, __u64 start_time);
void wp_sleepers_free(struct wp_sleepers *s);

#endif /* WP_LIB_RECORD_BLOCKED_H */
