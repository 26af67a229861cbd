/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_INTERVALS_H
#define WALLPROF_PURE_INTERVALS_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_thread - what identifies a thread, as its task_struct has it now
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
 * struct wp_passed - an interval that has ended
 * @ns: its length
 * @runnable: how much of it was spent runnable
 * @state: enum wallprof_state
 * @flags: of the slot, as they were
 */
struct wp_passed {
	u64 ns;
	u64 runnable;
	u8 state;
	u16 flags;
};

/**
 * enum wp_closed - what ended when a thread came to a CPU
 * @WP_CLOSED_NOTHING: no interval
 * @WP_CLOSED_FILTERED: one that is not to be recorded
 * @WP_CLOSED_INTERVAL: one that is
 */
enum wp_closed {
	WP_CLOSED_NOTHING,
	WP_CLOSED_FILTERED,
	WP_CLOSED_INTERVAL,
};

/**
 * struct wp_range - how long an interval has to be
 * @min: at least so long, nanoseconds
 * @span: at most so much longer
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

/* The times from @min to @max, which is not below; 0 for any from @min on. */
static inline struct wp_range wp_range_of(u64 min, u64 max)
{
	return (struct wp_range){ .min = min, .span = (max ? max : U64_MAX) - min };
}

/* What of a range is below @limit; 0: all of it. */
static inline struct wp_range wp_range_below(const struct wp_range *range, u64 limit)
{
	struct wp_range below = *range;

	/* Nothing but what no interval is as long as. */
	if (limit && limit <= range->min)
		return (struct wp_range){ .min = U64_MAX };
	if (limit && limit - 1 - range->min < below.span)
		below.span = limit - 1 - range->min;
	return below;
}

/* What every switch does is inline, as it is what a switch costs. */

/* Whether a time is in a range. What is shorter wraps, to beyond any span. */
static __always_inline bool wp_range_has(const struct wp_range *range, u64 ns)
{
	return ns - range->min <= range->span;
}

/* Moves the slot to @now and returns the time that passed. */
static __always_inline u64 wp_interval_advance(struct wallprof_task *slot, u64 now)
{
	u64 ns;

	if (unlikely(__builtin_sub_overflow(now, slot->since, &ns)))
		return 0;
	slot->since = now;
	return ns;
}

/*
 * The same when the thread leaves its CPU: at a time when it never did before, also if the
 * clock stands still, or steps back.
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
 * @thread: what it is now: an exec may have changed it
 * @leave: state and stacks
 * @now: the time
 */
