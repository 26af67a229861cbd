// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the causes of intervals, of the sums by cause, and of the names of
 * system calls: single rules, and many random intervals whose sums are known.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/model/cause.h"
#include "lib/model/syscalls.h"
#include "lib/model/waits.h"
#include "tap.h"

/* What the record command does with each. */
static void add_aggr(struct wp_waits *w, const struct wallprof_aggr *aggr, __u32 object)
{
	struct wp_wait wait;

	wp_wait_aggr(&wait, aggr);
	wait.object = object;
	wp_waits_add(w, &wait);
}

static void add_single(struct wp_waits *w, const struct wallprof_wait *single, __u32 object)
{
	struct wp_wait wait;

	wp_wait_single(&wait, single);
	wait.object = object;
	wp_waits_add(w, &wait);
}

static void add_open(struct wp_waits *w, const struct wallprof_task *task, __u32 object)
{
	struct wp_wait wait;

	wp_wait_open(&wait, task);
	wait.object = object;
	wp_waits_add(w, &wait);
}

static void add_spill(struct wp_waits *w, const struct wallprof_task *task)
{
	struct wp_wait wait;

	wp_wait_spill(&wait, task);
	wp_waits_add(w, &wait);
}

static bool is(const char *got, const char *want)
{
	if (strcmp(got, want))
		printf("# %s, not %s\n", got, want);
	return !strcmp(got, want);
}

static void test_names(void)
{
	char name[48];
	unsigned int i;

	ok(is(wp_syscall_name(SYS_futex, false, name, sizeof(name)), "futex") &&
	   is(wp_syscall_name(SYS_read, false, name, sizeof(name)), "read"),
	   "system calls by this machine's numbers");
	/* Both 32-bit tables, i386's and ARM's, have this one so. */
	ok(is(wp_syscall_name(240, true, name, sizeof(name)), "futex"),
	   "and by those of 32-bit programs");
	ok(is(wp_syscall_name_on("x86_64", 202, false, name, sizeof(name)), "futex") &&
	   is(wp_syscall_name_on("aarch64", 98, false, name, sizeof(name)), "futex") &&
	   is(wp_syscall_name_on("aarch64", 240, true, name, sizeof(name)), "futex") &&
	   is(wp_syscall_name_on("z80", 98, false, name, sizeof(name)), "syscall 98"),
	   "and by those of other machines");
	ok(is(wp_syscall_name(9999, false, name, sizeof(name)), "syscall 9999"),
	   "a new one is its number");
	ok(is(wp_syscall_name(WALLPROF_SYSCALL_NONE, false, name, sizeof(name)), "-") &&
	   is(wp_syscall_name(WALLPROF_SYSCALL_OTHER, false, name, sizeof(name)),
	      "another syscall"), "none, and one beyond the numbers");
	ok(is(wp_cause_name(&(struct wp_cause){ .reason = WALLPROF_REASON_SYSCALL,
						.syscall = 240, .compat = true },
			    name, sizeof(name)), "futex (32-bit)") &&
	   is(wp_cause_name(&(struct wp_cause){ .reason = WALLPROF_REASON_SYSCALL,
						.syscall = WALLPROF_SYSCALL_NONE },
			    name, sizeof(name)), "a system call") &&
	   is(wp_cause_name(&(struct wp_cause){ .reason = WALLPROF_REASON_STOP, .syscall = 0 },
			    name, sizeof(name)), "stopped by a signal or tracer"),
	   "a cause is its system call or its reason");
	for (i = 0; i < WALLPROF_REASON_MAX; i++) {
		if (!*wp_reason_name(i) ||
		    !*wp_cause_name(&(struct wp_cause){ .reason = i, .syscall = WALLPROF_SYSCALL_NONE },
				    name, sizeof(name)))
			break;
	}
	ok(i == WALLPROF_REASON_MAX && is(wp_reason_name(i), "?"), "each reason has its words");
	ok(is(wp_waker_name(WALLPROF_WAKER_SOFTIRQ), "softirq") &&
	   is(wp_waker_name(WALLPROF_WAKER_NONE), "-") &&
	   is(wp_waker_name(WALLPROF_WAKER_MAX), "?"), "as has each kind of waker");
}

static bool idle(unsigned int reason, unsigned int nr, bool compat, unsigned int state)
{
	return wp_cause_idle(&(struct wp_cause){ .reason = reason, .syscall = nr,
						 .compat = compat }, state);
}

