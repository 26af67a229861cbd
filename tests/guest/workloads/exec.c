// SPDX-License-Identifier: GPL-2.0
/*
 * An exec in the middle: the same process waits before it and after it, in
 * functions of different names that lie at the same address. The two programs
 * are built from this file, linked at a fixed address: who mixes what was
 * before with what is after names the wrong function.
 *
 *	exec-before TRUTH PATH-OF-EXEC-AFTER
 *	exec-after TRUTH
 */
#include <stdio.h>
#include <unistd.h>

#include "truth.h"

#ifdef AFTER
#define NAME(what) after_ ## what
#define STACK "after_nap;after_root;rooted"
#define NAPS 5
#else
#define NAME(what) before_ ## what
#define STACK "before_nap;before_root;rooted"
#define NAPS 8
#endif

static volatile int naps = NAPS;	/* not to be unrolled: same code, too */

#define PLACED FRAME __attribute__((section(".placed")))

static PLACED void NAME(nap)(struct truth *t)
{
	wait_begins(t);
	raw_sleep(40 * MS);
	wait_ends(t);
}

static PLACED void NAME(root)(void *arg)
{
	struct truth *t = truth_row("exec", "S", STACK);

	for (int i = 0; i < naps; i++)
		NAME(nap)(t);
	(void)arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	rooted(NAME(root), NULL);
	truth_write(argv[1]);
	if (argc > 2) {
		execl(argv[2], argv[2], argv[1], (char *)NULL);
		perror(argv[2]);
		return 1;
	}
	return 0;
}
