/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The epoch tables: types, and what every switch does with them. See tables.c.
 */
#ifndef WALLPROF_PURE_TABLES_H
#define WALLPROF_PURE_TABLES_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/types.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>

#include "compat/build_bug.h"

#define WP_CONTEXT_SCHED	0
#define WP_CONTEXT_SAMPLER	1

/* The last epoch that an id can name. Epoch 0 is not used. */
#define WP_EPOCH_MAX		((1U << WALLPROF_STACK_EPOCH_BITS) - 1)

/**
 * struct wp_table_sizes - capacities of a half, and where its parts are
 * @nr_aggrs: entries of the aggregate table
 * @stack_words: words of the stack table
 * @nr_exits: entries of the table of ended threads, 0 for the sampler
 * @nr_waits: entries of the table of single intervals, or 0
 * @aggr_mask: slots of the aggregates' index - 1
 * @stack_mask: slots of the stacks' index - 1
 * @aggr_watermark: number of entries at which the reader is woken
 * @stack_watermark: number of words, likewise
 * @exit_watermark: number of entries, likewise
 * @wait_watermark: number of entries, likewise
 * @aggrs_offset: bytes from the start of a half to its aggregates
 * @stacks_offset: to its stack words
 * @exits_offset: to its ended threads
 * @waits_offset: to its single intervals
 * @hists_offset: to its histograms
 * @half_stride: bytes of a half that are mapped, whole pages
 * @aggr_index_offset: from the start of a half to the aggregates' index, behind what is
 *	mapped
 * @stack_index_offset: to the stacks' index
 * @area_bytes: bytes of a half and its indexes, whole pages
 * @hists: whether each aggregate has a histogram
 *
 * Written at CONFIGURE, constant afterwards.
 */
struct wp_table_sizes {
	u32 nr_aggrs;
	u32 stack_words;
	u32 nr_exits;
	u32 nr_waits;
	u32 aggr_mask;
	u32 stack_mask;
	u32 aggr_watermark;
	u32 stack_watermark;
	u32 exit_watermark;
	u32 wait_watermark;
	u64 aggrs_offset;
	u64 stacks_offset;
	u64 exits_offset;
	u64 waits_offset;
	u64 hists_offset;
	u64 half_stride;
	u64 aggr_index_offset;
	u64 stack_index_offset;
	u64 area_bytes;
	bool hists;
};

/**
 * struct wp_cache_hits - counters of the fast path in a half
 * @known: threads that left with a cached stack
 * @summed: their intervals that were added to the cached aggregate
 * @woke: wakeups with a cached stack of the waker
 */
struct wp_cache_hits {
	u64 known;
	u64 summed;
	u64 woke;
};

/* One for all that is counted of a stack: see wp_cache_hits_of(). */
#define WP_CACHE_HITS	((WALLPROF_INTERP_MAX + 1) * WALLPROF_UNWIND_MAX * 2)

/**
 * struct wp_half - one half of a CPU's tables of one context
 * @sizes: its capacities
 * @head: head, mapped
 * @aggrs: aggregates in order of appearance, mapped
 * @stacks: stack words, mapped; word 0 is not used, so that no id is 0
 * @exits: ended threads, mapped
 * @waits: single intervals, mapped
 * @hists: histograms of @aggrs, mapped; used if &wp_table_sizes.hists
 * @aggr_index: hash index of @aggrs: epoch, bits of the hash, entry
 * @stack_index: hash index of @stacks, likewise
 * @hits: counters of the fast path, see wp_cache_hits_of(); wp_half_settle() adds them to
 *	@head
 *
 * Between wp_half_begin() and the flip that retires it a half has one writer: its CPU, in
 * its context. A flip retires it; wp_session_quiesce() then orders all that was written
 * before wp_half_settle(), and all that the reader reads. Between that and the next
 * wp_half_begin() a half can have other @sizes and other memory: wp_half_set().
 */
struct wp_half {
	const struct wp_table_sizes *sizes;
	struct wallprof_half *head;
	struct wallprof_aggr *aggrs;
	u64 *stacks;
	struct wallprof_task *exits;
	struct wallprof_wait *waits;
	struct wallprof_hist *hists;
	u64 *aggr_index;
	u64 *stack_index;
	struct wp_cache_hits hits[WP_CACHE_HITS];
};

#define WP_RECENT_BITS	6	/* of the number of aggregates that are found at once */