static void test_idle(void)
{
	static const unsigned int calls[] = {
		SYS_accept, SYS_accept4, SYS_epoll_pwait, SYS_ppoll, SYS_pselect6,
		SYS_io_getevents, SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
	}, others[] = {
		SYS_futex, SYS_read, SYS_recvfrom, SYS_connect, SYS_nanosleep,
		SYS_clock_nanosleep, SYS_wait4, SYS_waitid, SYS_flock, SYS_fsync,
		WALLPROF_SYSCALL_NONE, WALLPROF_SYSCALL_OTHER, 9999,
	};
	const unsigned int call = WALLPROF_REASON_SYSCALL, kernel = WALLPROF_REASON_KERNEL;
	unsigned int i, bad = 0, state, reason;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		bad += !idle(call, calls[i], false, WALLPROF_STATE_SLEEPING);
	ok(!bad, "waits for whatever comes next are idle (%u not)", bad);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		bad += idle(call, others[i], false, WALLPROF_STATE_SLEEPING);
	ok(!bad, "waits for something in particular are not (%u are)", bad);
	/* Both 32-bit tables, i386's and ARM's, have these so. */
	ok(idle(call, 168, true, WALLPROF_STATE_SLEEPING) &&
	   idle(call, 142, true, WALLPROF_STATE_SLEEPING) &&
	   !idle(call, 240, true, WALLPROF_STATE_SLEEPING), "those of 32-bit programs");
	for (state = 0; state < WALLPROF_STATE_MAX; state++) {
		bool is_s = state == WALLPROF_STATE_SLEEPING;

		bad += idle(call, SYS_ppoll, false, state) != is_s;
		bad += idle(kernel, WALLPROF_SYSCALL_NONE, false, state) !=
		       (is_s || state == WALLPROF_STATE_IDLE || state == WALLPROF_STATE_PARKED);
		for (reason = 0; reason < WALLPROF_REASON_MAX; reason++)
			bad += reason != call && reason != kernel &&
			       idle(reason, SYS_ppoll, false, state);
	}
	ok(!bad, "by reason and state (%u wrong)", bad);
}

static void test_cause(void)
{
	const struct wallprof_aggr aggr = {
		.waker_tid = 7, .syscall = 202, .reason = WALLPROF_REASON_SYSCALL,
		.waker = WALLPROF_WAKER_TASK, .arg = 0x1234567890,
		.flags = WALLPROF_AGGR_32BIT,
	};
	const struct wallprof_task task = {
		.waker_tid = 7, .syscall = 202, .reason = WALLPROF_REASON_SYSCALL,
		.waker = WALLPROF_WAKER_TASK, .arg = 0x1234567890,
		.flags = WALLPROF_TASK_32BIT,
	};
	struct wp_cause a, b;
	unsigned int i;

	wp_cause_aggr(&a, &aggr);
	wp_cause_open(&b, &task);
	ok(a.waker_tid == 7 && a.syscall == 202 && a.reason == WALLPROF_REASON_SYSCALL &&
	   a.waker == WALLPROF_WAKER_TASK && a.arg == 0x1234567890 && a.compat,
	   "the cause of a sum");
	ok(wp_cause_same(&a, &b), "and that of an open interval");
	for (i = 0; i < 6; i++) {
		b = a;
		b.reason += i == 0;
		b.waker += i == 1;
		b.syscall += i == 2;
		b.waker_tid += i == 3;
		b.arg += i == 4 ? 1ULL << 40 : 0;
		b.compat ^= i == 5;
		ok(!wp_cause_same(&a, &b), "another cause (%u)", i);
	}
}

static const struct wp_wait *find(const struct wp_wait_table *t, __u8 reason, __u16 syscall,
				  __u8 waker, __u32 tid)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct wp_cause *c = &t->entry[i].cause;

		if (c->reason == reason && c->syscall == syscall && c->waker == waker &&
		    c->waker_tid == tid)
			return &t->entry[i];
	}
	return NULL;
}

