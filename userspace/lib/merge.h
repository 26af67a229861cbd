/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One epoch's aggregates of all CPUs, merged into samples. See merge.c.
 */
#ifndef WP_LIB_MERGE_H
#define WP_LIB_MERGE_H

#include "lib/stacks.h"

/* Besides the WALLPROF_AGGR_* flags: what the reader itself adds. */
#define WP_SAMPLE_SPILL	(1U << 14)	/* time that found no aggregate */
#define WP_SAMPLE_OPEN	(1U << 15)	/* still off its CPU at the end */

/**
 * struct wp_sample - what becomes one sample record
 * @tid: thread id
 * @tgid: process id
 * @start_time: when the thread was born
 * @exec_id: changes with every exec of the thread
 * @kind: WALLPROF_AGGR_OFFCPU, …
 * @state: enum wallprof_state
 * @flags: WALLPROF_AGGR_NO_STACK, …, WP_SAMPLE_SPILL, …
 * @user: user stack or NULL
 * @kernel: kernel stack or NULL
 * @cpu: where the last interval ended or the last sample was taken
 * @count: intervals, or overflows
 * @total: nanoseconds, or the sum of the periods
 * @min: the shortest interval
 * @max: the longest interval
 * @first: when the first one ended
 * @last: when the last one ended
 */
struct wp_sample {
	__u32 tid;
	__u32 tgid;
	__u64 start_time;
	__u32 exec_id;
	__u8 kind;
	__u8 state;
	__u16 flags;
	const struct wp_stack *user;
	const struct wp_stack *kernel;
	__u32 cpu;
	__u64 count;
	__u64 total;
	__u64 min;
	__u64 max;
	__u64 first;
	__u64 last;
};

/**
 * struct wp_merge - the samples of one epoch
 * @samples: the samples
 * @nr: their number
 * @room: for how many there is memory
 * @slots: hash table: index into @samples, plus 1
 * @mask: its size - 1
 * @unknown: stack ids that stood for nothing, since wp_merge_init()
 */
struct wp_merge {
	struct wp_sample *samples;
	size_t nr;
	size_t room;
	__u32 *slots;
	size_t mask;
	__u64 unknown;
};

int wp_merge_init(struct wp_merge *m);
void wp_merge_free(struct wp_merge *m);
void wp_merge_reset(struct wp_merge *m);
int wp_merge_push(struct wp_merge *m, const struct wp_sample *sample);
int wp_merge_aggr(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_aggr *aggr, __u32 cpu);
int wp_merge_spill(struct wp_merge *m, const struct wallprof_task *task, __u64 time);
int wp_merge_open(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_task *task, __u64 time);
void wp_merge_sort(struct wp_merge *m);

#endif /* WP_LIB_MERGE_H */
