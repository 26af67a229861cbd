/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of a thread's slot: it leaves its CPU, is woken, comes to a CPU. What every
 * switch does is inline here, the rest is in intervals.c. Writers: the CPU that the
 * thread runs on or leaves, with interrupts off; wp_interval_wake() on the waker's CPU.
 */
#ifndef WALLPROF_PURE_INTERVALS_H
#define WALLPROF_PURE_INTERVALS_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "compat/build_bug.h"

/**
 * struct wp_thread - what identifies a thread, read from its task_struct
 * @start_time: when it was born
 * @tid: thread id in the session's pid namespace
 * @tgid: process id, likewise
 * @exec_id: changes with every exec
 */
struct wp_thread {
	u64 start_time;
	u32 tid;
	u32 tgid;
	u32 exec_id;
};

/**
 * struct wp_leave - how a thread leaves its CPU
 * @user_stack: id, or 0
 * @kernel_stack: id, or 0
 * @arg: first argument of @syscall
 * @lock_owner: who holds the lock that it waits for, or 0
 * @syscall: its number, or WALLPROF_SYSCALL_NONE
 * @reason: enum wallprof_reason
 * @state: enum wallprof_state
 * @flags: WALLPROF_TASK_FILTERED, WALLPROF_TASK_NO_STACK,
 *	WALLPROF_TASK_WEAK_STACK, WALLPROF_TASK_IOWAIT and WALLPROF_TASK_32BIT
 */
struct wp_leave {
	u64 user_stack;
	u64 kernel_stack;
	u64 arg;
	u64 lock_owner;
	u16 syscall;
	u8 reason;
	u8 state;
	u16 flags;
};

/* The states in which a thread waits for a CPU, and for nothing else. */
#define WP_STATES_RUNNABLE	(BIT(WALLPROF_STATE_RUNNING) |		\
				 BIT(WALLPROF_STATE_PREEMPTED) |	\
				 BIT(WALLPROF_STATE_NEW))

/**
 * struct wp_interval - an interval that has ended
 * @ns: its length
 * @runnable: how much of it was spent runnable
 * @state: enum wallprof_state
 * @flags: the slot's flags at that time
 */
struct wp_interval {
	u64 ns;
	u64 runnable;
	u8 state;
	u16 flags;
};

/**
 * enum wp_closed - what ends when a thread comes to a CPU
 * @WP_CLOSED_NOTHING: no interval
 * @WP_CLOSED_FILTERED: an interval that is not to be recorded
 * @WP_CLOSED_INTERVAL: an interval that is
 */
enum wp_closed {
	WP_CLOSED_NOTHING,
	WP_CLOSED_FILTERED,
	WP_CLOSED_INTERVAL,
};

/**
 * struct wp_range - a range of lengths of intervals
 * @min: the shortest, in nanoseconds
 * @span: how much longer the longest is
 */
struct wp_range {
	u64 min;
	u64 span;
};

void wp_interval_begin(struct wallprof_task *slot,
		       const struct wp_thread *thread, u8 phase, u8 state,
		       u64 now);
void wp_interval_spill(struct wallprof_task *slot, u64 ns, u64 runnable);
void wp_interval_exit(struct wallprof_task *slot, u64 now);
void wp_interval_end(struct wallprof_task *slot, u64 stop, bool on_cpu,
		     const struct wp_range *range);

/* The range from @min to @max, which is not below @min; without an end if @max is 0. */
static inline struct wp_range wp_range_of(u64 min, u64 max)
{
	return (struct wp_range){ .min = min, .span = (max ? max : U64_MAX) - min };
}

/* The part of a range that is below @limit; all of it if @limit is 0. */
static inline struct wp_range wp_range_below(const struct wp_range *range, u64 limit)
{
	struct wp_range below = *range;

	/* An empty range: no interval is that long. */
	if (limit && limit <= range->min)
		return (struct wp_range){ .min = U64_MAX };
	if (limit && limit - 1 - range->min < below.span)
		below.span = limit - 1 - range->min;
	return below;
}

/* Whether a time is in a range. A shorter time wraps to beyond any span. */
static __always_inline bool wp_range_has(const struct wp_range *range, u64 ns)
{
	return ns - range->min <= range->span;
}

/* How long it is since the thread left or came. */
static __always_inline u64 wp_interval_length(const struct wallprof_task *slot, u64 now)
{
	u64 ns;

	return unlikely(__builtin_sub_overflow(now, slot->since, &ns)) ? 0 : ns;
}

