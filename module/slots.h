/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots of threads, for the probes: found, or given to threads that have none yet. See
 * slots.c.
 */
#ifndef WALLPROF_SLOTS_H
#define WALLPROF_SLOTS_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "pure/tasks.h"
#include "state.h"

/**
 * struct wp_new_slot - a thread that is to have a slot
 * @session: the session
 * @p: the thread
 * @born: it is recorded from this time on
 * @phase: WALLPROF_TASK_RUNNING, …
 * @state: enum wallprof_state, if it is off its CPU
 * @flags: WALLPROF_TASK_FILTERED, …
 */
struct wp_new_slot {
	struct wp_session *session;
	struct task_struct *p;
	u64 born;
	u8 phase;
	u8 state;
	u16 flags;
};

struct wallprof_task *wp_slot_claim(struct wp_new_slot *new);
struct wallprof_task *wp_slot_of_prev(struct wp_session *session,
				      struct task_struct *prev,
				      u64 now);
struct wallprof_task *wp_slot_of_next(struct wp_session *session,
				      struct task_struct *next);

/* The slot of a thread that comes to a CPU, or NULL. Context: irqs off. */
static __always_inline struct wallprof_task *
wp_slot_find_next(struct wp_session *session, struct task_struct *next)
{
	struct wallprof_task *slot = wp_tasks_find(&session->tasks, (unsigned long)next);

	return likely(slot) ? slot : wp_slot_of_next(session, next);
}

#endif /* WALLPROF_SLOTS_H */
