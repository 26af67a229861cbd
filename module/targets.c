// SPDX-License-Identifier: GPL-2.0
/*
 * The targets: which threads a session records.
 *
 * This file owns the walks over all threads of the host at START and STOP and the rules
 * by which a thread is a target. A thread is a target if it has a slot in the task table;
 * only a session of everything gives slots to threads that its probes meet. Its callers
 * are session.c and configure.c (process context) and the probes (irqs off, or process
 * context with irqs off).
 */
#include <linux/cred.h>
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>

#include "compat/cgroup.h"
#include "compat/sched.h"
#include "follow.h"
#include "pure/states.h"
#include "reasons.h"
#include "remote_stack.h"
#include "state.h"
#include "targets.h"

/* Whether a thread is of a target user. Context: RCU read side, or current. */
static bool wp_targets_has_uid(const struct wp_session *session, struct task_struct *p)
{
	kuid_t uid = task_cred_xxx(p, uid);

	/* Each has its own number there. */
	if (likely(session->user_ns == &init_user_ns))
		return wp_ids_have(&session->ids, __kuid_val(uid));
	return wp_ids_have(&session->ids, from_kuid(session->user_ns, uid));
}

/* Whether a thread has a target name. Context: RCU read side, or current. */
static bool wp_targets_has_name(const struct wp_session *session, struct task_struct *p)
{
	char name[WALLPROF_COMM_LEN];

	wp_target_read_name(name, p);
	return wp_names_have(&session->names, name);
}

/**
 * wp_targets_find_name - find out whether a thread has a target name
 * @session: of names
 * @p: current
 * @noted: set to the place of its name in the list, if it is there
 *
 * Of places that @noted cannot hold another one is noted, which is in the list, too.
 *
 * Context: irqs off.
 * Return: whether it is there.
 */
bool wp_targets_find_name(const struct wp_session *session, const struct task_struct *p,
			  u8 *noted)
{
	char name[WALLPROF_COMM_LEN];
	u32 at;

	wp_target_read_name(name, p);
	at = wp_names_find(&session->names, name);
	if (at == session->names.nr)
		return false;
	*noted = at;
	return true;
}

/*
 * Whether a thread is in a target cgroup, or below. Context: RCU read side, or current.
 */
static bool wp_targets_in_group(const struct wp_session *session, struct task_struct *p)
{
	struct cgroup *group;

	/* Before 4.20 interrupts that are off need not be enough. */
	rcu_read_lock();
	for (group = wp_task_cgroup(p); group; group = wp_cgroup_parent(group)) {
		if (wp_ids_have(&session->ids, wp_cgroup_id(group)))
			break;
	}
	rcu_read_unlock();
	return group;
}

/* Whether a thread matches the target options. Context: RCU read side, or current. */
bool wp_targets_match(const struct wp_session *session, struct task_struct *p)
{
	switch (session->config.target) {
	case WALLPROF_TARGET_PID:
		return wp_ids_have(&session->ids,
				   task_tgid_nr_ns(p, session->pid_ns));
	case WALLPROF_TARGET_TID:
		return wp_ids_have(&session->ids,
				   task_pid_nr_ns(p, session->pid_ns));
	case WALLPROF_TARGET_UID:
		return wp_targets_has_uid(session, p);
	case WALLPROF_TARGET_COMM:
		return wp_targets_has_name(session, p);
	case WALLPROF_TARGET_CGROUP:
		return wp_targets_in_group(session, p);
	default:
		return true;
	}
}

/**
 * wp_targets_has - check whether a thread is a target at START
 * @session: its START gives slots to the targets
 * @p: current, or a thread under RCU
 *
 * Context: any but NMI.
 * Return: whether it matches the target options, or descends from one that does since
 * WALLPROF_START_LATER.
 */
bool wp_targets_has(struct wp_session *session, struct task_struct *p)
{
	return wp_targets_match(session, p) || wp_follow_has(session, p);
}

/* Whether a thread has made its last switch, or is about to. */
static bool wp_thread_ends(struct task_struct *p)
{
	return READ_ONCE(p->exit_state) || wp_task_state(p) & TASK_DEAD;
}

/* Threads that are visited between two cond_resched(). */
#define WP_THREADS_AT_ONCE	64

typedef int (*wp_thread_fn)(struct wp_session *session, struct task_struct *p);

/* Returns the next thread of the host from a number on. Context: RCU read side. */
static struct task_struct *wp_thread_next(int *nr)
{
	struct task_struct *p;
	struct pid *pid;

	for (; (pid = idr_get_next(&init_pid_ns.idr, nr)); (*nr)++) {
		p = pid_task(pid, PIDTYPE_PID);
		if (p)
			return p;
	}
	return NULL;
}