/**
 * struct wp_tables - a CPU's tables of one context
 * @half: epoch E writes to half[E % 2]
 * @cpu: the CPU, as in stack ids
 * @context: WP_CONTEXT_SCHED or WP_CONTEXT_SAMPLER
 * @recent: places where aggregates were found or made last: a guess, of any epoch
 */
struct wp_tables {
	struct wp_half half[2];
	u32 cpu;
	u32 context;
	u32 recent[1 << WP_RECENT_BITS];
};

void wp_sizes_set(struct wp_table_sizes *sizes, u32 nr_aggrs, u32 stack_words,
		  u32 nr_exits, u32 nr_waits, bool hists, u32 watermark,
		  u64 page_size);
void wp_sizes_place(struct wp_table_sizes *sizes, const struct wp_table_sizes *largest);
bool wp_sizes_use(const struct wp_table_sizes *sizes, u64 at, u64 bytes);
u64 wp_sizes_bytes(const struct wp_table_sizes *sizes, u64 page_size);
void wp_tables_set(struct wp_tables *tables, u32 cpu, u32 context);
void wp_half_set(struct wp_half *half, const struct wp_table_sizes *sizes, void *area);
unsigned int wp_half_wants(const struct wp_half *half);
void wp_half_begin(struct wp_tables *tables, u32 epoch);
void wp_half_settle(struct wp_half *half);

u64 wp_stack_intern(struct wp_tables *tables, u32 epoch, const u64 *ips,
		    unsigned int nr, u8 unwind, u8 flags);
bool wp_aggr_add(struct wp_tables *tables, u32 epoch,
		 const struct wallprof_aggr *key, u64 value, u64 time);
u64 wp_aggr_chain(struct wp_tables *tables, u32 epoch,
		  const struct wallprof_aggr *key, u64 waker_aggr);
u64 wp_wait_chain(struct wp_tables *tables, u32 epoch, u64 waker_aggr);
bool wp_exit_add(struct wp_tables *tables, u32 epoch,
		 const struct wallprof_task *task);
bool wp_wait_add(struct wp_tables *tables, u32 epoch, const struct wallprof_aggr *key,
		 const u64 more[2], u64 ns, u64 now);

/* Any context of the half's writer. */
static inline struct wp_half *wp_half_of(struct wp_tables *tables, u32 epoch)
{
	return &tables->half[epoch & 1];
}

/*
 * The fast path's counters for stacks with a stop reason; @mixed: frames were found by
 * frame pointer; @interp: see &struct wp_cached_stack. Any context of the half's writer.
 */
static inline struct wp_cache_hits *wp_cache_hits_of(struct wp_half *half, u8 stop, bool mixed,
						     u8 interp)
{
	return &half->hits[2 * (WALLPROF_UNWIND_MAX * interp + stop) + mixed];
}

/* Whether counters are a half's. Any context. */
static inline bool wp_cache_hits_are_in(const struct wp_cache_hits *hits,
					const struct wp_half *half)
{
	return (unsigned long)hits - (unsigned long)half->hits < sizeof(half->hits);
}

/* Any context of the half's writer. */
static inline void wp_half_lose(struct wp_half *half, enum wallprof_loss loss,
				u64 ns)
{
	half->head->lost[loss].count++;
	half->head->lost[loss].ns += ns;
}

/* Any context of the half's writer. */
static inline bool wp_half_above_watermark(const struct wp_half *half)
{
	const struct wp_table_sizes *sizes = half->sizes;
	const struct wallprof_half *head = half->head;

	return head->nr_aggrs >= sizes->aggr_watermark ||
	       head->stack_words >= sizes->stack_watermark ||
	       head->nr_exits >= sizes->exit_watermark ||
	       head->nr_waits >= sizes->wait_watermark;
}

/*
 * Whether two aggregates have the same key: all before @count, which has no holes.
 *
 * A new field of the key is no growth at the end, as that of the structs of ioctls is: it
 * moves @count, so each reader has to be built anew (WALLPROF_ABI_VERSION). It belongs
 * here, in wp_aggr_hash(), in wp_interval_key() and wp_interval_is_of(), in the sampler's
 * key, and in the reader's wp_merge_aggr(). The size below fails until it is here.
 */
#define WP_AGGR_KEY_SIZE	(4 * sizeof(u32) + 2 * sizeof(u16) + 4 * sizeof(u8) + \
				 5 * sizeof(u64))

static_assert(offsetof(struct wallprof_aggr, count) == WP_AGGR_KEY_SIZE);

