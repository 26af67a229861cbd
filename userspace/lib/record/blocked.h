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
 * struct wp_blocked_thread - a thread that was blocked when the session began
 * @tid: thread id
 * @start_time: the thread's start time
 * @since: time at which it left its CPU
 */
struct wp_blocked_thread {
	__u32 tid;
	__u64 start_time;
	__u64 since;
};

/**
 * struct wp_blocked - all threads that were blocked when the session began
 * @threads: sorted by @tid, then by @start_time, if @sorted
 * @nr: number of entries
 * @room: allocated entries
 * @sorted: @threads is sorted
 * @known: the task table has been read
 */
struct wp_blocked {
	struct wp_blocked_thread *threads;
	size_t nr;
	size_t room;
	bool sorted;
	bool known;
};

int wp_blocked_read(struct wp_blocked *s, const struct wp_device *dev);
int wp_blocked_add(struct wp_blocked *s, const struct wallprof_task *task);
__u64 wp_blocked_since(struct wp_blocked *s, __u32 tid, __u64 start_time);
void wp_blocked_free(struct wp_blocked *s);

#endif /* WP_LIB_RECORD_BLOCKED_H */
