/* SPDX-License-Identifier: GPL-2.0 */
/*
 * include/linux/sched.h and include/trace/events/sched.h, as of the newest
 * kernel.
 */
#ifndef WALLPROF_COMPAT_SCHED_H
#define WALLPROF_COMPAT_SCHED_H

#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <trace/events/sched.h>

#include "features.h"

#ifdef WP_HAS_TASK_STATE
#define wp_task_state(p)	((unsigned int)READ_ONCE((p)->__state))
#else
#define wp_task_state(p)	((unsigned int)READ_ONCE((p)->state))
#endif

/*
 * The state in which a thread leaves its CPU, if sched_switch does not pass it. A waker
 * may have found the blocking thread meanwhile, and written TASK_WAKING over its state:
 * all that is left of it then is whether the scheduler counts the wait as load.
 *
 * Context: irqs off, the run queue locked.
 */
static inline unsigned int wp_task_left_state(struct task_struct *prev)
{
	unsigned int state = wp_task_state(prev);

	if (state != TASK_WAKING)
		return state;
	return prev->sched_contributes_to_load ? TASK_UNINTERRUPTIBLE :
						 TASK_INTERRUPTIBLE;
}

/*
 * The same if sched_switch passes the state, as the scheduler read it when it began.
 * Before 6.15 that is also the state of a thread with a pending signal, which did not
 * block: the scheduler has set its state to running again.
 *
 * Context: irqs off, the run queue locked.
 */
static inline unsigned int wp_task_left_seen(struct task_struct *prev, unsigned int seen)
{
	return unlikely(wp_task_state(prev) == TASK_RUNNING) &&
	       signal_pending_state(seen, prev) ? TASK_RUNNING : seen;
}

/*
 * Defines the probe NAME, which calls BODY with the arguments that the newest kernel
 * passes to its probes.
 */
#if defined(WP_HAS_SCHED_SWITCH_STATE_LAST)
#define WP_PROBE_SCHED_SWITCH(name, body)				\
static notrace void name(void *data, bool preempt, struct task_struct *prev,	\
			 struct task_struct *next, unsigned int prev_state) \
{									\
	body(data, preempt, prev, next,					\
	     wp_task_left_seen(prev, prev_state));			\
}
#elif defined(WP_HAS_SCHED_SWITCH_STATE_SECOND)
#define WP_PROBE_SCHED_SWITCH(name, body)				\
static notrace void name(void *data, bool preempt, unsigned int prev_state,	\
			 struct task_struct *prev, struct task_struct *next) \
{									\
	body(data, preempt, prev, next,					\
	     wp_task_left_seen(prev, prev_state));			\
}
#else
#define WP_PROBE_SCHED_SWITCH(name, body)				\
static notrace void name(void *data, bool preempt, struct task_struct *prev,	\
			 struct task_struct *next)			\
{									\
	body(data, preempt, prev, next, wp_task_left_state(prev));	\
}
#endif

/*
 * What the tracepoint itself reports as prev_state, from the state that it is passed: as
 * __trace_sched_switch_state() does, which is not exported. If it is passed none, it
 * reads the state later than this, and takes a thread that is being woken for a running
 * one.
 *
 * Context: irqs off, the run queue locked.
 */
static inline unsigned int wp_task_reported(bool preempt, struct task_struct *prev,
					    unsigned int seen)
{
	unsigned int exit_state, index;

	if (preempt)
		return TASK_REPORT_MAX;
	/* A task that waits for the thread may write it: EXIT_ZOMBIE to EXIT_DEAD. */
	exit_state = READ_ONCE(prev->exit_state);
#ifdef WP_HAS_TASK_STATE_INDEX_ARGS
	index = __task_state_index(seen, exit_state);
#else
	index = fls(seen == TASK_IDLE ? TASK_REPORT_IDLE :
					(seen | exit_state) & TASK_REPORT);
#endif
	return index ? 1U << (index - 1) : 0;
}

/* The same, but BODY gets what the tracepoint reports instead of the state. */
#if defined(WP_HAS_SCHED_SWITCH_STATE_LAST)
#define WP_PROBE_SCHED_SWITCH_REPORTED(name, body)			\
static void name(void *data, bool preempt, struct task_struct *prev,	\
		 struct task_struct *next, unsigned int prev_state)	\
{									\
	body(data, prev, next,						\
	     wp_task_reported(preempt, prev, prev_state));		\
}
#elif defined(WP_HAS_SCHED_SWITCH_STATE_SECOND)
#define WP_PROBE_SCHED_SWITCH_REPORTED(name, body)			\
static void name(void *data, bool preempt, unsigned int prev_state,	\
		 struct task_struct *prev, struct task_struct *next)	\
{									\
	body(data, prev, next,						\
	     wp_task_reported(preempt, prev, prev_state));		\
}
#else
#define WP_PROBE_SCHED_SWITCH_REPORTED(name, body)			\
static void name(void *data, bool preempt, struct task_struct *prev,	\
		 struct task_struct *next)				\
{									\
	body(data, prev, next,						\
	     wp_task_reported(preempt, prev, wp_task_left_state(prev)));	\
}
#endif

