// SPDX-License-Identifier: GPL-2.0
/*
 * Deliberately wrong: a suite with a case that fails, and one that passes.
 * tests/guest/debug/nets.test demands that KUnit reports which is which, and that
 * tests/kunit/ktap makes a failure of it.
 */
#include <kunit/test.h>

#include <linux/module.h>

static void passes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 2, 2);
}

static void fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 2, 3);
}

static struct kunit_case wrong_cases[] = {
	KUNIT_CASE(passes),
	KUNIT_CASE(fails),
	{}
};

static struct kunit_suite wrong_suite = {
	.name = "wrong",
	.test_cases = wrong_cases,
};

kunit_test_suite(wrong_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a suite that fails, for wallprof's tests");
