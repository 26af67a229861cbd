// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of threads in the task table: gives a thread its slot at its first event.
 *
 * Called by the probes, with interrupts off and maybe a run queue or a thread's pi_lock
 * locked. The only lock taken here is the task table's, a raw one.
 */
#include "pure/intervals.h"
#include "reasons.h"
#include "slots.h"
#include "targets.h"

/* Fills a slot. See wp_tasks_claim(). */
static void wp_slot_init(struct wallprof_task *slot, void *arg)
{
	struct wp_new_slot *new = arg;
	struct wp_thread thread;

	thread = wp_thread_read(new->session, new->p);
	wp_interval_begin(slot, &thread, new->phase, new->state, new->born);
	slot->flags |= new->flags;
	if (new->phase == WALLPROF_TASK_UNSEEN) {
		wp_session_assume_woken(new->session, slot);
		wp_reason_blocked(new->session, slot, new->p);
	}
	if (new->state == WALLPROF_STATE_NEW &&
	    new->session->config.flags & WALLPROF_REASONS)
		slot->reason = WALLPROF_REASON_NEW;
	wp_target_born(new->session);
}

/**
 * wp_slot_claim - give a thread a slot
 * @new: the thread, and the slot's first values
 *
 * Context: irqs off.
 * Return: the slot, or NULL if there is no room.
 */
struct wallprof_task *wp_slot_claim(struct wp_new_slot *new)
{
	struct wp_session *session = new->session;
	struct wallprof_task *slot;
	bool found;

	slot = wp_tasks_claim(&session->tasks, (unsigned long)new->p,
			      wp_slot_init, new, &found);
	if (!slot && !READ_ONCE(session->passed_over))
		WRITE_ONCE(session->passed_over, true);
	return slot;
}

/*
 * Gives a slot to a thread that leaves a CPU, if it has become a target. Context: irqs
 * off.
 */
static struct wallprof_task *wp_slot_joins(struct wp_session *session,
					   struct task_struct *prev, u64 now)
{
	struct wp_new_slot new = {
		.session = session,
		.p = prev,
		.born = now,
		.phase = WALLPROF_TASK_RUNNING,
	};
	struct wallprof_task *slot;

	if (wp_task_state(prev) & TASK_DEAD || !wp_targets_match(session, prev))
		return NULL;
	slot = wp_slot_claim(&new);
	if (!slot)
		wp_target_passed_over(session, prev, false, now);
	return slot;
}

/**
 * wp_slot_of_prev - give a slot to a thread that leaves a CPU and has none
 * @session: the session
 * @prev: the thread
 * @now: the time
 *
 * Context: irqs off.
 * Return: the slot; NULL if it is to have none.
 */
struct wallprof_task *wp_slot_of_prev(struct wp_session *session,
				      struct task_struct *prev,
				      u64 now)
{
	struct wp_new_slot new = {
		.session = session,
		.p = prev,
		.phase = WALLPROF_TASK_RUNNING,
	};

	if (session->targets_change)
		return wp_slot_joins(session, prev, now);
	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over))
		return NULL;
	/* Not seen before: it has run since START, or since its birth. */
	new.born = max(session->start, prev->start_time);
	return wp_slot_claim(&new);
}

/**
 * wp_slot_of_next - give a slot to a thread that comes to a CPU and has none
 * @session: the session
 * @next: the thread
 *
 * Context: irqs off.
 * Return: the slot; NULL if it is to have none.
 */
struct wallprof_task *wp_slot_of_next(struct wp_session *session,
				      struct task_struct *next)
{
	struct wp_new_slot new = {
		.session = session,
		.p = next,
		.phase = WALLPROF_TASK_UNSEEN,
		.state = WALLPROF_STATE_UNKNOWN,
		.born = session->start,
	};

	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over))
		return NULL;
	/* START's walk has not reached it yet, or its fork was before START's time. */
	if (next->start_time > session->start) {
		new.born = next->start_time;
		new.phase = WALLPROF_TASK_OFF;
		new.state = WALLPROF_STATE_NEW;
		if (!(session->config.states & BIT(WALLPROF_STATE_NEW)))
			new.flags = WALLPROF_TASK_FILTERED;
	}
	return wp_slot_claim(&new);
}
