// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that runs: three times as long in one function as in another.
 *
 *	spin ROUNDS
 */
#include <stdlib.h>

#include "truth.h"

static int rounds;

static FRAME void spin_more(void)
{
	for (volatile unsigned int i = 0; i < 30000; i++)
		;
}

static FRAME void spin_less(void)
{
	for (volatile unsigned int i = 0; i < 10000; i++)
		;
}

static FRAME void spin_root(void *arg)
{
	while (rounds--) {
		spin_more();
		spin_less();
	}
	(void)arg;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	rounds = atoi(argv[1]);
	rooted(spin_root, NULL);
	return 0;
}
