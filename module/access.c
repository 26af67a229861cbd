// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the memory of processes.
 *
 * This file owns the rule by which a caller may read a process's memory at addresses that
 * the caller chooses. Unwind tables are such a way: what a walk by tables reads depends
 * on the tables, so a user who may push tables for a process can read it. (Walks by frame
 * pointers read what perf reads, and need what the device needs.)
 *
 * The rule is that of ptrace, PTRACE_MODE_READ_REALCREDS. The kernel exports no function
 * for it, so the checks of kernel/ptrace.c and security/commoncap.c are repeated here.
 * Other security modules are asked for CAP_SYS_PTRACE only.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>

#include "access.h"
#include "compat/coredump.h"
#include "compat/signal.h"
#include "state.h"

static bool wp_access_is_own(const struct cred *cred, const struct cred *target)
{
	return uid_eq(cred->uid, target->euid) && uid_eq(cred->uid, target->suid) &&
	       uid_eq(cred->uid, target->uid) && gid_eq(cred->gid, target->egid) &&
	       gid_eq(cred->gid, target->sgid) && gid_eq(cred->gid, target->gid) &&
	       cred->user_ns == target->user_ns &&
	       cap_issubset(target->cap_permitted, cred->cap_permitted);
}

/*
 * Whether the caller may read the memory of a thread.
 *
 * Context: process, RCU read side, p->alloc_lock and the lock of wp_exec_trylock() held:
 * @mm is p->mm, and the thread's credentials are those of the program that @mm belongs to.
 */
static bool wp_access_ok(struct task_struct *p, struct mm_struct *mm)
{
	const struct cred *target = __task_cred(p);

	if (same_thread_group(p, current) || mm == current->mm)
		return true;
	if (!wp_access_is_own(current_cred(), target) &&
	    !ns_capable(target->user_ns, CAP_SYS_PTRACE))
		return false;
	/*
	 * A process becomes non-dumpable before it changes its credentials. Pairs with
	 * the write barrier in commit_creds().
	 */
	smp_rmb();
	return wp_task_is_dumpable(p, mm) ||
	       ns_capable(wp_task_exec_user_ns(p, mm), CAP_SYS_PTRACE);
}

/**
 * wp_access_mm - get the memory of a process
 * @session: its pid namespace is that of @pid
 * @pid: the process
 * @read: whether the memory is to be read
 *
 * The result holds for the program that the process runs now: an exec replaces the
 * mm_struct. A process in the middle of an exec has the new memory and the old
 * credentials; it counts as one that has changed.
 *
 * Context: process. Waits for no lock that a target can hold for long.
 * Return: held by mmgrab(); or -ESRCH if there is none, and with @read -EPERM if the
 * caller may not read it, -ESTALE if the process is executing another program.
 */
struct mm_struct *wp_access_mm(struct wp_session *session, u32 pid, bool read)
{
	struct mm_struct *mm = ERR_PTR(-ESRCH);
	struct task_struct *leader, *p;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(pid, session->pid_ns), PIDTYPE_TGID);
	if (!leader)
		goto unlock;
	/* The signal_struct lives as long as the task, which RCU keeps. */
	if (read && !wp_exec_trylock(leader->signal)) {
		mm = ERR_PTR(-ESTALE);
		goto unlock;
	}
	/* The leader may have exited before the other threads. */
	for_each_thread(leader, p) {
		task_lock(p);
		if (p->mm && !(p->flags & PF_KTHREAD)) {
			mm = p->mm;
			if (read && !wp_access_ok(p, mm))
				mm = ERR_PTR(-EPERM);
			else
				mmgrab(mm);
		}
		task_unlock(p);
		if (mm != ERR_PTR(-ESRCH))
			break;
	}
	if (read)
		wp_exec_unlock(leader->signal);
unlock:
	rcu_read_unlock();
	return mm;
}
