// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/intervals.c: the phases of a thread, the intervals that end, their
 * time spent runnable, and the per-thread totals. interval_lives.c and interval_ranges.c
 * have the rest.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/intervals.h"
#include "interval_slots.h"
#include "suite.h"

/* The same thread after an exec by a thread that was not the leader. */
static const struct wp_thread after = {
	.start_time = 777, .tid = 20, .tgid = 19, .exec_id = 4,
};

static const char *phase_name(u8 phase)
{
	return phase == WALLPROF_TASK_UNSEEN ? "unseen" :
	       phase == WALLPROF_TASK_RUNNING ? "running" : "off";
}

static void phase_describe(const u8 *phase, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", phase_name(*phase));
}

KUNIT_ARRAY_PARAM(phase, phases, phase_describe);

/* wp_interval_begin() fills all of a slot, whatever it held. */
static void begin_fills(struct kunit *test)
{
	u8 phase = *(const u8 *)test->param_value;
	struct wallprof_task slot = slot_in(phase);
	struct wallprof_task expected = {
		.start_time = 500, .tid = 21, .tgid = 20, .exec_id = 3,
		.phase = phase, .state = WALLPROF_STATE_DISK,
		.since = 1000, .born = 1000, .syscall = WALLPROF_SYSCALL_NONE,
		.flags = phase == WALLPROF_TASK_UNSEEN ? WALLPROF_TASK_SINCE_START : 0,
	};

	KUNIT_EXPECT_EQ(test, memcmp(&slot, &expected, sizeof(slot)), 0);
}

enum event { OPEN, CLOSE, EXIT, END_ON, END_OFF };

static const char *const event_names[] = {
	"leaves its CPU", "comes to one", "exits", "the session ends, it is on a CPU",
	"the session ends, it is on none",
};

/* Every event in every phase: the slot after it, 30 ns later. */
static const struct transition {
	u8 phase;
	enum event event;
	u8 then;
	u64 run_ns, off_ns, nr_off, open_ns;
	u16 flags;
	enum wp_closed closed;
	u64 unknown_ns;
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
	{ WALLPROF_TASK_RUNNING, CLOSE, WALLPROF_TASK_RUNNING, 0, 0, 0, 0, 0,
	  WP_CLOSED_NOTHING, 30 },
	{ WALLPROF_TASK_RUNNING, EXIT, WALLPROF_TASK_EXITED, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_RUNNING, END_ON, WALLPROF_TASK_RUNNING, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_RUNNING, END_OFF, WALLPROF_TASK_RUNNING, 30, 0, 0, 0, 0, 0 },
	{ WALLPROF_TASK_OFF, OPEN, WALLPROF_TASK_OFF, 0, 0, 0, 0, 0, 0, 30 },
	{ WALLPROF_TASK_OFF, CLOSE, WALLPROF_TASK_RUNNING, 0, 30, 1, 0, 0,
	  WP_CLOSED_INTERVAL },
	{ WALLPROF_TASK_OFF, EXIT, WALLPROF_TASK_EXITED, 0, 0, 0, 0, 0, 0, 30 },
	{ WALLPROF_TASK_OFF, END_ON, WALLPROF_TASK_OFF, 0, 30, 1, 30,
	  WALLPROF_TASK_OPEN, 0 },
	{ WALLPROF_TASK_OFF, END_OFF, WALLPROF_TASK_OFF, 0, 30, 1, 30,
	  WALLPROF_TASK_OPEN, 0 },
};

static void transition_describe(const struct transition *t, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", phase_name(t->phase),
		 event_names[t->event]);
}

KUNIT_ARRAY_PARAM(transition, transitions, transition_describe);

