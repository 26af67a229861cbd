// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the merge, rule by rule. longsession.c has a whole session.
 */
#include <sys/syscall.h>

#include "lib/model/merge.h"
#include "tables.h"
#include "tap.h"

static void test_merge(void)
{
	struct wallprof_aggr a;
	struct wp_stacks s;
	struct wp_merge m;
	unsigned int i;

	wp_stacks_init(&s);
	wp_merge_init(&m, 0);
	wp_stacks_add(&s, id_of(1, 0, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 1, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 1, 9), make(3, 0x2000, false));
	wp_stacks_add(&s, id_of(1, 1, 20), make(2, 0x3000, true));

	a = aggr_of(10, id_of(1, 0, 1), 100, 50, 80);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	a = aggr_of(10, id_of(1, 1, 1), 30, 20, 60);
	wp_merge_aggr(&m, &s, &a, 1, 0);
	ok(m.nr == 1 && m.samples[0].total == 130 && m.samples[0].count == 2 &&
	   m.samples[0].min == 30 && m.samples[0].max == 100 && m.samples[0].first == 20,
	   "the same stack on two CPUs is one sample");
	ok(m.samples[0].last == 80 && m.samples[0].cpu == 0, "whose time and CPU are the last one's");
	a = aggr_of(10, id_of(1, 1, 1), 1, 90, 90);
	wp_merge_aggr(&m, &s, &a, 1, 0);
	ok(m.nr == 1 && m.samples[0].last == 90 && m.samples[0].cpu == 1, "and move on with it");

	a = aggr_of(10, id_of(1, 1, 9), 1, 1, 1);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.nr == 2, "another stack is another sample");
	for (i = 0; i < 6; i++) {
		a = aggr_of(10, id_of(1, 0, 1), 1, 1, 1);
		a.tgid += i == 0;
		a.start_time += i == 1;
		a.exec_id += i == 2;
		a.state += i == 3;
		a.flags |= i == 4 ? WALLPROF_AGGR_SINCE_START : 0;
		a.kind = i == 5 ? WALLPROF_AGGR_SAMPLE : a.kind;
		wp_merge_aggr(&m, &s, &a, 0, 0);
		ok(m.nr == 3 + i, "so is another process, birth, exec, state, flag, kind (%u)", i);
	}
	a = aggr_of(10, id_of(1, 0, 1), 1, 1, 1);
	a.kernel_stack = id_of(1, 1, 20);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.nr == 9 && m.samples[8].kernel && m.samples[8].user, "so is another kernel stack");
	a = aggr_of(10, id_of(1, 0, 1), 1, 1, 1);
	a.kind = WALLPROF_AGGR_SAMPLE;
	a.arg = 7;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&m, &s, &a, 1, 0);
	ok(m.nr == 10 && m.samples[9].cause.arg == 7 && m.samples[9].count == 2,
	   "so is what a sample is summed by");
	a = aggr_of(11, id_of(4, 4, 4), 5, 1, 1);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.unknown == 1 && m.samples[m.nr - 1].flags == WALLPROF_AGGR_NO_STACK &&
	   !m.samples[m.nr - 1].user && m.samples[m.nr - 1].total == 5,
	   "an id that stands for nothing loses the stack, not the time");

	wp_merge_sort(&m);
	for (i = 1; i < m.nr && m.samples[i - 1].last <= m.samples[i].last; i++)
		;
	ok(i == m.nr, "sorted by time");
	wp_merge_reset(&m);
	a = aggr_of(10, id_of(1, 0, 1), 100, 50, 80);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.nr == 1 && m.samples[0].count == 1, "a reset forgets all");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

