// SPDX-License-Identifier: GPL-2.0
/*
 * The cause of an interval: the reason why the thread left its CPU, and its waker; and
 * their names.
 *
 * Pure: no I/O, no clock.
 */
#include <stdio.h>
#include <string.h>

#include "lib/model/cause.h"
#include "lib/model/syscalls.h"

/* Unknown cause, for example of a spilled interval. */
const struct wp_cause wp_cause_none = { .syscall = WALLPROF_SYSCALL_NONE };

/**
 * wp_cause_aggr() - the cause of an aggregate's intervals
 * @c: filled in
 * @aggr: the aggregate
 */
void wp_cause_aggr(struct wp_cause *c, const struct wallprof_aggr *aggr)
{
	*c = (struct wp_cause){
		.reason = aggr->reason,
		.waker = aggr->waker,
		.syscall = aggr->syscall,
		.waker_tid = aggr->kind == WALLPROF_AGGR_SAMPLE ? 0 : aggr->waker_tid,
		.arg = aggr->arg,
		.compat = aggr->flags & WALLPROF_AGGR_32BIT,
	};
}

/**
 * wp_cause_wait() - the cause of a single interval
 * @c: filled in
 * @wait: the interval
 */
void wp_cause_wait(struct wp_cause *c, const struct wallprof_wait *wait)
{
	*c = (struct wp_cause){
		.reason = wait->reason,
		.waker = wait->waker,
		.syscall = wait->syscall,
		.waker_tid = wait->waker_tid,
		.arg = wait->arg,
		.arg2 = wait->arg2,
		.arg3 = wait->arg3,
		.compat = wait->flags & WALLPROF_AGGR_32BIT,
	};
}

/**
 * wp_cause_open() - the cause of an open interval
 * @c: filled in
 * @task: its thread, after STOP
 */
void wp_cause_open(struct wp_cause *c, const struct wallprof_task *task)
{
	*c = (struct wp_cause){
		.reason = task->reason,
		.waker = task->waker,
		.syscall = task->syscall,
		.waker_tid = task->waker_tid,
		.arg = task->arg,
		.lock_owner = task->lock_owner,
		.compat = task->flags & WALLPROF_TASK_32BIT,
	};
}

/**
 * wp_cause_same() - compare two causes
 * @a: a cause
 * @b: another one
 *
 * Return: true if no field differs.
 */
bool wp_cause_same(const struct wp_cause *a, const struct wp_cause *b)
{
	return a->reason == b->reason && a->waker == b->waker && a->syscall == b->syscall &&
	       a->waker_tid == b->waker_tid && a->arg == b->arg && a->arg2 == b->arg2 &&
	       a->arg3 == b->arg3 && a->lock_owner == b->lock_owner && a->compat == b->compat;
}

/**
 * wp_cause_idle() - whether a wait is an event loop's wait for work
 * @c: its cause
 * @state: enum wallprof_state in which the thread left its CPU
 *
 * This is a wait in a system call that waits for any event, or a kernel thread's, unless
 * it is in D: that is a wait for something in particular.
 *
 * Return: true if it is.
 */
bool wp_cause_idle(const struct wp_cause *c, unsigned int state)
{
	if (c->reason == WALLPROF_REASON_KERNEL)
		return state == WALLPROF_STATE_SLEEPING || state == WALLPROF_STATE_IDLE ||
		       state == WALLPROF_STATE_PARKED;
	return c->reason == WALLPROF_REASON_SYSCALL && state == WALLPROF_STATE_SLEEPING &&
	       wp_syscall_idle(c->syscall, c->compat);
}

/**
 * wp_cause_idle_names() - the same for a wait described by names
 * @reason: from wp_reason_name()
 * @state: from wp_state_name()
 * @syscall: the system call's name
 *
 * Return: true if it is.
 */
bool wp_cause_idle_names(const char *reason, const char *state, const char *syscall)
{
	if (!strcmp(reason, "kernel"))
		return state[0] && strchr("SIP", state[0]);
	return !strcmp(reason, "syscall") && !strcmp(state, "S") && wp_syscall_idle_name(syscall);
}

