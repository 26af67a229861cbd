/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One epoch's aggregates of all CPUs, merged into samples. See merge.c.
 */
#ifndef WP_LIB_MODEL_MERGE_H
#define WP_LIB_MODEL_MERGE_H

#include <stdbool.h>

#include "lib/model/cause.h"
#include "lib/model/hist.h"
#include "lib/model/stacks.h"

/* Besides the WALLPROF_AGGR_* flags: what the reader itself adds. */
#define WP_SAMPLE_IDLE	(1U << 12)	/* a loop's wait for its next work */
#define WP_SAMPLE_SINGLE (1U << 13)	/* one interval, not to be merged with others */
#define WP_SAMPLE_SPILL	(1U << 14)	/* time that found no aggregate */
#define WP_SAMPLE_OPEN	(1U << 15)	/* still off its CPU at the end */

/* There are so many bits for flags. */
#define WP_SAMPLE_FLAGS	16

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
 * @waker: where its waker was (see wp_stack_waker()) or NULL; see &struct wp_merge
 * @id: of the aggregate that it is of, 0 if it is of none; see &struct wp_merge
 * @waker_id: of the one of its waker's own last interval, or 0; likewise
 * @cause: why it was off its CPU, and who woke it; see &struct wp_merge
 * @cpu: where the last interval ended or the last sample was taken
 * @count: intervals, or overflows
 * @total: nanoseconds, or the sum of the periods
 * @min: the shortest interval
 * @max: the longest interval
 * @first: when the first one ended
 * @last: when the last one ended
 * @runnable: of @total, nanoseconds in which the thread was runnable
 * @runnable_max: the longest of these times
 * @blocked_max: the longest time in which it was blocked
 * @asleep_since: with WALLPROF_AGGR_SINCE_START, when it had left its CPU, or 0: not
 *	known; the merge does not set it
 * @hist: see wp_merge_hist_of()
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
	const struct wp_stack *waker;
	__u64 id;
	__u64 waker_id;
	struct wp_cause cause;
	__u32 cpu;
	__u64 count;
	__u64 total;
	__u64 min;
	__u64 max;
	__u64 first;
	__u64 last;
	__u64 runnable;
	__u64 runnable_max;
	__u64 blocked_max;
	__u64 asleep_since;
	__u32 hist;
};

/* wp_merge.by: what makes different samples of intervals. */
#define WP_MERGE_CAUSES	(1U << 0)	/* their causes */
#define WP_MERGE_WAKERS	(1U << 1)	/* who woke the thread, and where */
#define WP_MERGE_CHAINS	(1U << 2)	/* each aggregate is one */
#define WP_MERGE_LOCKS	(1U << 3)	/* reason, system call and futex */

/**
 * struct wp_merge - the samples of one epoch
 * @by: WP_MERGE_CAUSES, …, or 0. Without CAUSES, @cause of each sample is none, as
 *	are WALLPROF_AGGR_IOWAIT and _32BIT; with WAKERS, none but the waker; with LOCKS
 *	none but reason, system call and, of a futex, its address.
 *	Without WAKERS, @waker is NULL; without CHAINS, @id and @waker_id are 0 but of
 *	single intervals
 * @no_idle: leave out the time in which idle waits (wp_cause_idle()) were blocked
 * @samples: the samples
 * @nr: their number
 * @room: for how many there is memory
 * @slots: hash table: index into @samples, plus 1
 * @mask: its size - 1
 * @unknown: stack ids that stood for nothing, since wp_merge_init()
 * @hists: histograms of samples that have one
 * @nr_hists: of them
 * @room_hists: for how many there is memory
 * @last: the sample that was added to last, or SIZE_MAX
 * @last_idle: what was added was idle, and only the rest of it was added
 * @idle: intervals of which time was left out, since then
 * @idle_ns: that time
 */
struct wp_merge {
	unsigned int by;
	bool no_idle;
	struct wp_sample *samples;
	size_t nr;
	size_t room;
	__u32 *slots;
	size_t mask;
	__u64 unknown;
	struct wp_hist *hists;
	size_t nr_hists;
	size_t room_hists;
	size_t last;
	bool last_idle;
	__u64 idle;
	__u64 idle_ns;
};

const char *wp_sample_flag_name(unsigned int bit);

int wp_merge_init(struct wp_merge *m, unsigned int by);
void wp_merge_free(struct wp_merge *m);
void wp_merge_reset(struct wp_merge *m);
int wp_merge_push(struct wp_merge *m, const struct wp_sample *sample);
int wp_merge_aggr(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_aggr *aggr, __u32 cpu, __u64 id);
int wp_merge_wait(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_wait *wait, __u32 cpu, __u64 id);
int wp_merge_hist(struct wp_merge *m, const struct wp_hist *h);
int wp_merge_spill(struct wp_merge *m, const struct wallprof_task *task, __u64 time);
int wp_merge_open(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_task *task, __u64 time);
void wp_merge_sort(struct wp_merge *m);

/* A sample's histogram; NULL if it has none. */
static inline const struct wp_hist *wp_merge_hist_of(const struct wp_merge *m,
						     const struct wp_sample *s)
{
	return s->hist ? &m->hists[s->hist - 1] : NULL;
}

#endif /* WP_LIB_MODEL_MERGE_H */