static void test_causes(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80);
	struct wp_merge m, detailed;
	struct wp_stacks s;
	unsigned int i;

	wp_stacks_init(&s);
	wp_merge_init(&m, 0);
	wp_merge_init(&detailed, WP_MERGE_CAUSES);
	a.reason = WALLPROF_REASON_SYSCALL;
	a.syscall = 202;
	a.arg = 0x1000;
	a.waker = WALLPROF_WAKER_TASK;
	a.waker_tid = 7;
	a.runnable = 40;
	a.runnable_max = 40;
	a.blocked_max = 60;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&detailed, &s, &a, 0, 0);
	a.total = 30;
	a.runnable = 1;
	a.runnable_max = 1;
	a.blocked_max = 90;
	wp_merge_aggr(&detailed, &s, &a, 1, 0);
	wp_merge_aggr(&m, &s, &a, 1, 0);
	ok(detailed.nr == 1 && detailed.samples[0].runnable == 41 &&
	   detailed.samples[0].runnable_max == 40 && detailed.samples[0].blocked_max == 90,
	   "time in which a thread was runnable adds up, and the longest stays");
	ok(detailed.samples[0].cause.syscall == 202 && detailed.samples[0].cause.waker_tid == 7 &&
	   detailed.samples[0].cause.arg == 0x1000, "with its cause");
	for (i = 0; i < 7; i++) {
		struct wallprof_aggr b = a;

		b.reason += i == 0;
		b.syscall += i == 1;
		b.arg += i == 2;
		b.waker += i == 3;
		b.waker_tid += i == 4;
		b.flags |= i == 5 ? WALLPROF_AGGR_IOWAIT : 0;
		b.flags |= i == 6 ? WALLPROF_AGGR_32BIT : 0;
		wp_merge_aggr(&m, &s, &b, 0, 0);
		wp_merge_aggr(&detailed, &s, &b, 0, 0);
		ok(m.nr == 1 && detailed.nr == 2 + i, "another cause is another sample if asked (%u)", i);
	}
	ok(m.samples[0].count == 9 && m.samples[0].runnable == 40 + 8 &&
	   m.samples[0].flags == 0 && wp_cause_same(&m.samples[0].cause, &wp_cause_none),
	   "and else all in one sum, of no cause");
	wp_merge_free(&m);
	wp_merge_free(&detailed);
	wp_stacks_free(&s);
}

/* Reason, system call and futex: nothing that makes more samples. */
static void test_locks(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80), b;
	struct wp_merge m;
	struct wp_stacks s;

	wp_stacks_init(&s);
	wp_merge_init(&m, WP_MERGE_REASONS);
	a.reason = WALLPROF_REASON_SYSCALL;
	a.syscall = SYS_futex;
	a.arg = 0x1000;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	b = a;
	b.waker = WALLPROF_WAKER_TASK;
	b.waker_tid = 7;
	b.flags |= WALLPROF_AGGR_IOWAIT;
	wp_merge_aggr(&m, &s, &b, 0, 0);
	ok(m.nr == 1 && m.samples[0].cause.arg == 0x1000 && !m.samples[0].cause.waker &&
	   !m.samples[0].flags, "a lock, whoever gave it back");
	b.arg++;
	wp_merge_aggr(&m, &s, &b, 0, 0);
	ok(m.nr == 2, "another lock is another sample");
	b.syscall = SYS_read;
	wp_merge_aggr(&m, &s, &b, 0, 0);
	b.arg++;
	wp_merge_aggr(&m, &s, &b, 0, 0);
	ok(m.nr == 3 && !m.samples[2].cause.arg && m.samples[2].cause.syscall == SYS_read,
	   "another file is not");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

