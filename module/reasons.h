/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reason why a thread is off its CPU: enum wallprof_reason.
 *
 * This file owns how the reason is read from the thread: from its registers at the entry
 * into the kernel, and from its task_struct. Its callers are the probes, and START's walk
 * over all threads.
 */
#ifndef WALLPROF_REASONS_H
#define WALLPROF_REASONS_H

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "lock_owner.h"
#include "pure/intervals.h"
#include "state.h"

/**
 * wp_reason_read - read the reason of a thread that leaves its CPU, or left it
 * @session: wants the reason
 * @p: the thread
 * @leave: @state is set; the rest is filled but for the stacks
 *
 * Context: irqs off; @p is current, or wp_task_blocked().
 */
static __always_inline void wp_reason_read(const struct wp_session *session,
					   struct task_struct *p, struct wp_leave *leave)
{
	struct pt_regs *regs;
	int nr;

	if (unlikely(leave->state == WALLPROF_STATE_PREEMPTED)) {
		leave->reason = WALLPROF_REASON_PREEMPTED;
		return;
	}
	/* A thread in iowait may yield, or be preempted, before it blocks. */
	if (p->in_iowait && !(BIT(leave->state) & WP_STATES_RUNNABLE))
		leave->flags |= WALLPROF_TASK_IOWAIT;
	if (unlikely(p->flags & (WP_PF_NO_USER | PF_EXITING))) {
		leave->reason = p->flags & WP_PF_NO_USER ?
				WALLPROF_REASON_KERNEL : WALLPROF_REASON_EXIT;
		return;
	}
	if (unlikely(leave->state == WALLPROF_STATE_STOPPED ||
		     leave->state == WALLPROF_STATE_TRACED)) {
		leave->reason = WALLPROF_REASON_STOP;
		return;
	}
	regs = task_pt_regs(p);
	nr = syscall_get_nr(p, regs);
	if (nr < 0) {
		leave->reason = WALLPROF_REASON_FAULT;
		return;
	}
	leave->reason = WALLPROF_REASON_SYSCALL;
	leave->syscall = min(nr, WALLPROF_SYSCALL_OTHER);
	if (session->config.flags & WALLPROF_ARGS)
		leave->arg = wp_syscall_arg(p, regs);
	if (unlikely(wp_in_syscall_32(p)))
		leave->flags |= WALLPROF_TASK_32BIT;
	if (unlikely(session->config.flags & WALLPROF_LOCK_OWNERS) && p == current)
		leave->lock_owner = wp_lock_owner_read(session, p, regs, nr);
}

/**
 * wp_reason_more_args - read more arguments of a thread that comes to a CPU
 * @session: may want them
 * @p: the thread, which has not run since wp_reason_read()
 * @reason: the reason that was read then
 * @more: set to its system call's second and third argument, or to 0
 *
 * Context: irqs off.
 */
static inline void wp_reason_more_args(const struct wp_session *session,
				       struct task_struct *p, u8 reason, u64 more[2])
{
	more[0] = 0;
	more[1] = 0;
	if (reason == WALLPROF_REASON_SYSCALL && session->config.flags & WALLPROF_ARGS)
		wp_syscall_more_args(p, task_pt_regs(p), more);
}

/**
 * wp_reason_blocked - read the reason of a thread that is blocked since before START
 * @session: the session
 * @slot: its slot, just begun, and not found by anyone else yet
 * @p: the thread; if it is not blocked nothing is read
 *
 * Also reads when the thread left its CPU.
 *
 * Context: irqs off, p->pi_lock held, so that it is not woken; without that lock
 * @p is a thread that has been woken.
 */
static inline void wp_reason_blocked(const struct wp_session *session,
				     struct wallprof_task *slot, struct task_struct *p)
{
	struct wp_leave leave = {
		.syscall = WALLPROF_SYSCALL_NONE,
		.state = slot->state,
	};

	if (!wp_task_blocked(p))
		return;
	slot->asleep_since = wp_task_blocked_since(p);
	if (!(session->config.flags & WALLPROF_REASONS))
		return;
	wp_reason_read(session, p, &leave);
	slot->reason = leave.reason;
	slot->syscall = leave.syscall;
	slot->arg = leave.arg;
	slot->flags |= leave.flags;
}

#endif /* WALLPROF_REASONS_H */