/* Every event in every phase. */
static void transition(struct kunit *test)
{
	const struct transition *t = test->param_value;
	struct wallprof_task slot = slot_in(t->phase);
	struct wallprof_aggr key = {};
	u64 ns = ~0ULL;

	switch (t->event) {
	case OPEN:
		wp_interval_open(&slot, &before, &sleeps, 1030);
		break;
	case CLOSE:
		KUNIT_EXPECT_EQ(test, close_slot(&slot, 1030, &key, &ns), t->closed);
		KUNIT_EXPECT_EQ(test, ns, t->off_ns);
		break;
	case EXIT:
		wp_interval_exit(&slot, 1030);
		KUNIT_EXPECT_EQ(test, slot.state, WALLPROF_STATE_DEAD);
		break;
	default:
		wp_interval_end(&slot, 1030, t->event == END_ON, &any);
	}
	KUNIT_EXPECT_EQ(test, slot.phase, t->then);
	KUNIT_EXPECT_EQ(test, slot.run_ns, t->run_ns);
	KUNIT_EXPECT_EQ(test, slot.off_ns, t->off_ns);
	KUNIT_EXPECT_EQ(test, slot.unknown_ns, t->unknown_ns);
	KUNIT_EXPECT_EQ(test, slot.nr_off, t->nr_off);
	KUNIT_EXPECT_EQ(test, slot.open_ns, t->open_ns);
	KUNIT_EXPECT_EQ(test, slot.flags, t->flags);
	KUNIT_EXPECT_EQ(test, slot.since, 1030);
	KUNIT_EXPECT_EQ(test, slot.born, 1000);
	KUNIT_EXPECT_EQ(test, slot.start_time, 500);
}

/* When a thread leaves, its identity is that after an exec. */
static void open_takes_thread(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);

	wp_interval_open(&slot, &after, &sleeps, 1010);
	KUNIT_EXPECT_EQ(test, slot.tid, after.tid);
	KUNIT_EXPECT_EQ(test, slot.tgid, after.tgid);
	KUNIT_EXPECT_EQ(test, slot.exec_id, after.exec_id);
	/* A thread that execs in place of the leader takes over its birth, too. */
	KUNIT_EXPECT_EQ(test, slot.start_time, after.start_time);
	KUNIT_EXPECT_EQ(test, slot.user_stack, sleeps.user_stack);
	KUNIT_EXPECT_EQ(test, slot.kernel_stack, sleeps.kernel_stack);
	KUNIT_EXPECT_EQ(test, slot.state, WALLPROF_STATE_SLEEPING);
	KUNIT_EXPECT_EQ(test, slot.syscall, 202);
	KUNIT_EXPECT_EQ(test, slot.arg, sleeps.arg);
	KUNIT_EXPECT_EQ(test, slot.reason, WALLPROF_REASON_SYSCALL);
}

/* The key has the thread's identity when it left; its stacks are cleared. */
static void close_fills_key(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key = {};
	struct wallprof_aggr expected = {
		.tid = 20, .tgid = 19, .start_time = 777, .exec_id = 4,
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
		.user_stack = 0x1000000001, .kernel_stack = 0x1000000009,
		.waker_tid = 77, .waker = WALLPROF_WAKER_TASK, .syscall = 202,
		.reason = WALLPROF_REASON_SYSCALL, .arg = 0x7fffdeadbeef,
		.waker_stack = 0x100000000d,
	};
	u64 ns;

	memset(&key, 0xff, sizeof(key));
	wp_interval_open(&slot, &after, &sleeps, 1010);
	wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 77, 0x100000000d, 1020);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 1050, &key, &ns), WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, ns, 40);
	KUNIT_EXPECT_EQ(test, memcmp(&key, &expected, offsetof(struct wallprof_aggr, count)), 0);
	KUNIT_EXPECT_EQ(test, key.runnable, 30);
	KUNIT_EXPECT_EQ(test, slot.user_stack, 0);
	KUNIT_EXPECT_EQ(test, slot.kernel_stack, 0);
}

/* An interval belongs to an aggregate if all of the key is equal, with any waker. */
static void each_bit_decides(struct kunit *test)
{
	static const u8 states[] = { WALLPROF_STATE_SLEEPING, WALLPROF_STATE_PREEMPTED };
	static const u8 wakers[] = { WALLPROF_WAKER_NONE, WALLPROF_WAKER_TASK };
	struct wp_leave leave = sleeps;
	unsigned int how, bit;

	for (how = 0; how < 8; how++) {
		struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
		struct wallprof_aggr key = {};
		struct wp_interval interval;

		leave.state = states[how & 1];
		leave.flags = how & 4 ? WALLPROF_TASK_IOWAIT | WALLPROF_TASK_NO_STACK : 0;
		wp_interval_open(&slot, &after, &leave, 1010);
		wp_interval_wake(&slot, wakers[how >> 1 & 1], 77, 0x100000000d, 1020);
		wp_interval_close(&slot, 1050, &interval);
		wp_interval_key(&slot, &interval, &key);
		KUNIT_EXPECT_TRUE(test, wp_interval_is_of(&slot, &interval, &key));
		for (bit = 0; bit < 8 * offsetof(struct wallprof_aggr, count); bit++) {
			u8 *byte = (u8 *)&key + bit / 8;

			/* The kind is not compared. */
			if (byte == &key.kind)
				continue;
			*byte ^= BIT(bit % 8);
			KUNIT_EXPECT_FALSE_MSG(test, wp_interval_is_of(&slot, &interval, &key),
					       "way %u, bit %u", how, bit);
			*byte ^= BIT(bit % 8);
		}
	}
}