static void test_idle(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80), work = a, sample = a;
	struct wallprof_task task = {
		.tid = 11, .tgid = 10, .flags = WALLPROF_TASK_OPEN, .open_ns = 1000,
		.state = WALLPROF_STATE_SLEEPING, .reason = WALLPROF_REASON_SYSCALL,
		.syscall = SYS_ppoll,
	};
	struct wp_stacks s;
	struct wp_merge m;

	wp_stacks_init(&s);
	wp_merge_init(&m, 0);
	m.no_idle = true;
	a.state = WALLPROF_STATE_SLEEPING;
	a.reason = WALLPROF_REASON_SYSCALL;
	a.syscall = SYS_accept4;
	a.count = 3;
	a.total = 1000;
	a.max = 900;
	a.runnable = 40;
	a.runnable_max = 30;
	a.blocked_max = 890;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.nr == 1 && m.samples[0].total == 40 && m.samples[0].runnable == 40 &&
	   m.samples[0].max == 30 && !m.samples[0].min && !m.samples[0].blocked_max &&
	   m.samples[0].count == 3 && m.idle == 3 && m.idle_ns == 960,
	   "of an idle wait only the time stays in which the thread was runnable");
	work = a;
	work.syscall = SYS_futex;
	work.tid = 12;
	wp_merge_aggr(&m, &s, &work, 0, 0);
	ok(m.nr == 2 && m.samples[1].total == 1000 && m.idle == 3, "other waits stay whole");
	a.count = 1;
	a.runnable = 0;
	a.tid = 13;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_open(&m, &s, &task, 5000);
	ok(m.nr == 2 && m.idle == 5 && m.idle_ns == 960 + 1000 + 1000,
	   "one without any is left out, as is one that is open");
	sample.kind = WALLPROF_AGGR_SAMPLE;
	sample.state = WALLPROF_STATE_SLEEPING;
	sample.reason = WALLPROF_REASON_SYSCALL;
	sample.syscall = SYS_accept4;
	wp_merge_aggr(&m, &s, &sample, 0, 0);
	ok(m.nr == 3 && m.idle == 5, "samples stay");
	sample.event = 7;
	wp_merge_aggr(&m, &s, &sample, 0, 0);
	wp_merge_aggr(&m, &s, &sample, 1, 0);
	ok(m.nr == 4 && m.samples[3].event == 7 && !m.samples[2].event &&
	   m.samples[3].count == 2 * m.samples[2].count && !m.samples[3].cause.waker_tid,
	   "those of another event are others");
	wp_merge_reset(&m);
	m.no_idle = false;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(m.nr == 1 && m.samples[0].total == 1000 && m.idle == 5, "if not asked, everything stays");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

/* Samples that differ by their wakers, and by nothing else. */
static void test_merge_wakers(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80);
	struct wallprof_task t = {
		.tid = 10, .tgid = 10, .phase = WALLPROF_TASK_OFF, .flags = WALLPROF_TASK_OPEN,
		.state = WALLPROF_STATE_SLEEPING, .open_ns = 40, .open_runnable_ns = 15,
		.syscall = WALLPROF_SYSCALL_NONE, .waker = WALLPROF_WAKER_TASK, .waker_tid = 7,
		.waker_stack = id_of(1, 0, 20),
	};
	struct wp_merge m, plain;
	struct wp_stacks s;

	wp_stacks_init(&s);
	wp_merge_init(&plain, 0);
	wp_merge_init(&m, WP_MERGE_WAKERS);
	wp_stacks_add(&s, id_of(1, 0, 1), make(3, 0x1000, false));
	wp_stacks_add(&s, id_of(1, 0, 20), make_waker(id_of(1, 0, 1), 0, 7));
	wp_stacks_add(&s, id_of(1, 0, 30), make_waker(0, 0, 7));
	a.reason = WALLPROF_REASON_SYSCALL;
	a.syscall = 202;
	a.waker = WALLPROF_WAKER_TASK;
	a.waker_tid = 7;
	a.waker_stack = id_of(1, 0, 20);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&plain, &s, &a, 0, 0);
	ok(m.nr == 1 && waker_of(&s, a.waker_stack).user && m.samples[0].waker &&
	   m.samples[0].cause.waker == WALLPROF_WAKER_TASK &&
	   m.samples[0].cause.waker_tid == 7 && !m.samples[0].cause.reason &&
	   m.samples[0].cause.syscall == WALLPROF_SYSCALL_NONE,
	   "a sample has its waker, where it was, and no other cause");
	a.syscall = 0;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&plain, &s, &a, 0, 0);
	ok(m.nr == 1 && m.samples[0].count == 2, "so another cause makes no other sample");
	a.waker_stack = id_of(1, 0, 30);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&plain, &s, &a, 0, 0);
	ok(m.nr == 2, "another stack of the waker's does");
	a.waker_tid = 8;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&plain, &s, &a, 0, 0);
	ok(m.nr == 3, "and another waker");
	ok(plain.nr == 1 && !plain.samples[0].waker && plain.samples[0].count == 4,
	   "but only if asked");
	a.waker_stack = id_of(4, 4, 4);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_aggr(&plain, &s, &a, 0, 0);
	ok(m.unknown == 1 && !plain.unknown && !m.samples[3].waker && m.samples[3].total == 100 &&
	   !(m.samples[3].flags & WALLPROF_AGGR_NO_STACK),
	   "an id that stands for nothing loses the waker's stack, not the time, nor its own");
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 5 && m.samples[4].waker == m.samples[0].waker &&
	   m.samples[4].cause.waker_tid == 7, "an open interval has its waker, too");
	wp_merge_free(&m);
	wp_merge_free(&plain);
	wp_stacks_free(&s);
}

