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
 * another thread: the time at which it was left, and the thread's birth, tell.
 *
 * Of sessions that are wp_session_is_plain(). This file knows nothing of sessions, nor,
 * but by way.h, of the kernel's threads; its callers are the probes of sched_switch, with
 * interrupts off.
 */
#ifndef WALLPROF_HABITS_H
#define WALLPROF_HABITS_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "intervals.h"
#include "memo.h"
#include "way.h"

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
 * @changes: see &struct wp_way
 * @begin: see &struct wp_memo
 * @user_stack: its stack's id
 * @told_arg: @arg, or 0 if it is not told
 * @head: of the half that @user_stack and @aggr are in
 * @aggr: where the last interval was summed, or NULL
 * @nr: wp_way_nr()
 * @state: see &struct wp_way
 * @epoch: of @user_stack and @aggr; 0: the thread left only once so
 * @exec_id: wp_way_exec_id()
 * @slot: wp_habit_slot() of the thread's
 * @as: what the slot says until the thread comes: see WP_AS()
 * @syscall: as told
 * @reason: enum wallprof_reason
 * @nr_words: how many words decide the stack
 * @why: what the walk of the stack told
 * @mixed: how often to count it in wallprof_half.walks_mixed
 * @by_fp: whether @fp matters
 * @runnable: whether it waits for a CPU, and for nothing else
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
	u64 told_arg;
	struct wallprof_half *head;
	struct wallprof_aggr *aggr;
	int nr;
	u32 state;
	u32 epoch;
	u32 exec_id;
	u32 slot;
	u32 as;
	u16 syscall;
	u8 reason;
	u8 nr_words;
	u8 why;
	u8 mixed;
	bool by_fp;
	bool runnable;
} __aligned(1 << WP_HABIT_SIZE_BITS);

static_assert(sizeof(struct wp_habit) == 1 << WP_HABIT_SIZE_BITS);

/**
 * struct wp_habits - what a CPU keeps
 * @habits: by hash
 * @away: by slot: how a thread left that has not come back; a guess
 */
struct wp_habits {
	struct wp_habit habits[1 << WP_HABIT_BITS];
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

	for (i = 0; i < ARRAY_SIZE(habits->away); i++)
		habits->away[i] = habits->habits;
}

/*
 * The phase, the state and the flags of a slot lie side by side, so that one word has
 * them all.
 */
#define WP_AS(slot)	((u32 *)&(slot)->phase)

static_assert(offsetof(struct wallprof_task, phase) % sizeof(u32) == 0 &&
	      offsetof(struct wallprof_task, state) ==
	      offsetof(struct wallprof_task, phase) + 1 &&
	      offsetof(struct wallprof_task, flags) ==
	      offsetof(struct wallprof_task, phase) + 2);

/*
 * Which slot it is. A slot and a birth are one thread: the next one in a slot is born
 * after the last one, while ids come back. Context: irqs off.
 */
static __always_inline u32 wp_habit_slot(const struct wallprof_task *slot)
{
	return (unsigned long)slot;
}

/* All lie in one table. */
static_assert(sizeof(struct wallprof_task) <= U32_MAX / WALLPROF_MAX_TASKS);

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

/* Where it is noted how a thread left. Context: irqs off. */
static __always_inline struct wp_habit **wp_habit_away(struct wp_habits *habits,
						       const struct wallprof_task *slot)
{
	unsigned long at = (unsigned long)slot >> WP_HABIT_SIZE_BITS;

	return habits->away + (at & (ARRAY_SIZE(habits->away) - 1));
}

/**
 * wp_habit_holds - whether a thread leaves as it is used to, but for its stack's words
 * @habit: wp_habit_of() it
 * @slot: the thread's
 * @way: how it leaves
 *
 * The slot's ids are those of after an exec since the thread left for the first time
 * after it, which it did before it learned.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_habit_holds(const struct wp_habit *habit,
					   const struct wallprof_task *slot,
					   const struct wp_way *way)
{
	return slot->phase == WALLPROF_TASK_RUNNING && habit->ip == wp_way_ip(way) &&
	       habit->nr == wp_way_nr(way) && habit->state == way->state &&
	       habit->epoch == way->epoch && habit->slot == wp_habit_slot(slot) &&
	       habit->start_time == slot->start_time &&
	       habit->sp == wp_way_sp(way) && habit->arg == wp_way_arg(way) &&
	       habit->changes == way->changes &&
	       habit->exec_id == wp_way_exec_id(way) && !wp_way_is_odd(way) &&
	       (!habit->by_fp || habit->fp == wp_way_fp(way));
}

/**
 * wp_habit_leave - a thread leaves as it is used to
 * @habits: this CPU's
 * @habit: the one that was found, and the stack's words are what they were
 * @slot: the thread's; says that it runs
 * @now: the time
 *
 * What wp_interval_open() would do. Context: irqs off.
 */
