// SPDX-License-Identifier: GPL-2.0
/*
 * The states in which threads leave their CPUs: from the kernel's bits to enum
 * wallprof_state.
 *
 * Pure. Its callers are the probes (irqs off) and the walks over all threads in targets.c
 * (process context).
 */
#include <linux/kernel.h>
#include <linux/wallprof.h>

#include "compat/states.h"
#include "pure/states.h"

/**
 * wp_state_of - name the state in which a thread leaves its CPU
 * @state: task_struct.__state
 * @preempt: it was preempted
 *
 * The kernel's internal waits are named as task_state_index() names them; a combined
 * state that it does not have, by the first that matches below.
 *
 * Context: any.
 * Return: enum wallprof_state.
 */
u8 wp_state_of(unsigned int state, bool preempt)
{
	if (preempt)
		return WALLPROF_STATE_PREEMPTED;
	if (state & TASK_INTERRUPTIBLE)
		return WALLPROF_STATE_SLEEPING;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return WALLPROF_STATE_IDLE;
	if (state & (TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT | TASK_FROZEN))
		return WALLPROF_STATE_DISK;
	if (state & __TASK_STOPPED)
		return WALLPROF_STATE_STOPPED;
	if (state & __TASK_TRACED)
		return WALLPROF_STATE_TRACED;
	if (state & (EXIT_DEAD | EXIT_ZOMBIE | TASK_DEAD))
		return WALLPROF_STATE_DEAD;
	if (state & TASK_PARKED)
		return WALLPROF_STATE_PARKED;
	return WALLPROF_STATE_RUNNING;
}
