// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/intervals.c: ranges of lengths, and intervals that are out of them.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/intervals.h"
#include "interval_slots.h"
#include "suite.h"

static const struct lengths {
	const char *name;
	u64 min, max, below, shortest, longest, above;
} all_lengths[] = {
	/* below and above: U64_MAX: there are none. */
	{ "any", 0, 0, U64_MAX, 0, U64_MAX, U64_MAX },
	{ "any but none", 1, 0, 0, 1, U64_MAX, U64_MAX },
	{ "some", 50, 70, 49, 50, 70, 71 },
	{ "one", 50, 50, 49, 50, 50, 51 },
	{ "short ones", 0, 70, U64_MAX, 0, 70, 71 },
	{ "all but the longest", 0, U64_MAX - 2, U64_MAX, 0, U64_MAX - 2, U64_MAX - 1 },
	{ "the longest", U64_MAX, U64_MAX, U64_MAX - 1, U64_MAX, U64_MAX, U64_MAX },
	{ "none but the longest", U64_MAX - 1, 0, 0, U64_MAX - 1, U64_MAX, U64_MAX },
};

static void lengths_describe(const struct lengths *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", l->name);
}

KUNIT_ARRAY_PARAM(lengths, all_lengths, lengths_describe);

/* A range includes both ends, and nothing beyond them. */
static void range_has_its_ends(struct kunit *test)
{
	const struct lengths *l = test->param_value;
	struct wp_range range = wp_range_of(l->min, l->max);

	KUNIT_EXPECT_TRUE(test, wp_range_has(&range, l->shortest));
	KUNIT_EXPECT_TRUE(test, wp_range_has(&range, l->longest));
	if (l->below != U64_MAX)
		KUNIT_EXPECT_FALSE(test, wp_range_has(&range, l->below));
	if (l->above != U64_MAX)
		KUNIT_EXPECT_FALSE(test, wp_range_has(&range, l->above));
}

/* wp_range_below() is the part of the range that is shorter than the limit. */
static void range_below_limit(struct kunit *test)
{
	const struct lengths *l = test->param_value;
	struct wp_range range = wp_range_of(l->min, l->max), below;
	u64 limits[] = { 1, 49, 50, 51, 70, 71, 72, U64_MAX - 1, U64_MAX };
	int i, k;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		below = wp_range_below(&range, limits[i]);
		for (k = 0; k < ARRAY_SIZE(limits) - 1; k++)
			KUNIT_EXPECT_EQ(test, wp_range_has(&below, limits[k]),
					wp_range_has(&range, limits[k]) &&
					limits[k] < limits[i]);
		KUNIT_EXPECT_EQ(test, wp_range_has(&below, 0),
				wp_range_has(&range, 0));
	}
	below = wp_range_below(&range, 0);
	KUNIT_EXPECT_EQ(test, memcmp(&below, &range, sizeof(range)), 0);
}

/* An interval that is open at the end has a flag if it is out of range. */
static void open_out_of_range(struct kunit *test)
{
	const struct lengths *l = test->param_value;
	struct wp_range range = wp_range_of(l->min, l->max);
	u64 length;

	for (length = 48; length < 73; length++) {
		struct wallprof_task slot = slot_in(WALLPROF_TASK_OFF);
		bool out = length < l->min || (l->max && length > l->max);

		wp_interval_end(&slot, slot.since + length, false, &range);
		KUNIT_EXPECT_EQ(test, slot.open_ns, length);
		KUNIT_EXPECT_EQ(test, slot.flags, WALLPROF_TASK_OPEN |
				(out ? WALLPROF_TASK_OUT_OF_RANGE : 0));
	}
}

/* A thread that runs has no interval that could be out of range. */
static void running_at_end_is_in_range(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wp_range range = wp_range_of(1, 2);

	wp_interval_end(&slot, 5000, false, &range);
	KUNIT_EXPECT_EQ(test, slot.flags, 0);
}

static struct kunit_case interval_ranges_cases[] = {
	KUNIT_CASE_PARAM(range_has_its_ends, lengths_gen_params),
	KUNIT_CASE_PARAM(range_below_limit, lengths_gen_params),
	KUNIT_CASE_PARAM(open_out_of_range, lengths_gen_params),
	KUNIT_CASE(running_at_end_is_in_range),
	{}
};

static struct kunit_suite interval_ranges_suite = {
	.name = "wallprof_interval_ranges",
	.init = suite_init,
	.test_cases = interval_ranges_cases,
};

kunit_test_suite(interval_ranges_suite);
