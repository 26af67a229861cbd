// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/intervals.c: whole lives of threads, with random events and times,
 * in whose totals no nanosecond is lost or counted twice.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "pure/intervals.h"
#include "interval_slots.h"
#include "suite.h"

/*
 * A thread's life, and its totals by a clock that never steps back.
 */
struct life {
	struct wallprof_task slot;
	u64 born, now, latest;
	u64 run, unknown, intervals, filtered, spilled, nr;
	u64 woken, runnable, spilled_runnable;
	bool known, off, was_filtered, preempted;
};

/* Lets some time pass, mostly; returns how much. */
static u64 life_pass(struct life *l)
{
	u64 passed;

	if (!suite_below(5))
		l->now -= l->now < 300 ? l->now : suite_below(300);
	else
		l->now += suite_random() >> (30 + suite_below(34));
	passed = l->now > l->latest ? l->now - l->latest : 0;
	l->latest += passed;
	return passed;
}

static void life_close(struct kunit *test, struct life *l, u64 passed)
{
	struct wallprof_aggr key = {};
	enum wp_closed closed;
	u64 runnable, ns;

	closed = close_slot(&l->slot, l->now, &key, &ns);
	if (l->known && !l->off) {
		l->unknown += passed;
		KUNIT_EXPECT_EQ(test, closed, WP_CLOSED_NOTHING);
		KUNIT_EXPECT_EQ(test, ns, 0);
		return;
	}
	KUNIT_EXPECT_EQ(test, closed, l->was_filtered ? WP_CLOSED_FILTERED :
							WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, ns, passed);
	runnable = l->woken && l->now > l->woken ? min(l->now - l->woken, ns) : 0;
	if (l->preempted)
		runnable = ns;
	l->runnable += runnable;
	if (!l->was_filtered)
		KUNIT_EXPECT_EQ(test, key.runnable, runnable);
	l->woken = 0;
	l->preempted = false;
	*(l->was_filtered ? &l->filtered : &l->intervals) += ns;
	l->nr++;
	if (!l->was_filtered && !suite_below(4)) {
		wp_interval_spill(&l->slot, ns, runnable);
		l->spilled += ns;
		l->spilled_runnable += runnable;
	}
	l->off = false;
}

static void life_open(struct life *l, u64 passed)
{
	struct wp_leave leave = sleeps;

	l->was_filtered = !suite_below(4);
	leave.flags = l->was_filtered ? WALLPROF_TASK_FILTERED : 0;
	l->preempted = !suite_below(4);
	if (l->preempted)
		leave.state = WALLPROF_STATE_PREEMPTED;
	wp_interval_open(&l->slot, &before, &leave, l->now);
	/* No two intervals begin at the same time. */
	if (!passed) {
		l->latest++;
		passed = 1;
	}
	*(l->known && l->off ? &l->unknown : &l->run) += passed;
	l->off = true;
}

static void life_step(struct kunit *test, struct life *l)
{
	u64 passed;

	/* A wakeup is no step of the thread's time; the waker's clock is another one. */
	if (!suite_below(3)) {
		l->woken = l->now + suite_below(200);
		wp_interval_wake(&l->slot, WALLPROF_WAKER_TASK, 9, l->woken, l->woken);
	}
	passed = life_pass(l);
	/* Comings and goings alternate, except those that were missed. */
	if (l->known ? l->off == !!suite_below(10) : suite_below(2))
		life_close(test, l, passed);
	else
		life_open(l, passed);
	l->was_filtered &= l->off;
	l->known = true;
	KUNIT_EXPECT_EQ(test, l->slot.run_ns + l->slot.off_ns + l->slot.unknown_ns,
			l->latest - l->born);
	KUNIT_EXPECT_EQ(test, l->slot.run_ns, l->run);
	KUNIT_EXPECT_EQ(test, l->slot.unknown_ns, l->unknown);
	KUNIT_EXPECT_EQ(test, l->slot.off_ns, l->intervals + l->filtered);
	KUNIT_EXPECT_EQ(test, l->slot.nr_off, l->nr);
	KUNIT_EXPECT_EQ(test, l->slot.spill_ns, l->spilled);
	KUNIT_EXPECT_EQ(test, l->slot.spill_runnable_ns, l->spilled_runnable);
	KUNIT_EXPECT_EQ(test, l->slot.runnable_ns, l->runnable);
	KUNIT_EXPECT_EQ(test, l->slot.phase, l->off ? WALLPROF_TASK_OFF :
						      WALLPROF_TASK_RUNNING);
}

static void life_end(struct kunit *test, struct life *l)
{
	l->now += suite_below(1000);
	l->latest = l->now > l->latest ? l->now : l->latest;
	if (l->known && !l->off && suite_below(2))
		wp_interval_exit(&l->slot, l->now);
	else
		wp_interval_end(&l->slot, l->now, suite_below(2), &any);
	KUNIT_EXPECT_EQ(test, l->slot.run_ns + l->slot.off_ns + l->slot.unknown_ns,
			l->latest - l->born);
	KUNIT_EXPECT_EQ(test, l->slot.off_ns, l->intervals + l->filtered +
					      l->slot.open_ns);
	KUNIT_EXPECT_EQ(test, l->slot.runnable_ns,
			l->runnable + l->slot.open_runnable_ns);
	KUNIT_EXPECT_LE(test, l->slot.open_runnable_ns, l->slot.open_ns);
	KUNIT_EXPECT_EQ(test, l->slot.born, l->born);
}

/* Run, off and unknown are wall time to the nanosecond, for random events and times. */
static void ledger_telescopes(struct kunit *test)
{
	int nr, step, steps;

	for (nr = 0; nr < SUITE_ROUNDS(3000) && !suite_failed(test); nr++) {
		u8 phase = phases[suite_below(3)];
		struct life l = {
			.off = phase == WALLPROF_TASK_OFF,
			.known = phase != WALLPROF_TASK_UNSEEN,
		};

		l.born = suite_below(4) ? suite_random() >> 8 : suite_below(100);
		l.now = l.born;
		l.latest = l.born;
		wp_interval_begin(&l.slot, &before, phase, WALLPROF_STATE_DISK,
				  l.born);
		steps = suite_below(60);
		for (step = 0; step < steps && !suite_failed(test); step++)
			life_step(test, &l);
		life_end(test, &l);
		KUNIT_EXPECT_FALSE_MSG(test, suite_failed(test), "life %d, step %d", nr,
				       step);
		cond_resched();
	}
}

static struct kunit_case interval_lives_cases[] = {
	KUNIT_CASE(ledger_telescopes),
	{}
};

static struct kunit_suite interval_lives_suite = {
	.name = "wallprof_interval_lives",
	.init = suite_init,
	.test_cases = interval_lives_cases,
};

kunit_test_suite(interval_lives_suite);
