/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregates of all CPUs of one epoch, merged into samples. See merge.c.
 */
#ifndef WP_LIB_MODEL_MERGE_H
#define WP_LIB_MODEL_MERGE_H

#include <stdbool.h>

#include "lib/model/cause.h"
#include "lib/model/hist.h"
#include "lib/model/stacks.h"

/* Flags that the reader adds to the WALLPROF_AGGR_* flags. */
#define WP_SAMPLE_IDLE	(1U << 12)	/* an event loop's wait for work */
#define WP_SAMPLE_SINGLE (1U << 13)	/* one interval, not to be merged */
#define WP_SAMPLE_SPILL	(1U << 14)	/* time that found no aggregate */
#define WP_SAMPLE_OPEN	(1U << 15)	/* open at the end */

/* Number of bits for flags. */
#define WP_SAMPLE_FLAGS	16

/**
 * struct wp_sample - contents of a sample record
 * @tid: thread id
 * @tgid: process id
 * @start_time: the thread's start time
 * @exec_id: changes with every exec of the thread
 * @kind: WALLPROF_AGGR_OFFCPU, …
 * @state: enum wallprof_state
 * @flags: WALLPROF_AGGR_NO_STACK, …, WP_SAMPLE_SPILL, …
 * @user: user stack or NULL
 * @kernel: kernel stack or NULL
 * @waker: the waker's stacks (see wp_stack_waker()) or NULL; see &struct wp_merge
 * @id: id of its aggregate, 0 if there is none; see &struct wp_merge
 * @waker_id: id of the aggregate of its waker's last interval, or 0; likewise
 * @cause: why the thread was off its CPU, and who woke it; see &struct wp_merge
 * @cpu: CPU of the end of the last interval, or of the last overflow
 * @event: number of the event that was sampled; 0 of intervals
 * @count: number of intervals, or of overflows
 * @total: nanoseconds, or the sum of the periods
 * @min: the shortest interval
 * @max: the longest interval
 * @first: time at which the first one ended
 * @last: time at which the last one ended
 * @runnable: of @total, nanoseconds in which the thread was runnable
 * @runnable_max: the longest of these times
 * @blocked_max: the longest time in which it was blocked
 * @asleep_since: with WALLPROF_AGGR_SINCE_START, time at which it left its CPU, or 0:
 *	unknown; not set by the merge
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
	__u32 event;
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

/* wp_merge.by: what keeps intervals in separate samples. */
#define WP_MERGE_CAUSES	(1U << 0)	/* their causes */
#define WP_MERGE_WAKERS	(1U << 1)	/* the waker and its stacks */
#define WP_MERGE_CHAINS	(1U << 2)	/* the aggregate */
#define WP_MERGE_REASONS	(1U << 3)	/* reason, system call and futex */
#define WP_MERGE_OWNERS		(1U << 4)	/* who held the lock; without wakers' stacks */

/**
 * struct wp_merge - the samples of one epoch
 * @by: WP_MERGE_CAUSES, …, or 0. Without CAUSES, @cause of each sample is none, as are
 *	WALLPROF_AGGR_IOWAIT and _32BIT; with WAKERS, none but the waker; with REASONS none
 *	but reason, system call and, of a futex, its address; @cause.arg of a sample of an
 *	event is what it is summed by. Without WAKERS, @waker is
 *	NULL; without CHAINS, @id and @waker_id are 0 except for single intervals
 * @no_idle: leave out the blocked time of idle waits (wp_cause_idle())
 * @samples: the samples
 * @nr: their number
 * @room: allocated samples
 * @slots: hash table: index into @samples, plus 1
 * @mask: its size - 1
 * @unknown: number of unknown stack ids, since wp_merge_init()
 * @hists: histograms of samples that have one
 * @nr_hists: their number
 * @room_hists: allocated histograms
 * @last: the sample that was added to last, or SIZE_MAX
 * @last_idle: what was added last was idle, and only its runnable time was added
 * @idle: number of intervals that were shortened, since wp_merge_init()
 * @idle_ns: the time that was left out
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
