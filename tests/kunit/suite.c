// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers of all suites, and the module that they make.
 */
#include <kunit/resource.h>
#include <kunit/test.h>

#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "suite.h"

/*
 * Seed of the random numbers: a module parameter, in userspace an environment variable.
 */
static unsigned long seed = 1;
module_param(seed, ulong, 0444);

static u64 state;

int suite_init(struct kunit *test)
{
	state = seed;
	return 0;
}

u64 suite_random(void)
{
	u64 z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static int memory_init(struct kunit_resource *res, void *context)
{
	res->data = kvzalloc(*(size_t *)context, GFP_KERNEL);
	return res->data ? 0 : -ENOMEM;
}

static void memory_free(struct kunit_resource *res)
{
	kvfree(res->data);
}

static bool memory_match(struct kunit *test, struct kunit_resource *res, void *p)
{
	return res->free == memory_free && res->data == p;
}

void *suite_alloc(struct kunit *test, size_t bytes)
{
	void *p;

	/* An allocation of nothing gets an address of its own, too. */
	bytes = bytes ? bytes : 1;
	p = kunit_alloc_resource(test, memory_init, memory_free, GFP_KERNEL, &bytes);
	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

void suite_free(struct kunit *test, void *p)
{
	KUNIT_EXPECT_EQ(test, kunit_destroy_resource(test, memory_match, p), 0);
}

MODULE_DESCRIPTION("KUnit suites of wallprof's pure parts");
MODULE_LICENSE("GPL");
