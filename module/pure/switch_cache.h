/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Habits: the ways in which threads left a CPU the last times, and where that time was
 * summed.
 *
 * Most threads wait again where they have waited before: for the same system call, made
 * from the same place with the same stack. Then all that a switch tells of the wait is
 * known, as soon as nothing that decides it has changed, and it goes into the same sum
 * if the same thread ends it.
 *
 * A habit is learned when a thread leaves in the same way for the second time. A CPU
 * keeps some, found by the thread and by what decides most; and which of them a thread
 * has left by that is away. Between the two the slot may have gone to another CPU, or to
 * another thread: the time at which it was left, and the thread's birth, tell. Who came
 * by a habit mostly leaves by it again, and its slot still says so.
 *
 * Of sessions that are wp_session_is_fast(). This file knows nothing of sessions, nor,
 * but by switch_key.h, of the kernel's threads; its callers are the probes of sched_switch, with
 * interrupts off.
 */
#ifndef WALLPROF_PURE_SWITCH_CACHE_H
#define WALLPROF_PURE_SWITCH_CACHE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "pure/intervals.h"
#include "pure/stack_cache.h"
#include "pure/tables.h"
#include "switch_key.h"

#define WP_SWITCH_CACHE_BITS		10	/* of the number of habits of a CPU */
#define WP_SWITCH_CACHE_SIZE_BITS	7	/* of the size of one */
#define WP_SWITCH_CACHE_AWAY_BITS	10	/* of the number of threads that are away */

/**
 * struct wp_cached_switch - a way in which a thread is used to leave its CPU
 * @start_time: when the thread was born
 * @left: when it last left in this way, as its slot says until it comes; or 0
 * @ip: wp_switch_key_ip()
 * @sp: wp_switch_key_sp()
 * @fp: wp_switch_key_fp(), if @by_fp
 * @arg: wp_switch_key_arg()
 * @changes: see &struct wp_switch_key; 0: the thread left only once so
 * @begin: see &struct wp_cached_stack
 * @user_stack: its stack's id
 * @slot: its slot
 * @key: the thread: see wp_tasks_find()
 * @again: where it is counted, in the half that @user_stack and @aggr are in
 * @aggr: where the last interval was summed, or &wp_switch_cache.nowhere
 * @nr: wp_switch_key_nr()
 * @state: see &struct wp_switch_key
 * @exec_id: wp_switch_key_exec_id()
 * @as: what the slot says until the thread comes: see WP_AS()
 * @syscall: as told
 * @reason: enum wallprof_reason
 * @nr_words: how many words decide the stack
 * @by_fp: whether @fp matters
 * @runnable: whether it waits for a CPU, and for nothing else; if @aggr is known
 * @has_arg: whether @arg is told
 *
 * Used by the CPU that it belongs to, with interrupts off.
 */
struct wp_cached_switch {
	u64 start_time;
	u64 left;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 arg;
	u64 changes;
	u64 begin;
	u64 user_stack;
	struct wallprof_task *slot;
	unsigned long key;
	struct wp_again *again;
	struct wallprof_aggr *aggr;
	int nr;
	u32 state;
	u32 exec_id;
	u32 as;
	u16 syscall;
	u8 reason;
	u8 nr_words;
	bool by_fp : 1;
	bool runnable : 1;
	bool has_arg : 1;
} __aligned(1 << WP_SWITCH_CACHE_SIZE_BITS);

static_assert(sizeof(struct wp_cached_switch) == 1 << WP_SWITCH_CACHE_SIZE_BITS);

/**
 * struct wp_switch_cache - what a CPU keeps
 * @entries: by hash
 * @none: what nobody does
 * @nowhere: nobody wakes, and so nothing is summed there
 * @away: by thread: how one left that has not come back; a guess
 */
struct wp_switch_cache {
	struct wp_cached_switch entries[1 << WP_SWITCH_CACHE_BITS];
	struct wp_cached_switch none;
	struct wallprof_aggr nowhere;
	struct wp_cached_switch *away[1 << WP_SWITCH_CACHE_AWAY_BITS];
};

/**
 * wp_switch_cache_init - nothing is learned yet
 * @cache: zeroes
 *
 * Context: process.
 */
static inline void wp_switch_cache_init(struct wp_switch_cache *cache)
{
	unsigned int i;

	*(u32 *)WP_CAUSE(&cache->nowhere) = U32_MAX;
	for (i = 0; i < ARRAY_SIZE(cache->away); i++)
		cache->away[i] = &cache->none;
}

/*
 * Where the habit of a thread is that leaves in a way. The sum: places where threads
 * enter the kernel are some bytes apart, and two system calls, or two states, may have
 * one. Slots are somewhat larger than habits. Context: irqs off.
 */
