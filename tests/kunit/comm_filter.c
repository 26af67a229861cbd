// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/comm_filter.c: lists of names.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/comm_filter.h"
#include "suite.h"

#define MOST 8

static const struct list {
	const char *name;
	u32 nr;
	char names[MOST][WALLPROF_COMM_LEN];
	bool ok;
} lists[] = {
	{ "one", 1, { "cat" }, true },
	{ "two, sorted", 2, { "cat", "dog" }, true },
	{ "two, not sorted", 2, { "dog", "cat" }, true },
	{ "falling", 5, { "e", "d", "c", "b", "a" }, true },
	{ "one within the other", 4, { "ab", "abc", "a", "abcd" }, true },
	{ "the same twice", 4, { "x", "y", "x", "y" }, true },
	{ "as long as can be", 3, { "fifteen_letters", "fifteen_letterz", "fifteen" }, true },
	{ "beyond ASCII", 3, { "\xff\xfe", "\x01", "\xc3\xa9" }, true },
	{ "an empty one", 2, { "cat", "" }, false },
	{ "one without end", 2, { "cat", "sixteen_letters_" }, false },
	{ "bytes behind the end", 3, { "cat\0x", "cat\0\xff", "eight_in\0\x01\x80" }, true },
	{ "seven, eight, nine", 3, { "ninenine_", "seven_7", "eight__8" }, true },
	{ "none", 0, { }, true },
};

static void list_describe(const struct list *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", l->name);
}

KUNIT_ARRAY_PARAM(list, lists, list_describe);

static void list_init(struct kunit *test, struct wp_names *names, const struct list *l)
{
	/* Memory of exactly this size, so that a search beyond it is seen. */
	names->names = suite_alloc(test, l->nr * sizeof(*names->names));
	names->nr = l->nr;
	memcpy(names->names, l->names, l->nr * sizeof(*names->names));
}

static bool list_has(const struct list *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		if (!strcmp(l->names[i], name))
			return true;
	}
	return false;
}

/* Names that no thread can have are refused. */
static void possible(struct kunit *test)
{
	const struct list *l = test->param_value;
	struct wp_names names;

	list_init(test, &names, l);
	KUNIT_EXPECT_EQ(test, wp_names_sort(&names), l->ok);
}

/* Each is found; a name with a byte more, less or changed only if it is there. */
static void have(struct kunit *test)
{
	const struct list *l = test->param_value;
	char other[WALLPROF_COMM_LEN];
	struct wp_names names;
	u32 i, len;

	if (!l->ok)
		return;
	list_init(test, &names, l);
	wp_names_sort(&names);
	for (i = 0; i < l->nr; i++) {
		KUNIT_EXPECT_TRUE_MSG(test, wp_names_have(&names, l->names[i]), "%u", i);
		len = strlen(l->names[i]);
		memcpy(other, l->names[i], sizeof(other));
		other[len - 1]++;
		KUNIT_EXPECT_EQ_MSG(test, wp_names_have(&names, other),
				    list_has(l, other), "%u: another end", i);
		other[len - 1] = 0;
		KUNIT_EXPECT_EQ_MSG(test, wp_names_have(&names, other),
				    list_has(l, other), "%u: shorter", i);
		if (len == WALLPROF_COMM_LEN - 1)
			continue;
		memcpy(other, l->names[i], sizeof(other));
		other[len] = 'a';
		KUNIT_EXPECT_EQ_MSG(test, wp_names_have(&names, other),
				    list_has(l, other), "%u: longer", i);
	}
	/* Bytes behind the end of a name are not compared. */
	memcpy(other, "cat\0meow", 9);
	KUNIT_EXPECT_EQ(test, wp_names_have(&names, other), list_has(l, "cat"));
	memset(other, 0, sizeof(other));
	KUNIT_EXPECT_FALSE(test, wp_names_have(&names, other));
}

/* A place is found, and it alone is the name's; bytes behind the end make a difference. */
static void found(struct kunit *test)
{
	const struct list *l = test->param_value;
	char other[WALLPROF_COMM_LEN];
	struct wp_names names;
	u32 i, k, at, len;

	if (!l->ok)
		return;
	list_init(test, &names, l);
	wp_names_sort(&names);
	for (i = 0; i < l->nr; i++) {
		at = wp_names_find(&names, l->names[i]);
		KUNIT_ASSERT_TRUE(test, at < l->nr);
		KUNIT_EXPECT_EQ(test, strcmp(names.names[at], l->names[i]), 0);
		memcpy(other, names.names[at], sizeof(other));
		for (k = 0; k < l->nr; k++)
			KUNIT_EXPECT_EQ_MSG(test, wp_names_is(&names, k, other),
					    !strcmp(names.names[k], other), "%u: %u", i, k);
		for (k = 0; k < 8 * sizeof(other); k++) {
			other[k / 8] ^= 1 << k % 8;
			KUNIT_EXPECT_FALSE_MSG(test, wp_names_is(&names, at, other),
					       "%u: bit %u", i, k);
			other[k / 8] ^= 1 << k % 8;
		}
		len = strlen(other);
		other[len - 1]++;
		if (!list_has(l, other))
			KUNIT_EXPECT_EQ(test, wp_names_find(&names, other), l->nr);
	}
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE_PARAM(possible, list_gen_params),
	KUNIT_CASE_PARAM(have, list_gen_params),
	KUNIT_CASE_PARAM(found, list_gen_params),
	{}
};

static struct kunit_suite comm_filter_suite = {
	.name = "wallprof_comm_filter",
	.init = suite_init,
	.test_cases = names_cases,
};

kunit_test_suite(comm_filter_suite);
