// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/id_filter.c: lists of targets.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/id_filter.h"
#include "suite.h"

#define MOST 8

static const struct list {
	const char *name;
	u32 nr;
	u64 ids[MOST];
} lists[] = {
	{ "one", 1, { 7 } },
	{ "two, sorted", 2, { 3, 9 } },
	{ "two, not sorted", 2, { 9, 3 } },
	{ "falling", 6, { 60, 50, 40, 30, 20, 10 } },
	{ "mixed", 7, { 5, 1000000, 17, 4, 9, 33, 12 } },
	{ "the same twice", 4, { 8, 2, 8, 2 } },
	{ "all the same", 3, { 6, 6, 6 } },
	{ "the largest and the smallest", 4, { U64_MAX, 1, 1ULL << 63, 0 } },
	{ "alike in one half", 5, { 1ULL << 32, 1, 1ULL << 33 | 1, 1ULL << 32 | 1, 2 } },
	{ "none", 0, { } },
};

static void list_describe(const struct list *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", l->name);
}

KUNIT_ARRAY_PARAM(list, lists, list_describe);

static void list_init(struct kunit *test, struct wp_ids *ids, const struct list *l)
{
	/* Memory of exactly this size, so that a search beyond it is seen. */
	ids->ids = suite_alloc(test, l->nr * sizeof(u64));
	ids->nr = l->nr;
	memcpy(ids->ids, l->ids, l->nr * sizeof(u64));
}

static bool list_has(const struct list *l, u64 id)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		if (l->ids[i] == id)
			return true;
	}
	return false;
}

/* Each id is found, its neighbours and the limits only if they are there. */
static void have(struct kunit *test)
{
	const struct list *l = test->param_value;
	struct wp_ids ids;
	u64 near;
	u32 i;

	list_init(test, &ids, l);
	wp_ids_sort(&ids);
	for (i = 0; i < l->nr; i++) {
		for (near = l->ids[i] - 1; near != l->ids[i] + 2; near++)
			KUNIT_EXPECT_EQ_MSG(test, wp_ids_have(&ids, near),
					    list_has(l, near), "%llu",
					    (unsigned long long)near);
	}
	KUNIT_EXPECT_EQ(test, wp_ids_have(&ids, 0), list_has(l, 0));
	KUNIT_EXPECT_EQ(test, wp_ids_have(&ids, U64_MAX), list_has(l, U64_MAX));
}

/* Sorting keeps all ids. */
static void sort_keeps(struct kunit *test)
{
	const struct list *l = test->param_value;
	struct wp_ids ids;
	u64 before = 0, after = 0;
	u32 i;

	list_init(test, &ids, l);
	wp_ids_sort(&ids);
	KUNIT_EXPECT_EQ(test, ids.nr, l->nr);
	for (i = 0; i < l->nr; i++) {
		before += l->ids[i] * 0x9e3779b97f4a7c15ULL;
		after += ids.ids[i] * 0x9e3779b97f4a7c15ULL;
		if (i)
			KUNIT_EXPECT_LE(test, ids.ids[i - 1], ids.ids[i]);
	}
	KUNIT_EXPECT_EQ(test, before, after);
}

/* Lists of all lengths, with few values and with many. */
static void sort_any(struct kunit *test)
{
	u32 round, nr, i, values;
	struct wp_ids ids;
	u64 sum;

	for (round = 0; round < SUITE_ROUNDS(1000); round++) {
		nr = round < 20 ? round : suite_below(3000);
		values = suite_below(2) ? 10 : U32_MAX;
		ids.ids = suite_alloc(test, nr * sizeof(u64));
		ids.nr = nr;
		for (i = 0, sum = 0; i < nr; i++) {
			ids.ids[i] = (u64)suite_below(values) << 20;
			sum += ids.ids[i] * ids.ids[i];
		}
		wp_ids_sort(&ids);
		for (i = 0; i < nr; i++) {
			sum -= ids.ids[i] * ids.ids[i];
			if (i && ids.ids[i - 1] > ids.ids[i])
				break;
		}
		KUNIT_EXPECT_EQ_MSG(test, i, nr, "round %u", round);
		KUNIT_EXPECT_EQ_MSG(test, sum, 0ULL, "round %u", round);
		suite_free(test, ids.ids);
		if (suite_failed(test))
			return;
	}
}

/* An id that names nothing is found at any place, sorted or not. */
static void name(struct kunit *test)
{
	const struct list *l = test->param_value;
	struct wp_ids ids;
	u32 i;

	list_init(test, &ids, l);
	KUNIT_EXPECT_EQ(test, wp_ids_name(&ids, 0), !list_has(l, 0));
	KUNIT_EXPECT_EQ(test, wp_ids_name(&ids, U64_MAX), !list_has(l, U64_MAX));
	for (i = 0; i < l->nr; i++)
		KUNIT_EXPECT_FALSE_MSG(test, wp_ids_name(&ids, l->ids[i]), "%u", i);
}

/* 32-bit ids at the end of the array become ids of the same values in all of it. */
static void widen(struct kunit *test)
{
	const struct list *l = test->param_value;
	struct wp_ids ids;
	u32 i, narrow;

	list_init(test, &ids, l);
	for (i = 0; i < l->nr; i++) {
		narrow = l->ids[i];
		memcpy((u32 *)ids.ids + l->nr + i, &narrow, sizeof(narrow));
	}
	wp_ids_widen(&ids);
	for (i = 0; i < l->nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, ids.ids[i], (u32)l->ids[i], "%u", i);
}

static struct kunit_case ids_cases[] = {
	KUNIT_CASE_PARAM(widen, list_gen_params),
	KUNIT_CASE_PARAM(have, list_gen_params),
	KUNIT_CASE_PARAM(sort_keeps, list_gen_params),
	KUNIT_CASE_PARAM(name, list_gen_params),
	KUNIT_CASE(sort_any),
	{}
};

static struct kunit_suite id_filter_suite = {
	.name = "wallprof_id_filter",
	.init = suite_init,
	.test_cases = ids_cases,
};

kunit_test_suite(id_filter_suite);
