// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the names that shares of a live view have: how many there are, for how long a name
 * keeps its number, and what is beyond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/top/topnames.h"
#include "tap.h"

static __u8 number_of(struct wp_topnames *t, unsigned int i)
{
	char name[32];

	snprintf(name, sizeof(name), "name %u", i);
	return wp_topnames_number(t, name);
}

static int has(const struct wp_topnames *t, __u8 nr, const char *text)
{
	const char *found = wp_topnames_text(t, nr);

	return found && !strcmp(found, text);
}

static void test_limit(void)
{
	struct wp_topnames *t = calloc(1, sizeof(*t));
	unsigned int i, bad = 0;
	char seen[256] = { 0 };

	ok(!wp_topnames_number(t, "") && !wp_topnames_text(t, 0), "no name has no number");
	for (i = 0; i < WP_TOPNAMES; i++) {
		__u8 nr = number_of(t, i);

		bad += !nr || nr > WP_TOPNAMES || seen[nr]++;
	}
	ok(!bad && !t->overflowed, "each of %u names has its own number", WP_TOPNAMES);
	for (i = 0; i < 5; i++)
		bad += number_of(t, WP_TOPNAMES + i % 2) != WP_TOPNAMES_OTHER;
	ok(!bad && t->overflowed == 5 && has(t, WP_TOPNAMES_OTHER, "[other]"),
	   "others have one, which is counted");
	for (i = 0; i < WP_TOPNAMES; i++)
		bad += !seen[number_of(t, i)];
	ok(!bad && t->overflowed == 5, "and the first ones keep theirs");
	free(t);
}

static void test_age(void)
{
	struct wp_topnames *t = calloc(1, sizeof(*t));
	__u8 old = wp_topnames_number(t, "old"), used = wp_topnames_number(t, "used"), nr;
	unsigned int i, bad = 0;

	for (i = 2; i < WP_TOPNAMES; i++)
		number_of(t, i);
	for (i = 0; i < WP_TOPNAMES_KEPT; i++) {
		bad += wp_topnames_number(t, "used") != used || !has(t, old, "old") ||
		       wp_topnames_number(t, "more") != WP_TOPNAMES_OTHER;
		wp_topnames_turn(t);
	}
	ok(!bad && has(t, old, "old"), "a name keeps its number for %u intervals more",
	   WP_TOPNAMES_KEPT);
	wp_topnames_turn(t);
	ok(has(t, used, "used"), "one that is used keeps it for good");
	nr = wp_topnames_number(t, "more");
	ok(nr && nr <= WP_TOPNAMES && nr != used && has(t, nr, "more"), "... another one gets that of one that is not");
	ok(wp_topnames_number(t, "used") == used && has(t, used, "used"), "... and no other");
	for (i = 0; i < WP_TOPNAMES - 2; i++)
		bad += number_of(t, i) == WP_TOPNAMES_OTHER;
	ok(!bad && number_of(t, i) == WP_TOPNAMES_OTHER, "the limit is the same again");
	free(t);
}

/* Many intervals of random names: a number is that of one name, as long as it is kept. */
static void test_random(void)
{
	struct wp_topnames *t = calloc(1, sizeof(*t));
	unsigned int round, i, bad = 0;
	char name[32];

	srand(1);
	for (round = 0; round < 2000; round++) {
		unsigned int from = rand() % 1000, nr = rand() % 150;

		for (i = from; i < from + nr; i++) {
			__u8 number = number_of(t, i);

			snprintf(name, sizeof(name), "name %u", i);
			bad += number != WP_TOPNAMES_OTHER && !has(t, number, name);
		}
		wp_topnames_turn(t);
	}
	ok(!bad && t->overflowed, "random names: %u have another's number", bad);
	free(t);
}

static void test_hostile(void)
{
	struct wp_topnames *t = calloc(1, sizeof(*t));
	char longer[2 * WP_TOPNAME];
	__u8 nr;

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	nr = wp_topnames_number(t, longer);
	ok(nr && strlen(wp_topnames_text(t, nr)) == WP_TOPNAME - 1 &&
	   wp_topnames_number(t, longer + 1) == nr, "a long name is cut");
	ok(wp_topnames_number(t, "\xff\n[other]") && wp_topnames_number(t, "[other]") <= WP_TOPNAMES &&
	   !t->overflowed, "any bytes are a name");
	ok(!wp_topnames_text(t, 255), "a number that there is not has no name");
	free(t);
}

int main(void)
{
	test_limit();
	test_age();
	test_random();
	test_hostile();
	return done();
}