static void test_waits(void)
{
	struct wallprof_aggr aggr = {
		.kind = WALLPROF_AGGR_OFFCPU, .reason = WALLPROF_REASON_SYSCALL, .syscall = 202,
		.waker = WALLPROF_WAKER_TASK, .waker_tid = 7, .arg = 0x10,
		.count = 3, .total = 100, .runnable = 40,
	};
	struct wallprof_task task = {
		.phase = WALLPROF_TASK_OFF, .reason = WALLPROF_REASON_SYSCALL, .syscall = 202,
		.waker = WALLPROF_WAKER_HARDIRQ,
		.open_ns = 1000, .open_runnable_ns = 900,
	};
	struct wp_waits w = {}, single = {};
	const struct wp_wait *a, *b;

	add_aggr(&w, &aggr, 0);
	aggr.arg = 0x20;
	aggr.waker_tid = 8;
	aggr.runnable = 0;
	add_aggr(&w, &aggr, 0);
	aggr.kind = WALLPROF_AGGR_SAMPLE;
	add_aggr(&w, &aggr, 0);
	ok(w.reasons.nr == 1 && w.wakers.nr == 2,
	   "a system call is one reason, whatever its argument; and samples are none");
	aggr.kind = WALLPROF_AGGR_OFFCPU;
	aggr.flags = WALLPROF_AGGR_32BIT;
	add_aggr(&w, &aggr, 0);
	ok(w.reasons.nr == 2 && w.wakers.nr == 2, "but that of a 32-bit program is another");
	aggr.flags = WALLPROF_AGGR_32BIT;
	aggr.reason = WALLPROF_REASON_PREEMPTED;
	aggr.syscall = WALLPROF_SYSCALL_NONE;
	aggr.waker = WALLPROF_WAKER_NONE;
	aggr.waker_tid = 0;
	aggr.runnable = 100;
	add_aggr(&w, &aggr, 0);
	aggr.flags = 0;
	add_aggr(&w, &aggr, 0);
	ok(w.reasons.nr == 3 && w.wakers.nr == 2, "nobody wakes what was preempted");

	add_single(&single, &(struct wallprof_wait){
		.reason = WALLPROF_REASON_STOP, .syscall = WALLPROF_SYSCALL_NONE,
		.waker = WALLPROF_WAKER_TASK, .waker_tid = 3, .begin = 5, .end = 50,
		.runnable = 7 }, 0);
	wp_waits_sort(&single);
	ok(single.reasons.nr == 1 && single.wakers.nr == 1 &&
	   single.reasons.entry[0].cause.reason == WALLPROF_REASON_STOP &&
	   single.wakers.entry[0].cause.waker_tid == 3 &&
	   single.reasons.entry[0].count == 1 && single.reasons.entry[0].total == 45 &&
	   single.reasons.entry[0].runnable == 7, "an interval by itself adds");
	wp_waits_free(&single);

	add_open(&w, &task, 0);
	ok(w.reasons.nr == 3, "a thread with nothing open adds nothing");
	task.flags = WALLPROF_TASK_OPEN | WALLPROF_TASK_FILTERED;
	add_open(&w, &task, 0);
	ok(w.wakers.nr == 2, "nor does one whose state is not wanted");
	task.flags = WALLPROF_TASK_OPEN | WALLPROF_TASK_OUT_OF_RANGE;
	add_open(&w, &task, 0);
	ok(w.wakers.nr == 2, "or whose length is not");
	task.flags = WALLPROF_TASK_OPEN;
	add_open(&w, &task, 0);
	add_spill(&w, &task);
	ok(w.reasons.nr == 3 && w.wakers.nr == 3, "an open interval adds");
	task.nr_spilled = 4;
	task.spill_ns = 5;
	task.spill_runnable_ns = 1;
	add_spill(&w, &task);
	ok(w.reasons.nr == 4 && w.wakers.nr == 3, "what found no room has no cause that is known");

	wp_waits_sort(&w);
	a = &w.reasons.entry[0];
	ok(a->cause.syscall == 202 && !a->cause.compat && a->count == 7 && a->total == 1200 &&
	   a->runnable == 940 && !a->cause.waker && !a->cause.waker_tid && !a->cause.arg,
	   "the sum of one reason comes first");
	b = find(&w.reasons, WALLPROF_REASON_UNKNOWN, WALLPROF_SYSCALL_NONE, 0, 0);
	ok(b == &w.reasons.entry[3] && b->count == 4 && b->total == 5 && b->runnable == 1,
	   "the shortest one last");
	a = &w.wakers.entry[0];
	b = find(&w.wakers, 0, WALLPROF_SYSCALL_NONE, WALLPROF_WAKER_TASK, 8);
	ok(a == b && b->count == 6 && b->total == 200 && !b->runnable &&
	   w.wakers.entry[1].cause.waker == WALLPROF_WAKER_HARDIRQ,
	   "wakers are sorted by the time until they woke");
	ok(!w.objects.nr, "where nothing is known of objects, there are none");
	wp_waits_free(&w);
	ok(!w.reasons.nr && !w.wakers.entry, "nothing is left");
}

