// SPDX-License-Identifier: GPL-2.0
/*
 * What a blocked thread waits for, for a reader that knows the program's locks: some
 * memory of the thread's process, and the arguments of its system call.
 *
 * This file owns WALLPROF_IOC_READ. process_vm_readv() would make pages present, and wait
 * for the process's mmap_lock; here neither happens: see remote.c. And the reader knows
 * that the thread was blocked, in a wait that it names, while the memory was read: see
 * remote_stack.c for how.
 *
 * Process context, the session locked.
 */
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "compat/compiler.h"
#include "compat/ptrace.h"
#include "compat/sched.h"
#include "remote.h"
#include "remote_read.h"
#include "stack.h"
#include "state.h"

/**
 * struct wp_remote_read - one read
 * @remote: the process's memory, and the worker
 * @session: the session
 * @p: the thread, held
 * @since: when its interval began; 0: at any time, until it is looked up
 * @address: where to read
 * @bytes: how many
 * @args: the arguments of the thread's system call
 * @syscall: its number, or WALLPROF_SYSCALL_NONE
 * @err: the result
 * @data: what was read
 */
struct wp_remote_read {
	struct wp_remote remote;
	struct wp_session *session;
	struct task_struct *p;
	u64 since;
	u64 address;
	u32 bytes;
	u64 args[4];
	u32 syscall;
	int err;
	u8 data[];
};

/* Whether the thread is blocked, in the interval. Context: p->pi_lock held. */
static bool wp_read_is_blocked(struct wp_remote_read *read)
{
	const struct wallprof_task *slot;
	struct task_struct *p = read->p;

	if (!wp_task_blocked(p) || p->flags & (WP_PF_NO_USER | PF_EXITING))
		return false;
	/* Only the thread itself execs. */
	if (READ_ONCE(p->mm) != read->remote.mm || wp_stack_is_exec(p, read->remote.mm))
		return false;
	slot = wp_tasks_find(&read->session->tasks, (unsigned long)p);
	if (!slot || (slot->phase != WALLPROF_TASK_OFF && slot->phase != WALLPROF_TASK_UNSEEN))
		return false;
	if (!read->since)
		read->since = slot->since;
	return slot->since == read->since;
}

/* The system call that the thread is in. Context: p->pi_lock held, it is blocked. */
static void wp_read_syscall(struct wp_remote_read *read)
{
	struct pt_regs *regs = task_pt_regs(read->p);
	int nr = syscall_get_nr(read->p, regs);

	read->syscall = WALLPROF_SYSCALL_NONE;
	if (nr < 0 || wp_in_syscall_32(read->p))
		return;
	read->syscall = min(nr, WALLPROF_SYSCALL_OTHER);
	read->args[0] = wp_syscall_arg(read->p, regs);
	wp_syscall_more_args(read->p, regs, read->args + 1);
	read->args[3] = wp_syscall_arg4_64(regs);
}

/* Checks that the thread is still blocked. Reads its system call, too, if @syscall. */
static bool wp_read_check(struct wp_remote_read *read, bool syscall)
{
	unsigned long flags;
	bool blocked;

	raw_spin_lock_irqsave(&read->p->pi_lock, flags);
	blocked = wp_read_is_blocked(read);
	if (blocked && syscall)
		wp_read_syscall(read);
	raw_spin_unlock_irqrestore(&read->p->pi_lock, flags);
	return blocked;
}

/* Context: a worker that uses the process's memory. */
static void wp_read_now(struct wp_remote *remote)
{
	struct wp_remote_read *read = container_of(remote, struct wp_remote_read, remote);
	bool present;

	read->err = -ESTALE;
	if (!wp_read_check(read, true))
		return;
	present = wp_remote_copy(read->data, read->address, read->bytes);
	if (wp_read_check(read, false))
		read->err = present ? 0 : -ENODATA;
}

/* Returns a thread of a process, held; NULL: there is none of these numbers. */
static struct task_struct *wp_read_thread(const struct wp_session *session, u32 pid, u32 tid)
{
	struct task_struct *p;

	rcu_read_lock();
	p = pid_task(find_pid_ns(tid, session->pid_ns), PIDTYPE_PID);
	if (p && task_tgid_nr_ns(p, session->pid_ns) != pid)
		p = NULL;
	if (p)
		get_task_struct(p);
	rcu_read_unlock();
	return p;
}

static int wp_read_run(struct wp_remote_read *read, const struct wallprof_read *args)
{
	int err;

	read->p = wp_read_thread(read->session, args->pid, args->tid);
	if (!read->p)
		return -ESRCH;
	err = wp_remote_run(&read->remote);
	put_task_struct(read->p);
	return err ? err : read->err;
}

/**
 * wp_remote_read - WALLPROF_IOC_READ
 * @session: the session, locked
 * @args: what to read
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_remote_read(struct wp_session *session, struct wallprof_read *args)
{
	void __user *to = u64_to_user_ptr(args->data);
	struct wp_remote_read *read;
	struct mm_struct *mm;
	int err;

	if (session->state != WALLPROF_SESSION_RUNNING ||
	    !(session->config.flags & WALLPROF_OFFCPU) || args->reserved ||
	    !args->bytes || args->bytes > WALLPROF_MAX_READ)
		return -EINVAL;
	mm = wp_access_mm(session, args->pid, true);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	read = kzalloc(struct_size(read, data, args->bytes), GFP_KERNEL_ACCOUNT);
	if (!read) {
		mmdrop(mm);
		return -ENOMEM;
	}
	read->remote.fn = wp_read_now;
	read->remote.mm = mm;
	read->session = session;
	read->since = args->since;
	read->address = args->address;
	read->bytes = args->bytes;
	err = wp_read_run(read, args);
	mmdrop(mm);
	if (!err && copy_to_user(to, read->data, args->bytes))
		err = -EFAULT;
	if (!err) {
		args->since = read->since;
		args->syscall = read->syscall;
		args->arg = read->args[0];
		args->arg2 = read->args[1];
		args->arg3 = read->args[2];
		args->arg4 = read->args[3];
	}
	kfree(read);
	return err;
}
