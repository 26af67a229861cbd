// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps a CPU busy in functions that the compiler puts into others: at several depths,
 * one of them in two places of another.
 */
#include <stdint.h>
#include <time.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void innermost(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sink += i * i;
}

static inline __attribute__((always_inline)) void twice(unsigned int n)
{
	innermost(n);
	sink ^= n;
	innermost(n / 2);
}

static __attribute__((noipa)) void leaf(void)
{
	sink++;
}

/*
 * It calls a function, so it has a frame: a loaded machine may be through with this program
 * before the reader has its unwind tables, and then its stacks are of frame pointers.
 */
static __attribute__((noipa)) void middle(unsigned int n)
{
	twice(n);
	leaf();
	sink++;
}

static inline __attribute__((always_inline)) void calls(unsigned int n)
{
	middle(n);
	sink++;
}

static __attribute__((noipa)) void outermost(unsigned int n)
{
	calls(n);
	innermost(n / 3);
	sink++;
}

/* For so long that there are samples of all, also where the sampler's timer comes late. */
int main(void)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		outermost(100000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begun.tv_sec < 3);
	return 0;
}
