// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds the lock that a thread waits for. uapi/linux/wallprof_lock.h finds the owner
 * by the lock's memory; this file owns whether the thread's stack agrees. Any memory can
 * look like a lock, and no owner is better than a wrong one.
 *
 * Pure: no I/O, no clock.
 */
#include <string.h>

#include "lib/model/lockowner.h"

static bool is(const char *kind, const char *wanted)
{
	return kind && !strcmp(kind, wanted);
}

/**
 * wp_lockowner_is_libc() - whether a file may be glibc
 * @file: its name, without its directory
 *
 * Return: true if it may. Some versions have threads in a library apart.
 */
bool wp_lockowner_is_libc(const char *file)
{
	return !strncmp(file, "libc.so.", 8) || !strncmp(file, "libc-2", 6) ||
	       !strncmp(file, "libpthread", 10);
}

/**
 * wp_lockowner_kind() - the kind of a lock that has an owner
 * @lock: enum wallprof_lock
 * @kind: the kind by the functions of the stack, from wp_waitwhere_kind(); or NULL
 * @local: the innermost function of the stack is one of glibc, without a name
 *
 * Some functions of mutexes jump to ones that a stripped library has no names of. Others
 * that wait in those, as malloc(), have locks with other words.
 *
 * Return: "mutex", "PI mutex", "rwlock"; NULL: the stack does not agree.
 */
const char *wp_lockowner_kind(unsigned int lock, const char *kind, bool local)
{
	bool mutex = is(kind, "mutex") || (!kind && local);

	switch (lock) {
	case WALLPROF_LOCK_MUTEX:
		return mutex || is(kind, "condition") ? "mutex" : NULL;
	case WALLPROF_LOCK_MUTEX_TIMED:
		return mutex ? "mutex" : NULL;
	case WALLPROF_LOCK_ROBUST:
		return !kind || is(kind, "mutex") || is(kind, "condition") ? "mutex" : NULL;
	case WALLPROF_LOCK_PI:
		return "PI mutex";
	case WALLPROF_LOCK_RWLOCK:
		return is(kind, "rwlock") ? "rwlock" : NULL;
	default:
		return NULL;
	}
}
