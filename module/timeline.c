// SPDX-License-Identifier: GPL-2.0
/*
 * The timeline: every switch and wakeup of a session's targets, one by one.
 *
 * This file owns the probes that write records into the rings of pure/ring.c. They are
 * separate from those of switch.c and waking.c, which sum: a session pays for those only
 * that it asks for. The scheduler calls them with a run queue or a thread's pi_lock
 * locked and interrupts off, or, when a thread wakes itself, with preemption off. They
 * take no lock but the task table's, which is a raw one, and wake the reader by irq_work
 * only.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "compat/sched.h"
#include "pure/ring.h"
#include "state.h"
#include "targets.h"
#include "timeline.h"

/* A thread's priority, as recorded. */
static __always_inline u8 wp_timeline_prio(const struct task_struct *p)
{
	return p->prio < 0 ? WALLPROF_PRIO_NONE : p->prio;
}

/* Whether a thread's events are recorded. Context: irqs off. */
static __always_inline bool wp_timeline_wants(const struct wp_session *session,
					      const struct task_struct *p)
{
	const struct wallprof_task *slot;

	if (likely(session->config.target == WALLPROF_TARGET_ALL))
		return true;
	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	return slot && !(READ_ONCE(slot->flags) & WALLPROF_TASK_ARMED);
}

/* This CPU's ring, or NULL if nothing is recorded now. Context: irqs off. */
static __always_inline struct wp_ring *wp_timeline_ring(struct wp_session *session, u64 now)
{
	unsigned int nr = smp_processor_id();

	if (!wp_session_covers(session, now) ||
	    (unlikely(!session->all_cpus) && !cpumask_test_cpu(nr, session->cpus_mask)))
		return NULL;
	return &session->cpus[nr]->ring;
}

/*
 * Reserves a record. Returns NULL if the ring is full, and wakes the reader then: the
 * reader may have flipped after the last wakeup, which would be the last one, since no
 * record is committed to a full ring. Context: irqs off.
 */
static __always_inline struct wallprof_record *
wp_timeline_reserve(struct wp_session *session, struct wp_ring *ring, u64 now)
{
	struct wallprof_record *record;

	/* A CPU without memory. */
	if (unlikely(!ring->nr)) {
		atomic64_inc(&session->nomem.records);
		return NULL;
	}
	record = wp_ring_reserve(ring, now);
	if (unlikely(!record))
		wp_session_signal(session, &session->signalled);
	return record;
}

/* Publishes a record. Context: irqs off. */
static __always_inline void wp_timeline_commit(struct wp_session *session,
					       struct wp_ring *ring)
{
	wp_ring_commit(ring);
	if (unlikely(wp_ring_is_half_full(ring)))
		wp_session_signal(session, &session->signalled);
}

/*
 * A thread's id in the opener's pid namespace, U32_MAX if it has none there, 0 of an idle
 * thread.
 */
static __always_inline u32 wp_timeline_tid(const struct wp_session *session,
					   struct task_struct *p)
{
	return p->pid ? (wp_thread_tid(session, p) ?: U32_MAX) : 0;
}

/* Its process's id, likewise. */
static __always_inline u32 wp_timeline_tgid(const struct wp_session *session,
					    struct task_struct *p)
{
	return p->pid ? (wp_thread_tgid(session, p) ?: U32_MAX) : 0;
}

/* Context: irqs off, a run queue locked. prev is current. */
static __always_inline void wp_timeline_write_switch(struct wp_session *session,
						     struct task_struct *prev,
						     struct task_struct *next,
						     unsigned int state)
{
	u64 now = ktime_get_mono_fast_ns();
	struct wp_ring *ring = wp_timeline_ring(session, now);
	struct wp_cpu *cpu = session->cpus[smp_processor_id()];
	struct wallprof_record *record;
	u8 flags = 0;

	if (likely(!cpu->nomem))
		cpu->switched_at = now;
	if (!ring)
		return;
	if (!wp_timeline_wants(session, prev)) {
		if (!wp_timeline_wants(session, next))
			return;
		flags = WALLPROF_RECORD_COMES;
	}
	record = wp_timeline_reserve(session, ring, now);
	if (unlikely(!record))
		return;
	*record = (struct wallprof_record) {
		.type = WALLPROF_RECORD_SWITCH,
		.prio = wp_timeline_prio(prev),
		.other_prio = wp_timeline_prio(next),
		.flags = flags,
		.state = state,
		.time = now,
		.tid = wp_timeline_tid(session, prev),
		.tgid = wp_timeline_tgid(session, prev),
		.other_tid = wp_timeline_tid(session, next),
		.other_tgid = wp_timeline_tgid(session, next),
	};
	wp_timeline_commit(session, ring);
}

