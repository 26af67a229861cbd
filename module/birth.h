/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Birth of slots, for the probes: threads that have no slot yet. See birth.c.
 */
#ifndef WALLPROF_BIRTH_H
#define WALLPROF_BIRTH_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "pure/tasks.h"
#include "state.h"

/**
 * struct wp_birth - a thread that is to have a slot
 * @session: the session
 * @p: the thread
 * @born: it is recorded from this time on
 * @phase: WALLPROF_TASK_RUNNING, …
 * @state: enum wallprof_state, if it is off its CPU
 * @flags: WALLPROF_TASK_FILTERED, …
 */
struct wp_birth {
	struct wp_session *session;
	struct task_struct *p;
	u64 born;
	u8 phase;
	u8 state;
	u16 flags;
};

struct wallprof_task *wp_birth_claim(struct wp_birth *birth);
struct wallprof_task *wp_birth_of_prev(struct wp_session *session,
				       struct task_struct *prev,
				       u64 now);
struct wallprof_task *wp_birth_of_next(struct wp_session *session,
				       struct task_struct *next);

/* The slot of a thread that comes to a CPU, or NULL. Context: irqs off. */
static __always_inline struct wallprof_task *
wp_birth_find_next(struct wp_session *session, struct task_struct *next)
{
	struct wallprof_task *slot = wp_tasks_find(&session->tasks, (unsigned long)next);

	return likely(slot) ? slot : wp_birth_of_next(session, next);
}

#endif /* WALLPROF_BIRTH_H */
