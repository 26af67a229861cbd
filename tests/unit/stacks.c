// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the table of stacks: equal ones are one, those of wakers, and which are
 * forgotten.
 */
#include "lib/model/stacks.h"
#include "tables.h"
#include "tap.h"

static void test_stacks(void)
{
	const struct wp_stack *a, *b, *c;
	struct wp_stacks s;

	ok(!wp_stacks_init(&s), "an empty table");
	ok(wp_stacks_find(&s, 0, &a) && !a, "id 0 is no stack");
	ok(!wp_stacks_find(&s, 5, &a) && !a, "an unknown id is not found");

	wp_stacks_add(&s, id_of(1, 0, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(9, 3, 77), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 0, 9), make(3, 0x1000, true));
	wp_stacks_add(&s, id_of(1, 0, 20), make(2, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 0, 30), make(0, 0, false));
	wp_stacks_find(&s, id_of(1, 0, 1), &a);
	ok(a && a->nr == 3 && a->ips[2] == 0x1020 && !a->flags, "its frames");
	ok(wp_stacks_find(&s, id_of(9, 3, 77), &b) && a == b,
	   "equal stacks of other epochs and CPUs are one");
	ok(wp_stacks_find(&s, id_of(1, 0, 9), &c) && c && c != a &&
	   c->flags == WALLPROF_STACK_IS_KERNEL,
	   "a kernel stack is no user stack");
	ok(wp_stacks_find(&s, id_of(1, 0, 20), &c) && c && c != a, "a shorter one is another");
	ok(wp_stacks_find(&s, id_of(1, 0, 30), &c) && !c, "a stack without frames is none");
	ok(s.nr_stacks == 3 && s.nr_ids == 5,
	   "three contents, five ids");

	wp_stacks_doom(&s);
	wp_stacks_keep(&s, id_of(9, 3, 77));
	wp_stacks_keep(&s, id_of(5, 5, 5));
	wp_stacks_add(&s, id_of(10, 0, 1), make(1, 0x9000, false));
	ok(wp_stacks_find(&s, id_of(1, 0, 9), &c) && c, "a doomed id is there until the sweep");
	ok(!wp_stacks_sweep(&s) && s.nr_ids == 2 && s.nr_stacks == 2,
	   "the sweep leaves what was kept and what is newer");
	ok(wp_stacks_find(&s, id_of(9, 3, 77), &b) && b->nr == 3 &&
	   wp_stacks_find(&s, id_of(10, 0, 1), &b) && b->nr == 1, "with their frames");
	ok(!wp_stacks_find(&s, id_of(1, 0, 1), &b), "the others are gone");
	ok(!wp_stacks_sweep(&s) && s.nr_ids == 2, "a sweep without doom does nothing");

	wp_stacks_find(&s, id_of(10, 0, 1), &b);
	wp_stack_hold(b);
	wp_stack_hold(b);
	wp_stack_drop(b);
	wp_stack_hold(NULL);
	wp_stack_drop(NULL);
	wp_stacks_doom(&s);
	ok(!wp_stacks_sweep(&s) && !s.nr_ids && s.nr_stacks == 1 && b->nr == 1,
	   "a stack that is held outlives its ids");
	wp_stacks_add(&s, id_of(11, 0, 1), make(1, 0x9000, false));
	ok(wp_stacks_find(&s, id_of(11, 0, 1), &c) && c == b, "and is met again");
	wp_stack_drop(b);
	wp_stacks_doom(&s);
	ok(!wp_stacks_sweep(&s) && !s.nr_stacks, "and goes when nobody holds it");
	wp_stacks_free(&s);
}