/*
 * An interval from 1010 to 1050, with a wakeup or without (0): the time spent runnable,
 * when it ends and when the session does.
 */
static const struct split {
	const char *name;
	u8 state;
	u64 woken;
	u64 runnable, open_runnable;
	u8 waker;
} splits[] = {
	{ "a wakeup splits it", WALLPROF_STATE_SLEEPING, 1020, 30, 30, 1 },
	{ "woken as it comes", WALLPROF_STATE_DISK, 1050, 0, 0, 1 },
	{ "woken as it leaves", WALLPROF_STATE_STOPPED, 1010, 40, 0, 1 },
	/* While it leaves, or without effect: at the end it is unknown which. */
	{ "woken before it left", WALLPROF_STATE_SLEEPING, 1005, 40, 0, 1 },
	{ "a waker's clock is late", WALLPROF_STATE_SLEEPING, 1060, 0, 0, 1 },
	{ "never woken", WALLPROF_STATE_SLEEPING, 0, 0, 0, 0 },
	{ "preempted", WALLPROF_STATE_PREEMPTED, 0, 40, 40, 0 },
	{ "preempted, and woken in vain", WALLPROF_STATE_PREEMPTED, 1020, 40, 40, 0 },
	{ "yields", WALLPROF_STATE_RUNNING, 0, 40, 40, 0 },
	{ "new", WALLPROF_STATE_NEW, 0, 40, 40, 0 },
	{ "traced", WALLPROF_STATE_TRACED, 1049, 1, 1, 1 },
	{ "parked", WALLPROF_STATE_PARKED, 1011, 39, 39, 1 },
	{ "idle", WALLPROF_STATE_IDLE, 1030, 20, 20, 1 },
	{ "unknown", WALLPROF_STATE_UNKNOWN, 1030, 20, 20, 1 },
};

static void split_describe(const struct split *s, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", s->name);
}

KUNIT_ARRAY_PARAM(split, splits, split_describe);

/* The time of an interval that was spent runnable, and its recorded waker. */
static void wakeup_splits(struct kunit *test)
{
	const struct split *s = test->param_value;
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING), end;
	struct wp_leave leave = sleeps;
	struct wallprof_aggr key = {};
	bool woken;
	u64 ns;

	leave.state = s->state;
	if (s->woken && s->woken <= 1010)
		wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 77, 13, s->woken);
	wp_interval_open(&slot, &before, &leave, 1010);
	if (s->woken > 1010)
		wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 77, 13, s->woken);
	slot.waker_aggr = 17;
	end = slot;
	close_slot(&slot, 1050, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.runnable, s->runnable);
	KUNIT_EXPECT_EQ(test, key.waker, s->waker);
	KUNIT_EXPECT_EQ(test, key.waker_tid, s->waker ? 77 : 0);
	KUNIT_EXPECT_EQ(test, key.waker_stack, s->waker ? 13 : 0);
	KUNIT_EXPECT_EQ(test, slot.runnable_ns, s->runnable);
	KUNIT_EXPECT_EQ(test, slot.runnable_max, s->runnable);
	KUNIT_EXPECT_EQ(test, slot.blocked_max, 40 - s->runnable);
	KUNIT_EXPECT_EQ(test, slot.woken, 0);

	wp_interval_end(&end, 1050, false, &any);
	KUNIT_EXPECT_EQ(test, end.open_ns, 40);
	KUNIT_EXPECT_EQ(test, end.open_runnable_ns, s->open_runnable);
	KUNIT_EXPECT_EQ(test, end.runnable_ns, s->open_runnable);
	KUNIT_EXPECT_EQ(test, end.blocked_max, 40 - s->open_runnable);
	woken = s->waker && s->open_runnable;
	KUNIT_EXPECT_EQ(test, end.woken, woken ? s->woken : 0);
	KUNIT_EXPECT_EQ(test, end.waker, woken ? WALLPROF_WAKER_TASK : WALLPROF_WAKER_NONE);
	KUNIT_EXPECT_EQ(test, end.waker_tid, woken ? 77 : 0);
	KUNIT_EXPECT_EQ(test, end.waker_stack, woken ? 13 : 0);
	KUNIT_EXPECT_EQ(test, end.waker_aggr, woken ? 17 : 0);
}

