// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds the lock that a thread waits for, with WALLPROF_LOCK_OWNERS.
 *
 * This file owns how the lock's memory is read when a thread leaves its CPU. What the
 * memory means is in uapi/linux/wallprof_lock.h.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/wallprof_lock.h>

#include "compat/ptrace.h"
#include "compat/uaccess.h"
#include "lock_owner.h"
#include "state.h"

/*
 * The id of a thread in the opener's pid namespace, by the one that a program knows it by;
 * 0: there is no such thread, or it is of another process although the lock is not shared.
 *
 * Context: irqs off; @p is current.
 */
static u32 wp_lock_thread(const struct wp_session *session, struct task_struct *p, u32 tid,
			  bool shared)
{
	struct task_struct *owner;
	u32 nr = 0;

	rcu_read_lock();
	owner = pid_task(find_pid_ns(tid, task_active_pid_ns(p)), PIDTYPE_PID);
	if (owner && (shared || same_thread_group(owner, p)))
		nr = task_pid_nr_ns(owner, session->pid_ns);
	rcu_read_unlock();
	return nr;
}

/**
 * wp_lock_owner_read - read who holds the lock that a thread waits for
 * @session: a session with WALLPROF_LOCK_OWNERS
 * @p: current, which leaves its CPU in a system call
 * @regs: its registers at the entry into the kernel
 * @nr: number of the call
 *
 * Most calls have no lock with an owner, which their arguments show. Memory that is not
 * present is not read: then the owner is not known.
 *
 * Context: irqs off.
 * Return: for &wallprof_aggr.lock_owner.
 */
u64 wp_lock_owner_read(const struct wp_session *session, struct task_struct *p,
		       struct pt_regs *regs, int nr)
{
	u32 word[WALLPROF_LOCK_WORDS];
	enum wallprof_lock lock;
	int shared;
	u64 more[2];
	u32 owner;

	if (nr != __NR_futex || wp_in_syscall_32(p))
		return 0;
	wp_syscall_more_args(p, regs, more);
	if (!wallprof_lock_may(more[0], more[1]) ||
	    !wp_copy_from_user_nmi(word, wp_syscall_arg(p, regs), sizeof(word)))
		return 0;
	lock = wallprof_lock_owner(more[0], more[1], word, &owner, &shared);
	if (!lock)
		return 0;
	owner = wp_lock_thread(session, p, owner, shared);
	return owner ? WALLPROF_LOCK_OWNER(owner, lock) : 0;
}
