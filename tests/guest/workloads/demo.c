// SPDX-License-Identifier: GPL-2.0
/* A medley, for a person: some five seconds of everything that is quick. */
#include <stdio.h>

#include "kinds.h"
#include "truth.h"

static const struct {
	void (*run)(void);
	const char *words;
} parts[] = {
	{ kind_nap, "naps by nanosleep, from two callers" },
	{ kind_futex, "two threads hand a futex to and fro" },
	{ kind_vfork, "waits uninterruptibly (D) for a vfork child" },
	{ kind_rivals, "two threads spin on one CPU and preempt each other" },
};

void kind_demo(void)
{
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		printf("waits: %s\n", parts[i].words);
		fflush(stdout);
		parts[i].run();
	}
	puts("waits: this is what it did, by its own clock:");
}
