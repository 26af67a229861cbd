// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of wp_state_of(): the name of the state in which a thread leaves its
 * CPU. The function is cut out of module/targets.c, which is not pure; the
 * bits of task_struct.__state are those of the kernel, 6.1 and later.
 */
#include "pure.h"
#include "linux/wallprof.h"

#define TASK_RUNNING		0x0000
#define TASK_INTERRUPTIBLE	0x0001
#define TASK_UNINTERRUPTIBLE	0x0002
#define __TASK_STOPPED		0x0004
#define __TASK_TRACED		0x0008
#define EXIT_DEAD		0x0010
#define EXIT_ZOMBIE		0x0020
#define TASK_PARKED		0x0040
#define TASK_DEAD		0x0080
#define TASK_WAKEKILL		0x0100
#define TASK_NOLOAD		0x0400
#define TASK_NEW		0x0800
#define TASK_RTLOCK_WAIT	0x1000
#define TASK_FREEZABLE		0x2000
#define TASK_FROZEN		0x8000
#define TASK_IDLE		(TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_KILLABLE		(TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)

u8 wp_state_of(unsigned int state, bool preempt);

#include "state_of.h"

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
