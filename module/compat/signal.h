/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/sched/signal.h: the lock that keeps a process from an exec. */
#ifndef WALLPROF_COMPAT_SIGNAL_H
#define WALLPROF_COMPAT_SIGNAL_H

#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>

#include "features.h"

/*
 * While it is held, the credentials of a process are those of the program that its memory
 * belongs to. Without exec_update_lock there is only the lock of the whole exec, from
 * before the new program is read; ptrace and readers of /proc have it for a moment, too.
 * Does not wait.
 */
static inline bool wp_exec_trylock(struct signal_struct *signal)
{
#ifdef WP_HAS_EXEC_UPDATE_LOCK
	return down_read_trylock(&signal->exec_update_lock);
#else
	return mutex_trylock(&signal->cred_guard_mutex);
#endif
}

static inline void wp_exec_unlock(struct signal_struct *signal)
{
#ifdef WP_HAS_EXEC_UPDATE_LOCK
	up_read(&signal->exec_update_lock);
#else
	mutex_unlock(&signal->cred_guard_mutex);
#endif
}

#endif /* WALLPROF_COMPAT_SIGNAL_H */
