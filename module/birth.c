// SPDX-License-Identifier: GPL-2.0
/*
 * Birth of slots: gives a thread its slot when a probe meets it first.
 *
 * Called by the probes, with interrupts off and maybe a run queue or a thread's pi_lock
 * locked. The only lock taken here is the task table's, a raw one.
 */
#include "birth.h"
#include "pure/intervals.h"
#include "reasons.h"
#include "targets.h"

/* Fills a slot. See wp_tasks_claim(). */
static void wp_birth_init(struct wallprof_task *slot, void *arg)
{
	struct wp_birth *birth = arg;
	struct wp_thread thread;

	thread = wp_thread_read(birth->session, birth->p);
	wp_interval_begin(slot, &thread, birth->phase, birth->state, birth->born);
	slot->flags |= birth->flags;
	if (birth->phase == WALLPROF_TASK_UNSEEN) {
		wp_session_assume_woken(birth->session, slot);
		wp_reason_blocked(birth->session, slot, birth->p);
	}
	if (birth->state == WALLPROF_STATE_NEW &&
	    birth->session->config.flags & WALLPROF_REASONS)
		slot->reason = WALLPROF_REASON_NEW;
	wp_target_born(birth->session);
}

/**
 * wp_birth_claim - give a thread a slot
 * @birth: the thread, and the slot's first values
 *
 * Context: irqs off.
 * Return: the slot, or NULL if there is no room.
 */
struct wallprof_task *wp_birth_claim(struct wp_birth *birth)
{
	struct wp_session *session = birth->session;
	struct wallprof_task *slot;
	bool found;

	slot = wp_tasks_claim(&session->tasks, (unsigned long)birth->p,
			      wp_birth_init, birth, &found);
	if (!slot && !READ_ONCE(session->passed_over))
		WRITE_ONCE(session->passed_over, true);
	return slot;
}

/*
 * Gives a slot to a thread that leaves a CPU, if it has become a target. Context: irqs
 * off.
 */
static struct wallprof_task *wp_birth_joins(struct wp_session *session,
					    struct task_struct *prev, u64 now)
{
	struct wp_birth birth = {
		.session = session,
		.p = prev,
		.born = now,
		.phase = WALLPROF_TASK_RUNNING,
	};
	struct wallprof_task *slot;

	if (wp_task_state(prev) & TASK_DEAD || !wp_targets_match(session, prev))
		return NULL;
	slot = wp_birth_claim(&birth);
	if (!slot)
		wp_target_passed_over(session, prev, false, now);
	return slot;
}

/**
 * wp_birth_of_prev - give a slot to a thread that leaves a CPU and has none
 * @session: the session
 * @prev: the thread
 * @now: the time
 *
 * Context: irqs off.
 * Return: the slot; NULL if it is to have none.
 */
struct wallprof_task *wp_birth_of_prev(struct wp_session *session,
				       struct task_struct *prev,
				       u64 now)
{
	struct wp_birth birth = {
		.session = session,
		.p = prev,
		.phase = WALLPROF_TASK_RUNNING,
	};

	if (session->targets_change)
		return wp_birth_joins(session, prev, now);
	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over))
		return NULL;
	/* Not seen before: it has run since START, or since its birth. */
	birth.born = max(session->start, prev->start_time);
	return wp_birth_claim(&birth);
}

/**
 * wp_birth_of_next - give a slot to a thread that comes to a CPU and has none
 * @session: the session
 * @next: the thread
 *
 * Context: irqs off.
 * Return: the slot; NULL if it is to have none.
 */
struct wallprof_task *wp_birth_of_next(struct wp_session *session,
				       struct task_struct *next)
{
	struct wp_birth birth = {
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
		birth.born = next->start_time;
		birth.phase = WALLPROF_TASK_OFF;
		birth.state = WALLPROF_STATE_NEW;
		if (!(session->config.states & BIT(WALLPROF_STATE_NEW)))
			birth.flags = WALLPROF_TASK_FILTERED;
	}
	return wp_birth_claim(&birth);
}
