/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_TARGETS_H
#define WALLPROF_TARGETS_H

#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat/compiler.h"
#include "compat/sched.h"
#include "pure/intervals.h"
#include "state.h"

int wp_targets_set(struct wp_session *session);
int wp_targets_claim(struct wp_session *session);
void wp_targets_look(struct wp_session *session);
bool wp_targets_match(const struct wp_session *session, struct task_struct *p);
bool wp_targets_has(struct wp_session *session, struct task_struct *p);
bool wp_targets_find_name(const struct wp_session *session, const struct task_struct *p,
			  u8 *noted);
void wp_target_born(struct wp_session *session);
bool wp_target_untracked(const struct wp_session *session, struct task_struct *p);
void wp_target_passed_over(struct wp_session *session, struct task_struct *p,
			   bool off, u64 since);
void wp_target_gone(struct wp_session *session);

/* As wp_untracked_leaves(), outside of any CPU's tables. Any context. */
static inline void wp_target_untracked_leaves(struct wp_session *session, u64 now)
{
	atomic64_inc(&session->untracked_off);
	atomic64_inc(&session->untracked_count);
	atomic64_sub(now, &session->untracked_ns);
}

/*
 * Whether targets may appear later: threads get a target's user, name or group by fork,
 * by exec and while they live.
 */
static inline bool wp_targets_may_come(const struct wp_session *session)
{
	return session->config.target == WALLPROF_TARGET_UID || session->targets_change;
}

/* Reads a thread's name. Context: RCU read side, or current. */
static __always_inline void wp_target_read_name(char name[WALLPROF_COMM_LEN],
						const struct task_struct *p)
{
	BUILD_BUG_ON(sizeof(p->comm) != WALLPROF_COMM_LEN);
	/*
	 * A name that is being written may be read as the old one, the new one or a
	 * mixture: the next switch checks again.
	 */
	data_race(memcpy(name, p->comm, WALLPROF_COMM_LEN));
}

/**
 * wp_targets_still_match - check whether a thread still matches the target options
 * @session: its targets may change
 * @p: current
 * @noted: in and out: where its name was found in the list of names, if there is one; or
 *	any other place in the list
 *
 * Does what wp_targets_match() does. A name that did not change is not searched again; and
 * current's own user is read without RCU, as only current can change it.
 *
 * Context: irqs off.
 */
static __always_inline bool wp_targets_still_match(const struct wp_session *session,
						   struct task_struct *p, u8 *noted)
{
	char name[WALLPROF_COMM_LEN];

	if (session->config.target == WALLPROF_TARGET_UID && session->user_ns == &init_user_ns)
		return wp_ids_have(&session->ids, __kuid_val(current_real_cred()->uid));
	if (session->config.target != WALLPROF_TARGET_COMM)
		return wp_targets_match(session, p);
	wp_target_read_name(name, p);
	return likely(wp_names_is(&session->names, *noted, name)) ||
	       wp_targets_find_name(session, p, noted);
}

/* A thread's id in the session's pid namespace. Context: any, NMI included. */
static __always_inline u32 wp_thread_tid(const struct wp_session *session,
					 struct task_struct *p)
{
	return likely(session->pid_ns == &init_pid_ns) ?
	       p->pid : task_pid_nr_ns(p, session->pid_ns);
}

/* Its process's id, likewise. */
static __always_inline u32 wp_thread_tgid(const struct wp_session *session,
					  struct task_struct *p)
{
	return likely(session->pid_ns == &init_pid_ns) ?
	       p->tgid : task_tgid_nr_ns(p, session->pid_ns);
}

/**
 * wp_thread_read - read what identifies a thread
 * @session: its pid namespace is that of the ids
 * @p: current, or a thread under RCU
 *
 * Context: any, NMI included.
 */
static __always_inline struct wp_thread wp_thread_read(const struct wp_session *session,
						       struct task_struct *p)
{
	return (struct wp_thread){
		.start_time = p->start_time,
		.exec_id = wp_task_exec_id(p),
		.tid = wp_thread_tid(session, p),
		.tgid = wp_thread_tgid(session, p),
	};
}

#endif /* WALLPROF_TARGETS_H */
