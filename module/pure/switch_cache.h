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
 * Of sessions that are wp_session_is_plain(). This file knows nothing of sessions, nor,
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

#define WP_HABIT_BITS		10	/* of the number of habits of a CPU */
#define WP_HABIT_SIZE_BITS	7	/* of the size of one */
#define WP_HABIT_AWAY_BITS	10	/* of the number of threads that are away */

/**
 * struct wp_habit - a way in which a thread is used to leave its CPU
 * @start_time: when the thread was born
 * @left: when it last left in this way, as its slot says until it comes; or 0
 * @ip: wp_way_ip()
 * @sp: wp_way_sp()
 * @fp: wp_way_fp(), if @by_fp
 * @arg: wp_way_arg()
 * @changes: see &struct wp_way; 0: the thread left only once so
 * @begin: see &struct wp_memo
 * @user_stack: its stack's id
 * @slot: its slot
 * @key: the thread: see wp_tasks_find()
 * @again: where it is counted, in the half that @user_stack and @aggr are in
 * @aggr: where the last interval was summed, or &wp_habits.nowhere
 * @nr: wp_way_nr()
 * @state: see &struct wp_way
 * @exec_id: wp_way_exec_id()
 * @as: what the slot says until the thread comes: see WP_AS()
 * @syscall: as told
 * @reason: enum wallprof_reason
 * @nr_words: how many words decide the stack
 * @by_fp: whether @fp matters
 * @runnable: whether it waits for a CPU, and for nothing else; if @aggr is known
 * @tells_arg: whether @arg is told
 *
 * Used by the CPU that it belongs to, with interrupts off.
 */
struct wp_habit {
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
	bool tells_arg : 1;
} __aligned(1 << WP_HABIT_SIZE_BITS);

static_assert(sizeof(struct wp_habit) == 1 << WP_HABIT_SIZE_BITS);

/**
 * struct wp_habits - what a CPU keeps
 * @habits: by hash
 * @none: what nobody does
 * @nowhere: nobody wakes, and so nothing is summed there
 * @away: by thread: how one left that has not come back; a guess
 */
struct wp_habits {
	struct wp_habit habits[1 << WP_HABIT_BITS];
	struct wp_habit none;
	struct wallprof_aggr nowhere;
	struct wp_habit *away[1 << WP_HABIT_AWAY_BITS];
};

/**
 * wp_habits_set - nothing is learned yet
 * @habits: zeroes
 *
 * Context: process.
 */
static inline void wp_habits_set(struct wp_habits *habits)
{
	unsigned int i;

	*(u32 *)WP_CAUSE(&habits->nowhere) = U32_MAX;
	for (i = 0; i < ARRAY_SIZE(habits->away); i++)
		habits->away[i] = &habits->none;
}

/*
 * Where the habit of a thread is that leaves in a way. The sum: places where threads
 * enter the kernel are some bytes apart, and two system calls, or two states, may have
 * one. Slots are somewhat larger than habits. Context: irqs off.
 */
static __always_inline struct wp_habit *wp_habit_of(struct wp_habits *habits,
						    const struct wallprof_task *slot,
						    const struct wp_way *way)
{
	u64 hash = wp_way_ip(way) + 4 * (u64)wp_way_nr(way) + way->state;

	hash = hash << WP_HABIT_SIZE_BITS ^ (unsigned long)slot;
	return (void *)((char *)habits->habits +
			(hash & (sizeof(habits->habits) - sizeof(habits->habits[0]))));
}

/* Where it is noted how a thread left. @key: see wp_tasks_find(). Context: irqs off. */
static __always_inline struct wp_habit **wp_habit_away(struct wp_habits *habits,
						       unsigned long key)
{
	/* See wp_tasks_bucket(). */
	return habits->away + hash_32(key >> 6, WP_HABIT_AWAY_BITS);
}