/*
 * Calls @fn, under RCU, with each thread of the host, or with the leader of each process,
 * by number; ends when @fn returns other than 0. Each thread that lives all the time is
 * visited once, except one that execs and is not the leader: it takes the leader's
 * number, and may be visited twice, or not at all. It is the leader from then on, so a
 * caller that needs all threads calls this with @leaders afterwards.
 *
 * Context: process; may sleep.
 */
static int wp_threads_each(struct wp_session *session, bool leaders, wp_thread_fn fn)
{
	unsigned int looked = 0;
	struct task_struct *p;
	int nr, err = 0;

	rcu_read_lock();
	for (nr = 1; !err && (p = wp_thread_next(&nr)); nr++) {
		if (!leaders || thread_group_leader(p))
			err = fn(session, p);
		if (++looked % WP_THREADS_AT_ONCE)
			continue;
		rcu_read_unlock();
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
	return err;
}

/* Whether a thread is a target now. Context: RCU read side. */
static int wp_targets_is_one(struct wp_session *session, struct task_struct *p)
{
	return !wp_thread_ends(p) && wp_targets_has(session, p);
}

/**
 * wp_targets_set - check that there is a target
 * @session: being configured, or one that is to start later
 *
 * Context: process.
 * Return: 0, or -ESRCH if no thread is a target and none may become one.
 */
int wp_targets_set(struct wp_session *session)
{
	if (session->config.target == WALLPROF_TARGET_ALL || wp_targets_may_come(session))
		return 0;
	if (wp_threads_each(session, false, wp_targets_is_one) ||
	    wp_threads_each(session, true, wp_targets_is_one))
		return 0;
	return -ESRCH;
}

/* Counts a new target. Context: irqs off, under the task table's lock. */
void wp_target_born(struct wp_session *session)
{
	if (session->config.target != WALLPROF_TARGET_ALL)
		atomic_inc(&session->live_targets);
}

/* Counts a target that is gone; the last one wakes the reader. Context: irqs off. */
void wp_target_gone(struct wp_session *session)
{
	if (session->config.target != WALLPROF_TARGET_ALL &&
	    atomic_dec_and_test(&session->live_targets) &&
	    !wp_targets_may_come(session))
		wp_session_signal(session, &session->targets_gone);
}

/**
 * wp_target_untracked - check whether a thread without a slot is a target
 * @session: a session
 * @p: a thread without a slot
 *
 * In a session of everything each thread is. A session of processes recognizes a thread
 * that found no slot by its process, if the user named that. Others are not recognized.
 *
 * Context: any but NMI.
 */
bool wp_target_untracked(const struct wp_session *session, struct task_struct *p)
{
	if (session->config.target == WALLPROF_TARGET_ALL)
		return true;
	return unlikely(READ_ONCE(session->passed_over)) &&
	       session->config.target == WALLPROF_TARGET_PID &&
	       session->config.flags & WALLPROF_INHERIT &&
	       wp_targets_match(session, p);
}

/**
 * wp_target_passed_over - count a target that found no slot
 * @session: its session
 * @p: the thread
 * @off: it is off its CPU
 * @since: since when
 *
 * Context: any but NMI.
 */
void wp_target_passed_over(struct wp_session *session, struct task_struct *p,
			   bool off, u64 since)
{
	WRITE_ONCE(session->passed_over, true);
	atomic64_inc(&session->tasks_failed);
	if (!off || !wp_target_untracked(session, p))
		return;
	wp_target_untracked_leaves(session, since);
}

struct wp_claim {
	struct wp_session *session;
	struct task_struct *p;
};

/* Fills the slot of a thread that exists at START. See wp_tasks_claim(). */
static void wp_targets_init(struct wallprof_task *slot, void *arg)
{
	struct wp_claim *claim = arg;
	struct wp_session *session = claim->session;
	struct wp_thread thread;
	u64 born;

	/*
	 * Where everything is a target, the probes give a slot to each thread that they
	 * meet: a thread without one was not met since START. Otherwise they pass a
	 * thread over until it has a slot, and what it does between this read of the
	 * clock and that is taken for what it did before. As long as this CPU runs, that
	 * is less than a context switch.
	 */
	if (session->config.target == WALLPROF_TARGET_ALL)
		born = max(session->start, claim->p->start_time);
	else
		born = ktime_get_mono_fast_ns();
	thread = wp_thread_read(session, claim->p);
	wp_interval_begin(slot, &thread, WALLPROF_TASK_UNSEEN,
			  wp_state_of(wp_task_state(claim->p), false), born);
	wp_session_assume_woken(session, slot);
	wp_reason_blocked(session, slot, claim->p);
	if (session->config.flags & WALLPROF_ENABLE_ON_EXEC)
		slot->flags |= WALLPROF_TASK_ARMED;
	wp_target_born(session);
}

/*
 * Whether a thread that was just given a slot will not give it back itself.
 *
 * With sched_switch: a thread that made its last switch before the table's lock was taken
 * had TASK_DEAD set before, and the lock makes that visible here. If that switch is under
 * way, its probe may be using the slot: it is over when on_cpu is cleared, within the
 * time of a context switch.
 *
 * Without: the exit probe runs after PF_EXITING is set.
 */
static bool wp_thread_gone(struct wp_session *session, struct task_struct *p)
{
	/*
	 * The probes look the key up without the lock. Either they see the new key, or
	 * what was written before their lookup is seen here: pairs with the full barrier
	 * of the scheduler after it takes the run queue's lock, and with the lock that
	 * the exit probe takes.
	 */
	smp_mb();
	if (!wp_session_sees_switches(session))
		return READ_ONCE(p->flags) & PF_EXITING;
	if (!(wp_task_state(p) & TASK_DEAD))
		return false;
	while (wp_task_on_cpu(p))
		cpu_relax();
	return true;
}

/*
 * Claims a slot for a thread that exists at START. Context: RCU read side.
 *
 * The probes are at work already. A thread that they met has its slot; a probe that meets
 * it now waits for the table's lock and finds this slot. A blocked thread stays blocked
 * until its slot has the reason and the stack, since its pi_lock is held here, which the
 * probe of its wakeup holds when it takes the table's lock. A thread that is about to
 * block when the slot is claimed records these itself.
 */
static int wp_targets_claim_one(struct wp_session *session, struct task_struct *p)
{
	struct wp_claim claim = { .session = session, .p = p };
	struct wallprof_task *slot;
	unsigned long flags;
	bool found, blocked;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	blocked = wp_task_blocked(p);
	slot = wp_tasks_claim(&session->tasks, (unsigned long)p,
			      wp_targets_init, &claim, &found);
	if (slot && !found && blocked)
		wp_remote_kernel(session, slot, p);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	if (!slot) {
		wp_target_passed_over(session, p, !wp_task_on_cpu(p),
				      session->start);
		return -ENOSPC;
	}
	if (!found && wp_thread_gone(session, p)) {
		local_irq_save(flags);
		if (wp_tasks_free(&session->tasks, (unsigned long)p))
			wp_target_gone(session);
		local_irq_restore(flags);
	}
	return 0;
}

/* Claims a slot for a thread that may be a target. Context: RCU read side. */
static int wp_targets_claim_living(struct wp_session *session, struct task_struct *p)
{
	int err;

	if (wp_thread_ends(p) || !wp_targets_has(session, p))
		return 0;
	err = wp_targets_claim_one(session, p);
	if (session->config.target == WALLPROF_TARGET_ALL)
		err = 0;
	return err || !fatal_signal_pending(current) ? err : -EINTR;
}

/* The same, for a thread that has no slot yet. Context: RCU read side. */
static int wp_targets_claim_missed(struct wp_session *session, struct task_struct *p)
{
	if (wp_tasks_find(&session->tasks, (unsigned long)p))
		return 0;
	return wp_targets_claim_living(session, p);
}

/**
 * wp_targets_claim - give a slot to each target
 * @session: its probes are at work, its start is set
 *
 * Threads that are born meanwhile get theirs by the fork probe, also if their parents
 * were not visited yet: see &struct wp_session.claiming.
 *
 * Context: process; may sleep.
 * Return: 0; -ESRCH if no target lives; -ENOSPC if they do not fit and not everything is
 * a target; -EINTR if the caller is killed.
 */
int wp_targets_claim(struct wp_session *session)
{
	bool all = session->config.target == WALLPROF_TARGET_ALL;
	int err;

	/*
	 * The first ones may end before the last ones are visited: this keeps the count
	 * up.
	 */
	atomic_inc(&session->live_targets);
	err = wp_threads_each(session, false, wp_targets_claim_living);
	/*
	 * Where everything is a target and does not fit, a thread without a slot was
	 * counted already, and must not be counted twice; a thread that was not visited
	 * is counted when it switches.
	 */
	if (!err && !(all && READ_ONCE(session->passed_over)))
		err = wp_threads_each(session, true, wp_targets_claim_missed);
	if (atomic_dec_and_test(&session->live_targets) && !err && !all &&
	    !wp_targets_may_come(session))
		err = -ESRCH;
	return err;
}

/* Sets the hint of a thread that is on a CPU. Context: RCU read side. */
static int wp_targets_look_at(struct wp_session *session, struct task_struct *p)
{
	struct wallprof_task *slot = wp_tasks_find(&session->tasks, (unsigned long)p);

	if (slot && wp_task_on_cpu(p))
		__set_bit(slot - session->tasks.slots, session->hints);
	return 0;
}

/**
 * wp_targets_look - note which threads are on a CPU
 * @session: its probes are still at work
 *
 * Used for threads that have not switched when the probes are gone: each was at STOP
 * where this finds it, on a CPU or off.
 *
 * Context: process; may sleep.
 */
void wp_targets_look(struct wp_session *session)
{
	wp_threads_each(session, false, wp_targets_look_at);
	wp_threads_each(session, true, wp_targets_look_at);
}