static void test_no_idle(void)
{
	struct wallprof_aggr aggr = {
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
		.reason = WALLPROF_REASON_SYSCALL, .syscall = SYS_ppoll,
		.waker = WALLPROF_WAKER_TASK, .waker_tid = 7,
		.count = 1, .total = 100, .runnable = 40,
	};
	struct wp_waits w = { .no_idle = true };

	add_aggr(&w, &aggr, 1);
	ok(w.reasons.nr == 1 && w.wakers.nr == 1, "idle waits that had to wait for a CPU");
	aggr.syscall = SYS_epoll_pwait;
	aggr.runnable = 0;
	add_aggr(&w, &aggr, 1);
	ok(w.reasons.nr == 1, "and those that had not");
	aggr.syscall = SYS_read;
	add_aggr(&w, &aggr, 1);
	wp_waits_sort(&w);
	ok(w.reasons.nr == 2 && w.reasons.entry[0].total == 100 && w.reasons.entry[1].total == 40 &&
	   w.reasons.entry[1].runnable == 40 && w.objects.entry[1].total == 40,
	   "are summed by that alone");
	wp_waits_free(&w);
}

static void test_iowait(void)
{
	struct wallprof_aggr aggr = {
		.kind = WALLPROF_AGGR_OFFCPU, .flags = WALLPROF_AGGR_IOWAIT,
		.count = 3, .total = 100, .runnable = 40,
	};
	struct wallprof_wait single = {
		.flags = WALLPROF_AGGR_IOWAIT, .begin = 1000, .end = 3000, .runnable = 5,
	};
	struct wallprof_task task = {
		.phase = WALLPROF_TASK_OFF, .open_ns = 30000, .open_runnable_ns = 10,
		.flags = WALLPROF_TASK_OPEN | WALLPROF_TASK_IOWAIT,
	};
	struct wp_waits w = {};

	add_aggr(&w, &aggr, 0);
	add_single(&w, &single, 0);
	add_open(&w, &task, 0);
	ok(w.iowait.count == 5 && w.iowait.total == 32100 && w.iowait.runnable == 55,
	   "iowait is summed over all records that have it");
	aggr.flags = WALLPROF_AGGR_SINCE_START | WALLPROF_AGGR_32BIT;
	add_aggr(&w, &aggr, 0);
	single.flags = 0;
	add_single(&w, &single, 0);
	task.flags = WALLPROF_TASK_OPEN;
	add_open(&w, &task, 0);
	ok(w.iowait.count == 5, "and of nothing else");
	wp_waits_free(&w);
}

static void test_objects(void)
{
	struct wallprof_aggr aggr = {
		.kind = WALLPROF_AGGR_OFFCPU, .reason = WALLPROF_REASON_SYSCALL, .syscall = 0,
		.waker = WALLPROF_WAKER_TASK, .waker_tid = 7, .arg = 3,
		.count = 1, .total = 100, .runnable = 40,
	};
	struct wallprof_task task = {
		.phase = WALLPROF_TASK_OFF, .flags = WALLPROF_TASK_OPEN, .open_ns = 1000,
		.reason = WALLPROF_REASON_SYSCALL, .syscall = 0,
	};
	struct wp_waits w = {};
	const struct wp_wait *e;
	unsigned int i;

	add_aggr(&w, &aggr, 5);
	aggr.arg = 4;
	add_aggr(&w, &aggr, 5);
	ok(w.objects.nr == 1 && w.reasons.nr == 1 && w.wakers.nr == 1,
	   "two descriptors of one object are one");
	add_open(&w, &task, 6);
	aggr.syscall = 1;
	add_aggr(&w, &aggr, 5);
	aggr.flags = WALLPROF_AGGR_32BIT;
	add_aggr(&w, &aggr, 5);
	ok(w.objects.nr == 4 && w.reasons.nr == 3, "another object is another, as is another call");
	for (i = 0; i < 1000; i++)
		add_aggr(&w, &aggr, 100 + i);
	wp_waits_sort(&w);
	e = w.objects.entry;
	ok(w.objects.nr == 1004 && e[0].object == 6 && e[0].total == 1000 && e[1].object == 5 &&
	   e[1].total == 200 && e[1].count == 2 && e[1].runnable == 80 && !e[1].cause.syscall &&
	   !e[1].cause.arg && !e[1].cause.waker && e[1003].total == 100,
	   "the longest time comes first");
	wp_waits_free(&w);
	ok(!w.objects.entry, "nothing is left of them, either");
}