/**
 * wp_habit_holds_still - whether a thread leaves by the habit that it came by, but for
 *	its stack's words
 * @habit: the habit
 * @way: how it leaves
 *
 * It has not left since, and so it runs, nor executed a program.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_habit_holds_still(const struct wp_habit *habit,
						 const struct wp_way *way)
{
	return habit->ip == wp_way_ip(way) && habit->nr == wp_way_nr(way) &&
	       habit->state == way->state && habit->changes == way->changes &&
	       habit->sp == wp_way_sp(way) && habit->arg == wp_way_arg(way) &&
	       !wp_way_is_odd(way) && (!habit->by_fp || habit->fp == wp_way_fp(way));
}

/**
 * wp_habit_holds - the same of any habit
 * @habit: wp_habit_of() it
 * @slot: the thread's
 * @way: how it leaves
 *
 * A slot and a birth are one thread: the next one in a slot is born after the last one,
 * while ids come back. The slot's ids are those of after an exec since the thread left
 * for the first time after it, which it did before it learned.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_habit_holds(const struct wp_habit *habit,
					   const struct wallprof_task *slot,
					   const struct wp_way *way)
{
	return wp_habit_holds_still(habit, way) && habit->slot == slot &&
	       slot->phase == WALLPROF_TASK_RUNNING &&
	       habit->start_time == slot->start_time &&
	       habit->exec_id == wp_way_exec_id(way);
}

/**
 * wp_habit_tell - a thread leaves by a habit that it did not come by
 * @habits: this CPU's
 * @habit: the habit
 * @slot: the thread's
 *
 * What wp_habit_leave() finds told in the slot of one that did. Context: irqs off.
 */
static __always_inline void wp_habit_tell(struct wp_habits *habits, struct wp_habit *habit,
					  struct wallprof_task *slot)
{
	slot->user_stack = habit->user_stack;
	slot->arg = habit->tells_arg ? habit->arg : 0;
	slot->syscall = habit->syscall;
	slot->reason = habit->reason;
	*wp_habit_away(habits, habit->key) = habit;
}

/**
 * wp_habit_leave - a thread leaves as it is used to
 * @habit: the one that was found, and the stack's words are what they were
 * @slot: the thread's; says that it runs
 * @now: the time
 *
 * What wp_interval_open() would do, if the thread came by this habit, or after
 * wp_habit_tell().
 *
 * Context: irqs off.
 */
static __always_inline void wp_habit_leave(struct wp_habit *habit,
					   struct wallprof_task *slot, u64 now)
{
	habit->again->known++;
	slot->run_ns += wp_interval_depart(slot, now);
	WRITE_ONCE(*WP_AS(slot), habit->as);	/* wakers look at it */
	habit->left = slot->since;
}

/**
 * wp_habit_lasts - whether a thread that comes has left as it is used to
 * @habit: wp_habit_away(): how it may have left
 * @slot: its slot, if so: @habit->slot
 * @key: the thread
 * @changes: see &struct wp_way
 *
 * A thread leaves at a time once only; and one that is at the address of one that is gone
 * is born later than that had left, as RCU keeps the address for a while.
 *
 * Not if who walks the stacks of those that sleep has found its one meanwhile, which was
 * weak, as it was there, and is not any more: the flags tell.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_habit_lasts(const struct wp_habit *habit,
					   const struct wallprof_task *slot,
					   unsigned long key, u64 changes)
{
	return habit->key == key && habit->left == slot->since &&
	       habit->changes == changes && habit->as == READ_ONCE(*WP_AS(slot));
}

/*
 * Whether who ended an interval that began by blocking is who ended the last one.
 * Context: irqs off.
 */
static __always_inline bool wp_habit_same_waker(const struct wallprof_aggr *aggr,
						const struct wallprof_task *slot)
{
	/* A waker that is too late may write meanwhile: see wp_interval_told(). */
	return *WP_CAUSE(aggr) == READ_ONCE(*WP_CAUSE(slot)) &&
	       aggr->waker_tid == READ_ONCE(slot->waker_tid);
}

/**
 * wp_habit_come - a thread comes from what it left for as it is used to
 * @habit: wp_habit_lasts(), and who woke it was who does
 * @slot: its slot
 * @aggr: its aggregate
 * @now: the time
 * @runnable: @habit->runnable
 *
 * What wp_interval_close(), wp_aggr_add() and wp_interval_forget() would do; but what
 * the slot tells of the interval stays, for wp_habit_leave().
 *
 * Context: irqs off.
 */