/* The longest parts are of one interval each; a waker is recorded once. */
static void wakeup_is_used_up(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wp_leave leave = sleeps;
	struct wallprof_aggr key = {};
	u64 ns;

	wp_interval_open(&slot, &before, &sleeps, 1010);
	wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 5, 13, 1015);
	wp_interval_wake(&slot, WALLPROF_WAKER_SOFTIRQ, 0, 0, 1020);
	close_slot(&slot, 1050, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.waker, WALLPROF_WAKER_SOFTIRQ);
	KUNIT_EXPECT_EQ(test, key.waker_tid, 0);
	KUNIT_EXPECT_EQ(test, key.waker_stack, 0);
	KUNIT_EXPECT_EQ(test, key.runnable, 30);

	leave.flags = WALLPROF_TASK_FILTERED;
	wp_interval_open(&slot, &before, &leave, 1060);
	wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 5, 13, 1085);
	close_slot(&slot, 1090, &key, &ns);

	wp_interval_open(&slot, &before, &sleeps, 1100);
	close_slot(&slot, 1107, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.waker, WALLPROF_WAKER_NONE);
	KUNIT_EXPECT_EQ(test, key.waker_tid, 0);
	KUNIT_EXPECT_EQ(test, key.waker_stack, 0);
	KUNIT_EXPECT_EQ(test, key.runnable, 0);
	KUNIT_EXPECT_EQ(test, slot.runnable_ns, 35);
	KUNIT_EXPECT_EQ(test, slot.runnable_max, 30);
	KUNIT_EXPECT_EQ(test, slot.blocked_max, 25);
	KUNIT_EXPECT_EQ(test, slot.off_ns, 77);
}

static const u8 states[] = {
	WALLPROF_STATE_RUNNING, WALLPROF_STATE_PREEMPTED, WALLPROF_STATE_SLEEPING,
	WALLPROF_STATE_DISK, WALLPROF_STATE_STOPPED, WALLPROF_STATE_TRACED,
	WALLPROF_STATE_DEAD, WALLPROF_STATE_PARKED, WALLPROF_STATE_IDLE,
	WALLPROF_STATE_NEW, WALLPROF_STATE_UNKNOWN,
};

static void state_describe(const u8 *state, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "state %u", *state);
}

KUNIT_ARRAY_PARAM(state, states, state_describe);

/* Every state is in the key. */
static void close_key_states(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wp_leave leave = sleeps;
	struct wallprof_aggr key = {};
	u64 ns;

	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(states), WALLPROF_STATE_MAX);
	leave.state = *(const u8 *)test->param_value;
	wp_interval_open(&slot, &before, &leave, 1010);
	KUNIT_EXPECT_EQ(test, slot.state, leave.state);
	close_slot(&slot, 1020, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.state, leave.state);
}

static const struct flags {
	u16 slot, key;
} all_flags[] = {
	{ 0, 0 },
	{ WALLPROF_TASK_NO_STACK, WALLPROF_AGGR_NO_STACK },
	{ WALLPROF_TASK_SINCE_START, WALLPROF_AGGR_SINCE_START },
	{ WALLPROF_TASK_NO_STACK | WALLPROF_TASK_SINCE_START,
	  WALLPROF_AGGR_NO_STACK | WALLPROF_AGGR_SINCE_START },
	{ WALLPROF_TASK_IOWAIT, WALLPROF_AGGR_IOWAIT },
	{ WALLPROF_TASK_32BIT | WALLPROF_TASK_NO_STACK,
	  WALLPROF_AGGR_32BIT | WALLPROF_AGGR_NO_STACK },
	{ WALLPROF_TASK_WEAK_STACK, 0 },
};

static void flags_describe(const struct flags *f, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "flags %#x", f->slot);
}

KUNIT_ARRAY_PARAM(flags, all_flags, flags_describe);

/* The flags of an interval are in the key. */
static void close_key_flags(struct kunit *test)
{
	const struct flags *f = test->param_value;
	struct wallprof_task slot = slot_in(WALLPROF_TASK_OFF);
	struct wallprof_aggr key = {};
	u64 ns;

	key.flags = 0xffff;
	slot.flags = f->slot;
	close_slot(&slot, 1010, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.flags, f->key);
	KUNIT_EXPECT_EQ(test, slot.flags, 0);
}

