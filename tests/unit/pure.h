/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the module's pure parts share: cases, expectations, TAP
 * and numbers that are random but the same in every run.
 *
 * A case is a function; it passes if none of its expectations failed, and goes
 * on after one that did. PURE_SEED in the environment sets another seed.
 */
#ifndef UNIT_PURE_H
#define UNIT_PURE_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/types.h>

#include "tap.h"

#define PURE_SHOWN 10 /* failed expectations of a case that are printed */

struct pure_case {
	const char *name;
	void (*run)(void);
};

static unsigned int pure_failed;
static u64 pure_state;

static inline u64 pure_random(void)
{
	u64 z = pure_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* 0 to @n - 1. */
static inline u32 pure_below(u32 n)
{
	return pure_random() % n;
}

/* Returns @good, so that a loop can end at the first failure. */
#define expect(good, ...) ({						\
	bool good_ = (good);						\
									\
	if (!good_ && pure_failed++ < PURE_SHOWN) {			\
		printf("# %s:%d: %s:", __FILE__, __LINE__, #good);	\
		printf(" " __VA_ARGS__);				\
		putchar('\n');						\
	}								\
	good_;								\
})

#define expect_eq(a, b) ({						\
	u64 a_ = (u64)(a), b_ = (u64)(b);				\
									\
	if (a_ != b_ && pure_failed++ < PURE_SHOWN)			\
		printf("# %s:%d: %s is %llu (%#llx), not %s, %llu (%#llx)\n",	\
		       __FILE__, __LINE__, #a, a_, a_, #b, b_, b_);	\
	a_ == b_;							\
})

/* Zeroed memory of just that size, so that ASan sees what is beyond. */
static inline void *pure_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p)
		abort();
	return p;
}

static inline int pure_run(const struct pure_case *cases, size_t nr)
{
	const char *env = getenv("PURE_SEED");
	u64 seed = env ? strtoull(env, NULL, 0) : 1;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %llu\n", seed);
	for (i = 0; i < nr; i++) {
		pure_failed = 0;
		pure_state = seed;
		cases[i].run();
		if (pure_failed > PURE_SHOWN)
			printf("# and %u more\n", pure_failed - PURE_SHOWN);
		ok(!pure_failed, "%s", cases[i].name);
	}
	return done();
}

#endif /* UNIT_PURE_H */
