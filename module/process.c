// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of sched_process_fork, _exec and _exit: threads are born, execute another
 * program, and end.
 *
 * The session is the probes' data pointer. They run in process context, preemptible from
 * Linux 7.0 on. The only lock taken here is the task table's, a raw one.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "compat/sched.h"
#include "follow.h"
#include "mappings.h"
#include "probe.h"
#include "process.h"
#include "pure/intervals.h"
#include "pure/switch_cache.h"
#include "slots.h"
#include "state.h"
#include "targets.h"

/* Whether a child of current is a target. Context: irqs off. */
static bool wp_fork_inherits(struct wp_session *session, u16 *flags)
{
	struct wallprof_task *slot;

	if (session->config.target == WALLPROF_TARGET_ALL)
		return true;
	/*
	 * Children inherit what makes a thread such a target, and lose it as threads do.
	 */
	if (wp_targets_may_come(session))
		return wp_targets_match(session, current);
	if (!(session->config.flags & WALLPROF_INHERIT))
		return false;
	slot = wp_tasks_find(&session->tasks, (unsigned long)current);
	if (slot) {
		*flags = slot->flags & WALLPROF_TASK_ARMED;
		return true;
	}
	if (!READ_ONCE(session->claiming) || !wp_targets_has(session, current))
		return false;
	/* START's walk has not reached the parent yet. */
	if (session->config.flags & WALLPROF_ENABLE_ON_EXEC)
		*flags = WALLPROF_TASK_ARMED;
	return true;
}

/*
 * Notes a child that is forked before START. Returns false if START's time has come
 * meanwhile. Context: irqs off.
 */
static noinline bool wp_fork_early(struct wp_session *session, struct task_struct *child,
				   u64 *now)
{
	/* A child that is a target by itself needs no room. */
	bool target = !wp_targets_match(session, child) && wp_targets_match(session, current);

	return wp_follow_fork(session, child, target, now);
}

/* Context: process; the child has not run yet. */
static void wp_probe_fork(void *data, struct task_struct *parent,
			  struct task_struct *child)
{
	struct wp_session *session = data;
	struct wp_new_slot new = {
		.session = session,
		.p = child,
		.phase = WALLPROF_TASK_OFF,
		.state = WALLPROF_STATE_NEW,
	};
	unsigned long flags;
	bool inherits;

	/* No preemption between the read of the clock and its use. */
	local_irq_save(flags);
	new.born = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, new.born) &&
	    (!READ_ONCE(session->following) || wp_fork_early(session, child, &new.born)))
		goto restore;
	inherits = wp_fork_inherits(session, &new.flags);
	/* Any thread may be a waker, whose stack is walked. */
	if (inherits || session->config.flags & WALLPROF_WAKER_STACKS)
		wp_mappings_fork(session, parent->mm, child->mm);
	if (!inherits || !wp_session_has_tasks(session))
		goto restore;
	if (!(session->config.states & BIT(WALLPROF_STATE_NEW)))
		new.flags |= WALLPROF_TASK_FILTERED;
	if (!wp_slot_claim(&new))
		wp_target_passed_over(session, child, true, new.born);
restore:
	local_irq_restore(flags);
}

/*
 * Whether a thread without a slot may get one when it executes a program: it may have
 * become a target, or START's walk has not reached it yet. Where everything is a target,
 * START gives it a slot that counts from the start.
 */
static bool wp_exec_may_claim(const struct wp_session *session)
{
	return wp_targets_may_come(session) ||
	       (session->config.target != WALLPROF_TARGET_ALL &&
		READ_ONCE(session->claiming));
}

/* Context: process, by the thread that execs. */
static void wp_probe_exec(void *data, struct task_struct *p, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	struct wp_session *session = data;
	struct wp_new_slot new = {
		.session = session,
		.p = p,
		.phase = WALLPROF_TASK_RUNNING,
	};
	struct wallprof_task *slot;
	struct wp_thread thread;
	unsigned long flags;
	struct wp_cpu *cpu;

	/*
	 * No preemption between the read of the clock and its use: the time off the CPU
	 * would count as running.
	 */
	local_irq_save(flags);
	new.born = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, new.born))
		goto restore;
	cpu = session->cpus[smp_processor_id()];
	if (cpu->switch_cache)
		cpu->current_cached = &cpu->switch_cache->none;
	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	if (slot && slot->flags & WALLPROF_TASK_ARMED) {
		/*
		 * Irqs are off and the slot is current's: nobody else writes to it but a
		 * waker, whose record is not used: see wp_interval_wake().
		 */
		thread = wp_thread_read(session, p);
		wp_interval_begin(slot, &thread, WALLPROF_TASK_RUNNING, 0,
				  new.born);
	} else if (!slot && wp_exec_may_claim(session) && wp_targets_has(session, p)) {
		if (!wp_slot_claim(&new))
			wp_target_passed_over(session, p, false, new.born);
	}
restore:
	local_irq_restore(flags);
}

/*
 * Only registered without sched_switch, which sees a thread's last switch, or in a session
 * that was to start later, which has none before it does.
 *
 * Context: process, by the thread that exits.
 */
static __always_inline void wp_sched_process_exit(void *data,
						  struct task_struct *p,
						  bool group_dead)
{
	struct wp_session *session = data;
	unsigned long flags;

	local_irq_save(flags);
	if (READ_ONCE(session->following))
		wp_follow_exit(session, p);
	if (!wp_session_sees_switches(session) &&
	    wp_tasks_free(&session->tasks, (unsigned long)p))
		wp_target_gone(session);
	local_irq_restore(flags);
}

WP_PROBE_SCHED_PROCESS_EXIT(wp_probe_exit, wp_sched_process_exit)

struct wp_probe_desc wp_fork_probe_desc = { "sched_process_fork", wp_probe_fork };
struct wp_probe_desc wp_exec_probe_desc = { "sched_process_exec", wp_probe_exec };
struct wp_probe_desc wp_exit_probe_desc = { "sched_process_exit", wp_probe_exit };

/* The kernel's own check of the prototypes, at compile time. */
static void __maybe_unused wp_process_check(void)
{
	check_trace_callback_type_sched_process_fork(wp_probe_fork);
	check_trace_callback_type_sched_process_exec(wp_probe_exec);
	check_trace_callback_type_sched_process_exit(wp_probe_exit);
}
