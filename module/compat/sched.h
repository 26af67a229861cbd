/* SPDX-License-Identifier: GPL-2.0 */
/*
 * include/linux/sched.h and include/trace/events/sched.h, as of the newest
 * kernel.
 */
#ifndef WALLPROF_COMPAT_SCHED_H
#define WALLPROF_COMPAT_SCHED_H

#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/version.h>
#include <trace/events/sched.h>

/* 5.18: sched_switch tells the state that the scheduler itself read. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define WP_SCHED_SWITCH_ARGS						\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next, unsigned int prev_state
#define WP_SCHED_SWITCH_STATE	prev_state
#else
#define WP_SCHED_SWITCH_ARGS						\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next
#define WP_SCHED_SWITCH_STATE	((unsigned int)READ_ONCE(prev->state))
#endif

/* 5.14: task_struct.state became __state. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define wp_task_state(p)	((unsigned int)READ_ONCE((p)->__state))
#else
#define wp_task_state(p)	((unsigned int)READ_ONCE((p)->state))
#endif

/*
 * Whether a thread is being run. Pairs with the release store of on_cpu when
 * a CPU is done with the thread: what it did before is seen.
 */
static inline bool wp_task_on_cpu(struct task_struct *p)
{
#ifdef CONFIG_SMP
	/* See above. */
	return smp_load_acquire(&p->on_cpu);
#else
	return p == current;
#endif
}

/* A thread whose user registers were never set by an entry from user mode. */
#if defined(PF_USER_WORKER)		/* 6.4 */
#define WP_PF_NO_USER	(PF_KTHREAD | PF_USER_WORKER)
#elif defined(PF_IO_WORKER)		/* 5.12 */
#define WP_PF_NO_USER	(PF_KTHREAD | PF_IO_WORKER)
#else
#define WP_PF_NO_USER	PF_KTHREAD
#endif

#ifndef TASK_FROZEN			/* 6.1 */
#define TASK_FROZEN	0
#endif
#ifndef TASK_RTLOCK_WAIT		/* 5.15 */
#define TASK_RTLOCK_WAIT	0
#endif

#endif /* WALLPROF_COMPAT_SCHED_H */