/* The flags of an interval are not those of the thread's next one. */
static void flags_do_not_stick(struct kunit *test)
{
	struct wp_leave leave = { .flags = WALLPROF_TASK_NO_STACK };
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key = {};
	u64 ns;

	close_slot(&slot, 1010, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.flags, WALLPROF_AGGR_SINCE_START);
	wp_interval_open(&slot, &before, &leave, 1020);
	close_slot(&slot, 1030, &key, &ns);
	KUNIT_EXPECT_EQ(test, key.flags, WALLPROF_AGGR_NO_STACK);
	leave.flags = WALLPROF_TASK_FILTERED;
	wp_interval_open(&slot, &before, &leave, 1040);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 1050, &key, &ns), WP_CLOSED_FILTERED);
	wp_interval_open(&slot, &before, &sleeps, 1060);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 1070, &key, &ns), WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, key.flags, 0);
	KUNIT_EXPECT_EQ(test, slot.off_ns, 40);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 30);
	KUNIT_EXPECT_EQ(test, slot.nr_off, 4);
}

/* A filtered interval is counted, with its time, and has no key. */
static void filtered_is_counted(struct kunit *test)
{
	struct wp_leave leave = { .state = WALLPROF_STATE_PREEMPTED,
				  .flags = WALLPROF_TASK_FILTERED };
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key, untouched;
	u64 ns;

	memset(&key, 0xcc, sizeof(key));
	untouched = key;
	wp_interval_open(&slot, &before, &leave, 1010);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 1033, &key, &ns), WP_CLOSED_FILTERED);
	KUNIT_EXPECT_EQ(test, ns, 23);
	KUNIT_EXPECT_EQ(test, slot.off_ns, 23);
	KUNIT_EXPECT_EQ(test, slot.nr_off, 1);
	KUNIT_EXPECT_EQ(test, slot.phase, WALLPROF_TASK_RUNNING);
	KUNIT_EXPECT_EQ(test, slot.flags, 0);
	KUNIT_EXPECT_EQ(test, memcmp(&key, &untouched, sizeof(key)), 0);
}

/* An unseen thread that comes to a CPU was off it since the start. */
static void unseen_was_off(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key = {};
	u64 ns;

	KUNIT_EXPECT_EQ(test, close_slot(&slot, 5000, &key, &ns), WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, ns, 4000);
	KUNIT_EXPECT_EQ(test, key.state, WALLPROF_STATE_DISK);
	KUNIT_EXPECT_EQ(test, key.flags, WALLPROF_AGGR_SINCE_START);
	KUNIT_EXPECT_EQ(test, key.user_stack, 0);
	KUNIT_EXPECT_EQ(test, key.kernel_stack, 0);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 0);
	KUNIT_EXPECT_EQ(test, slot.off_ns, 4000);
}

/* An unseen thread that leaves a CPU ran since the start. */
static void unseen_was_running(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_UNSEEN);
	struct wallprof_aggr key = {};
	u64 ns;

	wp_interval_open(&slot, &before, &sleeps, 5000);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 4000);
	KUNIT_EXPECT_EQ(test, slot.flags, 0);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 5001, &key, &ns), WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, key.flags, 0);
	KUNIT_EXPECT_EQ(test, ns, 1);
}

static const u16 open_flags[] = { 0, WALLPROF_TASK_FILTERED, WALLPROF_TASK_NO_STACK };

static void open_flags_describe(const u16 *flags, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "flags %#x", *flags);
}

KUNIT_ARRAY_PARAM(open_flags, open_flags, open_flags_describe);

/* At the end an open interval keeps stacks, state and flags. */
static void open_at_end(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wp_leave leave = sleeps;

	leave.flags = *(const u16 *)test->param_value;
	wp_interval_open(&slot, &before, &leave, 1010);
	wp_interval_end(&slot, 1100, false, &any);
	KUNIT_EXPECT_EQ(test, slot.flags, leave.flags | WALLPROF_TASK_OPEN);
	KUNIT_EXPECT_EQ(test, slot.open_ns, 90);
	KUNIT_EXPECT_EQ(test, slot.off_ns, 90);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 10);
	KUNIT_EXPECT_EQ(test, slot.nr_off, 1);
	KUNIT_EXPECT_EQ(test, slot.state, WALLPROF_STATE_SLEEPING);
	KUNIT_EXPECT_EQ(test, slot.user_stack, sleeps.user_stack);
	KUNIT_EXPECT_EQ(test, slot.kernel_stack, sleeps.kernel_stack);
}

