// SPDX-License-Identifier: GPL-2.0
/*
 * A lock that alternates between two threads: the one that has it sleeps
 * and releases it, while the other waits for it.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>

#include "kinds.h"
#include "truth.h"

#define TURNS 8
#define HOLD (30 * MS)

static _Atomic unsigned int turn;	/* even: the first one's */

static FRAME void futex_inner(struct truth *t, unsigned int mine)
{
	unsigned int now;

	wait_begins(t);
	while ((now = atomic_load(&turn)) != mine)
		raw(SYS_futex, (long)&turn, FUTEX_WAIT_PRIVATE, now, 0, 0);
	wait_ends(t);
}

static FRAME void futex_outer(struct truth *t, unsigned int mine)
{
	futex_inner(t, mine);
}

static FRAME void futex_hold(struct truth *t)
{
	wait_begins(t);
	raw_sleep(HOLD);
	wait_ends(t);
}

static FRAME void futex_root(void *arg)
{
	unsigned int mine = (unsigned long)arg;
	struct truth *wait = truth_row("futex", "S",
				       "futex_inner;futex_outer;futex_root;rooted");
	struct truth *hold = truth_row("futex", "S",
				       "futex_hold;futex_root;rooted");

	for (; mine < 2 * TURNS; mine += 2) {
		if (mine)
			futex_outer(wait, mine);
		futex_hold(hold);
		atomic_store(&turn, mine + 1);
		raw(SYS_futex, (long)&turn, FUTEX_WAKE_PRIVATE, 1, 0, 0);
	}
}

static void *futex_thread(void *arg)
{
	rooted(futex_root, arg);
	return NULL;
}

void kind_futex(void)
{
	pthread_t second;

	atomic_store(&turn, 0);
	pthread_create(&second, NULL, futex_thread, (void *)1);
	futex_thread((void *)0);
	pthread_join(second, NULL);
}
