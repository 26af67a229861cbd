/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a thread leaves its CPU: what switches on CPUs with and without memory share.
 */
#ifndef WALLPROF_SWITCH_OUT_H
#define WALLPROF_SWITCH_OUT_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "compat/sched.h"
#include "pure/intervals.h"
#include "state.h"
#include "targets.h"

u8 wp_switch_out_state(struct task_struct *prev, unsigned int state, bool preempt);

/* Whether a switch is the thread's last one. */
static __always_inline bool wp_switch_out_is_last(unsigned int state, bool preempt)
{
	return !preempt && state & TASK_DEAD;
}

/* Whether a session records intervals of a state, on this CPU. Context: irqs off. */
static __always_inline bool wp_switch_out_is_wanted(const struct wp_session *session, u8 state)
{
	return session->config.states & BIT(state) &&
	       (likely(session->all_cpus) ||
		cpumask_test_cpu(smp_processor_id(), session->cpus_mask));
}

/* Opens the interval of a thread that leaves its CPU. Context: irqs off. */
static __always_inline void wp_switch_out_open(const struct wp_session *session,
					       struct wallprof_task *slot,
					       struct task_struct *prev,
					       const struct wp_leave *leave, u64 now)
{
	struct wp_thread thread = wp_thread_read(session, prev);

	/*
	 * A thread that is preempted while it exits may have no id in a namespace any
	 * more.
	 */
	if (unlikely(!thread.tid)) {
		thread.tid = slot->tid;
		thread.tgid = slot->tgid;
	}
	wp_interval_open(slot, &thread, leave, now);
}

#endif /* WALLPROF_SWITCH_OUT_H */
