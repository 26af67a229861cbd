/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * wallprof: who holds the lock that a thread waits for in futex(2), by the lock's memory.
 *
 * Used by the module, when a thread leaves its CPU, and by the reader, for threads that
 * are blocked. It is of glibc's locks, and of those whose word has the owner by the
 * kernel's rule. No owner is better than a wrong one: what does not look as it should has
 * none. What looks right and is none is for the reader to find, by the stack: see
 * enum wallprof_lock.
 *
 * Sources: futex(2); glibc 2.31 to 2.41, sysdeps/nptl/bits/struct_mutex.h and
 * struct_rwlock.h of x86 and generic (arm64), 64-bit: 32-bit words, in this order:
 *
 *	pthread_mutex_t		lock, count, owner, nusers, kind
 *	pthread_rwlock_t	readers, writers, wrphase_futex, writers_futex, pad, pad,
 *				cur_writer, shared
 *
 * and nptl/pthreadP.h for the kinds, sysdeps/nptl/lowlevellock.h for the values.
 */
#ifndef _UAPI_LINUX_WALLPROF_LOCK_H
#define _UAPI_LINUX_WALLPROF_LOCK_H

#include <linux/futex.h>
#include <linux/types.h>

/* What is read of a lock: its memory from the futex's word on, in 32-bit words. */
#define WALLPROF_LOCK_WORDS	5

/**
 * enum wallprof_lock - what a lock is, by the call and its memory
 * @WALLPROF_LOCK_NONE: not known, or it has no owner that is written down
 * @WALLPROF_LOCK_MUTEX: a mutex of glibc, by FUTEX_WAIT; but any memory may look like one.
 *	It is one if the stack has a function of mutexes, or of conditions, after which a
 *	thread waits for the mutex
 * @WALLPROF_LOCK_MUTEX_TIMED: the same, by FUTEX_WAIT_BITSET: with a function of mutexes
 *	only, as a thread waits for the condition itself so
 * @WALLPROF_LOCK_ROBUST: a robust mutex of glibc
 * @WALLPROF_LOCK_PI: a mutex with priority inheritance, of any library
 * @WALLPROF_LOCK_RWLOCK: a rwlock of glibc that a writer holds, if the stack has a function
 *	of rwlocks
 * @WALLPROF_LOCK_MAX: the number of these
 */
enum wallprof_lock {
	WALLPROF_LOCK_NONE,
	WALLPROF_LOCK_MUTEX,
	WALLPROF_LOCK_MUTEX_TIMED,
	WALLPROF_LOCK_ROBUST,
	WALLPROF_LOCK_PI,
	WALLPROF_LOCK_RWLOCK,
	WALLPROF_LOCK_MAX,
};

/* The value of a low-level lock of glibc that has waiters. */
#define WALLPROF_LLL_CONTENDED	2

/* Bits of the kind of a mutex of glibc. */
#define WALLPROF_MUTEX_ROBUST	0x10
#define WALLPROF_MUTEX_PI	0x20
#define WALLPROF_MUTEX_SHARED	0x80
#define WALLPROF_MUTEX_BITS	0x3f3	/* with its type, a priority, and elision */

/* Bits of the futexes of a rwlock of glibc: a flag, and that a thread waits. */
#define WALLPROF_RWLOCK_USED	2
#define WALLPROF_RWLOCK_BITS	3

/**
 * wallprof_lock_may - whether the lock that a thread waits for may have an owner
 * @op: second argument of futex()
 * @value: third argument: what the word was when the wait began
 *
 * Decides by the call alone. So most waits need no look at the memory.
 */
static inline int wallprof_lock_may(__u32 op, __u32 value)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case 13:	/* FUTEX_LOCK_PI2, new in 5.14 */
		return 1;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return value == WALLPROF_LLL_CONTENDED || value & FUTEX_WAITERS ||
		       (value & WALLPROF_RWLOCK_USED && !(value & ~WALLPROF_RWLOCK_BITS));
	default:
		return 0;
	}
}

/* Whether the words are those of a mutex of glibc that is held. */
static inline int wallprof_lock_is_mutex(const __u32 word[WALLPROF_LOCK_WORDS])
{
	return !(word[4] & ~WALLPROF_MUTEX_BITS) && word[2] && word[3];
}

/*
 * The writer that holds a rwlock of glibc, or 0. The futex is one of two. From the first
 * on, there are the second one and two words that are 0 before the writer; from the second
 * on these two, and behind the writer whether the lock is shared, 0 or 1. Readers that
 * hold it are not written down.
 */
static inline __u32 wallprof_lock_writer(const __u32 word[WALLPROF_LOCK_WORDS])
{
	if (word[0] & ~WALLPROF_RWLOCK_BITS || !(word[0] & WALLPROF_RWLOCK_USED) || word[2])
		return 0;
	if (!word[1] && word[3])
		return word[4] <= 1 ? word[3] : 0;
	return word[1] & ~WALLPROF_RWLOCK_BITS || word[3] || word[4] == 1 ? 0 : word[4];
}

/**
 * wallprof_lock_owner - the owner of the lock that a thread waits for
 * @op: second argument of futex()
 * @value: third argument
 * @word: the lock's memory, from the futex on; of PI only the first one is looked at
 * @owner: set to the owner's thread id, in the pid namespace of the program
 * @shared: set to whether it may be a thread of another process
 *
 * Return: the kind of lock; WALLPROF_LOCK_NONE: there is no owner.
 */
static inline enum wallprof_lock wallprof_lock_owner(__u32 op, __u32 value,
						     const __u32 word[WALLPROF_LOCK_WORDS],
						     __u32 *owner, int *shared)
{
	__u32 command = op & FUTEX_CMD_MASK;

	*owner = word[0] & FUTEX_TID_MASK;
	*shared = !(op & FUTEX_PRIVATE_FLAG);
	if (!wallprof_lock_may(op, value))
		return WALLPROF_LOCK_NONE;
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return *owner ? WALLPROF_LOCK_PI : WALLPROF_LOCK_NONE;
	if (value & FUTEX_WAITERS)
		return word[0] & FUTEX_WAITERS && wallprof_lock_is_mutex(word) &&
		       word[4] & WALLPROF_MUTEX_ROBUST && word[2] == *owner ?
		       WALLPROF_LOCK_ROBUST : WALLPROF_LOCK_NONE;
	if (value == WALLPROF_LLL_CONTENDED && word[0] == value && wallprof_lock_is_mutex(word)) {
		*owner = word[2];
		if (word[4] & (WALLPROF_MUTEX_ROBUST | WALLPROF_MUTEX_PI) ||
		    *owner & ~FUTEX_TID_MASK)
			return WALLPROF_LOCK_NONE;
		return command == FUTEX_WAIT ? WALLPROF_LOCK_MUTEX : WALLPROF_LOCK_MUTEX_TIMED;
	}
	*owner = wallprof_lock_writer(word);
	return *owner && !(*owner & ~FUTEX_TID_MASK) ? WALLPROF_LOCK_RWLOCK : WALLPROF_LOCK_NONE;
}

#endif /* _UAPI_LINUX_WALLPROF_LOCK_H */
