// SPDX-License-Identifier: GPL-2.0
/* nanosleep: the simplest wait. */
#include "kinds.h"
#include "truth.h"

#define NAPS 10

static FRAME void nap_inner(struct truth *t)
{
	wait_begins(t);
	raw_sleep(40 * MS);
	wait_ends(t);
}

static FRAME void nap_outer(struct truth *t)
{
	nap_inner(t);
}

/* The same leaf from another caller: another stack. */
static FRAME void nap_other(struct truth *t)
{
	nap_inner(t);
}

static FRAME void nap_root(void *arg)
{
	struct truth *outer = truth_row("nap", "S",
					"nap_inner;nap_outer;nap_root;rooted");
	struct truth *other = truth_row("nap", "S",
					"nap_inner;nap_other;nap_root;rooted");

	for (int i = 0; i < NAPS; i++) {
		nap_outer(outer);
		if (i % 2)
			nap_other(other);
	}
	(void)arg;
}

void kind_nap(void)
{
	rooted(nap_root, NULL);
}
