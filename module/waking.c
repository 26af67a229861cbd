// SPDX-License-Identifier: GPL-2.0
/*
 * The probe of sched_waking: one thread wakes another.
 *
 * The session is the probe's data pointer. The scheduler calls it with interrupts off and
 * the woken thread's pi_lock held; with preemption off only, if a thread wakes itself.
 * The only lock taken here is the task table's, a raw one.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "capture.h"
#include "compat/sched.h"
#include "probe.h"
#include "pure/intervals.h"
#include "pure/states.h"
#include "slots.h"
#include "state.h"
#include "switch_cached.h"
#include "switch_learn.h"
#include "targets.h"
#include "waking.h"

/*
 * Gives a slot to a woken thread that has none; returns NULL if it is to have none.
 * Without it START's walk would find the thread no longer blocked, and take it for one
 * that was never blocked; and a wakeup of a thread that is just leaving its CPU for the
 * first time since START would be missed. Context: irqs off, p->pi_lock held.
 */
static noinline struct wallprof_task *wp_waking_meet(struct wp_session *session,
						     struct task_struct *p)
{
	struct wp_new_slot new = {
		.session = session,
		.p = p,
		.phase = WALLPROF_TASK_UNSEEN,
		.born = session->start,
	};

	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over) || p->start_time > session->start)
		return NULL;
	/*
	 * A thread on a CPU came there before START, or it would have a slot: as in
	 * wp_slot_of_prev(). If it left before START, and its CPU is not yet done with
	 * that, its coming closes no interval, and the time is unknown.
	 */
	if (wp_task_on_cpu(p))
		new.phase = WALLPROF_TASK_RUNNING;
	else
		new.state = wp_state_of(wp_task_state(p), false);
	return wp_slot_claim(&new);
}

/*
 * Whether the waker's stack is of use: it is not if the thread's open interval is
 * filtered. The scheduler has seen the thread's sleeping state, which the thread set
 * after the flags of its previous interval were cleared.
 *
 * Context: irqs off, the thread's pi_lock held.
 */
static bool wp_waking_matters(const struct wallprof_task *slot)
{
	/* Pairs with the barrier of set_current_state() in the thread that blocks. */
	smp_rmb();
	return !(READ_ONCE(slot->flags) & (WALLPROF_TASK_FILTERED | WALLPROF_TASK_ARMED));
}

/*
 * Whether wakers are looked up in the switch cache. Of kernel stacks it has those of switches
 * only. Constant after CONFIGURE.
 */
static bool wp_waking_is_cached(const struct wp_session *session)
{
	return wp_session_is_fast(session) && session->pid_ns == &init_pid_ns &&
	       !(session->config.flags & WALLPROF_WAKER_STACKS &&
		 session->config.stack_flags & WALLPROF_STACK_KERNEL);
}

/*
 * Records where current is while it wakes another thread. Returns the id of the record,
 * or 0. The stacks are those that current would leave its CPU with here.
 *
 * Context: irqs off, the woken thread's pi_lock held; task context of current, not an
 * interrupt.
 */
static noinline u64 wp_waking_capture(struct wp_session *session)
{
	struct wp_switch_key skey = wp_switch_key_of(session, current, WP_SWITCH_WAKES);
	struct wp_cpu *cpu = session->cpus[smp_processor_id()];
	u32 epoch = wp_session_epoch(session);
	struct wp_leave leave = {};
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	u64 words[WALLPROF_WAKER_NR], id;
	u32 used;

	/* The wakeup interrupted a probe of this CPU, or the CPU has no memory. */
	if (!wp_probe_begin(cpu)) {
		if (cpu->nomem)
			wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		else
			wp_probe_nested(session, cpu);
		return 0;
	}
	used = half->head->stack_words;
	cpu->kernel_anchor = 0;	/* the cache has those of sched_switch only */
	wp_capture_stacks(session, cpu, epoch, current, &leave);
	words[WALLPROF_WAKER_USER_STACK] = leave.user_stack;
	words[WALLPROF_WAKER_KERNEL_STACK] = leave.kernel_stack;
	words[WALLPROF_WAKER_TGID] = wp_thread_tgid(session, current);
	id = wp_stack_intern(&cpu->sched, epoch, words, WALLPROF_WAKER_NR, 0,
			     WALLPROF_STACK_IS_WAKER |
			     (leave.flags & WALLPROF_TASK_NO_STACK ?
			      WALLPROF_STACK_LOST : 0));
	if (wp_waking_is_cached(session) && cpu->current_key == (unsigned long)current)
		wp_switch_learn_waker(session, cpu, &skey, &leave, id, epoch);
	if (unlikely(half->head->stack_words != used))
		wp_session_grew(session, half);
	wp_probe_end(cpu);
	return id;
}

/*
 * Whether this CPU knows the slot of current, and no probe is at work. Context: irqs off; task
 * context of current.
 */