static __always_inline struct wp_cached_switch *wp_cached_of(struct wp_switch_cache *cache,
							     const struct wallprof_task *slot,
							     const struct wp_switch_key *how)
{
	u64 hash = wp_switch_key_ip(how) + 4 * (u64)wp_switch_key_nr(how) + how->state;

	hash = hash << WP_SWITCH_CACHE_SIZE_BITS ^ (unsigned long)slot;
	return (void *)((char *)cache->entries +
			(hash & (sizeof(cache->entries) - sizeof(cache->entries[0]))));
}

/* Where it is noted how a thread left. @key: see wp_tasks_find(). Context: irqs off. */
static __always_inline struct wp_cached_switch **wp_cached_away(struct wp_switch_cache *cache,
								unsigned long key)
{
	/* See wp_tasks_bucket(). */
	return cache->away + hash_32(key >> 6, WP_SWITCH_CACHE_AWAY_BITS);
}

/**
 * wp_cached_holds_still - whether a thread leaves by the habit that it came by, but for
 *	its stack's words
 * @cached: the habit
 * @how: how it leaves
 *
 * It has not left since, and so it runs, nor executed a program.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_holds_still(const struct wp_cached_switch *cached,
						  const struct wp_switch_key *how)
{
	return cached->ip == wp_switch_key_ip(how) && cached->nr == wp_switch_key_nr(how) &&
	       cached->state == how->state && cached->changes == how->changes &&
	       cached->sp == wp_switch_key_sp(how) &&
	       cached->arg == wp_switch_key_arg(how) && !wp_switch_key_is_odd(how) &&
	       (!cached->by_fp || cached->fp == wp_switch_key_fp(how));
}

/**
 * wp_cached_holds - the same of any habit
 * @cached: wp_cached_of() it
 * @slot: the thread's
 * @how: how it leaves
 *
 * A slot and a birth are one thread: the next one in a slot is born after the last one,
 * while ids come back. The slot's ids are those of after an exec since the thread left
 * for the first time after it, which it did before it learned.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_holds(const struct wp_cached_switch *cached,
					    const struct wallprof_task *slot,
					    const struct wp_switch_key *how)
{
	return wp_cached_holds_still(cached, how) && cached->slot == slot &&
	       slot->phase == WALLPROF_TASK_RUNNING &&
	       cached->start_time == slot->start_time &&
	       cached->exec_id == wp_switch_key_exec_id(how);
}

/**
 * wp_cached_apply - a thread leaves by a habit that it did not come by
 * @cache: this CPU's
 * @cached: the habit
 * @slot: the thread's
 *
 * What wp_cached_leave() finds told in the slot of one that did. Context: irqs off.
 */
static __always_inline void wp_cached_apply(struct wp_switch_cache *cache,
					    struct wp_cached_switch *cached,
					    struct wallprof_task *slot)
{
	slot->user_stack = cached->user_stack;
	slot->arg = cached->has_arg ? cached->arg : 0;
	slot->syscall = cached->syscall;
	slot->reason = cached->reason;
	*wp_cached_away(cache, cached->key) = cached;
}

/**
 * wp_cached_leave - a thread leaves as it is used to
 * @cached: the one that was found, and the stack's words are what they were
 * @slot: the thread's; says that it runs
 * @now: the time
 *
 * What wp_interval_open() would do, if the thread came by this habit, or after
 * wp_cached_apply().
 *
 * Context: irqs off.
 */
static __always_inline void wp_cached_leave(struct wp_cached_switch *cached,
					    struct wallprof_task *slot, u64 now)
{
	cached->again->known++;
	slot->run_ns += wp_interval_depart(slot, now);
	WRITE_ONCE(*WP_AS(slot), cached->as);	/* wakers look at it */
	cached->left = slot->since;
}

/**
 * wp_cached_lasts - whether a thread that comes has left as it is used to
 * @cached: wp_cached_away(): how it may have left
 * @slot: its slot, if so: @cached->slot
 * @key: the thread
 * @changes: see &struct wp_switch_key
 *
 * A thread leaves at a time once only; and one that is at the address of one that is gone
 * is born later than that had left, as RCU keeps the address for a while.
 *
 * Not if who walks the stacks of those that sleep has found its one meanwhile, which was
 * weak, as it was there, and is not any more: the flags tell.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_cached_lasts(const struct wp_cached_switch *cached,
					    const struct wallprof_task *slot,
					    unsigned long key, u64 changes)
{
	return cached->key == key && cached->left == slot->since &&
	       cached->changes == changes && cached->as == READ_ONCE(*WP_AS(slot));
}

/*
 * Whether who ended an interval that began by blocking is who ended the last one.
 * Context: irqs off.
 */
static __always_inline bool wp_cached_same_waker(const struct wallprof_aggr *aggr,
						 const struct wallprof_task *slot)
{
	/* A waker that is too late may write meanwhile: see wp_interval_ended_by(). */
	return *WP_CAUSE(aggr) == READ_ONCE(*WP_CAUSE(slot)) &&
	       aggr->waker_tid == READ_ONCE(slot->waker_tid);
}