static __always_inline void wp_habit_leave(struct wp_habits *habits,
					   struct wp_habit *habit,
					   struct wallprof_task *slot, u64 now)
{
	slot->run_ns += wp_interval_advance(slot, now);
	slot->user_stack = habit->user_stack;
	slot->arg = habit->told_arg;
	slot->syscall = habit->syscall;
	slot->reason = habit->reason;
	WRITE_ONCE(*WP_AS(slot), habit->as);	/* wakers look at it */
	habit->left = slot->since;
	*wp_habit_away(habits, slot) = habit;
}

/**
 * wp_habit_lasts - whether a thread that comes has left as it is used to
 * @habit: wp_habit_away(): how it may have left
 * @slot: its slot
 * @epoch: the current one
 *
 * Not if who walks the stacks of those that sleep has found another stack meanwhile.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_habit_lasts(const struct wp_habit *habit,
					   const struct wallprof_task *slot, u32 epoch)
{
	return habit->left == slot->since && habit->slot == wp_habit_slot(slot) &&
	       habit->epoch == epoch && habit->as == READ_ONCE(*WP_AS(slot)) &&
	       habit->user_stack == slot->user_stack;
}

/*
 * Whether who ended an interval that began by blocking is who ended the last one.
 * Context: irqs off.
 */
static __always_inline bool wp_habit_same_waker(const struct wp_habit *habit,
						const struct wallprof_task *slot)
{
	const struct wallprof_aggr *aggr = habit->aggr;

	/* A waker that is too late may write meanwhile: see wp_interval_told(). */
	return *WP_CAUSE(aggr) == READ_ONCE(*WP_CAUSE(slot)) &&
	       aggr->waker_tid == READ_ONCE(slot->waker_tid);
}

/**
 * wp_habit_begin - a thread has left in a way that was no habit
 * @habits: this CPU's
 * @slot: the thread's, as wp_interval_open() left it
 * @way: how it left: in a system call, and not odd
 * @leave: what was told of that
 *
 * Context: irqs off.
 * Return: the habit, without what is known of the stack, if it did so the last time, too;
 * or NULL.
 */
static inline struct wp_habit *wp_habit_begin(struct wp_habits *habits,
					      const struct wallprof_task *slot,
					      const struct wp_way *way,
					      const struct wp_leave *leave)
{
	struct wp_habit *habit = wp_habit_of(habits, slot, way);
	bool again = habit->ip == wp_way_ip(way) && habit->sp == wp_way_sp(way) &&
		     habit->nr == wp_way_nr(way) && habit->state == way->state &&
		     habit->slot == wp_habit_slot(slot) &&
		     habit->start_time == slot->start_time;

	habit->epoch = 0;
	habit->left = 0;
	habit->slot = wp_habit_slot(slot);
	habit->start_time = slot->start_time;
	habit->ip = wp_way_ip(way);
	habit->sp = wp_way_sp(way);
	habit->nr = wp_way_nr(way);
	habit->state = way->state;
	if (!again)
		return NULL;
	habit->arg = wp_way_arg(way);
	habit->told_arg = leave->arg;
	habit->user_stack = leave->user_stack;
	habit->exec_id = slot->exec_id;
	habit->as = *WP_AS(slot);
	habit->syscall = leave->syscall;
	habit->reason = leave->reason;
	habit->runnable = BIT(leave->state) & WP_STATES_RUNNABLE;
	habit->aggr = NULL;
	return habit;
}

/* A stack that is an address and no more. Context: irqs off. */
static inline void wp_habit_set_address(struct wp_habit *habit)
{
	habit->nr_words = 0;
	habit->by_fp = false;
	habit->why = WALLPROF_UNWIND_DEPTH;
	habit->mixed = 1;
}

/* By what a stack is known again. Context: irqs off. @memo is what is remembered of it. */
static inline void wp_habit_set_stack(struct wp_habit *habit, const struct wp_memo *memo)
{
	habit->begin = memo->begin;
	habit->nr_words = memo->nr;
	habit->why = memo->why;
	habit->mixed = !!(memo->flags & WALLPROF_STACK_BY_FP);
	habit->by_fp = memo->by_fp;
	habit->fp = memo->fp;
}

/**
 * wp_habit_learn - all is known of a habit
 * @habits: this CPU's
 * @habit: the one that began
 * @slot: the thread's, which has just left so
 * @way: how
 * @head: of the half that is written
 *
 * Context: irqs off.
 */
static inline void wp_habit_learn(struct wp_habits *habits, struct wp_habit *habit,
				  const struct wallprof_task *slot,
				  const struct wp_way *way, struct wallprof_half *head)
{
	habit->head = head;
	habit->changes = way->changes;
	habit->epoch = way->epoch;
	habit->left = slot->since;
	*wp_habit_away(habits, slot) = habit;
}

#endif /* WALLPROF_HABITS_H */