/* Moves the slot to @now. Returns the time that passed. */
static __always_inline u64 wp_interval_advance(struct wallprof_task *slot, u64 now)
{
	u64 ns;

	if (unlikely(__builtin_sub_overflow(now, slot->since, &ns)))
		return 0;
	slot->since = now;
	return ns;
}

/*
 * The same when the thread leaves its CPU. The new time is later than any before, even if
 * the clock stands still, or steps back.
 */
static __always_inline u64 wp_interval_depart(struct wallprof_task *slot, u64 now)
{
	u64 ns = now - slot->since;

	if (unlikely(now <= slot->since)) {
		slot->since++;
		return 1;
	}
	slot->since = now;
	return ns;
}

/**
 * wp_interval_open - a thread leaves its CPU
 * @slot: its slot
 * @thread: its identity now: an exec may have changed it
 * @leave: state and stacks
 * @now: the time
 */
static __always_inline void
wp_interval_open(struct wallprof_task *slot, const struct wp_thread *thread,
		 const struct wp_leave *leave, u64 now)
{
	u64 ns;

	/* A thread that execs and is not the leader takes over the leader's birth. */
	slot->start_time = thread->start_time;
	slot->tid = thread->tid;
	slot->tgid = thread->tgid;
	slot->exec_id = thread->exec_id;
	ns = wp_interval_depart(slot, now);
	/*
	 * A thread that was UNSEEN ran since START. Of one that was OFF the coming was
	 * missed: it was refused as nested, and counted, or happened on a CPU that was
	 * not online, where no tracepoint is called. The thread ran for an unknown time.
	 */
	if (unlikely(slot->phase == WALLPROF_TASK_OFF))
		slot->unknown_ns += ns;
	else
		slot->run_ns += ns;
	slot->user_stack = leave->user_stack;
	slot->kernel_stack = leave->kernel_stack;
	slot->arg = leave->arg;
	slot->lock_owner = leave->lock_owner;
	slot->syscall = leave->syscall;
	slot->reason = leave->reason;
	slot->state = leave->state;
	WRITE_ONCE(slot->flags, leave->flags);	/* read by wakers */
	slot->phase = WALLPROF_TASK_OFF;
}

/**
 * wp_interval_wake - a thread is woken
 * @slot: its slot
 * @waker: enum wallprof_waker
 * @tid: the waker's thread id, or 0
 * @stack: id of its stacks, or 0
 * @now: the time
 *
 * This step alone runs on the waker's CPU, with the woken thread's pi_lock held, which
 * orders wakers. It may run while the thread is still leaving its CPU, or has only set
 * its sleeping state and does not leave after all. So it writes members that the other
 * steps do not write at that time. The CPU that the thread comes to sees them: the
 * scheduler passes the thread on under the lock of that CPU's run queue.
 */
static __always_inline void wp_interval_wake(struct wallprof_task *slot, u8 waker,
					     u32 tid, u64 stack, u64 now)
{
	WRITE_ONCE(slot->waker, waker);
	WRITE_ONCE(slot->waker_tid, tid);
	WRITE_ONCE(slot->waker_stack, stack);
	WRITE_ONCE(slot->woken, now);
}

/* Updates the thread's longest parts by those of an interval, or of a part of one. */
static __always_inline void wp_interval_longest(struct wallprof_task *slot, u64 ns,
						u64 runnable)
{
	if (runnable > slot->runnable_max)
		slot->runnable_max = runnable;
	if (ns - runnable > slot->blocked_max)
		slot->blocked_max = ns - runnable;
}

/*
 * The phase, the state and the flags of a slot are adjacent, so that one word holds all
 * of them.
 */
#define WP_PHASE_WORD(slot)	((u32 *)&(slot)->phase)

static_assert(offsetof(struct wallprof_task, phase) % sizeof(u32) == 0 &&
	      offsetof(struct wallprof_task, state) ==
	      offsetof(struct wallprof_task, phase) + 1 &&
	      offsetof(struct wallprof_task, flags) ==
	      offsetof(struct wallprof_task, phase) + 2);

/* That word of a thread that runs: no state, no flags. */
#ifdef CONFIG_CPU_BIG_ENDIAN
#define WP_PHASE_WORD_RUNNING	((u32)WALLPROF_TASK_RUNNING << 24)
#else
#define WP_PHASE_WORD_RUNNING	((u32)WALLPROF_TASK_RUNNING)
#endif

