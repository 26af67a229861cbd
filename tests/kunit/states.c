// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/states.c: the names of the states in which threads leave their
 * CPUs.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/wallprof.h>

#include "pure/states.h"
#include "suite.h"

static const struct row {
	const char *name;
	unsigned int state;
	u8 named;
} rows[] = {
#define ROW(state, named) { #state, state, WALLPROF_STATE_##named }
	ROW(TASK_RUNNING, RUNNING),
	ROW(TASK_INTERRUPTIBLE, SLEEPING),
	ROW(TASK_INTERRUPTIBLE | TASK_FREEZABLE, SLEEPING),
	ROW(TASK_UNINTERRUPTIBLE, DISK),
	ROW(TASK_UNINTERRUPTIBLE | TASK_FREEZABLE, DISK),
	ROW(TASK_KILLABLE, DISK),
	ROW(TASK_KILLABLE | TASK_FREEZABLE, DISK),
	ROW(TASK_RTLOCK_WAIT, DISK),
	ROW(TASK_FROZEN, DISK),
	ROW(TASK_IDLE, IDLE),
	ROW(TASK_IDLE | TASK_FREEZABLE, IDLE),
	ROW(__TASK_STOPPED, STOPPED),
	ROW(__TASK_STOPPED | TASK_WAKEKILL, STOPPED),
	ROW(__TASK_TRACED, TRACED),
	ROW(__TASK_TRACED | TASK_WAKEKILL, TRACED),
	ROW(TASK_DEAD, DEAD),
	ROW(EXIT_DEAD, DEAD),
	ROW(EXIT_ZOMBIE, DEAD),
	ROW(TASK_PARKED, PARKED),
	ROW(TASK_NEW, RUNNING),
};

static void row_describe(const struct row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", row->name);
}

KUNIT_ARRAY_PARAM(row, rows, row_describe);

/* Every state of the kernel has its name. */
static void named(struct kunit *test)
{
	const struct row *row = test->param_value;

	KUNIT_EXPECT_EQ(test, wp_state_of(row->state, false), row->named);
}

/* A preempted thread is PREEMPTED, whatever its state. */
static void preempted(struct kunit *test)
{
	const struct row *row = test->param_value;

	KUNIT_EXPECT_EQ(test, wp_state_of(row->state, true), WALLPROF_STATE_PREEMPTED);
}

/* Every combination of bits gives a valid state. */
static void no_other_number(struct kunit *test)
{
	unsigned int state;

	for (state = 0; state < 1 << 17 && !suite_failed(test); state++)
		KUNIT_EXPECT_LT_MSG(test, wp_state_of(state, false), WALLPROF_STATE_MAX,
				    "state %#x", state);
}

static struct kunit_case states_cases[] = {
	KUNIT_CASE_PARAM(named, row_gen_params),
	KUNIT_CASE_PARAM(preempted, row_gen_params),
	KUNIT_CASE(no_other_number),
	{}
};

static struct kunit_suite states_suite = {
	.name = "wallprof_states",
	.init = suite_init,
	.test_cases = states_cases,
};

kunit_test_suite(states_suite);
