/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of the times that threads were blocked, and runnable. See hist.c.
 */
#ifndef WP_LIB_MODEL_HIST_H
#define WP_LIB_MODEL_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/* Maximum length of the result of wp_hist_text(), with its terminating 0. */
#define WP_HIST_TEXT_MAX	(WALLPROF_HIST_BUCKETS * 32 + 1)

/**
 * struct wp_hist - histograms of the parts of intervals, by length
 * @blocked: time in which threads were blocked, by the buckets of &struct wallprof_hist
 * @runnable: time in which they were runnable
 */
struct wp_hist {
	__u64 blocked[WALLPROF_HIST_BUCKETS];
	__u64 runnable[WALLPROF_HIST_BUCKETS];
};

void wp_hist_read(struct wp_hist *h, const struct wallprof_hist *from);
void wp_hist_one(struct wp_hist *h, __u64 ns, __u64 runnable);
void wp_hist_add(struct wp_hist *h, const struct wp_hist *more);
__u64 wp_hist_from(unsigned int bucket);
const char *wp_hist_text(const __u64 *buckets, char *buf);

/**
 * struct wp_hist_thread - a thread, from one exec of it to the next
 * @tid: thread id
 * @start_time: its start time
 * @exec_id: grows with every exec; of a thread that executes a program and takes over its
 *	leader's id and start time, it is larger than the leader's own
 */
struct wp_hist_thread {
	__u32 tid;
	__u32 exec_id;
	__u64 start_time;
};

/**
 * struct wp_hist_table - histograms of threads
 * @root: a tree, see tsearch(3)
 * @nr: number of entries
 * @most: maximum number of entries
 * @left_out: number of additions that found no room
 */
struct wp_hist_table {
	void *root;
	size_t nr;
	size_t most;
	__u64 left_out;
};

void wp_hist_table_init(struct wp_hist_table *t, size_t most);
void wp_hist_table_free(struct wp_hist_table *t);
int wp_hist_table_add(struct wp_hist_table *t, const struct wp_hist_thread *thread,
		      const struct wp_hist *h);
bool wp_hist_table_take(struct wp_hist_table *t, const struct wp_hist_thread *thread,
			struct wp_hist *h);

#endif /* WP_LIB_MODEL_HIST_H */