#ifdef WP_HAS_SCHED_PROCESS_EXIT_GROUP_DEAD
#define WP_PROBE_SCHED_PROCESS_EXIT(name, body)				\
static void name(void *data, struct task_struct *p, bool group_dead)	\
{									\
	body(data, p, group_dead);					\
}
#else
#define WP_PROBE_SCHED_PROCESS_EXIT(name, body)				\
static void name(void *data, struct task_struct *p)			\
{									\
	body(data, p, !atomic_read(&p->signal->live));			\
}
#endif

/*
 * Whether a thread is on a CPU. Pairs with the release store of on_cpu when a CPU has
 * switched away from the thread: what the thread did before is visible here.
 */
static inline bool wp_task_on_cpu(struct task_struct *p)
{
#ifdef WP_HAS_TASK_ON_CPU
	/* See above. */
	return smp_load_acquire(&p->on_cpu);
#else
	return p == current;
#endif
}

/*
 * Whether a thread is runnable. From 6.12 on a thread that has blocked can stay in the
 * queue until it would have been its turn; it is then taken out, and does not run.
 */
static inline bool wp_task_queued(struct task_struct *p)
{
#ifdef WP_HAS_SCHED_DELAYED
	return READ_ONCE(p->on_rq) && !READ_ONCE(p->se.sched_delayed);
#else
	return READ_ONCE(p->on_rq);
#endif
}

/*
 * Whether a thread is blocked: it runs again only after a wakeup. A thread that was
 * preempted before it blocked needs none.
 *
 * What the thread did last is read last, as in try_to_wake_up(): the barriers pair with
 * those of its leaving the CPU, and of its wakeup, which are named there.
 *
 * Context: p->pi_lock held; the result holds until that is released. Without that lock it
 * is never true of a thread that was woken.
 */
static inline bool wp_task_blocked(struct task_struct *p)
{
	if (!(wp_task_state(p) & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE |
				  __TASK_STOPPED | __TASK_TRACED)))
		return false;
	smp_rmb();	/* the state, then the queue: see above */
	if (wp_task_queued(p))
		return false;
	smp_rmb();	/* the queue, then the CPU: see above */
	return !wp_task_on_cpu(p);
}

/* The clock of this CPU's run queue. If it is just sched_clock() it is not exported. */
static inline u64 wp_rq_clock(void)
{
#ifdef CONFIG_HAVE_UNSTABLE_SCHED_CLOCK
	return sched_clock_cpu(smp_processor_id());
#else
	return sched_clock();
#endif
}

/*
 * When a blocked thread left its CPU, on CLOCK_MONOTONIC; 0 if that is not known. Every
 * class of the scheduler sets exec_start to the time up to which a thread's running is
 * counted, last when it leaves; on the run queue's clock, unless interrupts and stolen
 * time are accounted.
 *
 * Context: irqs off, p->pi_lock held, wp_task_blocked().
 */
static inline u64 wp_task_blocked_since(struct task_struct *p)
{
#if defined(CONFIG_IRQ_TIME_ACCOUNTING) || defined(CONFIG_PARAVIRT_TIME_ACCOUNTING)
	return 0;
#else
	u64 left = p->se.exec_start;
	u64 now = ktime_get_mono_fast_ns();
	s64 ago = wp_rq_clock() - left;

	/* The clocks of two CPUs may differ a little. */
	if (!left || ago < -(s64)TICK_NSEC || ago >= (s64)now)
		return 0;
	return now - max_t(s64, ago, 0);
#endif
}

/*
 * A number that changes with every exec. EL8's 4.18 has it in a struct that is allocated,
 * and freed, with the task_struct. Context: any, NMI included; @p is current, or under RCU.
 */
static __always_inline u32 wp_task_exec_id(const struct task_struct *p)
{
#ifdef WP_HAS_TASK_SELF_EXEC_ID
	return p->self_exec_id;
#else
	return p->task_struct_rh->self_exec_id;
#endif
}

/* Whether an interrupt or an NMI is handled. 5.10 calls it in_irq(). */
static inline bool wp_in_hardirq(void)
{
	return preempt_count() & (HARDIRQ_MASK | NMI_MASK);
}

/* Flags of threads whose user registers were never set by an entry from user mode. */
#if defined(PF_USER_WORKER)		/* 6.4 */
#define WP_PF_NO_USER	(PF_KTHREAD | PF_USER_WORKER)
#elif defined(PF_IO_WORKER)		/* 5.12 */
#define WP_PF_NO_USER	(PF_KTHREAD | PF_IO_WORKER)
#else
#define WP_PF_NO_USER	PF_KTHREAD
#endif

#endif /* WALLPROF_COMPAT_SCHED_H */
