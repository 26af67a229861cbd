// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds the lock that a thread waits for.
 *
 * This file owns what locks look like in memory: those of glibc, and those whose word has
 * the owner by the kernel's rule. No owner is better than a wrong one: a lock of another
 * library, a condition variable or a semaphore has none, nor has a lock whose words do
 * not look as they should.
 *
 * Sources: futex(2); glibc 2.31 to 2.41, sysdeps/nptl/bits/struct_mutex.h and
 * struct_rwlock.h of x86 and generic (arm64), 64-bit: 32-bit words, in this order:
 *
 *	pthread_mutex_t		lock, count, owner, nusers, kind
 *	pthread_rwlock_t	readers, writers, wrphase_futex, writers_futex, pad, pad,
 *				cur_writer, shared
 *
 * and nptl/pthreadP.h for the kinds, sysdeps/nptl/lowlevellock.h for the values.
 *
 * Pure: no I/O, no clock.
 */
#include <linux/futex.h>
#include <string.h>

#include "lib/model/lockowner.h"

/* A low-level lock of glibc that has waiters. */
#define LLL_CONTENDED	2

/* Bits of a mutex's kind. */
#define MUTEX_TYPE	0x03
#define MUTEX_ROBUST	0x10
#define MUTEX_PI	0x20
#define MUTEX_PROTECT	0x40
#define MUTEX_SHARED	0x80
#define MUTEX_ELISION	0x300
#define MUTEX_BITS	(MUTEX_TYPE | MUTEX_ROBUST | MUTEX_PI | MUTEX_PROTECT | \
			 MUTEX_SHARED | MUTEX_ELISION)

/* Bit of a rwlock's futexes: a thread waits. The other one is a flag. */
#define RWLOCK_USED	2
#define RWLOCK_BITS	3

/* Words from a mutex's first one, which is the futex. */
enum { OWNER = 2, NUSERS, KIND };

/* Words from a rwlock's two futexes to the writer. */
enum { WRITER_FROM_WRITERS = 3, WRITER_FROM_PHASE };

static bool is_kind(const struct wp_lockwait *w, const char *kind)
{
	return w->kind && !strcmp(w->kind, kind);
}

static bool set(struct wp_lockowner *owner, const char *kind, __u32 tid, bool shared)
{
	*owner = (struct wp_lockowner){ .kind = kind, .tid = tid & FUTEX_TID_MASK,
					.shared = shared };
	return owner->tid;
}

/* Whether the words are those of a glibc mutex that is held. */
static bool is_mutex(const struct wp_lockwait *w)
{
	__u32 kind = w->word[KIND];

	return !(kind & ~MUTEX_BITS) && w->word[OWNER] && w->word[NUSERS];
}

/*
 * The kernel writes the owner into the word, by the rule of PI futexes, whatever the
 * library is.
 */
static bool find_pi(const struct wp_lockwait *w, struct wp_lockowner *owner)
{
	return set(owner, "PI mutex", w->word[0], !(w->op & FUTEX_PRIVATE_FLAG));
}

/* The word of a robust mutex is its owner, and its waiters wait for a change of it. */
static bool find_robust(const struct wp_lockwait *w, struct wp_lockowner *owner)
{
	__u32 tid = w->word[0] & FUTEX_TID_MASK;

	if (!(w->word[0] & FUTEX_WAITERS) || !is_mutex(w) || !(w->word[KIND] & MUTEX_ROBUST) ||
	    w->word[OWNER] != tid)
		return false;
	return set(owner, "mutex", tid, w->word[KIND] & MUTEX_SHARED);
}

static bool find_mutex(const struct wp_lockwait *w, struct wp_lockowner *owner)
{
	if (w->word[0] != LLL_CONTENDED || !is_mutex(w) ||
	    w->word[KIND] & (MUTEX_ROBUST | MUTEX_PI))
		return false;
	return set(owner, "mutex", w->word[OWNER], w->word[KIND] & MUTEX_SHARED);
}

/*
 * The futex is one of two. From the first, the words to the writer are the second futex
 * and two that are unused; from the second, the two that are unused. Readers that hold
 * the lock are not written down anywhere.
 */
static bool find_rwlock(const struct wp_lockwait *w, struct wp_lockowner *owner)
{
	bool shared = !(w->op & FUTEX_PRIVATE_FLAG);

	if (w->word[0] & ~RWLOCK_BITS || !(w->word[0] & RWLOCK_USED) || w->word[2])
		return false;
	if (!w->word[1] && w->word[WRITER_FROM_WRITERS])
		return w->word[WRITER_FROM_PHASE] <= 1 &&
		       set(owner, "rwlock", w->word[WRITER_FROM_WRITERS], shared);
	if (w->word[1] & ~RWLOCK_BITS || w->word[3])
		return false;
	/* Behind the writer of the second futex is whether the lock is shared: 0 or 1. */
	return w->word[WRITER_FROM_PHASE] > 1 &&
	       set(owner, "rwlock", w->word[WRITER_FROM_PHASE], shared);
}

/**
 * wp_lockowner_find() - find the owner of the lock that a thread waits for
 * @w: the wait
 * @owner: set to the owner; the caller checks that there is such a thread
 *
 * A normal, recursive, errorcheck or adaptive mutex has the same words as any memory may
 * have, so it is one only if the stack says so: by pthread_mutex_lock() or the like, or,
 * since some of these jump to functions that a stripped library has no names of, by being
 * in such a one. Others that wait in those, as malloc(), have other words. A thread that
 * waits for a condition variable waits for that by FUTEX_WAIT_BITSET, and then for the
 * mutex by FUTEX_WAIT.
 *
 * Return: whether it has one that is known.
 */
bool wp_lockowner_find(const struct wp_lockwait *w, struct wp_lockowner *owner)
{
	__u32 op = w->op & FUTEX_CMD_MASK;

	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
		return find_pi(w, owner);
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return false;
	if (is_kind(w, "rwlock"))
		return find_rwlock(w, owner);
	if (w->kind && !is_kind(w, "mutex") && !(is_kind(w, "condition") && op == FUTEX_WAIT))
		return false;
	if (w->value & FUTEX_WAITERS)
		return find_robust(w, owner);
	return (w->kind || w->local) && w->value == LLL_CONTENDED && find_mutex(w, owner);
}
