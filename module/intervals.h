/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_INTERVALS_H
#define WALLPROF_INTERVALS_H

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
 * @state: enum wallprof_state
 * @flags: WALLPROF_TASK_FILTERED, WALLPROF_TASK_NO_STACK and
 *	WALLPROF_TASK_WEAK_STACK
 */
struct wp_leave {
	u64 user_stack;
	u64 kernel_stack;
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

void wp_interval_begin(struct wallprof_task *slot,
		       const struct wp_thread *thread, u8 phase, u8 state,
		       u64 now);
void wp_interval_spill(struct wallprof_task *slot, u64 ns);
void wp_interval_exit(struct wallprof_task *slot, u64 now);
void wp_interval_end(struct wallprof_task *slot, u64 stop, bool on_cpu);

/* What every switch does is inline, as it is what a switch costs. */

/* Moves the slot to @now and returns the time that passed. */
static __always_inline u64 wp_interval_advance(struct wallprof_task *slot, u64 now)
{
	u64 ns;

	if (now <= slot->since)
		return 0;
	ns = now - slot->since;
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
	/*
	 * From UNSEEN it ran since START. From OFF its coming was missed
	 * (refused as nested, and counted): it ran, nobody knows how long.
	 */
	slot->run_ns += wp_interval_advance(slot, now);
	/* An exec by another thread than the leader takes over its birth. */
	slot->start_time = thread->start_time;
	slot->tid = thread->tid;
	slot->tgid = thread->tgid;
	slot->exec_id = thread->exec_id;
	slot->user_stack = leave->user_stack;
	slot->kernel_stack = leave->kernel_stack;
	slot->state = leave->state;
	slot->flags = leave->flags;
	slot->phase = WALLPROF_TASK_OFF;
}

/**
 * wp_interval_close - a thread runs again
 * @slot: its slot
 * @now: the time
 * @key: filled with the key of the interval's aggregate
 * @ns: filled with its length
 *
 * Return: what ended. @key is filled for WP_CLOSED_INTERVAL only.
 */
static __always_inline enum wp_closed
wp_interval_close(struct wallprof_task *slot, u64 now, struct wallprof_aggr *key, u64 *ns)
{
	u16 flags = slot->flags;

	if (slot->phase == WALLPROF_TASK_RUNNING) {
		/* Its leaving was missed (refused as nested, and counted). */
		slot->run_ns += wp_interval_advance(slot, now);
		*ns = 0;
		return WP_CLOSED_NOTHING;
	}
	*ns = wp_interval_advance(slot, now);
	slot->off_ns += *ns;
	slot->nr_off++;
	slot->phase = WALLPROF_TASK_RUNNING;
	slot->flags = 0;
	if (flags & WALLPROF_TASK_FILTERED)
		return WP_CLOSED_FILTERED;

	key->tid = slot->tid;
	key->tgid = slot->tgid;
	key->start_time = slot->start_time;
	key->exec_id = slot->exec_id;
	key->kind = WALLPROF_AGGR_OFFCPU;
	key->state = slot->state;
	key->flags = (flags & WALLPROF_TASK_NO_STACK ?
		      WALLPROF_AGGR_NO_STACK : 0) |
		     (flags & WALLPROF_TASK_SINCE_START ?
		      WALLPROF_AGGR_SINCE_START : 0);
	key->user_stack = slot->user_stack;
	key->kernel_stack = slot->kernel_stack;
	slot->user_stack = 0;
	slot->kernel_stack = 0;
	return WP_CLOSED_INTERVAL;
}

#endif /* WALLPROF_INTERVALS_H */
