/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who holds the lock that a thread waits for. See lockowner.c.
 */
#ifndef WP_LIB_MODEL_LOCKOWNER_H
#define WP_LIB_MODEL_LOCKOWNER_H

#include <stdbool.h>
#include <linux/types.h>

/* What is read of a lock: its memory from the futex's word on, in 32-bit words. */
#define WP_LOCKOWNER_WORDS	5

/**
 * struct wp_lockwait - a wait in futex(2), of the 64-bit table
 * @kind: kind of lock by the functions of the stack, from wp_waitwhere_kind(); or NULL
 * @local: the innermost function is one of glibc that has no name
 * @op: second argument of the call
 * @value: third argument: what the word was when the wait began
 * @word: the words
 */
struct wp_lockwait {
	const char *kind;
	bool local;
	__u32 op;
	__u32 value;
	__u32 word[WP_LOCKOWNER_WORDS];
};

/**
 * struct wp_lockowner - a lock that has an owner
 * @kind: "mutex", "PI mutex", "rwlock"
 * @tid: the owner, in the pid namespace of the process that waits
 * @shared: it may be a thread of another process
 */
struct wp_lockowner {
	const char *kind;
	__u32 tid;
	bool shared;
};

bool wp_lockowner_find(const struct wp_lockwait *w, struct wp_lockowner *owner);

#endif /* WP_LIB_MODEL_LOCKOWNER_H */
