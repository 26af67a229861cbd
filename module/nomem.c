// SPDX-License-Identifier: GPL-2.0
/*
 * Switches on CPUs without memory: those that came after CONFIGURE, when none could be
 * allocated. Losses are counted in session->nomem, by all such CPUs.
 *
 * Called by the probe of sched_switch, with interrupts off and a run queue locked.
 */
#include "nomem.h"
#include "reasons.h"
#include "slots.h"
#include "state.h"
#include "switch_out.h"
#include "targets.h"

/**
 * wp_nomem_switch_out - open the interval of a thread that leaves a CPU without memory
 * @session: the session
 * @prev: the thread, current
 * @state: the scheduler's state
 * @preempt: it was preempted in kernel code
 * @now: the time
 *
 * The reason and the stacks are lost, but not the time.
 *
 * Context: irqs off.
 */
void wp_nomem_switch_out(struct wp_session *session, struct task_struct *prev,
			 unsigned int state, bool preempt, u64 now)
{
	const u32 stacks = session->config.stack_flags;
	struct wp_leave leave = { .syscall = WALLPROF_SYSCALL_NONE };
	bool last = wp_switch_out_is_last(state, preempt);
	struct wallprof_task *slot;

	/* See wp_switch_prev(). */
	if (!prev->pid)
		return;
	slot = wp_tasks_find(&session->tasks, (unsigned long)prev);
	if (!slot)
		slot = wp_slot_of_prev(session, prev, now);
	if (!slot) {
		if (!last && wp_target_untracked(session, prev))
			wp_target_untracked_leaves(session, now);
		return;
	}
	if (last || (session->targets_change && !wp_targets_match(session, prev))) {
		if (!(slot->flags & WALLPROF_TASK_ARMED)) {
			wp_interval_exit(slot, now);
			wp_session_lose(session, WALLPROF_LOSS_EXIT_FULL, slot->spill_ns);
		}
		if (wp_tasks_free(&session->tasks, (unsigned long)prev))
			wp_target_gone(session);
		return;
	}
	if (slot->flags & WALLPROF_TASK_ARMED)
		return;
	leave.state = wp_switch_out_state(prev, state, preempt);
	if (!wp_switch_out_is_wanted(session, leave.state)) {
		leave.flags = WALLPROF_TASK_FILTERED;
	} else {
		if (stacks & WALLPROF_STACK_KERNEL ||
		    (stacks & WP_STACK_WALK && !(prev->flags & WP_PF_NO_USER))) {
			leave.flags = WALLPROF_TASK_NO_STACK;
			wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		}
		if (session->config.flags & WALLPROF_REASONS)
			wp_reason_read(session, prev, &leave);
	}
	wp_switch_out_open(session, slot, prev, &leave, now);
}

/**
 * wp_nomem_switch_in - close the interval of a thread that comes to a CPU without memory
 * @session: the session
 * @next: the thread
 * @now: the time
 *
 * The interval is handled like one that finds no aggregate.
 *
 * Context: irqs off.
 */
void wp_nomem_switch_in(struct wp_session *session, struct task_struct *next, u64 now)
{
	struct wp_nomem *nomem = &session->nomem;
	struct wallprof_task *slot;
	struct wp_interval interval;

	if (!next->pid)
		return;
	slot = wp_slot_find_next(session, next);
	if (!slot) {
		if (wp_target_untracked(session, next)) {
			atomic64_dec(&session->untracked_off);
			atomic64_add(now, &session->untracked_ns);
		}
		return;
	}
	if (slot->flags & WALLPROF_TASK_ARMED)
		return;
	if (slot->phase == WALLPROF_TASK_UNSEEN &&
	    !(session->config.states & BIT(slot->state)))
		WRITE_ONCE(slot->flags, slot->flags | WALLPROF_TASK_FILTERED);
	switch (wp_interval_close(slot, now, &interval)) {
	case WP_CLOSED_NOTHING:
		return;
	case WP_CLOSED_FILTERED:
		atomic64_inc(&nomem->filtered);
		atomic64_add(interval.ns, &nomem->filtered_ns);
		break;
	case WP_CLOSED_INTERVAL:
		if (wp_range_has(&session->range, interval.ns)) {
			wp_interval_spill(slot, interval.ns, interval.runnable);
			wp_session_lose(session, WALLPROF_LOSS_AGGR_FULL, interval.ns);
		} else {
			atomic64_inc(&nomem->out_of_range);
			atomic64_add(interval.ns, &nomem->out_of_range_ns);
		}
		break;
	}
	slot->last_aggr = 0;
	wp_interval_forget(slot);
}