/**
 * wp_state_name() - letters of a state, as in perf and Perfetto
 * @state: enum wallprof_state
 *
 * Return: "S", "R+", …, "?" if unknown.
 */
const char *wp_state_name(unsigned int state)
{
	static const char *const names[WALLPROF_STATE_MAX] = {
		[WALLPROF_STATE_RUNNING] = "R",
		[WALLPROF_STATE_PREEMPTED] = "R+",
		[WALLPROF_STATE_SLEEPING] = "S",
		[WALLPROF_STATE_DISK] = "D",
		[WALLPROF_STATE_STOPPED] = "T",
		[WALLPROF_STATE_TRACED] = "t",
		[WALLPROF_STATE_DEAD] = "X",
		[WALLPROF_STATE_PARKED] = "P",
		[WALLPROF_STATE_IDLE] = "I",
		[WALLPROF_STATE_NEW] = "N",
		[WALLPROF_STATE_UNKNOWN] = "?",
	};

	return state < WALLPROF_STATE_MAX ? names[state] : "?";
}

/**
 * wp_reason_name() - name of a reason
 * @reason: enum wallprof_reason
 *
 * Return: "syscall", …, "?" if unknown.
 */
const char *wp_reason_name(unsigned int reason)
{
	static const char *const names[WALLPROF_REASON_MAX] = {
		[WALLPROF_REASON_UNKNOWN] = "?",
		[WALLPROF_REASON_SYSCALL] = "syscall",
		[WALLPROF_REASON_FAULT] = "fault",
		[WALLPROF_REASON_PREEMPTED] = "preempted",
		[WALLPROF_REASON_EXIT] = "exit",
		[WALLPROF_REASON_STOP] = "stop",
		[WALLPROF_REASON_KERNEL] = "kernel",
		[WALLPROF_REASON_NEW] = "new",
	};

	return reason < WALLPROF_REASON_MAX ? names[reason] : "?";
}

/**
 * wp_waker_name() - name of a kind of waker
 * @waker: enum wallprof_waker
 *
 * Return: "task", "softirq", "hardirq", "-" for none, "?" if unknown.
 */
const char *wp_waker_name(unsigned int waker)
{
	static const char *const names[WALLPROF_WAKER_MAX] = {
		[WALLPROF_WAKER_NONE] = "-",
		[WALLPROF_WAKER_TASK] = "task",
		[WALLPROF_WAKER_SOFTIRQ] = "softirq",
		[WALLPROF_WAKER_HARDIRQ] = "hardirq",
	};

	return waker < WALLPROF_WAKER_MAX ? names[waker] : "?";
}

/**
 * wp_cause_name() - a cause without its waker, as text
 * @c: the cause
 * @buf: room for it
 * @size: size of @buf; 48 is enough
 *
 * Return: the system call's name, or the reason in a few words.
 */
const char *wp_cause_name(const struct wp_cause *c, char *buf, size_t size)
{
	static const char *const names[WALLPROF_REASON_MAX] = {
		[WALLPROF_REASON_UNKNOWN] = "not known: runnable at the start, or not kept",
		[WALLPROF_REASON_SYSCALL] = "a system call",
		[WALLPROF_REASON_FAULT] = "a page fault or exception",
		[WALLPROF_REASON_PREEMPTED] = "preempted",
		[WALLPROF_REASON_EXIT] = "ending",
		[WALLPROF_REASON_STOP] = "stopped by a signal or tracer",
		[WALLPROF_REASON_KERNEL] = "a kernel thread's own",
		[WALLPROF_REASON_NEW] = "new, first run",
	};
	char name[32];

	if (c->reason == WALLPROF_REASON_SYSCALL && c->syscall != WALLPROF_SYSCALL_NONE) {
		snprintf(buf, size, "%s%s",
			 wp_syscall_name(c->syscall, c->compat, name, sizeof(name)),
			 c->compat ? " (32-bit)" : "");
		return buf;
	}
	return c->reason < WALLPROF_REASON_MAX ? names[c->reason] : "for an unknown reason";
}