static __always_inline void wp_habit_come(const struct wp_habit *habit,
					  struct wallprof_task *slot,
					  struct wallprof_aggr *aggr, u64 now, bool runnable)
{
	u64 ns = wp_interval_advance(slot, now);
	u64 waited = runnable ? ns : wp_interval_runnable(slot, now, ns);

	habit->again->summed++;
	/* What is the longest of all the thread's is so of this sum's, too. */
	if (unlikely(wp_aggr_sum(aggr, ns, waited, now)))
		wp_interval_longest(slot, ns, waited);
	wp_interval_run(slot, ns, waited);
	wp_interval_forget_waker(slot);
}

/* Where the interval that began by a habit was summed, or NULL. Context: irqs off. */
static inline void wp_habit_sums(struct wp_habits *habits, struct wp_habit *habit,
				 struct wallprof_aggr *aggr, bool runnable)
{
	habit->aggr = aggr ? : &habits->nowhere;
	habit->runnable = aggr && runnable;
}

/**
 * wp_habit_begin - a thread has left in a way that was no habit
 * @habits: this CPU's
 * @slot: the thread's, as wp_interval_open() left it
 * @key: see &struct wp_habit
 * @way: how it left: in a system call, and not odd
 * @leave: what was told of that
 *
 * Context: irqs off.
 * Return: the habit, without what is known of the stack, if it did so the last time, too;
 * or NULL.
 */
static inline struct wp_habit *wp_habit_begin(struct wp_habits *habits,
					      struct wallprof_task *slot,
					      unsigned long key,
					      const struct wp_way *way,
					      const struct wp_leave *leave)
{
	struct wp_habit *habit = wp_habit_of(habits, slot, way);
	bool again = habit->ip == wp_way_ip(way) && habit->sp == wp_way_sp(way) &&
		     habit->nr == wp_way_nr(way) && habit->state == way->state &&
		     habit->slot == slot && habit->start_time == slot->start_time;

	habit->changes = 0;
	habit->left = 0;
	habit->slot = slot;
	habit->key = key;
	habit->start_time = slot->start_time;
	habit->ip = wp_way_ip(way);
	habit->sp = wp_way_sp(way);
	habit->nr = wp_way_nr(way);
	habit->state = way->state;
	if (!again)
		return NULL;
	habit->arg = wp_way_arg(way);
	habit->tells_arg = leave->arg;
	habit->user_stack = leave->user_stack;
	habit->exec_id = slot->exec_id;
	habit->as = *WP_AS(slot);
	habit->syscall = leave->syscall;
	habit->reason = leave->reason;
	wp_habit_sums(habits, habit, NULL, false);
	return habit;
}

/* A stack that is an address and no more, in a half. Context: irqs off. */
static inline void wp_habit_set_address(struct wp_habit *habit, struct wp_half *half)
{
	habit->nr_words = 0;
	habit->by_fp = false;
	habit->again = wp_again_of(half, WALLPROF_UNWIND_DEPTH, true);
}

/*
 * By what a stack is known again that is in a half. Context: irqs off. @memo is what is
 * remembered of it.
 */
static inline void wp_habit_set_stack(struct wp_habit *habit, const struct wp_memo *memo,
				      struct wp_half *half)
{
	habit->begin = memo->begin;
	habit->nr_words = memo->nr;
	habit->again = wp_again_of(half, memo->why, memo->flags & WALLPROF_STACK_BY_FP);
	habit->by_fp = memo->by_fp;
	habit->fp = memo->fp;
}

/**
 * wp_habit_learn - all is known of a habit
 * @habits: this CPU's
 * @habit: the one that began
 * @slot: the thread's, which has just left so
 * @way: how
 *
 * Context: irqs off.
 */
static inline void wp_habit_learn(struct wp_habits *habits, struct wp_habit *habit,
				  const struct wallprof_task *slot,
				  const struct wp_way *way)
{
	habit->changes = way->changes;
	habit->left = slot->since;
	*wp_habit_away(habits, habit->key) = habit;
}

#endif /* WALLPROF_PURE_SWITCH_CACHE_H */
