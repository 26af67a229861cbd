// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the ledger, of the names of threads and of sets of CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/cpumask.h"
#include "lib/model/comms.h"
#include "lib/model/ledger.h"
#include "tap.h"

static struct wallprof_task task_of(__u32 tid, __u64 run, __u64 off)
{
	return (struct wallprof_task){
		.tid = tid, .tgid = tid, .phase = WALLPROF_TASK_RUNNING,
		.born = 1000, .run_ns = run, .off_ns = off, .nr_off = 1,
	};
}

static void test_ledger(void)
{
	struct wallprof_task t = task_of(5, 400, 600);
	struct wp_totals a;
	struct wp_ledger l;
	unsigned int i;

	ok(wp_ledger_read(&t, 2000, "name", &a) && !a.ended && a.end == 2000 &&
	   wp_totals_wall(&a) == 1000 && !wp_totals_diff(&a) && !strcmp(a.comm, "name"),
	   "a thread that lives to the end");
	t.phase = WALLPROF_TASK_EXITED;
	t.since = 1900;
	ok(wp_ledger_read(&t, 2000, NULL, &a) && a.ended && a.end == 1900 &&
	   wp_totals_diff(&a) == -100 && !*a.comm, "one that ended, out of balance");
	t = task_of(5, 400, 600);
	t.runnable_ns = 200;
	t.runnable_max = 150;
	t.blocked_max = 390;
	ok(wp_ledger_read(&t, 2000, NULL, &a) && a.runnable_ns == 200 &&
	   wp_totals_blocked(&a) == 400 && a.runnable_max == 150 && a.blocked_max == 390 &&
	   !wp_totals_diff(&a), "one that was runnable for a part of its time off the CPU");
	t.unknown_ns = 100;
	t.asleep_since = 900;
	ok(wp_ledger_read(&t, 2100, NULL, &a) && a.unknown_ns == 100 && a.asleep_since == 900 &&
	   !wp_totals_diff(&a), "one of which not all is known, blocked since before");
	t.unknown_ns = 0;
	t.runnable_ns = 601;
	ok(wp_ledger_read(&t, 2000, NULL, &a) && wp_totals_diff(&a) == -1,
	   "for more than that is out of balance");
	ok(wp_ledger_read(&t, 2000, "a name that is far too long", &a) &&
	   !strcmp(a.comm, "a name that is "), "a long name");
	t.flags = WALLPROF_TASK_ARMED;
	ok(!wp_ledger_read(&t, 2000, NULL, &a), "one that waits for its exec has no account");
	t.flags = 0;
	t.phase = WALLPROF_TASK_FREE;
	ok(!wp_ledger_read(&t, 2000, NULL, &a), "nor has a free slot");

	wp_ledger_init(&l, 10);
	for (i = 1; i <= 100000; i++) {
		t = task_of(i, 1000 - i % 500, i % 500);
		t.runnable_ns = t.off_ns / 2;
		if (i == 777)
			t.run_ns++;
		if (i == 888) {
			t.run_ns -= 7;
			t.unknown_ns = 7;
		}
		wp_ledger_read(&t, 2000, NULL, &a);
		wp_ledger_add(&l, &a, i == 5);
	}
	wp_ledger_sort(&l);
	ok(l.threads == 100000 && l.wall_ns == 100000000 && l.nr_off == 100000 &&
	   l.run_ns + l.off_ns + l.unknown_ns == l.wall_ns + 1 && l.unknown_ns == 7 &&
	   l.nr_spilled == 1 &&
	   l.runnable_ns == 200 * (249 * 250 / 2 + 249 * 250 / 2), "the sums");
	ok(l.unbalanced == 1 && l.worst_ns == -1, "one is out of balance, by 1 ns");
	ok(l.room < 2000, "few lines are kept (%zu)", l.room);
	ok(l.lines[0].tid == 777 && l.lines[1].off_ns == 499 && l.lines[9].off_ns == 499,
	   "the odd one first, then the longest off-CPU");
	wp_ledger_free(&l);
	wp_ledger_init(&l, 0);
	wp_ledger_add(&l, &a, 0);
	ok(l.threads == 1 && !l.nr, "no lines if none are wanted");
	wp_ledger_free(&l);
}

