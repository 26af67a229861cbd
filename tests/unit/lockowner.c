// SPDX-License-Identifier: GPL-2.0
/* Tests of who holds a lock, by what is in its memory. */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/lockowner.h"
#include "tap.h"

#define PRIVATE	FUTEX_PRIVATE_FLAG
#define TIMED	(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME | PRIVATE)
#define WAIT	(FUTEX_WAIT | PRIVATE)
#define WAITERS	FUTEX_WAITERS

/* A wait, and what its stack says. */
struct wait {
	const char *kind;
	bool local;
	__u32 op;
	__u32 value;
	__u32 word[WALLPROF_LOCK_WORDS];
};

struct owner {
	const char *kind;
	__u32 tid;
	int shared;
};

static bool find(const struct wait *w, struct owner *owner)
{
	enum wallprof_lock lock = wallprof_lock_owner(w->op, w->value, w->word, &owner->tid,
						      &owner->shared);

	owner->kind = wp_lockowner_kind(lock, w->kind, w->local);
	return owner->kind;
}

static void check(const char *what, struct wait w, const char *kind, __u32 tid, bool shared)
{
	struct owner owner;
	bool found = find(&w, &owner);

	ok(found == !!kind && (!kind || (!strcmp(owner.kind, kind) && owner.tid == tid &&
					 owner.shared == shared)),
	   "%s: %s%s%u", what, found ? owner.kind : "no owner", found ? " of " : "",
	   found ? owner.tid : 0);
}

static void mutexes(void)
{
	check("a normal mutex", (struct wait){ "mutex", false, WAIT, 2, { 2, 0, 7, 1, 0 } },
	      "mutex", 7, false);
	check("a recursive one", (struct wait){ "mutex", false, WAIT, 2, { 2, 3, 7, 1, 1 } },
	      "mutex", 7, false);
	check("an adaptive one", (struct wait){ "mutex", false, WAIT, 2, { 2, 0, 7, 9, 3 } },
	      "mutex", 7, false);
	check("without elision",
	      (struct wait){ "mutex", false, WAIT, 2, { 2, 0, 7, 1, 0x200 } },
	      "mutex", 7, false);
	check("by time", (struct wait){ "mutex", false, TIMED, 2, { 2, 0, 7, 1, 0 } },
	      "mutex", 7, false);
	check("by time, in a function without a name",
	      (struct wait){ NULL, true, TIMED, 2, { 2, 0, 7, 1, 0 } }, "mutex", 7, false);
	check("of several processes",
	      (struct wait){ "mutex", false, FUTEX_WAIT, 2, { 2, 0, 7, 1, 0x80 } },
	      "mutex", 7, true);
	check("behind a condition",
	      (struct wait){ "condition", false, WAIT, 2, { 2, 0, 7, 1, 0 } },
	      "mutex", 7, false);
	check("a robust one",
	      (struct wait){ NULL, false, WAIT, WAITERS | 7, { WAITERS | 7, 0, 7, 1, 0x10 } },
	      "mutex", 7, false);
	check("a PI mutex of any library",
	      (struct wait){ NULL, false, FUTEX_LOCK_PI | PRIVATE, 0, { WAITERS | 7 } },
	      "PI mutex", 7, false);
	check("by FUTEX_LOCK_PI2, shared",
	      (struct wait){ NULL, false, FUTEX_LOCK_PI2, 0, { 7 } }, "PI mutex", 7, true);
}

static void no_mutexes(void)
{
	check("a PI mutex that is free",
	      (struct wait){ NULL, false, FUTEX_LOCK_PI | PRIVATE, 0, { WAITERS } },
	      NULL, 0, false);
	check("a condition", (struct wait){ "condition", false, TIMED, 2, { 2, 0, 7, 1, 0 } },
	      NULL, 0, false);
	check("a semaphore", (struct wait){ "semaphore", true, WAIT, 2, { 2, 0, 7, 1, 0 } },
	      NULL, 0, false);
	check("a program's own lock", (struct wait){ NULL, false, WAIT, 2, { 2, 0, 7, 1, 0 } },
	      NULL, 0, false);
	check("one that is being unlocked",
	      (struct wait){ "mutex", false, WAIT, 2, { 0, 0, 7, 1, 0 } }, NULL, 0, false);
	check("one between two owners",
	      (struct wait){ "mutex", false, WAIT, 2, { 2, 0, 0, 1, 0 } }, NULL, 0, false);
	check("of a kind that there is not",
	      (struct wait){ "mutex", false, WAIT, 2, { 2, 0, 7, 1, 0x1000 } },
	      NULL, 0, false);
	check("of malloc()", (struct wait){ NULL, true, WAIT, 2, { 2, 0, 1, 0, 0x55 } },
	      NULL, 0, false);
	check("of musl, normal",
	      (struct wait){ "mutex", false, WAIT, WAITERS | 16, { WAITERS | 16, 1, 0, 0, 0 } },
	      NULL, 0, false);
	check("a robust one whose words differ",
	      (struct wait){ "mutex", false, WAIT, WAITERS | 7, { WAITERS | 7, 0, 8, 1, 0x10 } },
	      NULL, 0, false);
	check("a wake-up", (struct wait){ "mutex", false, FUTEX_WAKE, 2, { 2, 0, 7, 1, 0 } },
	      NULL, 0, false);
}

static void rwlocks(void)
{
	check("a rwlock, for its reader",
	      (struct wait){ "rwlock", false, TIMED, 3, { 3, 1, 0, 0, 7 } },
	      "rwlock", 7, false);
	check("for its writer", (struct wait){ "rwlock", false, TIMED, 3, { 3, 0, 0, 7, 0 } },
	      "rwlock", 7, false);
	check("for its writer, shared",
	      (struct wait){ "rwlock", false, FUTEX_WAIT_BITSET, 3, { 3, 0, 0, 7, 1 } },
	      "rwlock", 7, true);
	check("held by readers", (struct wait){ "rwlock", false, TIMED, 3, { 3, 1, 0, 0, 0 } },
	      NULL, 0, false);
	check("held by readers, shared",
	      (struct wait){ "rwlock", false, FUTEX_WAIT_BITSET, 3, { 3, 0, 0, 0, 1 } },
	      NULL, 0, false);
	check("of other words", (struct wait){ "rwlock", false, TIMED, 3, { 3, 9, 5, 7, 7 } },
	      NULL, 0, false);
}

/* Whatever the memory holds, an owner is a number that a thread can have. */
static void anything(void)
{
	static const char *const kinds[] = { NULL, "mutex", "rwlock", "condition", "semaphore" };
	unsigned int i, n, bad = 0, found = 0;
	struct owner owner;

	srand(1);
	for (i = 0; i < 1000000; i++) {
		struct wait w = {
			.kind = kinds[rand() % 5], .local = rand() % 2, .op = rand() % 16 | PRIVATE,
			.value = rand() % 4 ? 2U : (__u32)rand() | WAITERS,
		};

		for (n = 0; n < WALLPROF_LOCK_WORDS; n++)
			w.word[n] = (__u32)rand() % (rand() % 2 ? 4 : ~0U);
		if (!find(&w, &owner))
			continue;
		found++;
		bad += !owner.tid || owner.tid > FUTEX_TID_MASK || !owner.kind;
	}
	ok(found && !bad, "any words: %u of %u owners are impossible", bad, found);
}

int main(void)
{
	mutexes();
	no_mutexes();
	rwlocks();
	anything();
	return done();
}
