// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of sums of samples, and of trees of stacks: nothing is lost, nothing is counted twice.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/model/calltree.h"
#include "lib/profile/profsum.h"
#include "tap.h"

static struct wp_profile_sample sample(enum wp_profile_kind kind, __u32 thread, __u32 stack,
				       __u64 time, __u64 ns)
{
	return (struct wp_profile_sample){
		.kind = kind, .thread = thread, .stack = stack, .time = time,
		.weight = ns, .ns = ns, .count = 1,
	};
}

static void sums(void)
{
	struct wp_profile_sample s;
	struct wp_profsum sum;

	wp_profsum_init(&sum, 1000, 2000, 10);
	s = sample(WP_PROFILE_OFFCPU, 1, 1, 1500, 100);
	wp_profsum_add(&sum, &s);
	wp_profsum_add(&sum, &s);
	ok(sum.nr == 1 && sum.line[0].ns == 200 && sum.line[0].count == 2, "what is alike is one");
	s = sample(WP_PROFILE_RUNNABLE, 1, 1, 1500, 30);
	s.event = 3;
	wp_profsum_add(&sum, &s);
	ok(sum.nr == 1 && sum.line[0].ns == 200 && sum.line[0].runnable == 30 &&
	   sum.line[0].count == 2, "what was runnable is a part of it");
	ok(sum.line[0].samples == 3, "and its samples are among those of the file");
	ok(wp_profline_blocked(&sum.line[0]) == 170, "the rest was blocked");
	s = sample(WP_PROFILE_OFFCPU, 2, 1, 1500, 1);
	wp_profsum_add(&sum, &s);
	s = sample(WP_PROFILE_OFFCPU, 1, 2, 1500, 1);
	wp_profsum_add(&sum, &s);
	s = sample(WP_PROFILE_CPU, 1, 1, 1500, 1);
	wp_profsum_add(&sum, &s);
	s.event = 1;
	wp_profsum_add(&sum, &s);
	s.cause = 1;
	wp_profsum_add(&sum, &s);
	s.time = 1600;
	wp_profsum_add(&sum, &s);
	ok(sum.nr == 7, "thread, stack, kind, event, cause and time keep them apart");
	s.time = 0;
	wp_profsum_add(&sum, &s);
	ok(sum.line[sum.nr - 1].slot == 0, "before the beginning");
	s.time = 1999;
	wp_profsum_add(&sum, &s);
	ok(sum.line[sum.nr - 1].slot == 9, "the last part");
	s.time = 5000;
	wp_profsum_add(&sum, &s);
	ok(sum.line[sum.nr - 1].slot == 9, "behind the end");
	wp_profsum_free(&sum);
}

static void many_sums(void)
{
	unsigned int i, k, seed = 1;
	__u64 total = 0, got = 0, lines = 0;
	static unsigned char seen[100][200];
	struct wp_profsum sum;

	wp_profsum_init(&sum, 0, 0, 1);
	for (i = 0; i < 50000; i++) {
		unsigned int thread = rand_r(&seed) % 100, stack = rand_r(&seed) % 200;
		struct wp_profile_sample s = sample(WP_PROFILE_CPU, thread, stack, i, i);

		total += i;
		lines += !seen[thread][stack];
		seen[thread][stack] = 1;
		wp_profsum_add(&sum, &s);
	}
	for (k = 0; k < sum.nr; k++)
		got += sum.line[k].ns;
	ok(got == total && sum.nr == lines, "many, and not one is lost or twice");
	wp_profsum_free(&sum);
}

static void add(struct wp_calltree *t, const char *path, __u64 value)
{
	__u32 items[64];
	size_t i;

	for (i = 0; path[i]; i++)
		items[i] = path[i];
	wp_calltree_add(t, items, i, value, 1);
}

/* The child of a node, by its item; 0: there is none. */
static __u32 child(const struct wp_calltree *t, __u32 node, char item)
{
	size_t nr, i;
	const __u32 *children = wp_calltree_children(t, node, &nr);

	for (i = 0; i < nr; i++) {
		if (t->node[children[i]].item == (__u32)item)
			return children[i];
	}
	return 0;
}

static void trees(void)
{
	struct wp_calltree t = { 0 };
	const __u32 *children;
	__u32 a, b;
	size_t nr;

	ok(!wp_calltree_sort(&t) && !wp_calltree_children(&t, 0, &nr) && !nr, "an empty tree");
	wp_calltree_free(&t);
	add(&t, "abc", 10);
	add(&t, "abd", 20);
	add(&t, "ab", 5);
	add(&t, "x", 7);
	add(&t, "", 1);
	add(&t, "aaa", 2);
	wp_calltree_sort(&t);
	ok(t.node[0].total == 45 && t.node[0].count == 6 && t.node[0].self == 1, "the root has all");
	children = wp_calltree_children(&t, 0, &nr);
	ok(nr == 2 && t.node[children[0]].item == 'a' && t.node[children[1]].item == 'x',
	   "the largest first");
	a = child(&t, 0, 'a');
	b = child(&t, a, 'b');
	ok(t.node[a].total == 37 && t.node[a].self == 0, "what begins alike is one branch");
	ok(t.node[b].total == 35 && t.node[b].self == 5 && t.node[b].count == 3, "what ends there");
	children = wp_calltree_children(&t, b, &nr);
	ok(nr == 2 && t.node[children[0]].total == 20, "its children, the largest first");
	ok(t.node[child(&t, child(&t, a, 'a'), 'a')].total == 2, "who calls himself");
	wp_calltree_children(&t, child(&t, b, 'c'), &nr);
	ok(!nr, "a leaf");
	wp_calltree_free(&t);
}

int main(void)
{
	sums();
	many_sums();
	trees();
	return done();
}
