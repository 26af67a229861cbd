// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the table of methods, by addresses that a process has chosen.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record/methodtable.h"
#include "tap.h"

#define NR	32768

/*
 * Multiplied with 2^64 divided by the golden ratio, multiples of this differ in few of the bits
 * that such a hash takes.
 */
#define STEP	0xb664379ULL

/* More slots in a row than that are used in no table of methods at random places. */
#define LONGEST	1024

static __u64 address_of(size_t i)
{
	return 8 * STEP * (i + 1);
}

static size_t longest_run(const struct wp_methodtable *t)
{
	size_t run = 0, longest = 0, i;

	for (i = 0; i < t->room; i++) {
		run = t->slot[i].address ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Whether the table has all methods of which @every is the first, and no others. */
static bool has_all(const struct wp_methodtable *t, size_t every)
{
	const struct wp_method *method;
	bool all = true;
	size_t i;

	for (i = 0; i < NR; i++) {
		method = wp_methodtable_find(t, address_of(i));
		all &= i % every ? !method : method && method->address == address_of(i);
	}
	return all && !wp_methodtable_find(t, address_of(NR));
}

int main(void)
{
	struct wp_methodtable t = { 0 };
	size_t i, longest = 0, run;
	bool added = true;

	ok(!wp_methodtable_find(&t, address_of(0)) && !wp_methodtable_bytes(&t),
	   "an empty table has none");
	for (i = 0; i < NR; i++) {
		struct wp_method *method = wp_methodtable_add(&t, address_of(i));

		added &= !!method;
		if (method && i % 2 == 0)
			method->name = strdup("name");
		/* All places are looked at where the table is as full as it gets. */
		run = t.nr == t.room / 2 ? longest_run(&t) : 0;
		longest = run > longest ? run : longest;
	}
	ok(added && has_all(&t, 1), "a table has all methods");
	ok(longest < LONGEST, "none is far from its place: %zu", longest);
	ok(wp_methodtable_bytes(&t) == t.room * sizeof(*t.slot) + NR / 2 * strlen("name1"),
	   "their memory is known");
	for (i = 0; i < t.room; i++)
		t.slot[i].unused = t.slot[i].address / 8 / STEP % 4 == 1 ? 0 : 9;
	wp_methodtable_sweep(&t, 8);
	ok(t.nr == NR / 4 && has_all(&t, 4), "those that nobody looked up are dropped");
	ok(longest_run(&t) < LONGEST, "the others are near their places: %zu", longest_run(&t));
	wp_methodtable_free(&t);
	ok(!t.room && !wp_methodtable_find(&t, address_of(0)), "it can be emptied");
	return done();
}