/**
 * wp_timeline_write_stacks - record the stacks with which a thread leaves its CPU
 * @session: one with TIMELINE_STACKS
 * @prev: the thread
 * @leave: its stacks
 *
 * wp_timeline_write_switch() has just recorded its switch, unless it is not recorded.
 *
 * Context: irqs off, a run queue locked, in the same call of sched_switch.
 */
void wp_timeline_write_stacks(struct wp_session *session, struct task_struct *prev,
			      const struct wp_leave *leave)
{
	struct wp_ring *ring = &session->cpus[smp_processor_id()]->ring;
	const struct wallprof_record *last = wp_ring_last(ring);
	struct wallprof_record *record;
	u64 time;

	if ((!leave->user_stack && !leave->kernel_stack) || !last ||
	    last->type != WALLPROF_RECORD_SWITCH || last->flags & WALLPROF_RECORD_COMES ||
	    last->tid != wp_timeline_tid(session, prev))
		return;
	time = last->time;
	record = wp_timeline_reserve(session, ring, time);
	if (unlikely(!record))
		return;
	*record = (struct wallprof_record) {
		.type = WALLPROF_RECORD_STACKS,
		.time = time,
		.user_stack = leave->user_stack,
		.kernel_stack = leave->kernel_stack,
	};
	wp_timeline_commit(session, ring);
}

/*
 * Gives back the slot of a thread that made its last switch, if no other probe does.
 * Context: irqs off.
 */
static noinline void wp_timeline_forget(struct wp_session *session,
					struct task_struct *prev)
{
	if (session->config.target != WALLPROF_TARGET_ALL &&
	    !(session->config.flags & WALLPROF_OFFCPU) &&
	    wp_tasks_free(&session->tasks, (unsigned long)prev))
		wp_target_gone(session);
}

/* Context: irqs off, a run queue locked. prev is current. */
static __always_inline void wp_timeline_sched_switch(void *data, struct task_struct *prev,
						     struct task_struct *next,
						     unsigned int state)
{
	wp_timeline_write_switch(data, prev, next, state);
	if (unlikely(wp_task_state(prev) & TASK_DEAD))
		wp_timeline_forget(data, prev);
}

WP_PROBE_SCHED_SWITCH_REPORTED(wp_timeline_probe_switch, wp_timeline_sched_switch)

/* Records an event of thread @p, caused by current. Context: irqs off. */
static __always_inline void wp_timeline_write(struct wp_session *session,
					      struct task_struct *p, u8 type, u16 cpu,
					      u16 from)
{
	u64 now = ktime_get_mono_fast_ns();
	struct wp_ring *ring = wp_timeline_ring(session, now);
	struct wallprof_record *record;

	if (!ring || !wp_timeline_wants(session, p))
		return;
	record = wp_timeline_reserve(session, ring, now);
	if (unlikely(!record))
		return;
	*record = (struct wallprof_record) {
		.type = type,
		.prio = wp_timeline_prio(p),
		.state = from,
		.cpu = cpu,
		.time = now,
		.tid = wp_timeline_tid(session, p),
		.tgid = wp_timeline_tgid(session, p),
		.other_tid = wp_timeline_tid(session, current),
		.other_tgid = wp_timeline_tgid(session, current),
	};
	wp_timeline_commit(session, ring);
}

/* Context: p->pi_lock held, irqs off; of current, preemption off, and irqs on. */
static void wp_timeline_probe_waking(void *data, struct task_struct *p)
{
	unsigned long flags;

	/* An interrupt would write to the same ring. */
	local_irq_save(flags);
	wp_timeline_write(data, p, WALLPROF_RECORD_WAKING, task_cpu(p), 0);
	local_irq_restore(flags);
}

/* Context: irqs off, the run queue locked. */
static void wp_timeline_probe_wakeup_new(void *data, struct task_struct *p)
{
	wp_timeline_write(data, p, WALLPROF_RECORD_WAKEUP_NEW, task_cpu(p), 0);
}

/* Context: irqs off, p->pi_lock or its run queue locked. */
static void wp_timeline_probe_migrate(void *data, struct task_struct *p, int cpu)
{
	wp_timeline_write(data, p, WALLPROF_RECORD_MIGRATE, cpu, task_cpu(p));
}

struct wp_probe_desc wp_timeline_probe_descs[WP_TIMELINE_PROBES] = {
	{ "sched_switch", wp_timeline_probe_switch },
	{ "sched_waking", wp_timeline_probe_waking },
	{ "sched_wakeup_new", wp_timeline_probe_wakeup_new },
	{ "sched_migrate_task", wp_timeline_probe_migrate },
};

/* The kernel's own check of the prototypes, at compile time. */
static void __maybe_unused wp_timeline_check(void)
{
	check_trace_callback_type_sched_switch(wp_timeline_probe_switch);
	check_trace_callback_type_sched_waking(wp_timeline_probe_waking);
	check_trace_callback_type_sched_wakeup_new(wp_timeline_probe_wakeup_new);
	check_trace_callback_type_sched_migrate_task(wp_timeline_probe_migrate);
}