static __always_inline bool wp_aggr_same(const struct wallprof_aggr *a,
					 const struct wallprof_aggr *b)
{
	return a->tid == b->tid && a->tgid == b->tgid &&
	       a->start_time == b->start_time && a->exec_id == b->exec_id &&
	       a->kind == b->kind && a->state == b->state &&
	       a->flags == b->flags && a->user_stack == b->user_stack &&
	       a->kernel_stack == b->kernel_stack &&
	       a->waker_tid == b->waker_tid && a->syscall == b->syscall &&
	       a->reason == b->reason && a->waker == b->waker &&
	       a->arg == b->arg && a->waker_stack == b->waker_stack;
}

/*
 * Adds a value to an aggregate. Returns whether it has a new longest part. Any context of
 * the half's writer.
 */
static __always_inline bool wp_aggr_sum(struct wallprof_aggr *aggr, u64 value,
					u64 runnable, u64 time)
{
	u64 blocked = value - runnable;
	bool longest = false;

	aggr->count++;
	aggr->total += value;
	if (value < aggr->min)
		aggr->min = value;
	if (value > aggr->max)
		aggr->max = value;
	if (time > aggr->last)
		aggr->last = time;
	aggr->runnable += runnable;
	if (unlikely(runnable > aggr->runnable_max)) {
		aggr->runnable_max = runnable;
		longest = true;
	}
	if (unlikely(blocked > aggr->blocked_max)) {
		aggr->blocked_max = blocked;
		longest = true;
	}
	return longest;
}

/*
 * Where the place of a recent aggregate is kept. Threads and stacks have consecutive
 * numbers: without a product of both, their pairs would collide often.
 *
 * Any context of the tables' writer.
 */
static __always_inline u32 *wp_aggr_recent(struct wp_tables *tables, u32 tid, u64 user_stack)
{
	u32 hash = tid * 0x9e3779b1U + (u32)user_stack * 0x85ebca6bU;

	return &tables->recent[hash >> (32 - WP_RECENT_BITS)];
}

/**
 * wp_aggr_guess - guess the aggregate that was used last for a thread and a stack
 * @tables: the CPU's tables
 * @half: wp_half_of() the current epoch
 * @tid: of its key
 * @user_stack: of its key
 *
 * It may be any other one: the caller compares the key. If that is equal, wp_aggr_add_recent()
 * does what wp_aggr_add() would.
 *
 * Context: the tables' writer, any.
 * Return: the aggregate, or NULL.
 */
static __always_inline struct wallprof_aggr *
wp_aggr_guess(struct wp_tables *tables, const struct wp_half *half, u32 tid, u64 user_stack)
{
	u32 at = *wp_aggr_recent(tables, tid, user_stack);

	/* Entries below nr_aggrs are of this epoch. */
	return likely(at < half->head->nr_aggrs) ? &half->aggrs[at] : NULL;
}

/* Adds an interval to the result of wp_aggr_guess(). Any context of the half's writer. */
static __always_inline void wp_aggr_add_recent(struct wallprof_half *head,
					       struct wallprof_aggr *aggr, u64 value,
					       u64 runnable, u64 time)
{
	head->events++;
	wp_aggr_sum(aggr, value, runnable, time);
}

/* The histogram of an aggregate of a half, with histograms. Any context. */
static __always_inline struct wallprof_hist *wp_hist_of(const struct wp_half *half,
							const struct wallprof_aggr *aggr)
{
	return &half->hists[aggr - half->aggrs];
}

/* Counts a part of an interval in the bucket of its length. */
static __always_inline void wp_hist_count(u32 *buckets, u64 ns)
{
	int nr = fls64(div_u64(ns, 1000));

	if (!ns)
		return;
	if (nr >= WALLPROF_HIST_BUCKETS)
		nr = WALLPROF_HIST_BUCKETS - 1;
	if (likely(buckets[nr] != U32_MAX))
		buckets[nr]++;
}

/**
 * wp_hist_add - count the length of an interval in a histogram
 * @hist: that of the aggregate that it was added to
 * @value: nanoseconds
 * @runnable: of these
 *
 * Context: the half's writer, any.
 */
static __always_inline void wp_hist_add(struct wallprof_hist *hist, u64 value, u64 runnable)
{
	wp_hist_count(hist->blocked, value - runnable);
	wp_hist_count(hist->runnable, runnable);
}

#endif /* WALLPROF_PURE_TABLES_H */