static __always_inline bool wp_waking_knows_current(const struct wp_cpu *cpu)
{
	return cpu->current_key == (unsigned long)current && !cpu->sched_busy;
}

/*
 * Records a wakeup by current, whose stacks the switch cache has, in a session that is
 * wp_waking_is_cached(). Returns false if it has not. Calls and wakes nothing. Context: as
 * above, with the woken thread's pi_lock held. @cpu: wp_waking_knows_current().
 */
static __always_inline bool wp_waking_cached(const struct wp_session *session,
					     const struct wp_cpu *cpu,
					     struct wallprof_task *woken, u64 now)
{
	const struct wp_switch_key skey = wp_switch_key_of(session, current, WP_SWITCH_WAKES);
	const struct wallprof_task *slot = cpu->current_slot;
	const struct wp_cached_switch *cached =
		wp_cached_of_waker(cpu->switch_cache, slot, &skey);

	if (unlikely(!wp_cached_wakes(cached, slot, &skey) ||
		     !wp_switch_words_unchanged(cpu, cached)))
		return false;
	wp_interval_wake(woken, WALLPROF_WAKER_TASK, current->pid, wp_cached_wake(cached), now);
	return true;
}

/* Id of the last interval of current, which wakes a thread, or 0. Context: irqs off. */
static u64 wp_waking_chain(struct wp_session *session, u8 waker)
{
	const struct wp_cpu *cpu = session->cpus[smp_processor_id()];

	if (waker != WALLPROF_WAKER_TASK || cpu->current_key != (unsigned long)current)
		return 0;
	return cpu->current_slot->last_aggr;
}

/* The context of the wakeup: enum wallprof_waker. Context: irqs off. */
static __always_inline u8 wp_waking_context(void)
{
	if (likely(in_task()))
		return WALLPROF_WAKER_TASK;
	return wp_in_hardirq() ? WALLPROF_WAKER_HARDIRQ : WALLPROF_WAKER_SOFTIRQ;
}

/* The waker: arguments of wp_interval_wake(). */
struct wp_waking {
	u8 waker;
	u32 tid;
	u64 stack;
	u64 chain;
};

/* Context: irqs off. */
static __always_inline void wp_waking_record(struct wp_session *session,
					     struct wallprof_task *slot,
					     const struct wp_waking *by, u64 now)
{
	if (session->config.flags & WALLPROF_WAKER_CHAINS)
		WRITE_ONCE(slot->waker_aggr, by->chain);
	wp_interval_wake(slot, by->waker, by->tid, by->stack, now);
}

/*
 * Whether a woken thread has the slot that is found for it until its pi_lock is released.
 * A thread that is no longer a target gives its slot back when it leaves its CPU. One that
 * is blocked, and that no CPU is leaving any more, does not come to a CPU before this
 * wakeup. Context: irqs off, p->pi_lock held.
 */
static __always_inline bool wp_waking_keeps_slot(const struct wp_session *session,
						 struct task_struct *p)
{
	return !session->targets_change || wp_task_blocked(p);
}

/*
 * Records a wakeup in any session, and, of one that is wp_session_is_fast(), of a thread
 * that is not the first of its bucket, or may give its slot back meanwhile. Context: irqs
 * off, p->pi_lock held.
 */
static noinline void wp_waking_rest(struct wp_session *session, struct task_struct *p,
				    u64 now)
{
	struct wp_waking by = { .waker = WALLPROF_WAKER_NONE };
	struct wallprof_task *slot;
	bool keeps = wp_waking_keeps_slot(session, p);

	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	if (unlikely(!slot)) {
		slot = wp_waking_meet(session, p);
		if (!slot)
			return;
	}
	if (session->config.flags & WALLPROF_WAKERS) {
		by.waker = wp_waking_context();
		/* The thread that an interrupt interrupted is not the waker. */
		if (likely(by.waker == WALLPROF_WAKER_TASK)) {
			by.tid = wp_thread_tid(session, current);
			if (session->config.flags & WALLPROF_WAKER_STACKS &&
			    wp_waking_matters(slot))
				by.stack = wp_waking_capture(session);
		}
	}
	if (session->config.flags & WALLPROF_WAKER_CHAINS)
		by.chain = wp_waking_chain(session, by.waker);
	if (likely(keeps)) {
		wp_waking_record(session, slot, &by, now);
		return;
	}
	/* Another thread may have the slot by now. */
	raw_spin_lock(&session->tasks.lock);
	if (wp_tasks_find(&session->tasks, (unsigned long)p) == slot)
		wp_waking_record(session, slot, &by, now);
	raw_spin_unlock(&session->tasks.lock);
}