/* Intervals that are recorded one by one are not summed, among others that are. */
static void test_single(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80);
	struct wallprof_wait w = {
		.tid = a.tid, .tgid = a.tgid, .start_time = a.start_time,
		.exec_id = a.exec_id, .kind = a.kind, .state = a.state,
		.flags = WALLPROF_AGGR_IOWAIT, .begin = 60, .end = 90, .runnable = 12,
		.reason = WALLPROF_REASON_FAULT, .waker = WALLPROF_WAKER_HARDIRQ,
		.syscall = WALLPROF_SYSCALL_NONE, .user_stack = id_of(2, 0, 1),
		.waker_aggr = id_of(1, 0, 9),
	};
	const struct wp_sample *sample;
	unsigned int i, single = 0;
	__u64 count = 0, total = 0;
	struct wp_stacks s;
	struct wp_merge m;

	wp_stacks_init(&s);
	wp_stacks_add(&s, id_of(2, 0, 1), make(3, 0x1000, false));
	wp_merge_init(&m, WP_MERGE_CAUSES);
	wp_merge_wait(&m, &s, &w, 3, id_of(2, 3, 7));
	sample = &m.samples[0];
	ok(m.nr == 1 && sample->count == 1 && sample->total == 30 && sample->min == 30 &&
	   sample->max == 30 && sample->first == 90 && sample->last == 90 &&
	   sample->runnable == 12 && sample->runnable_max == 12 &&
	   sample->blocked_max == 18 && sample->cpu == 3 && sample->user && !sample->kernel &&
	   sample->tid == a.tid && sample->tgid == a.tgid && sample->state == a.state &&
	   sample->start_time == a.start_time && sample->exec_id == a.exec_id &&
	   sample->flags == (WP_SAMPLE_SINGLE | WALLPROF_AGGR_IOWAIT),
	   "an interval by itself is a sample, of the time of its end");
	ok(sample->cause.reason == WALLPROF_REASON_FAULT &&
	   sample->cause.waker == WALLPROF_WAKER_HARDIRQ, "with its cause");
	ok(sample->id == id_of(2, 3, 7) && sample->waker_id == id_of(1, 0, 9),
	   "and its chain, as it is one by itself");
	wp_merge_free(&m);

	w.flags = 0;
	wp_merge_init(&m, 0);
	/* More than there was room for at first, and sums among them. */
	for (i = 0; i < 5000; i++) {
		w.begin = i;
		w.end = 2 * i;
		wp_merge_wait(&m, &s, &w, 0, 0);
		if (i % 2)
			wp_merge_aggr(&m, &s, &a, 0, 0);
	}
	for (i = 0; i < m.nr; i++) {
		single += !!(m.samples[i].flags & WP_SAMPLE_SINGLE);
		count += m.samples[i].count;
		total += m.samples[i].total;
	}
	ok(m.nr == 5001 && single == 5000, "those that are alike stay apart, and apart from sums");
	ok(count == 5000 + 2500 * a.count && total == 5000 * 4999 / 2 + 2500 * a.total,
	   "all of them are there");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

