// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines: contexts that switch to each other from some depth.
 */
#include <stdlib.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define NR 4

static ucontext_t contexts[NR + 1];
static unsigned int current;
static volatile unsigned long sink;

NOINLINE static void next(void)
{
	unsigned int from = current, to = (current + 1) % NR;

	current = to;
	swapcontext(&contexts[from], &contexts[to]);
}

NOINLINE static unsigned long deep(unsigned int n)
{
	unsigned long r;

	if (!n) {
		next();
		return sink;
	}
	r = deep(n - 1);
	return r + n;
}

static void body(int n)
{
	for (;;)
		sink += deep(n++ % 30);
}

int main(void)
{
	volatile unsigned int i;

	for (i = 0; i < NR; i++) {
		if (getcontext(&contexts[i]))
			return 1;
		contexts[i].uc_stack.ss_size = 1 << 16;
		contexts[i].uc_stack.ss_sp = malloc(1 << 16);
		contexts[i].uc_link = &contexts[NR];
		makecontext(&contexts[i], (void (*)(void))body, 1, (int)i);
	}
	return swapcontext(&contexts[NR], &contexts[0]);
}
