// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of a thread, running, off its CPU, gone; and the per-thread totals.
 *
 * This file owns the members of a slot of the task table. It is pure: time, thread and
 * stacks are arguments. Its callers are the probes (irqs off, on the CPU that switches
 * the thread; for wp_interval_wake() see there), process context at START for threads
 * whose slot nobody can find yet, and process context at STOP, when the probes are gone.
 *
 *            open                        UNSEEN: alive at START; the first
 *   RUNNING -------> OFF                 event shows which of the two it was,
 *      ^  <-------    |                  and it was so since START
 *      |     close    |
 *      +--- UNSEEN ---+                  exit: from RUNNING, to EXITED
 *
 * The totals: every nanosecond from slot->born on is added to run_ns or off_ns, or to
 * unknown_ns, if a step between two others was missed. Each step adds the time since the
 * last one and moves slot->since, so that the sums telescope, whatever the times are.
 * Time off the CPU is runnable from the thread's wakeup on, or all of it if the thread
 * did not block. The clock may step back by a little between CPUs; such a step counts as
 * no time. But a thread that leaves its CPU has run for at least a nanosecond, so that no
 * two of its intervals begin at the same time.
 */
#include <linux/string.h>

#include "pure/intervals.h"

/**
 * wp_interval_begin - begin the totals of a thread
 * @slot: a slot that nobody else uses yet
 * @thread: the thread
 * @phase: WALLPROF_TASK_UNSEEN, WALLPROF_TASK_RUNNING or WALLPROF_TASK_OFF
 * @state: enum wallprof_state, if it is off its CPU
 * @now: start of its totals
 */
void wp_interval_begin(struct wallprof_task *slot,
		       const struct wp_thread *thread, u8 phase, u8 state,
		       u64 now)
{
	memset(slot, 0, sizeof(*slot));
	slot->start_time = thread->start_time;
	slot->tid = thread->tid;
	slot->tgid = thread->tgid;
	slot->exec_id = thread->exec_id;
	slot->syscall = WALLPROF_SYSCALL_NONE;
	slot->state = state;
	slot->since = now;
	slot->born = now;
	slot->phase = phase;
	if (phase == WALLPROF_TASK_UNSEEN)
		slot->flags = WALLPROF_TASK_SINCE_START;
}

/**
 * wp_interval_spill - count an interval that found no aggregate
 * @slot: the thread's slot
 * @ns: its length
 * @runnable: how much of it was spent runnable
 */
void wp_interval_spill(struct wallprof_task *slot, u64 ns, u64 runnable)
{
	slot->nr_spilled++;
	slot->spill_ns += ns;
	slot->spill_runnable_ns += runnable;
}

/**
 * wp_interval_exit - let a thread leave its CPU for the last time
 * @slot: its slot
 * @now: the time
 */
void wp_interval_exit(struct wallprof_task *slot, u64 now)
{
	u64 ns = wp_interval_advance(slot, now);

	/* In phase OFF, its coming was missed: see wp_interval_open(). */
	if (slot->phase == WALLPROF_TASK_OFF)
		slot->unknown_ns += ns;
	else
		slot->run_ns += ns;
	slot->phase = WALLPROF_TASK_EXITED;
	slot->state = WALLPROF_STATE_DEAD;
}

/**
 * wp_interval_end - end a thread's totals with the session
 * @slot: a slot in use
 * @stop: the time
 * @on_cpu: whether a thread that was never seen to switch runs
 * @range: range of the lengths to record
 */
void wp_interval_end(struct wallprof_task *slot, u64 stop, bool on_cpu,
		     const struct wp_range *range)
{
	/* A wakeup before the thread left does not belong to this interval. */
	bool woken = slot->woken > slot->since && slot->woken < stop &&
		     !(BIT(slot->state) & WP_STATES_RUNNABLE);
	u64 ns = wp_interval_advance(slot, stop);

	if (slot->phase == WALLPROF_TASK_UNSEEN)
		slot->phase = on_cpu ? WALLPROF_TASK_RUNNING : WALLPROF_TASK_OFF;
	if (slot->phase != WALLPROF_TASK_OFF) {
		slot->run_ns += ns;
		return;
	}
	slot->off_ns += ns;
	slot->nr_off++;
	slot->open_ns = ns;
	if (woken)
		slot->open_runnable_ns = stop - slot->woken;
	else if (BIT(slot->state) & WP_STATES_RUNNABLE)
		slot->open_runnable_ns = ns;
	if (!woken) {
		wp_interval_forget_waker(slot);
		slot->waker_tid = 0;
		slot->waker_stack = 0;
		slot->waker_aggr = 0;
	}
	slot->runnable_ns += slot->open_runnable_ns;
	wp_interval_longest(slot, ns, slot->open_runnable_ns);
	slot->flags |= WALLPROF_TASK_OPEN;
	if (!wp_range_has(range, ns))
		slot->flags |= WALLPROF_TASK_OUT_OF_RANGE;
}
