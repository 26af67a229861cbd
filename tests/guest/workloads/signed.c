// SPDX-License-Identifier: GPL-2.0
/*
 * For arm64 with pointer authentication: all return addresses on this stack
 * are signed (-mbranch-protection), and it waits and runs there.
 *
 *	signed TRUTH
 *
 * Prints how many of them have a signature other than 0: none without pointer
 * authentication, and all but about one in 128 with it.
 */
#include <stdio.h>

#include "truth.h"

#define DEPTH 32
#define STACK "signed_deep*32;signed_root;rooted"

static FRAME void signed_nap(struct truth *t)
{
	wait_begins(t);
	raw_sleep(100 * MS);
	wait_ends(t);
}

static FRAME void signed_spin(void)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 2 * SEC;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (volatile unsigned int i = 0; i < 1000000; i++)
			;
}

static FRAME void signed_count(void)
{
	unsigned long **frame = __builtin_frame_address(0);
	unsigned int nr = 0, all = 0;

	for (; frame; frame = (unsigned long **)frame[0], all++)
		nr += (unsigned long)frame[1] >> 48 != 0;
	printf("signed: %u of %u return addresses\n", nr, all);
	fflush(stdout);
}

static FRAME void signed_deep(struct truth *t, int depth)
{
	if (depth > 1) {
		signed_deep(t, depth - 1);
	} else {
		signed_count();
		for (int i = 0; i < 8; i++)
			signed_nap(t);
		signed_spin();
	}
	__asm__ volatile("");
}

static FRAME void signed_root(void *arg)
{
	signed_deep(truth_row("signed", "S", "signed_nap;" STACK), DEPTH);
	(void)arg;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	rooted(signed_root, NULL);
	truth_write(argv[1]);
	return 0;
}