static void test_comms(void)
{
	struct {
		struct perf_event_header h;
		__u32 pid, tid;
		char comm[16];
	} comm = { { PERF_RECORD_COMM, 0, sizeof(comm) }, 10, 10, "shell" };
	struct {
		struct perf_event_header h;
		__u32 pid, ppid, tid, ptid;
	} fork = { { PERF_RECORD_FORK, 0, sizeof(fork) }, 11, 10, 11, 10 };
	struct {
		struct perf_event_header h;
		__u32 pid, ppid, tid, ptid;
		__u64 time;
	} exit = { { PERF_RECORD_EXIT, 0, sizeof(exit) } };
	struct wp_comms c = {};
	unsigned int i;

	ok(!wp_comms_find(&c, 10), "no name in an empty table");
	wp_comms_record(&c, &comm.h);
	wp_comms_record(&c, &fork.h);
	ok(!strcmp(wp_comms_find(&c, 11), "shell"), "a child has its parent's name");
	strcpy(comm.comm, "other");
	wp_comms_record(&c, &comm.h);
	ok(!strcmp(wp_comms_find(&c, 10), "other") && !strcmp(wp_comms_find(&c, 11), "shell"),
	   "until one of them changes it");
	memset(comm.comm, 'x', sizeof(comm.comm));
	wp_comms_record(&c, &comm.h);
	ok(strlen(wp_comms_find(&c, 10)) == 15, "a name without an end is cut");
	for (i = 100; i < 20000; i++) {
		comm.tid = i;
		snprintf(comm.comm, sizeof(comm.comm), "%u", i);
		wp_comms_record(&c, &comm.h);
	}
	for (i = 100; i < 20000 && (unsigned int)atoi(wp_comms_find(&c, i)) == i; i++)
		;
	ok(i == 20000, "many names");
	for (exit.tid = 1; exit.tid < 20000; exit.tid++)
		if (exit.tid % 3)
			wp_comms_record(&c, &exit.h);
	/* An id that is used again, and a thread that takes its leader's by an exec. */
	comm.tid = 1000;
	strcpy(comm.comm, "1000");
	wp_comms_record(&c, &comm.h);
	wp_comms_sweep(&c);
	ok(!!wp_comms_find(&c, 101), "nor at once, for its totals are to come");
	wp_comms_sweep(&c);
	for (i = 100; i < 20000; i++) {
		const char *name = wp_comms_find(&c, i);

		if (i % 3 && i != 1000 ? !!name : !name || (unsigned int)atoi(name) != i)
			break;
	}
	ok(i == 20000 && c.nr == 6634,
	   "then two of three are forgotten, the others are there, and one of an old id");
	wp_comms_sweep(&c);
	ok(c.nr == 6634 && !c.nr_ended, "once");
	wp_comms_free(&c);
}

static unsigned int count_cpus(const struct wp_cpumask *mask)
{
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < WP_MAX_CPUS; cpu++)
		nr += wp_cpumask_has(mask, cpu);
	return nr;
}

static void test_cpumask(void)
{
	static const struct {
		const char *list;
		int err;
		unsigned int count, end;
	} cases[] = {
		{ "0", 0, 1, 1 },
		{ "0-3,5", 0, 5, 6 },
		{ "63,64\n", 0, 2, 65 },
		{ "16383", 0, 1, 16384 },
		{ "1,1,0-1", 0, 2, 2 },
		{ "16384", -ERANGE, 0, 0 },
		{ "", -EINVAL, 0, 0 },
		{ "1,", -EINVAL, 0, 0 },
		{ "3-1", -EINVAL, 0, 0 },
		{ "-1", -EINVAL, 0, 0 },
		{ "1-", -EINVAL, 0, 0 },
		{ "1 2", -EINVAL, 0, 0 },
		{ "all", -EINVAL, 0, 0 },
	};
	struct wp_cpumask mask;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = wp_cpumask_parse(&mask, cases[i].list);

		ok(err == cases[i].err && (err || (count_cpus(&mask) == cases[i].count &&
						   wp_cpumask_end(&mask) == cases[i].end)),
		   "CPUs, case %u", i);
	}
	wp_cpumask_parse(&mask, "2-4");
	ok(!wp_cpumask_has(&mask, 1) && wp_cpumask_has(&mask, 2) && wp_cpumask_has(&mask, 4) &&
	   !wp_cpumask_has(&mask, 5) && !wp_cpumask_has(&mask, 1U << 20), "which are in it");
}

int main(void)
{
	test_ledger();
	test_comms();
	test_cpumask();
	return done();
}