/* Context: irqs off, p->pi_lock held; or, of p itself, preemption off. */
static notrace void wp_probe_waking(void *data, struct task_struct *p)
{
	struct wp_session *session = data;
	u64 now;

	/* It runs; and no lock is held that would order it with other wakers. */
	if (p == current)
		return;
	now = ktime_get_mono_fast_ns();
	if (wp_session_covers(session, now))
		wp_waking_rest(session, p, now);
}

/*
 * As above, in a session that is wp_session_is_fast(), without wakers' stacks, and of the
 * initial pid namespace.
 * @wakers: record the waker. @fixed: targets stay targets.
 */
static __always_inline void wp_waking_fast(struct wp_session *session,
					   struct task_struct *p, bool wakers, bool fixed)
{
	struct wallprof_task *slot;
	u8 waker;
	u64 now;

	/* See wp_probe_waking(). */
	if (p == current)
		return;
	now = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, now))
		return;
	if (!fixed && unlikely(!wp_waking_keeps_slot(session, p))) {
		wp_waking_rest(session, p, now);
		return;
	}
	slot = wp_tasks_find_first(&session->tasks, (unsigned long)p);
	if (unlikely(!slot)) {
		wp_waking_rest(session, p, now);
		return;
	}
	/* As wp_interval_wake(), without the waker's stacks. */
	if (wakers) {
		waker = wp_waking_context();
		WRITE_ONCE(slot->waker, waker);
		WRITE_ONCE(slot->waker_tid, likely(waker == WALLPROF_WAKER_TASK) ?
					    current->pid : 0);
	}
	WRITE_ONCE(slot->woken, now);
}

static notrace void wp_probe_waking_fast(void *data, struct task_struct *p)
{
	wp_waking_fast(data, p, false, true);
}

static notrace void wp_probe_waking_fast_wakers(void *data, struct task_struct *p)
{
	wp_waking_fast(data, p, true, true);
}

static notrace void wp_probe_waking_changing(void *data, struct task_struct *p)
{
	wp_waking_fast(data, p, false, false);
}

static notrace void wp_probe_waking_changing_wakers(void *data, struct task_struct *p)
{
	wp_waking_fast(data, p, true, false);
}

/*
 * The same with wakers' stacks, which are mostly those with which the waker woke before.
 * Context: see wp_probe_waking().
 */
static __always_inline void wp_waking_stacks(struct wp_session *session, struct task_struct *p,
					     bool fixed)
{
	struct wallprof_task *slot;
	const struct wp_cpu *cpu;
	u64 now;

	/* See wp_probe_waking(). */
	if (p == current)
		return;
	now = ktime_get_mono_fast_ns();
	/* Before START the switch cache is empty. */
	if (unlikely(now > READ_ONCE(session->stop)))
		return;
	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	cpu = session->cpus[smp_processor_id()];
	if (likely(slot && (fixed || wp_waking_keeps_slot(session, p)) && in_task() &&
		   wp_waking_matters(slot) && wp_waking_knows_current(cpu)) &&
	    likely(wp_waking_cached(session, cpu, slot, now)))
		return;
	if (wp_session_covers(session, now))
		wp_waking_rest(session, p, now);
}

static notrace void wp_probe_waking_stacks(void *data, struct task_struct *p)
{
	wp_waking_stacks(data, p, true);
}

static notrace void wp_probe_waking_changing_stacks(void *data, struct task_struct *p)
{
	wp_waking_stacks(data, p, false);
}

struct wp_probe_desc wp_waking_probe_desc = { "sched_waking", wp_probe_waking };

/**
 * wp_waking_probe_of - choose the probe of sched_waking
 * @session: the session
 *
 * Context: process.
 * Return: the probe; the same one as long as the session is configured.
 */
void *wp_waking_probe_of(const struct wp_session *session)
{
	const bool wakers = session->config.flags & WALLPROF_WAKERS;

	if (!wp_waking_is_cached(session))
		return wp_probe_waking;
	if (session->config.flags & WALLPROF_WAKER_STACKS)
		return session->targets_change ? wp_probe_waking_changing_stacks :
						 wp_probe_waking_stacks;
	if (session->targets_change)
		return wakers ? wp_probe_waking_changing_wakers : wp_probe_waking_changing;
	return wakers ? wp_probe_waking_fast_wakers : wp_probe_waking_fast;
}

/* The kernel's own check of the prototypes, at compile time. */
static void __maybe_unused wp_waking_check(void)
{
	check_trace_callback_type_sched_waking(wp_probe_waking);
	check_trace_callback_type_sched_waking(wp_probe_waking_fast);
	check_trace_callback_type_sched_waking(wp_probe_waking_fast_wakers);
	check_trace_callback_type_sched_waking(wp_probe_waking_changing);
	check_trace_callback_type_sched_waking(wp_probe_waking_changing_wakers);
	check_trace_callback_type_sched_waking(wp_probe_waking_stacks);
	check_trace_callback_type_sched_waking(wp_probe_waking_changing_stacks);
}
