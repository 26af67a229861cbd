// SPDX-License-Identifier: GPL-2.0
/*
 * Recursion to a depth that is recorded whole, and to one that is not. The
 * truth's stack begins with the same frames; "deep_turn*N" is N of them.
 */
#include "kinds.h"
#include "truth.h"

static FRAME void deep_nap(struct truth *t)
{
	wait_begins(t);
	raw_sleep(40 * MS);
	wait_ends(t);
}

static FRAME void deep_turn(struct truth *t, int left)
{
	if (left > 1)
		deep_turn(t, left - 1);
	else
		deep_nap(t);
}

static FRAME void deep_root(void *arg)
{
	struct truth *shallow = truth_row("deep", "S",
					  "deep_nap;deep_turn*20;deep_root;rooted");
	struct truth *deep = truth_row("deep", "S",
				       "deep_nap;deep_turn*300;deep_root;rooted");

	for (int i = 0; i < 6; i++) {
		deep_turn(shallow, 20);
		deep_turn(deep, 300);
	}
	(void)arg;
}

void kind_deep(void)
{
	rooted(deep_root, NULL);
}
