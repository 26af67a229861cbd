/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start times of waits that were already open when the session began. See blocked.c.
 */
#ifndef WP_LIB_RECORD_BLOCKED_H
#define WP_LIB_RECORD_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

struct wp_device;

/**
 * struct wp_sleeper - a thread that was blocked when the session began
 * @tid: thread id
 * @start_time: the thread's start time
 * @since: time at which it left its CPU
 */
struct wp_sleeper {
	__u32 tid;
	__u64 start_time;
	__u64 since;
};

/**
 * struct wp_sleepers - all threads that were blocked when the session began
 * @threads: sorted by @tid, then by @start_time, if @sorted
 * @nr: number of entries
 * @room: allocated entries
 * @sorted: @threads is sorted
 * @known: the task table has been read
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
