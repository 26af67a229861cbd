/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: the bits of task_struct.__state, as of 6.1 and later; and to let
 * others run.
 */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#include <sched.h>

#define cond_resched()		((void)sched_yield())

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

#endif /* SHIM_LINUX_SCHED_H */
