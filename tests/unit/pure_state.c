// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of wp_state_of(): the name of the state in which a thread leaves its
 * CPU.
 */
#include <linux/sched.h>
#include <linux/wallprof.h>

#include "pure.h"
#include "states.h"

static const struct {
	unsigned int state;
	u8 name;
} rows[] = {
	{ TASK_RUNNING, WALLPROF_STATE_RUNNING },
	{ TASK_INTERRUPTIBLE, WALLPROF_STATE_SLEEPING },
	{ TASK_INTERRUPTIBLE | TASK_FREEZABLE, WALLPROF_STATE_SLEEPING },
	{ TASK_UNINTERRUPTIBLE, WALLPROF_STATE_DISK },
	{ TASK_UNINTERRUPTIBLE | TASK_FREEZABLE, WALLPROF_STATE_DISK },
	{ TASK_KILLABLE, WALLPROF_STATE_DISK },
	{ TASK_KILLABLE | TASK_FREEZABLE, WALLPROF_STATE_DISK },
	{ TASK_RTLOCK_WAIT, WALLPROF_STATE_DISK },
	{ TASK_FROZEN, WALLPROF_STATE_DISK },
	{ TASK_IDLE, WALLPROF_STATE_IDLE },
	{ TASK_IDLE | TASK_FREEZABLE, WALLPROF_STATE_IDLE },
	{ __TASK_STOPPED, WALLPROF_STATE_STOPPED },
	{ __TASK_STOPPED | TASK_WAKEKILL, WALLPROF_STATE_STOPPED },
	{ __TASK_TRACED, WALLPROF_STATE_TRACED },
	{ __TASK_TRACED | TASK_WAKEKILL, WALLPROF_STATE_TRACED },
	{ TASK_DEAD, WALLPROF_STATE_DEAD },
	{ EXIT_DEAD, WALLPROF_STATE_DEAD },
	{ EXIT_ZOMBIE, WALLPROF_STATE_DEAD },
	{ TASK_PARKED, WALLPROF_STATE_PARKED },
	{ TASK_NEW, WALLPROF_STATE_RUNNING },
};

static void named(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!expect_eq(wp_state_of(rows[i].state, false), rows[i].name))
			printf("# state %#x\n", rows[i].state);
	}
}

static void preempted(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect_eq(wp_state_of(rows[i].state, true), WALLPROF_STATE_PREEMPTED);
}

/* Whatever bits there are, the result is the number of a state. */
static void in_range(void)
{
	unsigned int state;

	for (state = 0; state < 1 << 17; state++) {
		if (!expect(wp_state_of(state, false) < WALLPROF_STATE_MAX))
			break;
	}
}

static const struct pure_case cases[] = {
	{ "every state of the kernel has its name", named },
	{ "a preempted thread is that, whatever it was about to do", preempted },
	{ "no combination of bits gives another number", in_range },
};

int main(void)
{
	return pure_run(cases, ARRAY_SIZE(cases));
}
