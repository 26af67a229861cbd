/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a thread was off its CPU, and who woke it. See cause.c.
 */
#ifndef WP_LIB_MODEL_CAUSE_H
#define WP_LIB_MODEL_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_cause - cause of an interval, or of several equal ones
 * @reason: enum wallprof_reason
 * @waker: enum wallprof_waker
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE
 * @waker_tid: the waker, if it was a thread
 * @arg: the system call's first argument
 * @arg2: its second, for a single interval; else 0
 * @arg3: its third, likewise
 * @lock_owner: who held the lock, of &struct wallprof_aggr; 0: not known, or not recorded
 * @compat: @syscall is in the 32-bit table
 */
struct wp_cause {
	__u8 reason;
	__u8 waker;
	__u16 syscall;
	__u32 waker_tid;
	__u64 arg;
	__u64 arg2;
	__u64 arg3;
	__u64 lock_owner;
	bool compat;
};

extern const struct wp_cause wp_cause_none;

void wp_cause_aggr(struct wp_cause *c, const struct wallprof_aggr *aggr);
void wp_cause_wait(struct wp_cause *c, const struct wallprof_wait *wait);
void wp_cause_open(struct wp_cause *c, const struct wallprof_task *task);
bool wp_cause_idle(const struct wp_cause *c, unsigned int state);
bool wp_cause_idle_names(const char *reason, const char *state, const char *syscall);

/* Whether a thread has, after STOP, an open interval that is to be recorded. */
static inline bool wp_task_is_open(const struct wallprof_task *task)
{
	return task->flags & WALLPROF_TASK_OPEN &&
	       !(task->flags & (WALLPROF_TASK_FILTERED | WALLPROF_TASK_OUT_OF_RANGE));
}

bool wp_cause_same(const struct wp_cause *a, const struct wp_cause *b);

const char *wp_state_name(unsigned int state);
const char *wp_reason_name(unsigned int reason);
const char *wp_waker_name(unsigned int waker);
const char *wp_cause_name(const struct wp_cause *c, char *buf, size_t size);

#endif /* WP_LIB_MODEL_CAUSE_H */
