/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share: memory, numbers that are random but the same in every
 * run, and how much to do.
 *
 * The suites test the module's pure parts and are compiled two ways, against
 * the kernel's KUnit (wallprof-kunit.ko) and against that of tests/kunit/shim, for
 * userspace. A case may use what both have.
 */
#ifndef WALLPROF_KUNIT_SUITE_H
#define WALLPROF_KUNIT_SUITE_H

#include <kunit/test.h>

#include <linux/types.h>

/*
 * Rounds of random or repeated steps. A kernel with KASAN and lockdep in an emulated
 * machine is slower by a factor of a hundred.
 */
#ifdef __KERNEL__
#define SUITE_ROUNDS(n) ((n) / 10)
#else
#define SUITE_ROUNDS(n) (n)
#endif

/* For struct kunit_suite.init: every case begins with the same numbers. */
int suite_init(struct kunit *test);

u64 suite_random(void);

/* 0 to @n - 1. */
static inline u32 suite_below(u32 n)
{
	return (u32)suite_random() % n;
}

/*
 * Allocates zeroed memory of exactly that size, so that KASAN or ASan sees an access
 * beyond; freed when the case ends, or before. Ends the case if there is none.
 */
void *suite_alloc(struct kunit *test, size_t bytes);
void suite_free(struct kunit *test, void *p);

/*
 * Whether an expectation has failed: a loop need not repeat a failure a thousand times.
 */
static inline bool suite_failed(const struct kunit *test)
{
	return test->status == KUNIT_FAILURE;
}

#endif /* WALLPROF_KUNIT_SUITE_H */
