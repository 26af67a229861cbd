// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the merge and of the table of stacks: single rules, and a long
 * random session with many threads and CPUs, whose stack ids outlive their
 * epochs while the table forgets what cannot come again.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/merge.h"
#include "tap.h"

static struct {
	struct wallprof_stack head;
	__u64 ips[WALLPROF_MAX_STACK];
} buf;

static const struct wallprof_stack *make(unsigned int nr, __u64 seed, bool kernel)
{
	unsigned int i;

	memset(&buf, 0, sizeof(buf));
	buf.head.nr = nr;
	buf.head.flags = kernel ? WALLPROF_STACK_IS_KERNEL : 0;
	for (i = 0; i < nr; i++)
		buf.ips[i] = seed + i * 16;
	return &buf.head;
}

static __u64 id_of(__u32 epoch, __u32 cpu, __u32 index)
{
	return (__u64)epoch << 36 | (__u64)cpu << 22 | index;
}

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
	ok(a && a->nr == 3 && a->ips[2] == 0x1020 && !a->kernel, "its frames");
	ok(wp_stacks_find(&s, id_of(9, 3, 77), &b) && a == b,
	   "equal stacks of other epochs and CPUs are one");
	ok(wp_stacks_find(&s, id_of(1, 0, 9), &c) && c && c != a && c->kernel,
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
	wp_stacks_free(&s);
}

static struct wallprof_aggr aggr_of(__u32 tid, __u64 user, __u64 total, __u64 first, __u64 last)
{
	return (struct wallprof_aggr){
		.tid = tid, .tgid = tid, .start_time = 7, .exec_id = 1,
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
		.user_stack = user, .count = 1, .total = total, .min = total, .max = total,
		.first = first, .last = last,
	};
}

static void test_merge(void)
{
	struct wallprof_aggr a;
	struct wp_stacks s;
	struct wp_merge m;
	unsigned int i;

	wp_stacks_init(&s);
	wp_merge_init(&m);
	wp_stacks_add(&s, id_of(1, 0, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 1, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 1, 9), make(3, 0x2000, false));
	wp_stacks_add(&s, id_of(1, 1, 20), make(2, 0x3000, true));

	a = aggr_of(10, id_of(1, 0, 1), 100, 50, 80);
	wp_merge_aggr(&m, &s, &a, 0);
	a = aggr_of(10, id_of(1, 1, 1), 30, 20, 60);
	wp_merge_aggr(&m, &s, &a, 1);
	ok(m.nr == 1 && m.samples[0].total == 130 && m.samples[0].count == 2 &&
	   m.samples[0].min == 30 && m.samples[0].max == 100 && m.samples[0].first == 20,
	   "the same stack on two CPUs is one sample");
	ok(m.samples[0].last == 80 && m.samples[0].cpu == 0, "whose time and CPU are the last one's");
	a = aggr_of(10, id_of(1, 1, 1), 1, 90, 90);
	wp_merge_aggr(&m, &s, &a, 1);
	ok(m.nr == 1 && m.samples[0].last == 90 && m.samples[0].cpu == 1, "and move on with it");

	a = aggr_of(10, id_of(1, 1, 9), 1, 1, 1);
	wp_merge_aggr(&m, &s, &a, 0);
	ok(m.nr == 2, "another stack is another sample");
	for (i = 0; i < 6; i++) {
		a = aggr_of(10, id_of(1, 0, 1), 1, 1, 1);
		a.tgid += i == 0;
		a.start_time += i == 1;
		a.exec_id += i == 2;
		a.state += i == 3;
		a.flags |= i == 4 ? WALLPROF_AGGR_SINCE_START : 0;
		a.kind = i == 5 ? WALLPROF_AGGR_SAMPLE : a.kind;
		wp_merge_aggr(&m, &s, &a, 0);
		ok(m.nr == 3 + i, "so is another process, birth, exec, state, flag, kind (%u)", i);
	}
	a = aggr_of(10, id_of(1, 0, 1), 1, 1, 1);
	a.kernel_stack = id_of(1, 1, 20);
	wp_merge_aggr(&m, &s, &a, 0);
	ok(m.nr == 9 && m.samples[8].kernel && m.samples[8].user, "so is another kernel stack");
	a = aggr_of(11, id_of(4, 4, 4), 5, 1, 1);
	wp_merge_aggr(&m, &s, &a, 0);
	ok(m.unknown == 1 && m.samples[m.nr - 1].flags == WALLPROF_AGGR_NO_STACK &&
	   !m.samples[m.nr - 1].user && m.samples[m.nr - 1].total == 5,
	   "an id that stands for nothing loses the stack, not the time");

	wp_merge_sort(&m);
	for (i = 1; i < m.nr && m.samples[i - 1].last <= m.samples[i].last; i++)
		;
	ok(i == m.nr, "sorted by time");
	wp_merge_reset(&m);
	a = aggr_of(10, id_of(1, 0, 1), 100, 50, 80);
	wp_merge_aggr(&m, &s, &a, 0);
	ok(m.nr == 1 && m.samples[0].count == 1, "a reset forgets all");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

static void test_tasks(void)
{
	struct wallprof_task t = {
		.tid = 3, .tgid = 2, .phase = WALLPROF_TASK_OFF,
		.state = WALLPROF_STATE_DISK, .open_ns = 40,
	};
	struct wp_stacks s;
	struct wp_merge m;

	wp_stacks_init(&s);
	wp_merge_init(&m);
	wp_stacks_add(&s, id_of(2, 0, 1), make(3, 0x1000, false));
	ok(!wp_merge_spill(&m, &t, 9) && !wp_merge_open(&m, &s, &t, 9) && !m.nr,
	   "a thread with nothing open or spilled gives no sample");
	t.flags = WALLPROF_TASK_OPEN | WALLPROF_TASK_SINCE_START;
	t.user_stack = id_of(2, 0, 1);
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 1 && m.samples[0].total == 40 && m.samples[0].count == 1 &&
	   m.samples[0].last == 9 && m.samples[0].user &&
	   m.samples[0].state == WALLPROF_STATE_DISK &&
	   m.samples[0].flags == (WP_SAMPLE_OPEN | WALLPROF_AGGR_SINCE_START),
	   "an open interval is a sample of the end");
	t.flags |= WALLPROF_TASK_FILTERED;
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 1 && m.samples[0].count == 1, "but not if its state is not wanted");
	t.spill_ns = 70;
	t.nr_spilled = 6;
	wp_merge_spill(&m, &t, 9);
	ok(m.nr == 2 && m.samples[1].total == 70 && m.samples[1].count == 6 &&
	   !m.samples[1].user && m.samples[1].flags == (WP_SAMPLE_SPILL | WALLPROF_AGGR_NO_STACK),
	   "what found no room is a sample without a stack");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