/* The histogram of what was added just before goes with it. */
static void test_hists(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80), b = aggr_of(11, 0, 100, 50, 80);
	struct wp_hist one, both;
	const struct wp_hist *h;
	struct wp_stacks s;
	struct wp_merge m;
	unsigned int i, bad = 0;

	wp_hist_one(&one, 5000, 0);
	wp_hist_one(&both, 50000, 2000);
	wp_stacks_init(&s);
	wp_merge_init(&m, 0);
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(!wp_merge_hist_of(&m, &m.samples[0]), "a sample has no histogram");
	bad += wp_merge_hist(&m, &one);
	wp_merge_aggr(&m, &s, &b, 0, 0);
	bad += wp_merge_hist(&m, &one);
	wp_merge_aggr(&m, &s, &a, 1, 0);
	bad += wp_merge_hist(&m, &both);
	h = wp_merge_hist_of(&m, &m.samples[0]);
	ok(!bad && h && h->blocked[3] == 1 && h->blocked[6] == 1 && h->runnable[2] == 1,
	   "but what it was given, in sum");
	h = wp_merge_hist_of(&m, &m.samples[1]);
	ok(h && h->blocked[3] == 1 && !h->blocked[6] && !h->runnable[2], "and no other's");
	wp_merge_reset(&m);
	/* More than there was room for at first, in another order in the end. */
	for (i = 0; i < 5000; i++) {
		a.tid = i;
		a.last = 5000 - i;
		wp_merge_aggr(&m, &s, &a, 0, 0);
		if (i % 3)
			bad += wp_merge_hist(&m, i % 2 ? &one : &both);
	}
	wp_merge_sort(&m);
	for (i = 0; i < m.nr; i++) {
		h = wp_merge_hist_of(&m, &m.samples[i]);
		bad += !h != !(m.samples[i].tid % 3) ||
		       (h && h->blocked[3] != m.samples[i].tid % 2);
	}
	ok(!bad && m.nr == 5000, "each keeps its own (%u wrong)", bad);
	wp_merge_free(&m);

	wp_merge_init(&m, 0);
	m.no_idle = true;
	a = aggr_of(10, 0, 100, 50, 80);
	a.state = WALLPROF_STATE_SLEEPING;
	a.reason = WALLPROF_REASON_SYSCALL;
	a.syscall = SYS_epoll_pwait;
	a.runnable = 0;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	ok(!m.nr && !wp_merge_hist(&m, &both), "one left out as idle has none");
	a.runnable = 10;
	wp_merge_aggr(&m, &s, &a, 0, 0);
	wp_merge_hist(&m, &both);
	h = wp_merge_hist_of(&m, &m.samples[0]);
	ok(m.nr == 1 && h && !h->blocked[6] && h->runnable[2] == 1,
	   "one left out in part that of the rest");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

/* Each aggregate by itself, and what it names. */
static void test_chains(void)
{
	struct wallprof_aggr a = aggr_of(10, 0, 100, 50, 80);
	struct wallprof_task t = {
		.tid = 10, .tgid = 10, .phase = WALLPROF_TASK_OFF, .flags = WALLPROF_TASK_OPEN,
		.state = WALLPROF_STATE_SLEEPING, .open_ns = 40, .waker_aggr = id_of(3, 0, 0),
	};
	struct wp_merge m, plain;
	struct wp_stacks s;
	unsigned int i;

	wp_stacks_init(&s);
	wp_merge_init(&plain, WP_MERGE_WAKERS);
	wp_merge_init(&m, WP_MERGE_WAKERS | WP_MERGE_CHAINS);
	a.waker_aggr = id_of(2, 1, 9);
	for (i = 0; i < 3; i++) {
		wp_merge_aggr(&m, &s, &a, 0, id_of(3, i, 7));
		wp_merge_aggr(&plain, &s, &a, 0, id_of(3, i, 7));
	}
	ok(m.nr == 3 && m.samples[2].id == id_of(3, 2, 7) &&
	   m.samples[2].waker_id == id_of(2, 1, 9), "each aggregate is a sample if asked");
	ok(plain.nr == 1 && !plain.samples[0].id && !plain.samples[0].waker_id,
	   "and else those that are alike are one");
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 4 && !m.samples[3].id && m.samples[3].waker_id == id_of(3, 0, 0),
	   "an open interval names one, and is none");
	wp_merge_free(&m);
	wp_merge_free(&plain);
	wp_stacks_free(&s);
}

