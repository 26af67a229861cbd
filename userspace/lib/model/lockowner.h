/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who holds the lock that a thread waits for. See lockowner.c.
 */
#ifndef WP_LIB_MODEL_LOCKOWNER_H
#define WP_LIB_MODEL_LOCKOWNER_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof_lock.h>

/**
 * struct wp_lockwait - a wait in futex(2), of the 64-bit table
 * @op: second argument of the call
 * @value: third argument
 * @timed: it ends at a time, by the fourth argument
 * @word: the lock's memory
 */
struct wp_lockwait {
	__u32 op;
	__u32 value;
	bool timed;
	__u32 word[WALLPROF_LOCK_WORDS];
};

const char *wp_lockowner_kind(unsigned int lock, const char *kind, bool local);
bool wp_lockowner_is_libc(const char *file);

#endif /* WP_LIB_MODEL_LOCKOWNER_H */