/* A model of the module: threads with open intervals, CPUs with halves. */
#define THREADS	300
#define CPUS	4
#define CONTENTS 50

struct half_stack {
	__u64 id;
	unsigned int content;
};

struct thread {
	__u64 id;
	unsigned int content;
};

static struct thread threads[THREADS];
static struct half_stack stacks[2][200000];
static struct wallprof_aggr aggrs[2][200000];
static size_t nr_stacks[2], nr_aggrs[2];
/* What each content must sum up to, per epoch; and the same in all. */
static __u64 expected[2][CONTENTS + 1];

static void step(__u32 epoch, unsigned int *generation)
{
	struct thread *t = &threads[rand() % THREADS];
	size_t half = epoch % 2;
	__u32 tid = 1 + (t - threads);

	if (t->id) {
		__u64 ns = 1 + rand() % 1000;

		aggrs[half][nr_aggrs[half]++] = aggr_of(tid, t->id, ns, epoch, epoch);
		expected[half][t->content] += ns;
		t->id = 0;
		return;
	}
	/* A new content each now and then, as new processes have them. */
	t->content = rand() % CONTENTS;
	t->id = id_of(epoch, rand() % CPUS, 1 + nr_stacks[half]);
	stacks[half][nr_stacks[half]++] = (struct half_stack){ t->id, t->content };
	(*generation)++;
}

static void test_session(void)
{
	unsigned int i, generation = 0, sweeps = 0, wrong = 0, largest = 0;
	struct wp_stacks s;
	struct wp_merge m;
	__u32 epoch;

	wp_stacks_init(&s);
	wp_merge_init(&m);
	srand(1);
	for (epoch = 1; epoch <= 400; epoch++) {
		size_t half = epoch % 2, other = !half;
		__u64 got[CONTENTS + 1] = {};

		for (i = 0; i < 1500; i++)
			step(epoch, &generation);
		/* The flip: the next epoch begins, its half is empty. */
		nr_stacks[other] = 0;
		nr_aggrs[other] = 0;
		memset(expected[other], 0, sizeof(expected[other]));
		for (i = 0; i < 200; i++)
			step(epoch + 1, &generation);

		for (i = 0; i < nr_stacks[half]; i++)
			wp_stacks_add(&s, stacks[half][i].id,
				      make(5, (stacks[half][i].content + 1) * 0x10000, false));
		for (i = 0; i < nr_aggrs[half]; i++)
			wp_merge_aggr(&m, &s, &aggrs[half][i], 0);
		wp_merge_sort(&m);
		for (i = 0; i < m.nr; i++) {
			const struct wp_stack *stack = m.samples[i].user;

			if (stack)
				got[stack->ips[0] / 0x10000 - 1] += m.samples[i].total;
		}
		wrong += !!memcmp(got, expected[half], sizeof(got));
		wp_merge_reset(&m);

		if (s.doomed) {
			wp_stacks_sweep(&s);
			sweeps++;
		} else if (wp_stacks_want_doom(&s)) {
			wp_stacks_doom(&s);
			for (i = 0; i < THREADS; i++)
				wp_stacks_keep(&s, threads[i].id);
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
	test_stacks();
	test_merge();
	test_tasks();
	test_session();
	return done();
}