static void test_tasks(void)
{
	struct wallprof_task t = {
		.tid = 3, .tgid = 2, .phase = WALLPROF_TASK_OFF,
		.state = WALLPROF_STATE_DISK, .open_ns = 40, .open_runnable_ns = 15,
		.reason = WALLPROF_REASON_FAULT, .syscall = WALLPROF_SYSCALL_NONE,
		.waker = WALLPROF_WAKER_SOFTIRQ,
	};
	struct wp_stacks s;
	struct wp_merge m;

	wp_stacks_init(&s);
	wp_merge_init(&m, WP_MERGE_CAUSES);
	wp_stacks_add(&s, id_of(2, 0, 1), make(3, 0x1000, false));
	ok(!wp_merge_spill(&m, &t, 9) && !wp_merge_open(&m, &s, &t, 9) && !m.nr,
	   "a thread with nothing open or spilled gives no sample");
	t.flags = WALLPROF_TASK_OPEN | WALLPROF_TASK_SINCE_START | WALLPROF_TASK_IOWAIT;
	t.user_stack = id_of(2, 0, 1);
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 1 && m.samples[0].total == 40 && m.samples[0].count == 1 &&
	   m.samples[0].last == 9 && m.samples[0].user &&
	   m.samples[0].state == WALLPROF_STATE_DISK &&
	   m.samples[0].flags == (WP_SAMPLE_OPEN | WALLPROF_AGGR_SINCE_START |
				  WALLPROF_AGGR_IOWAIT),
	   "an open interval is a sample of the end");
	ok(m.samples[0].runnable == 15 && m.samples[0].runnable_max == 15 &&
	   m.samples[0].blocked_max == 25 &&
	   m.samples[0].cause.reason == WALLPROF_REASON_FAULT &&
	   m.samples[0].cause.waker == WALLPROF_WAKER_SOFTIRQ,
	   "with its cause and what it was runnable for");
	t.flags |= WALLPROF_TASK_FILTERED;
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 1 && m.samples[0].count == 1, "but not if its state is not wanted");
	t.flags ^= WALLPROF_TASK_FILTERED | WALLPROF_TASK_OUT_OF_RANGE;
	wp_merge_open(&m, &s, &t, 9);
	ok(m.nr == 1 && m.samples[0].count == 1, "nor if its length is not");
	t.spill_ns = 70;
	t.spill_runnable_ns = 30;
	t.nr_spilled = 6;
	wp_merge_spill(&m, &t, 9);
	ok(m.nr == 2 && m.samples[1].total == 70 && m.samples[1].count == 6 &&
	   !m.samples[1].user && m.samples[1].flags == (WP_SAMPLE_SPILL | WALLPROF_AGGR_NO_STACK),
	   "what found no room is a sample without a stack");
	ok(m.samples[1].runnable == 30 && m.samples[1].runnable_max == 30 &&
	   m.samples[1].blocked_max == 40 &&
	   wp_cause_same(&m.samples[1].cause, &wp_cause_none), "and without a cause");
	wp_merge_free(&m);
	wp_stacks_free(&s);
}

int main(void)
{
	test_merge();
	test_causes();
	test_locks();
	test_idle();
	test_merge_wakers();
	test_single();
	test_hists();
	test_chains();
	test_tasks();
	return done();
}