#define SYSCALLS	400
#define TIDS		3000

/* Where threads come and go all the time: names are of when they woke somebody. */
static void test_wakers(void)
{
	struct {
		struct perf_event_header h;
		__u32 pid, tid;
		char comm[16];
	} comm = { { PERF_RECORD_COMM, 0, sizeof(comm) }, 1, 1, "" };
	struct wallprof_aggr aggr = {
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING, .count = 1,
		.waker = WALLPROF_WAKER_TASK, .reason = WALLPROF_REASON_SYSCALL,
	};
	struct wp_comms comms = {};
	struct wp_waits w = { .comms = &comms };
	__u64 total = 0, count = 0, others = 0;
	size_t i, most = 0;

	for (i = 1; i <= 50000; i++) {
		comm.tid = i;
		snprintf(comm.comm, sizeof(comm.comm), "%zu", i);
		wp_comms_record(&comms, &comm.h);
		aggr.waker_tid = i;
		aggr.total = i % 1000 ? i % 1000 : 1000000;
		add_aggr(&w, &aggr, 0);
		if (w.wakers.nr > most)
			most = w.wakers.nr;
	}
	wp_comms_free(&comms);
	w.comms = NULL;
	wp_waits_sort(&w);
	for (i = 0; i < w.wakers.nr; i++) {
		const struct wp_wait *e = &w.wakers.entry[i];

		total += e->total;
		count += e->count;
		if (e->cause.waker_tid == WP_WAKER_OTHERS)
			others += e->count;
		else if ((__u32)atoi(e->comm) != e->cause.waker_tid)
			break;
	}
	ok(i == w.wakers.nr && most == WP_WAKERS_MAX, "names of at most %zu wakers", most);
	ok(count == 50000 && total == 50 * (499500ULL + 1000000) && others > 40000,
	   "nothing is lost of the others (%llu)", (unsigned long long)others);
	for (i = 0; i < 51 && (w.wakers.entry[i].total == 1000000 ||
			       w.wakers.entry[i].cause.waker_tid == WP_WAKER_OTHERS); i++)
		;
	ok(i == 51, "those that ended most are kept apart");
	wp_waits_free(&w);
}

static void test_many(void)
{
	static __u64 reasons[SYSCALLS], wakers[TIDS];
	struct wp_waits w = {};
	unsigned int i, wrong = 0;

	srand(1);
	for (i = 0; i < 200000; i++) {
		struct wallprof_aggr aggr = {
			.kind = WALLPROF_AGGR_OFFCPU, .reason = WALLPROF_REASON_SYSCALL,
			.syscall = rand() % SYSCALLS, .waker = WALLPROF_WAKER_TASK,
			.waker_tid = rand() % TIDS, .arg = rand(), .count = 1,
			.total = 1 + rand() % 1000,
		};

		reasons[aggr.syscall] += aggr.total;
		wakers[aggr.waker_tid] += aggr.total;
		add_aggr(&w, &aggr, 0);
	}
	wp_waits_sort(&w);
	ok(w.reasons.nr == SYSCALLS && w.wakers.nr == TIDS, "many reasons and wakers");
	for (i = 0; i < w.reasons.nr; i++) {
		wrong += w.reasons.entry[i].total != reasons[w.reasons.entry[i].cause.syscall];
		wrong += i && w.reasons.entry[i].total > w.reasons.entry[i - 1].total;
	}
	for (i = 0; i < w.wakers.nr; i++) {
		wrong += w.wakers.entry[i].total != wakers[w.wakers.entry[i].cause.waker_tid];
		wrong += i && w.wakers.entry[i].total > w.wakers.entry[i - 1].total;
	}
	ok(!wrong, "with their sums, in order (%u wrong)", wrong);
	wp_waits_free(&w);
}

int main(void)
{
	test_names();
	test_cause();
	test_idle();
	test_waits();
	test_iowait();
	test_objects();
	test_no_idle();
	test_many();
	test_wakers();
	return done();
}
