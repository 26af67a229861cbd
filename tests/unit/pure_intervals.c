// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of module/intervals.c: the phases of a thread, the intervals that end
 * and the ledger, in which no nanosecond is lost or counted twice.
 */
#include <string.h>

#include "intervals.h"
#include "pure.h"

static const struct wp_thread before = {
	.start_time = 500, .tid = 21, .tgid = 20, .exec_id = 3,
};

/* The same thread after an exec of another one than the leader. */
static const struct wp_thread after = {
	.start_time = 777, .tid = 20, .tgid = 19, .exec_id = 4,
};

static const struct wp_leave sleeps = {
	.user_stack = 0x1000000001, .kernel_stack = 0x1000000009,
	.state = WALLPROF_STATE_SLEEPING,
};

/* A slot in @phase since 1000. */
static struct wallprof_task slot_in(u8 phase)
{
	struct wallprof_task slot;

	memset(&slot, 0xff, sizeof(slot));
	wp_interval_begin(&slot, &before, phase, WALLPROF_STATE_DISK, 1000);
	return slot;
}

static void begin_fills(void)
{
	static const u8 phases[] = {
		WALLPROF_TASK_UNSEEN, WALLPROF_TASK_RUNNING, WALLPROF_TASK_OFF,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		struct wallprof_task slot = slot_in(phases[i]);
		struct wallprof_task expected = {
			.start_time = 500, .tid = 21, .tgid = 20, .exec_id = 3,
			.phase = phases[i], .state = WALLPROF_STATE_DISK,
			.since = 1000, .born = 1000,
			.flags = phases[i] == WALLPROF_TASK_UNSEEN ?
				 WALLPROF_TASK_SINCE_START : 0,
		};

		expect(!memcmp(&slot, &expected, sizeof(slot)), "phase %u", phases[i]);
	}
}

enum event { OPEN, CLOSE, EXIT, END_ON, END_OFF };

/* Every event in every phase: what the slot says after it, 30 ns later. */
static const struct {
	u8 phase;
	enum event event;
	u8 then;
	u64 run_ns, off_ns, nr_off, open_ns;
	u16 flags;
	enum wp_closed closed;
} transitions[] = {
	{ WALLPROF_TASK_UNSEEN, OPEN, WALLPROF_TASK_OFF, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_UNSEEN, CLOSE, WALLPROF_TASK_RUNNING, 0, 30, 1, 0, 0,
	  WP_CLOSED_INTERVAL },
	{ WALLPROF_TASK_UNSEEN, EXIT, WALLPROF_TASK_EXITED, 30, 0, 0, 0,
	  WALLPROF_TASK_SINCE_START, 0 },
	{ WALLPROF_TASK_UNSEEN, END_ON, WALLPROF_TASK_RUNNING, 30, 0, 0, 0,
	  WALLPROF_TASK_SINCE_START, 0 },
	{ WALLPROF_TASK_UNSEEN, END_OFF, WALLPROF_TASK_OFF, 0, 30, 1, 30,
	  WALLPROF_TASK_SINCE_START | WALLPROF_TASK_OPEN, 0 },
	{ WALLPROF_TASK_RUNNING, OPEN, WALLPROF_TASK_OFF, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_RUNNING, CLOSE, WALLPROF_TASK_RUNNING, 30, 0, 0, 0, 0,
	  WP_CLOSED_NOTHING },
	{ WALLPROF_TASK_RUNNING, EXIT, WALLPROF_TASK_EXITED, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_RUNNING, END_ON, WALLPROF_TASK_RUNNING, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_RUNNING, END_OFF, WALLPROF_TASK_RUNNING, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_OFF, OPEN, WALLPROF_TASK_OFF, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_OFF, CLOSE, WALLPROF_TASK_RUNNING, 0, 30, 1, 0, 0,
	  WP_CLOSED_INTERVAL },
	{ WALLPROF_TASK_OFF, EXIT, WALLPROF_TASK_EXITED, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_OFF, END_ON, WALLPROF_TASK_OFF, 0, 30, 1, 30,
	  WALLPROF_TASK_OPEN, 0 },
	{ WALLPROF_TASK_OFF, END_OFF, WALLPROF_TASK_OFF, 0, 30, 1, 30,
	  WALLPROF_TASK_OPEN, 0 },
};