/*
 * A step back of the clock counts as no time, and not twice; a thread that leaves has
 * run.
 */
static void clock_steps_back(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_RUNNING);
	struct wallprof_aggr key = {};
	u64 ns;

	wp_interval_open(&slot, &before, &sleeps, 990);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 1);
	KUNIT_EXPECT_EQ(test, slot.since, 1001);
	KUNIT_EXPECT_EQ(test, close_slot(&slot, 999, &key, &ns), WP_CLOSED_INTERVAL);
	KUNIT_EXPECT_EQ(test, ns, 0);
	KUNIT_EXPECT_EQ(test, slot.nr_off, 1);
	wp_interval_open(&slot, &before, &sleeps, 1001);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 2);
	KUNIT_EXPECT_EQ(test, slot.since, 1002);
	close_slot(&slot, 1003, &key, &ns);
	KUNIT_EXPECT_EQ(test, ns, 1);
	wp_interval_end(&slot, 0, true, &any);
	KUNIT_EXPECT_EQ(test, slot.run_ns + slot.off_ns, 3);
	KUNIT_EXPECT_EQ(test, slot.since, 1003);
}

/* From 0 to 2^64 - 2. */
static void clock_extremes(struct kunit *test)
{
	struct wallprof_task slot;
	struct wallprof_aggr key = {};
	u64 ns;

	wp_interval_begin(&slot, &before, WALLPROF_TASK_OFF, 0, 0);
	close_slot(&slot, U64_MAX - 1, &key, &ns);
	KUNIT_EXPECT_EQ(test, ns, U64_MAX - 1);
	KUNIT_EXPECT_EQ(test, slot.off_ns, U64_MAX - 1);
	wp_interval_open(&slot, &before, &sleeps, 5);
	wp_interval_exit(&slot, U64_MAX);
	KUNIT_EXPECT_EQ(test, slot.run_ns, 1);
}

/* Spilled time is a part of the time off the CPU; nothing else changes. */
static void spill_is_part_of_off(struct kunit *test)
{
	struct wallprof_task slot = slot_in(WALLPROF_TASK_OFF), was;
	struct wallprof_aggr key = {};
	u64 ns;

	close_slot(&slot, 1070, &key, &ns);
	was = slot;
	wp_interval_spill(&slot, ns, 60);
	wp_interval_spill(&slot, 5, 1);
	KUNIT_EXPECT_EQ(test, slot.spill_ns, 75);
	KUNIT_EXPECT_EQ(test, slot.spill_runnable_ns, 61);
	KUNIT_EXPECT_EQ(test, slot.nr_spilled, 2);
	was.spill_ns = 75;
	was.spill_runnable_ns = 61;
	was.nr_spilled = 2;
	KUNIT_EXPECT_EQ(test, memcmp(&was, &slot, sizeof(slot)), 0);
}

static struct kunit_case intervals_cases[] = {
	KUNIT_CASE_PARAM(begin_fills, phase_gen_params),
	KUNIT_CASE_PARAM(transition, transition_gen_params),
	KUNIT_CASE(open_takes_thread),
	KUNIT_CASE(close_fills_key),
	KUNIT_CASE(each_bit_decides),
	KUNIT_CASE_PARAM(wakeup_splits, split_gen_params),
	KUNIT_CASE(wakeup_is_used_up),
	KUNIT_CASE_PARAM(close_key_states, state_gen_params),
	KUNIT_CASE_PARAM(close_key_flags, flags_gen_params),
	KUNIT_CASE(flags_do_not_stick),
	KUNIT_CASE(filtered_is_counted),
	KUNIT_CASE(unseen_was_off),
	KUNIT_CASE(unseen_was_running),
	KUNIT_CASE_PARAM(open_at_end, open_flags_gen_params),
	KUNIT_CASE(clock_steps_back),
	KUNIT_CASE(clock_extremes),
	KUNIT_CASE(spill_is_part_of_off),
	{}
};

static struct kunit_suite intervals_suite = {
	.name = "wallprof_intervals",
	.init = suite_init,
	.test_cases = intervals_cases,
};

kunit_test_suite(intervals_suite);