/*
 * Adds @ns off the CPU, with @runnable of them spent waiting for one, to a thread that
 * runs.
 */
static __always_inline void wp_interval_run(struct wallprof_task *slot, u64 ns,
					    u64 runnable)
{
	slot->off_ns += ns;
	slot->nr_off++;
	slot->runnable_ns += runnable;
	WRITE_ONCE(*WP_PHASE_WORD(slot), WP_PHASE_WORD_RUNNING);
}

/* Clears the waker: the interval had none, or it has been recorded. */
static __always_inline void wp_interval_forget_waker(struct wallprof_task *slot)
{
	/* A waker that writes now found the thread awake: its record is not used. */
	WRITE_ONCE(slot->waker, WALLPROF_WAKER_NONE);
	WRITE_ONCE(slot->woken, 0);
}

/*
 * How much of an interval was spent runnable, if the interval began by blocking. A
 * blocked thread comes to a CPU by a wakeup only: it is the last one, even if the clock,
 * or a fast waker, puts the wakeup before the thread left. Without a wakeup the session
 * does not record wakeups, or the waker's CPU was not online, and the time runnable is
 * unknown: 0.
 */
static __always_inline u64 wp_interval_runnable(const struct wallprof_task *slot,
						u64 now, u64 ns)
{
	u64 woken = READ_ONCE(slot->woken), waited = now - woken;

	if (likely(waited < ns))
		return waited;
	return !woken || now < woken ? 0 : ns;
}

/**
 * wp_interval_close - a thread runs again
 * @slot: its slot
 * @now: the time
 * @interval: filled with what is known of the interval
 *
 * The slot keeps the rest of the interval until wp_interval_forget(), which must follow
 * unless nothing has ended.
 *
 * Return: what ended.
 */
static __always_inline enum wp_closed
wp_interval_close(struct wallprof_task *slot, u64 now, struct wp_interval *interval)
{
	u64 ns;

	interval->flags = slot->flags;
	interval->state = slot->state;
	interval->runnable = 0;
	interval->ns = 0;
	ns = wp_interval_advance(slot, now);
	if (unlikely(slot->phase == WALLPROF_TASK_RUNNING)) {
		/* Its leaving was missed: see wp_interval_open(). */
		slot->unknown_ns += ns;
		return WP_CLOSED_NOTHING;
	}
	interval->ns = ns;
	interval->runnable = unlikely(BIT(interval->state) & WP_STATES_RUNNABLE) ? ns :
			     wp_interval_runnable(slot, now, ns);
	wp_interval_run(slot, ns, interval->runnable);
	wp_interval_longest(slot, ns, interval->runnable);
	return unlikely(interval->flags & WALLPROF_TASK_FILTERED) ? WP_CLOSED_FILTERED :
								   WP_CLOSED_INTERVAL;
}

/* Clears what wp_interval_close() left in the slot, after it has been recorded. */
static __always_inline void wp_interval_forget(struct wallprof_task *slot)
{
	slot->user_stack = 0;
	slot->kernel_stack = 0;
	wp_interval_forget_waker(slot);
}

static __always_inline u16 wp_interval_key_flags(const struct wp_interval *interval)
{
	const u16 flags = interval->flags;

	if (likely(!(flags & (WALLPROF_TASK_NO_STACK | WALLPROF_TASK_SINCE_START |
			      WALLPROF_TASK_IOWAIT | WALLPROF_TASK_32BIT))))
		return 0;
	return (flags & WALLPROF_TASK_NO_STACK ? WALLPROF_AGGR_NO_STACK : 0) |
	       (flags & WALLPROF_TASK_SINCE_START ? WALLPROF_AGGR_SINCE_START : 0) |
	       (flags & WALLPROF_TASK_IOWAIT ? WALLPROF_AGGR_IOWAIT : 0) |
	       (flags & WALLPROF_TASK_32BIT ? WALLPROF_AGGR_32BIT : 0);
}

/*
 * The system call, the reason and enum wallprof_waker are adjacent in slots and in
 * aggregates, so that one word holds them all, and is read or compared at once.
 */
#define WP_CAUSE(at)	((const u32 *)&(at)->syscall)

