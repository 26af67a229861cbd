// SPDX-License-Identifier: GPL-2.0
/*
 * Test of the merge and of the table of stacks by a long random session with many threads
 * and CPUs, whose stack ids outlive their epochs while the table forgets what cannot come
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/model/merge.h"
#include "tables.h"
#include "tap.h"

/* A model of the module: threads with open intervals, CPUs with halves. */
#define THREADS	300
#define CPUS	4
#define CONTENTS 50

struct half_stack {
	__u64 id;
	unsigned int content;
	__u64 names;	/* of a waker's, its stack's id */
};

struct thread {
	__u64 id;
	__u64 waker;
	unsigned int content;
	unsigned int waker_content;
};

static struct thread threads[THREADS];
static struct half_stack stacks[2][200000];
static struct wallprof_aggr aggrs[2][200000];
static size_t nr_stacks[2], nr_aggrs[2];
/* What each content must sum up to, per epoch; and the same in all. */
static __u64 expected[2][CONTENTS + 1];
/* The same by the contents of wakers' stacks. */
static __u64 expected_wakers[2][CONTENTS + 1];

/* A new stack, or with @names a waker's. Returns its id. */
static __u64 new_stack(__u32 epoch, __u32 cpu, unsigned int content, __u64 names)
{
	size_t half = epoch % 2;
	__u64 id = id_of(epoch, cpu, 1 + nr_stacks[half]);

	stacks[half][nr_stacks[half]++] = (struct half_stack){ id, content, names };
	return id;
}

/* A thread is woken: its waker's stack may be of a later epoch than its sleep. */
static void wake(__u32 epoch, struct thread *t)
{
	__u32 cpu = rand() % CPUS;

	t->waker_content = rand() % CONTENTS;
	t->waker = new_stack(epoch, cpu, 0, new_stack(epoch, cpu, t->waker_content, 0));
}

static void step(__u32 epoch, unsigned int *generation)
{
	struct thread *t = &threads[rand() % THREADS];
	size_t half = epoch % 2;
	__u32 tid = 1 + (t - threads);

	if (t->id && !t->waker && rand() % 2) {
		wake(epoch, t);
		return;
	}
	if (t->id) {
		__u64 ns = 1 + rand() % 1000;
		struct wallprof_aggr *a = &aggrs[half][nr_aggrs[half]++];

		*a = aggr_of(tid, t->id, ns, epoch, epoch);
		expected[half][t->content] += ns;
		if (t->waker) {
			a->waker = WALLPROF_WAKER_TASK;
			a->waker_stack = t->waker;
			expected_wakers[half][t->waker_content] += ns;
		}
		t->id = 0;
		t->waker = 0;
		return;
	}
	/* A new content each now and then, as new processes have them. */
	t->content = rand() % CONTENTS;
	t->id = new_stack(epoch, rand() % CPUS, t->content, 0);
	(*generation)++;
}

static void test_session(void)
{
	unsigned int i, generation = 0, sweeps = 0, wrong = 0, largest = 0;
	struct wp_stacks s;
	struct wp_merge m;
	__u32 epoch;

	wp_stacks_init(&s);
	wp_merge_init(&m, WP_MERGE_WAKERS);
	srand(1);
	for (epoch = 1; epoch <= 400; epoch++) {
		size_t half = epoch % 2, other = !half;
		__u64 got[CONTENTS + 1] = {}, got_wakers[CONTENTS + 1] = {};
		struct wp_waker w;

		for (i = 0; i < 1500; i++)
			step(epoch, &generation);
		/* The flip: the next epoch begins, its half is empty. */
		nr_stacks[other] = 0;
		nr_aggrs[other] = 0;
		memset(expected[other], 0, sizeof(expected[other]));
		memset(expected_wakers[other], 0, sizeof(expected_wakers[other]));
		for (i = 0; i < 200; i++)
			step(epoch + 1, &generation);

		for (i = 0; i < nr_stacks[half]; i++) {
			const struct half_stack *h = &stacks[half][i];

			wp_stacks_add(&s, h->id, h->names ? make_waker(h->names, 0, 1) :
				      make(5, (h->content + 1) * 0x10000, false));
		}
		for (i = 0; i < nr_aggrs[half]; i++)
			wp_merge_aggr(&m, &s, &aggrs[half][i], 0, 0);
		wp_merge_sort(&m);
		for (i = 0; i < m.nr; i++) {
			const struct wp_stack *stack = m.samples[i].user;

			if (stack)
				got[stack->ips[0] / 0x10000 - 1] += m.samples[i].total;
			wp_stack_waker(m.samples[i].waker, &w);
			if (w.user)
				got_wakers[w.user->ips[0] / 0x10000 - 1] += m.samples[i].total;
		}
		wrong += !!memcmp(got, expected[half], sizeof(got));
		wrong += !!memcmp(got_wakers, expected_wakers[half], sizeof(got_wakers));
		wp_merge_reset(&m);

		if (s.doomed) {
			wp_stacks_sweep(&s);
			sweeps++;
		} else if (wp_stacks_want_doom(&s)) {
			wp_stacks_doom(&s);
			for (i = 0; i < THREADS; i++)
				wp_stacks_keep(&s, threads[i].id);
			for (i = 0; i < THREADS; i++)
				wp_stacks_keep(&s, threads[i].waker);
		}
		if (s.nr_ids > largest)
			largest = s.nr_ids;
	}
	ok(!wrong, "all epochs of a long session sum up (%u wrong)", wrong);
	ok(!m.unknown, "no id that came was forgotten (%llu were)", (unsigned long long)m.unknown);
	ok(sweeps > 2, "the table was swept (%u times)", sweeps);
	ok(largest < 40000, "and stayed small: %u of %u ids", largest, generation);
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

int main(void)
{
	test_session();
	return done();
}