static void transitions_all(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		struct wallprof_task slot = slot_in(transitions[i].phase);
		struct wallprof_aggr key = {};
		enum event event = transitions[i].event;
		u64 ns = ~0ULL;
		bool good = true;

		switch (event) {
		case OPEN:
			wp_interval_open(&slot, &before, &sleeps, 1030);
			break;
		case CLOSE:
			good &= expect_eq(wp_interval_close(&slot, 1030, &key, &ns),
					  transitions[i].closed);
			good &= expect_eq(ns, transitions[i].off_ns);
			break;
		case EXIT:
			wp_interval_exit(&slot, 1030);
			good &= expect_eq(slot.state, WALLPROF_STATE_DEAD);
			break;
		default:
			wp_interval_end(&slot, 1030, event == END_ON);
		}
		good &= expect_eq(slot.phase, transitions[i].then);
		good &= expect_eq(slot.run_ns, transitions[i].run_ns);
		good &= expect_eq(slot.off_ns, transitions[i].off_ns);
		good &= expect_eq(slot.nr_off, transitions[i].nr_off);
		good &= expect_eq(slot.open_ns, transitions[i].open_ns);
		good &= expect_eq(slot.flags, transitions[i].flags);
		good &= expect_eq(slot.since, 1030);
		good &= expect_eq(slot.born, 1000);
		good &= expect_eq(slot.start_time, 500);
		if (!good)
			printf("# in row %d\n", i);
	}
}

static void open_takes_thread(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);

	wp_interval_open(&slot, &after, &sleeps, 1010);
	expect_eq(slot.tid, after.tid);
	expect_eq(slot.tgid, after.tgid);
	expect_eq(slot.exec_id, after.exec_id);
	/* Who executes for a dead leader takes over its birth too. */
	expect_eq(slot.start_time, after.start_time);
	expect_eq(slot.user_stack, sleeps.user_stack);
	expect_eq(slot.kernel_stack, sleeps.kernel_stack);
	expect_eq(slot.state, WALLPROF_STATE_SLEEPING);
}

/* The key is what the thread was when it left. */
static void close_fills_key(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key;
	struct wallprof_aggr expected = {
		.tid = 20, .tgid = 19, .start_time = 777, .exec_id = 4,
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
		.user_stack = 0x1000000001, .kernel_stack = 0x1000000009,
	};
	u64 ns;

	memset(&key, 0xff, sizeof(key));
	wp_interval_open(&slot, &after, &sleeps, 1010);
	expect_eq(wp_interval_close(&slot, 1050, &key, &ns), WP_CLOSED_INTERVAL);
	expect_eq(ns, 40);
	expect(!memcmp(&key, &expected, offsetof(struct wallprof_aggr, count)));
	expect_eq(slot.user_stack, 0);
	expect_eq(slot.kernel_stack, 0);
}

static void close_key_states(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wp_leave leave = sleeps;
	struct wallprof_aggr key;
	u64 ns, now = 1000;

	for (leave.state = 0; leave.state < WALLPROF_STATE_MAX; leave.state++) {
		wp_interval_open(&slot, &before, &leave, now += 10);
		expect_eq(slot.state, leave.state);
		wp_interval_close(&slot, now += 10, &key, &ns);
		expect_eq(key.state, leave.state);
	}
}

static void close_key_flags(void)
{
	static const struct {
		u16 flags, key_flags;
	} rows[] = {
		{ 0, 0 },
		{ WALLPROF_TASK_NO_STACK, WALLPROF_AGGR_NO_STACK },
		{ WALLPROF_TASK_SINCE_START, WALLPROF_AGGR_SINCE_START },
		{ WALLPROF_TASK_NO_STACK | WALLPROF_TASK_SINCE_START,
		  WALLPROF_AGGR_NO_STACK | WALLPROF_AGGR_SINCE_START },
	};
	struct wallprof_aggr key;
	u64 ns;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wallprof_task slot = slot_in(WALLPROF_TASK_OFF);

		key.flags = 0xffff;
		slot.flags = rows[i].flags;
		wp_interval_close(&slot, 1010, &key, &ns);
		expect_eq(key.flags, rows[i].key_flags);
		expect_eq(slot.flags, 0);
	}
}

/* What an interval was does not stick to the next one of the thread. */
static void flags_do_not_stick(void)
{
	struct wp_leave leave = { .flags = WALLPROF_TASK_NO_STACK };
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key;
	u64 ns;

	wp_interval_close(&slot, 1010, &key, &ns);
	expect_eq(key.flags, WALLPROF_AGGR_SINCE_START);
	wp_interval_open(&slot, &before, &leave, 1020);
	wp_interval_close(&slot, 1030, &key, &ns);
	expect_eq(key.flags, WALLPROF_AGGR_NO_STACK);
	leave.flags = WALLPROF_TASK_FILTERED;
	wp_interval_open(&slot, &before, &leave, 1040);
	expect_eq(wp_interval_close(&slot, 1050, &key, &ns), WP_CLOSED_FILTERED);
	wp_interval_open(&slot, &before, &sleeps, 1060);
	expect_eq(wp_interval_close(&slot, 1070, &key, &ns), WP_CLOSED_INTERVAL);
	expect_eq(key.flags, 0);
	expect_eq(slot.off_ns, 40);
	expect_eq(slot.run_ns, 30);
	expect_eq(slot.nr_off, 4);
}