static void test_wakers(void)
{
	const struct wp_stack *a, *b;
	struct wallprof_stack *few;
	struct wp_waker w;
	struct wp_stacks s;
	unsigned int i;

	wp_stacks_init(&s);
	for (i = 0; i < 2; i++) {
		wp_stacks_add(&s, id_of(1 + i, i, 1), make(3, 0x1000, false));
		wp_stacks_add(&s, id_of(1 + i, i, 9), make(2, 0x2000, true));
		wp_stacks_add(&s, id_of(1 + i, i, 20),
			      make_waker(id_of(1 + i, i, 1), id_of(1 + i, i, 9), 77));
	}
	wp_stacks_find(&s, id_of(1, 0, 20), &a);
	wp_stacks_find(&s, id_of(2, 1, 20), &b);
	ok(a && a == b && a->flags == WALLPROF_STACK_IS_WAKER,
	   "equal wakers of other epochs and CPUs are one, of whatever ids");
	w = waker_of(&s, id_of(1, 0, 20));
	ok(w.user && w.user->nr == 3 && w.kernel && w.kernel->nr == 2 &&
	   w.kernel->flags == WALLPROF_STACK_IS_KERNEL && w.tgid == 77 && !w.lost,
	   "its stacks and its process");
	wp_stacks_add(&s, id_of(2, 1, 30), make_waker(id_of(2, 1, 1), id_of(2, 1, 9), 78));
	wp_stacks_add(&s, id_of(2, 1, 40), make_waker(id_of(2, 1, 1), 0, 77));
	wp_stacks_find(&s, id_of(2, 1, 30), &b);
	ok(b != a && waker_of(&s, id_of(2, 1, 30)).tgid == 78, "another process's is another");
	w = waker_of(&s, id_of(2, 1, 40));
	ok(w.user && !w.kernel && !w.lost, "it may have no kernel stack");
	wp_stacks_add(&s, id_of(2, 1, 50), make_waker(id_of(9, 9, 9), id_of(2, 1, 9), 77));
	w = waker_of(&s, id_of(2, 1, 50));
	ok(!w.user && w.kernel && w.lost, "of one that names what was never there, that is lost");
	wp_stacks_add(&s, id_of(2, 1, 60), make_waker(id_of(2, 1, 20), id_of(2, 1, 20), 77));
	w = waker_of(&s, id_of(2, 1, 60));
	ok(!w.user && !w.kernel && w.lost, "nor is a waker's a stack");
	few = (struct wallprof_stack *)make_waker(id_of(2, 1, 1), 0, 77);
	few->nr = WALLPROF_WAKER_NR - 1;
	ok(!wp_stacks_add(&s, id_of(2, 1, 70), few) && !waker_of(&s, id_of(2, 1, 70)).user &&
	   !waker_of(&s, id_of(2, 1, 1)).user && !waker_of(&s, 0).user,
	   "one of too few words has no waker, nor has another record");

	wp_stacks_doom(&s);
	wp_stacks_keep(&s, id_of(2, 1, 20));
	ok(!wp_stacks_sweep(&s) && s.nr_ids == 1 && s.nr_stacks == 3,
	   "a sweep leaves what a waker's that is kept names");
	w = waker_of(&s, id_of(2, 1, 20));
	ok(w.user && w.user->ips[2] == 0x1020 && w.kernel && w.kernel->ips[1] == 0x2010,
	   "with its frames");
	wp_stacks_add(&s, id_of(8, 0, 1), make(3, 0x1000, false));
	ok(wp_stacks_find(&s, id_of(8, 0, 1), &b) && b == w.user, "which are met again");
	wp_stacks_doom(&s);
	ok(!wp_stacks_sweep(&s) && !s.nr_ids && !s.nr_stacks, "and then nothing is left of it");
	wp_stacks_free(&s);
}

/* Other ids for the same stacks; many stacks are not kept for ever. */
static void test_sessions(void)
{
	const struct wp_stack *a, *b, *c;
	unsigned int i;
	struct wp_stacks s;

	wp_stacks_init(&s);
	wp_stacks_add(&s, id_of(1, 0, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 0, 9), make(2, 0x2000, false));
	wp_stacks_find(&s, id_of(1, 0, 1), &a);
	wp_stacks_doom(&s);
	ok(!wp_stacks_forget_ids(&s) && !s.nr_ids && !s.doomed && s.nr_stacks == 2 &&
	   !wp_stacks_find(&s, id_of(1, 0, 1), &b), "another session has other ids");
	wp_stacks_add(&s, id_of(1, 0, 9), make(3, 0x1000, false));
	ok(wp_stacks_find(&s, id_of(1, 0, 9), &b) && b == a && s.nr_stacks == 2 && s.nr_ids == 1,
	   "of the same stacks");
	wp_stacks_find(&s, id_of(1, 0, 9), &c);
	wp_stack_hold(c);
	for (i = 0; i < 40000; i++)
		wp_stacks_add(&s, id_of(2, 0, i), make(1, 0x100000 + i, false));
	ok(!wp_stacks_forget_ids(&s) && !s.nr_ids && s.nr_stacks == 1 && c->nr == 3,
	   "of many those that are held stay");
	wp_stack_drop(c);
	wp_stacks_free(&s);
}

int main(void)
{
	test_stacks();
	test_wakers();
	test_sessions();
	return done();
}
