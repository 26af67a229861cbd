// SPDX-License-Identifier: GPL-2.0
/*
 * The state in which a thread leaves its CPU, if it is not TASK_INTERRUPTIBLE.
 */
#include "compat/ptrace.h"
#include "pure/states.h"
#include "switch_out.h"

/**
 * wp_switch_out_state - name the state in which a thread leaves its CPU
 * @prev: the thread, current
 * @state: the scheduler's state
 * @preempt: it was preempted in kernel code
 *
 * The scheduler calls it preemption only in kernel code: a thread that loses its CPU on
 * the way back to user mode is runnable to it, like one that yields.
 *
 * Context: irqs off.
 * Return: enum wallprof_state.
 */
u8 wp_switch_out_state(struct task_struct *prev, unsigned int state, bool preempt)
{
	u8 named = wp_state_of(state, preempt);

	if (named == WALLPROF_STATE_RUNNING && !(prev->flags & WP_PF_NO_USER) &&
	    !wp_in_sched_yield())
		return WALLPROF_STATE_PREEMPTED;
	return named;
}