static void filtered_is_counted(void)
{
	struct wp_leave leave = { .state = WALLPROF_STATE_PREEMPTED,
				  .flags = WALLPROF_TASK_FILTERED };
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key, untouched;
	u64 ns;

	memset(&key, 0xcc, sizeof(key));
	untouched = key;
	wp_interval_open(&slot, &before, &leave, 1010);
	expect_eq(wp_interval_close(&slot, 1033, &key, &ns), WP_CLOSED_FILTERED);
	expect_eq(ns, 23);
	expect_eq(slot.off_ns, 23);
	expect_eq(slot.nr_off, 1);
	expect_eq(slot.phase, WALLPROF_TASK_RUNNING);
	expect_eq(slot.flags, 0);
	expect(!memcmp(&key, &untouched, sizeof(key)));
}

static void unseen_was_off(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key;
	u64 ns;

	expect_eq(wp_interval_close(&slot, 5000, &key, &ns), WP_CLOSED_INTERVAL);
	expect_eq(ns, 4000);
	expect_eq(key.state, WALLPROF_STATE_DISK);
	expect_eq(key.flags, WALLPROF_AGGR_SINCE_START);
	expect_eq(key.user_stack, 0);
	expect_eq(key.kernel_stack, 0);
	expect_eq(slot.run_ns, 0);
	expect_eq(slot.off_ns, 4000);
}

static void unseen_was_running(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key;
	u64 ns;

	wp_interval_open(&slot, &before, &sleeps, 5000);
	expect_eq(slot.run_ns, 4000);
	expect_eq(slot.flags, 0);
	expect_eq(wp_interval_close(&slot, 5001, &key, &ns), WP_CLOSED_INTERVAL);
	expect_eq(key.flags, 0);
	expect_eq(ns, 1);
}

/* At the end an open interval keeps what is known of it. */
static void open_at_end(void)
{
	static const u16 flags[] = {
		0, WALLPROF_TASK_FILTERED, WALLPROF_TASK_NO_STACK,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
		struct wp_leave leave = sleeps;

		leave.flags = flags[i];
		wp_interval_open(&slot, &before, &leave, 1010);
		wp_interval_end(&slot, 1100, false);
		expect_eq(slot.flags, flags[i] | WALLPROF_TASK_OPEN);
		expect_eq(slot.open_ns, 90);
		expect_eq(slot.off_ns, 90);
		expect_eq(slot.run_ns, 10);
		expect_eq(slot.nr_off, 1);
		expect_eq(slot.state, WALLPROF_STATE_SLEEPING);
		expect_eq(slot.user_stack, sleeps.user_stack);
		expect_eq(slot.kernel_stack, sleeps.kernel_stack);
	}
}

static void clock_steps_back(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key;
	u64 ns;

	wp_interval_open(&slot, &before, &sleeps, 990);
	expect_eq(slot.run_ns, 0);
	expect_eq(slot.since, 1000);
	expect_eq(wp_interval_close(&slot, 999, &key, &ns), WP_CLOSED_INTERVAL);
	expect_eq(ns, 0);
	expect_eq(slot.nr_off, 1);
	wp_interval_open(&slot, &before, &sleeps, 1000);
	wp_interval_close(&slot, 1001, &key, &ns);
	expect_eq(ns, 1);
	wp_interval_end(&slot, 0, true);
	expect_eq(slot.run_ns + slot.off_ns, 1);
	expect_eq(slot.since, 1001);
}

static void clock_extremes(void)
{
	struct wallprof_task slot;
	struct wallprof_aggr key;
	u64 ns;

	wp_interval_begin(&slot, &before, WALLPROF_TASK_OFF, 0, 0);
	wp_interval_close(&slot, U64_MAX, &key, &ns);
	expect_eq(ns, U64_MAX);
	expect_eq(slot.off_ns, U64_MAX);
	wp_interval_open(&slot, &before, &sleeps, 5);
	wp_interval_exit(&slot, U64_MAX);
	expect_eq(slot.run_ns, 0);
}

static void spill_is_part_of_off(void)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_OFF), was;
	struct wallprof_aggr key;
	u64 ns;

	wp_interval_close(&slot, 1070, &key, &ns);
	was = slot;
	wp_interval_spill(&slot, ns);
	wp_interval_spill(&slot, 5);
	expect_eq(slot.spill_ns, 75);
	expect_eq(slot.nr_spilled, 2);
	was.spill_ns = 75;
	was.nr_spilled = 2;
	expect(!memcmp(&was, &slot, sizeof(slot)), "something else changed");
}

