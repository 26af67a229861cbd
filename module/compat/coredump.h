/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/sched/coredump.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_COREDUMP_H
#define WALLPROF_COMPAT_COREDUMP_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>

#include "features.h"

#ifdef WP_HAS_TASK_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/*
 * Whether a process may be dumped, and so be read by its user. Later kernels keep that
 * for each thread, not for the memory.
 *
 * Context: RCU read side, p->alloc_lock held; @mm is p->mm.
 */
static inline bool wp_task_is_dumpable(struct task_struct *p, struct mm_struct *mm)
{
#ifdef WP_HAS_TASK_EXEC_STATE
	const struct task_exec_state *state = rcu_dereference(p->exec_state);

	return state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
#else
	return get_dumpable(mm) == 1;	/* SUID_DUMP_USER */
#endif
}

/*
 * The user namespace in which the thread's program was executed. Context: as above.
 */
static inline struct user_namespace *wp_task_exec_user_ns(struct task_struct *p,
							  struct mm_struct *mm)
{
#ifdef WP_HAS_TASK_EXEC_STATE
	const struct task_exec_state *state = rcu_dereference(p->exec_state);

	return state ? state->user_ns : &init_user_ns;
#else
	return mm->user_ns;
#endif
}

#endif /* WALLPROF_COMPAT_COREDUMP_H */