/**
 * wp_cached_come - a thread comes from what it left for as it is used to
 * @cached: wp_cached_lasts(), and who woke it was who does
 * @slot: its slot
 * @aggr: its aggregate
 * @now: the time
 * @runnable: @cached->runnable
 *
 * What wp_interval_close(), wp_aggr_add() and wp_interval_forget() would do; but what
 * the slot tells of the interval stays, for wp_cached_leave().
 *
 * Context: irqs off.
 */
static __always_inline void wp_cached_come(const struct wp_cached_switch *cached,
					   struct wallprof_task *slot,
					   struct wallprof_aggr *aggr, u64 now, bool runnable)
{
	u64 ns = wp_interval_advance(slot, now);
	u64 waited = runnable ? ns : wp_interval_runnable(slot, now, ns);

	cached->again->summed++;
	/* What is the longest of all the thread's is so of this sum's, too. */
	if (unlikely(wp_aggr_sum(aggr, ns, waited, now)))
		wp_interval_longest(slot, ns, waited);
	wp_interval_run(slot, ns, waited);
	wp_interval_forget_waker(slot);
}

/* Where the interval that began by a habit was summed, or NULL. Context: irqs off. */
static inline void wp_cached_sums(struct wp_switch_cache *cache, struct wp_cached_switch *cached,
				  struct wallprof_aggr *aggr, bool runnable)
{
	cached->aggr = aggr ? : &cache->nowhere;
	cached->runnable = aggr && runnable;
}

/**
 * wp_cached_begin - a thread has left in a way that was no habit
 * @cache: this CPU's
 * @slot: the thread's, as wp_interval_open() left it
 * @key: see &struct wp_cached_switch
 * @how: how it left: in a system call, and not odd
 * @leave: what was told of that
 *
 * Context: irqs off.
 * Return: the habit, without what is known of the stack, if it did so the last time, too;
 * or NULL.
 */
static inline struct wp_cached_switch *wp_cached_begin(struct wp_switch_cache *cache,
						       struct wallprof_task *slot,
						       unsigned long key,
						       const struct wp_switch_key *how,
						       const struct wp_leave *leave)
{
	struct wp_cached_switch *cached = wp_cached_of(cache, slot, how);
	bool again = cached->ip == wp_switch_key_ip(how) && cached->sp == wp_switch_key_sp(how) &&
		     cached->nr == wp_switch_key_nr(how) && cached->state == how->state &&
		     cached->slot == slot && cached->start_time == slot->start_time;

	cached->changes = 0;
	cached->left = 0;
	cached->slot = slot;
	cached->key = key;
	cached->start_time = slot->start_time;
	cached->ip = wp_switch_key_ip(how);
	cached->sp = wp_switch_key_sp(how);
	cached->nr = wp_switch_key_nr(how);
	cached->state = how->state;
	if (!again)
		return NULL;
	cached->arg = wp_switch_key_arg(how);
	cached->has_arg = leave->arg;
	cached->user_stack = leave->user_stack;
	cached->exec_id = slot->exec_id;
	cached->as = *WP_AS(slot);
	cached->syscall = leave->syscall;
	cached->reason = leave->reason;
	wp_cached_sums(cache, cached, NULL, false);
	return cached;
}

/* A stack that is an address and no more, in a half. Context: irqs off. */
static inline void wp_cached_set_address(struct wp_cached_switch *cached, struct wp_half *half)
{
	cached->nr_words = 0;
	cached->by_fp = false;
	cached->again = wp_again_of(half, WALLPROF_UNWIND_DEPTH, true);
}

/*
 * By what a stack is known again that is in a half. Context: irqs off. @old is what is
 * remembered of it.
 */
static inline void wp_cached_set_stack(struct wp_cached_switch *cached,
				       const struct wp_cached_stack *old,
				       struct wp_half *half)
{
	cached->begin = old->begin;
	cached->nr_words = old->nr;
	cached->again = wp_again_of(half, old->why, old->flags & WALLPROF_STACK_BY_FP);
	cached->by_fp = old->by_fp;
	cached->fp = old->fp;
}

/**
 * wp_cached_learn - all is known of a habit
 * @cache: this CPU's
 * @cached: the one that began
 * @slot: the thread's, which has just left so
 * @how: how
 *
 * Context: irqs off.
 */
static inline void wp_cached_learn(struct wp_switch_cache *cache, struct wp_cached_switch *cached,
				   const struct wallprof_task *slot,
				   const struct wp_switch_key *how)
{
	cached->changes = how->changes;
	cached->left = slot->since;
	*wp_cached_away(cache, cached->key) = cached;
}

#endif /* WALLPROF_PURE_SWITCH_CACHE_H */