/*
 * Random events at random times: after each, the ledger says what a reader of
 * the clock that never lets it go back would say.
 */
static void ledger_telescopes(void)
{
	static const u8 phases[] = {
		WALLPROF_TASK_UNSEEN, WALLPROF_TASK_RUNNING, WALLPROF_TASK_OFF,
	};
	int life, step;

	for (life = 0; life < 3000; life++) {
		u64 born = pure_below(4) ? pure_random() >> 8 : pure_below(100);
		u64 now = born, latest = born, intervals = 0, filtered = 0;
		u64 spilled = 0, nr = 0, steps = pure_below(60);
		u8 phase = phases[pure_below(3)];
		struct wallprof_task slot;
		struct wallprof_aggr key;
		bool good = true, off = phase == WALLPROF_TASK_OFF;
		bool known = phase != WALLPROF_TASK_UNSEEN, was_filtered = false;
		u64 run = 0;

		wp_interval_begin(&slot, &before, phase, 0, born);
		for (step = 0; step < steps && good; step++) {
			struct wp_leave leave = sleeps;
			u64 ns, passed;

			if (!pure_below(5))
				now -= now < 300 ? now : pure_below(300);
			else
				now += pure_random() >> (30 + pure_below(34));
			passed = now > latest ? now - latest : 0;
			latest = now > latest ? now : latest;
			/* Comings and goings alternate, but for what was missed. */
			if (known ? off == !!pure_below(10) : pure_below(2)) {
				enum wp_closed closed;

				closed = wp_interval_close(&slot, now, &key, &ns);
				if (known && !off) {
					run += passed;
					good &= expect_eq(closed, WP_CLOSED_NOTHING);
					good &= expect_eq(ns, 0);
				} else {
					good &= expect_eq(closed, was_filtered ?
							  WP_CLOSED_FILTERED :
							  WP_CLOSED_INTERVAL);
					good &= expect_eq(ns, passed);
					*(was_filtered ? &filtered : &intervals) += ns;
					nr++;
					if (!was_filtered && !pure_below(4)) {
						wp_interval_spill(&slot, ns);
						spilled += ns;
					}
				}
				off = false;
			} else {
				was_filtered = !pure_below(4);
				leave.flags = was_filtered ? WALLPROF_TASK_FILTERED : 0;
				wp_interval_open(&slot, &before, &leave, now);
				run += passed;
				off = true;
			}
			was_filtered &= off;
			known = true;
			good &= expect_eq(slot.run_ns + slot.off_ns, latest - born);
			good &= expect_eq(slot.run_ns, run);
			good &= expect_eq(slot.off_ns, intervals + filtered);
			good &= expect_eq(slot.nr_off, nr);
			good &= expect_eq(slot.spill_ns, spilled);
			good &= expect(slot.phase == (off ? WALLPROF_TASK_OFF :
						      WALLPROF_TASK_RUNNING));
		}
		now += pure_below(1000);
		latest = now > latest ? now : latest;
		if (known && !off && pure_below(2))
			wp_interval_exit(&slot, now);
		else
			wp_interval_end(&slot, now, pure_below(2));
		good &= expect_eq(slot.run_ns + slot.off_ns, latest - born);
		good &= expect_eq(slot.off_ns, intervals + filtered + slot.open_ns);
		good &= expect_eq(slot.born, born);
		if (!expect(good, "life %d, step %d", life, step))
			break;
	}
}

static const struct pure_case cases[] = {
	{ "begin: fills all of a slot, whatever it was", begin_fills },
	{ "every event in every phase", transitions_all },
	{ "open: takes the thread as an exec left it", open_takes_thread },
	{ "close: the key is what the thread left with; its stacks are used up",
	  close_fills_key },
	{ "close: every state comes to the key", close_key_states },
	{ "close: the flags of an interval come to the key", close_key_flags },
	{ "close: the flags of an interval end with it", flags_do_not_stick },
	{ "filtered: counted, with its time, and no key", filtered_is_counted },
	{ "unseen: came to a CPU, was off since the start", unseen_was_off },
	{ "unseen: left a CPU, ran since the start", unseen_was_running },
	{ "end: an open interval keeps stacks, state and flags", open_at_end },
	{ "clock: a step back counts as no time, and not twice", clock_steps_back },
	{ "clock: 0 and 2^64 - 1", clock_extremes },
	{ "spill: a part of what is off, nothing else changes", spill_is_part_of_off },
	{ "ledger: run + off is wall time to the nanosecond, at random",
	  ledger_telescopes },
};

int main(void)
{
	return pure_run(cases, ARRAY_SIZE(cases));
}