static __always_inline void
wp_interval_open(struct wallprof_task *slot, const struct wp_thread *thread,
		 const struct wp_leave *leave, u64 now)
{
	u64 ns;

	/* An exec by another thread than the leader takes over its birth. */
	slot->start_time = thread->start_time;
	slot->tid = thread->tid;
	slot->tgid = thread->tgid;
	slot->exec_id = thread->exec_id;
	ns = wp_interval_depart(slot, now);
	/*
	 * From UNSEEN it ran since START. From OFF its coming was missed: refused
	 * as nested, and counted, or on a CPU that was not online, where no
	 * tracepoint is called. It ran, nobody knows how long.
	 */
	if (unlikely(slot->phase == WALLPROF_TASK_OFF))
		slot->unknown_ns += ns;
	else
		slot->run_ns += ns;
	slot->user_stack = leave->user_stack;
	slot->kernel_stack = leave->kernel_stack;
	slot->arg = leave->arg;
	slot->syscall = leave->syscall;
	slot->reason = leave->reason;
	slot->state = leave->state;
	WRITE_ONCE(slot->flags, leave->flags);	/* wakers look at it */
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
 * Alone among the steps it is taken on the waker's CPU, with the scheduler's
 * lock of the thread's wakeups (pi_lock), which orders wakers; and it may come
 * while the thread is still on its way off its CPU, or not even that: it said
 * that it would sleep, and was woken before it did. So it touches what the
 * other steps do not. What it wrote is seen by the CPU that the thread comes to:
 * the scheduler hands it over with the lock of that CPU's run queue.
 */
static __always_inline void wp_interval_wake(struct wallprof_task *slot, u8 waker,
					     u32 tid, u64 stack, u64 now)
{
	WRITE_ONCE(slot->waker, waker);
	WRITE_ONCE(slot->waker_tid, tid);
	WRITE_ONCE(slot->waker_stack, stack);
	WRITE_ONCE(slot->woken, now);
}

/* Of an interval, or of what is known of it: its parts may be the longest. */
static __always_inline void wp_interval_longest(struct wallprof_task *slot, u64 ns,
						u64 runnable)
{
	if (runnable > slot->runnable_max)
		slot->runnable_max = runnable;
	if (ns - runnable > slot->blocked_max)
		slot->blocked_max = ns - runnable;
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

/* Of who runs: no state, no flags. */
#ifdef CONFIG_CPU_BIG_ENDIAN
#define WP_AS_RUNNING	((u32)WALLPROF_TASK_RUNNING << 24)
#else
#define WP_AS_RUNNING	((u32)WALLPROF_TASK_RUNNING)
#endif

/* A thread runs after @ns off its CPU, for @runnable of which it waited for one. */
static __always_inline void wp_interval_run(struct wallprof_task *slot, u64 ns,
					    u64 runnable)
{
	slot->off_ns += ns;
	slot->nr_off++;
	slot->runnable_ns += runnable;
	WRITE_ONCE(*WP_AS(slot), WP_AS_RUNNING);
}

/* There was none in this interval, or what there was has been told. */
static __always_inline void wp_interval_forget_waker(struct wallprof_task *slot)
{
	/* A waker that comes now found the thread awake: it is of no use. */
	WRITE_ONCE(slot->waker, WALLPROF_WAKER_NONE);
	WRITE_ONCE(slot->woken, 0);
}

/*
 * How much of an interval that ends was spent runnable, if it began with a sleep. A
 * thread that sleeps does not come to a CPU without a wakeup: it is the last one, even if
 * a clock, or the waker's being quick, puts it before the thread left. Without one nobody
 * looks for wakeups, or its waker's CPU was not online. How long it waited for a CPU is
 * not known then.
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
 * @passed: filled with what is known of the interval
 *
 * What else the slot tells of the interval stays there until
 * wp_interval_forget(), which has to follow unless nothing has ended.
 *
 * Return: what ended.
 */
static __always_inline enum wp_closed
wp_interval_close(struct wallprof_task *slot, u64 now, struct wp_passed *passed)
{
	u64 ns;

	passed->flags = slot->flags;
	passed->state = slot->state;
	passed->runnable = 0;
	passed->ns = 0;
	ns = wp_interval_advance(slot, now);
	if (unlikely(slot->phase == WALLPROF_TASK_RUNNING)) {
		/* Its leaving was missed: see wp_interval_open(). */
		slot->unknown_ns += ns;
		return WP_CLOSED_NOTHING;
	}
	passed->ns = ns;
	passed->runnable = unlikely(BIT(passed->state) & WP_STATES_RUNNABLE) ? ns :
			   wp_interval_runnable(slot, now, ns);
	wp_interval_run(slot, ns, passed->runnable);
	wp_interval_longest(slot, ns, passed->runnable);
	return unlikely(passed->flags & WALLPROF_TASK_FILTERED) ? WP_CLOSED_FILTERED :
								   WP_CLOSED_INTERVAL;
}

/* What wp_interval_close() left has been told. */
static __always_inline void wp_interval_forget(struct wallprof_task *slot)
{
	slot->user_stack = 0;
	slot->kernel_stack = 0;
	wp_interval_forget_waker(slot);
}

/* The flags of an aggregate's key. */
static __always_inline u16 wp_passed_flags(const struct wp_passed *passed)
{
	const u16 flags = passed->flags;

	if (likely(!(flags & (WALLPROF_TASK_NO_STACK | WALLPROF_TASK_SINCE_START |
			      WALLPROF_TASK_IOWAIT | WALLPROF_TASK_32BIT))))
		return 0;
	return (flags & WALLPROF_TASK_NO_STACK ? WALLPROF_AGGR_NO_STACK : 0) |
	       (flags & WALLPROF_TASK_SINCE_START ? WALLPROF_AGGR_SINCE_START : 0) |
	       (flags & WALLPROF_TASK_IOWAIT ? WALLPROF_AGGR_IOWAIT : 0) |
	       (flags & WALLPROF_TASK_32BIT ? WALLPROF_AGGR_32BIT : 0);
}

/*
 * The system call, the reason and enum wallprof_waker lie side by side in slots and in
 * aggregates, so that one word has them all: which is read, or compared, at once.
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
 * struct wp_ended_by - why an interval began, and who ended it
 * @cause: see WP_CAUSE()
 * @tid: the waker's, or 0
 * @stack: the same
 */
struct wp_ended_by {
	u32 cause;
	u32 tid;
	u64 stack;
};

/* Reads it. A waker that is too late may write meanwhile: each part is read once. */
static __always_inline struct wp_ended_by wp_interval_ended_by(const struct wallprof_task *slot,
							       const struct wp_passed *passed)
{
	struct wp_ended_by by = {
		.cause = READ_ONCE(*WP_CAUSE(slot)),
		.tid = READ_ONCE(slot->waker_tid),
		.stack = READ_ONCE(slot->waker_stack),
	};

	/* Of one that said it would sleep, but lost its CPU before it did. */
	if (!(by.cause & WP_CAUSE_WAKER) ||
	    unlikely(BIT(passed->state) & WP_STATES_RUNNABLE)) {
		by.cause &= ~WP_CAUSE_WAKER;	/* WALLPROF_WAKER_NONE */
		by.tid = 0;
		by.stack = 0;
	}
	return by;
}

/**
 * wp_interval_key - the key of an interval's aggregate
 * @slot: the thread's, as wp_interval_close() left it
 * @passed: the same function's, of an interval
 * @key: to fill, but for what is summed; @runnable is set
 */
static __always_inline void wp_interval_key(const struct wallprof_task *slot,
					    const struct wp_passed *passed,
					    struct wallprof_aggr *key)
{
	const struct wp_ended_by by = wp_interval_ended_by(slot, passed);

	key->tid = slot->tid;
	key->tgid = slot->tgid;
	key->start_time = slot->start_time;
	key->exec_id = slot->exec_id;
	key->kind = WALLPROF_AGGR_OFFCPU;
	key->state = passed->state;
	key->flags = wp_passed_flags(passed);
	key->user_stack = slot->user_stack;
	key->kernel_stack = slot->kernel_stack;
	key->waker_tid = by.tid;
	*(u32 *)&key->syscall = by.cause;	/* and the reason, and the waker */
	key->arg = slot->arg;
	key->waker_stack = by.stack;
	key->runnable = passed->runnable;
}

/* Whether an aggregate is of these, too. */
static __always_inline bool wp_ended_by_is_of(const struct wp_ended_by by,
					      const struct wallprof_aggr *aggr)
{
	return *WP_CAUSE(aggr) == by.cause &&
	       aggr->waker_tid == by.tid && aggr->waker_stack == by.stack;
}

/**
 * wp_interval_is_of - whether an interval belongs to an aggregate
 * @slot: the thread's, as wp_interval_close() left it
 * @passed: the same function's, of an interval
 * @aggr: the aggregate, of intervals
 *
 * What wp_aggr_same() would tell of wp_interval_key(), which need not be made then.
 */
static __always_inline bool wp_interval_is_of(const struct wallprof_task *slot,
					      const struct wp_passed *passed,
					      const struct wallprof_aggr *aggr)
{
	return aggr->tid == slot->tid && aggr->tgid == slot->tgid &&
	       aggr->user_stack == slot->user_stack && aggr->arg == slot->arg &&
	       aggr->state == passed->state && aggr->flags == wp_passed_flags(passed) &&
	       aggr->kernel_stack == slot->kernel_stack &&
	       aggr->start_time == slot->start_time && aggr->exec_id == slot->exec_id &&
	       wp_ended_by_is_of(wp_interval_ended_by(slot, passed), aggr);
}

#endif /* WALLPROF_PURE_INTERVALS_H */