#ifdef CONFIG_CPU_BIG_ENDIAN
#define WP_CAUSE_WAKER	0x000000ffU
#else
#define WP_CAUSE_WAKER	0xff000000U
#endif

#define WP_LIES_IN_CAUSE(type)							\
	static_assert(offsetof(type, reason) == offsetof(type, syscall) + 2 &&	\
		      offsetof(type, waker) == offsetof(type, syscall) + 3 &&	\
		      offsetof(type, syscall) % sizeof(u32) == 0)

WP_LIES_IN_CAUSE(struct wallprof_task);
WP_LIES_IN_CAUSE(struct wallprof_aggr);

/**
 * struct wp_ended_by - why an interval began, and which waker ended it
 * @cause: see WP_CAUSE()
 * @tid: the waker's thread id, or 0
 * @stack: id of the waker's stacks, or who holds the lock, or 0. No session has both
 */
struct wp_ended_by {
	u32 cause;
	u32 tid;
	u64 stack;
};

/* Reads why an interval began, and its waker. A late waker may write meanwhile. */
static __always_inline struct wp_ended_by wp_interval_ended_by(const struct wallprof_task *slot,
							       const struct wp_interval *interval)
{
	struct wp_ended_by by = {
		.cause = READ_ONCE(*WP_CAUSE(slot)),
		.tid = READ_ONCE(slot->waker_tid),
		.stack = READ_ONCE(slot->waker_stack),
	};

	/*
	 * The second: the thread set its sleeping state, but was preempted before it
	 * blocked.
	 */
	if (!(by.cause & WP_CAUSE_WAKER) ||
	    unlikely(BIT(interval->state) & WP_STATES_RUNNABLE)) {
		by.cause &= ~WP_CAUSE_WAKER;	/* WALLPROF_WAKER_NONE */
		by.tid = 0;
		by.stack = 0;
	}
	by.stack |= slot->lock_owner;
	return by;
}

/**
 * wp_interval_key - the key of an interval's aggregate
 * @slot: the thread's, as wp_interval_close() left it
 * @interval: the same function's, of an interval
 * @key: to fill, but for what is summed; @runnable is set
 */
static __always_inline void wp_interval_key(const struct wallprof_task *slot,
					    const struct wp_interval *interval,
					    struct wallprof_aggr *key)
{
	const struct wp_ended_by by = wp_interval_ended_by(slot, interval);

	key->tid = slot->tid;
	key->tgid = slot->tgid;
	key->start_time = slot->start_time;
	key->exec_id = slot->exec_id;
	key->kind = WALLPROF_AGGR_OFFCPU;
	key->state = interval->state;
	key->flags = wp_interval_key_flags(interval);
	key->user_stack = slot->user_stack;
	key->kernel_stack = slot->kernel_stack;
	key->waker_tid = by.tid;
	*(u32 *)&key->syscall = by.cause;	/* and the reason, and the waker */
	key->arg = slot->arg;
	key->waker_stack = by.stack;
	key->runnable = interval->runnable;
}

/* Whether an aggregate has the same cause and waker. */
static __always_inline bool wp_ended_by_is_of(const struct wp_ended_by by,
					      const struct wallprof_aggr *aggr)
{
	return *WP_CAUSE(aggr) == by.cause &&
	       aggr->waker_tid == by.tid && aggr->waker_stack == by.stack;
}

/**
 * wp_interval_is_of - whether an interval belongs to an aggregate
 * @slot: the thread's, as wp_interval_close() left it
 * @interval: the same function's, of an interval
 * @aggr: the aggregate, of intervals
 *
 * Returns what wp_aggr_same() would of wp_interval_key(), without making the key.
 */
static __always_inline bool wp_interval_is_of(const struct wallprof_task *slot,
					      const struct wp_interval *interval,
					      const struct wallprof_aggr *aggr)
{
	return aggr->tid == slot->tid && aggr->tgid == slot->tgid &&
	       aggr->user_stack == slot->user_stack && aggr->arg == slot->arg &&
	       aggr->state == interval->state && aggr->flags == wp_interval_key_flags(interval) &&
	       aggr->kernel_stack == slot->kernel_stack &&
	       aggr->start_time == slot->start_time && aggr->exec_id == slot->exec_id &&
	       wp_ended_by_is_of(wp_interval_ended_by(slot, interval), aggr);
}

#endif /* WALLPROF_PURE_INTERVALS_H */
