/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A span of a thread, from schedule.h: a time in which it was in one state.
 */
#ifndef WP_LIB_PROFILE_SPAN_H
#define WP_LIB_PROFILE_SPAN_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/profile/schedevents.h"

/**
 * enum wp_span_kind - state of a thread in a span
 * @WP_SPAN_RUNNING: it runs on a CPU
 * @WP_SPAN_RUNNABLE: it was woken, forked or preempted, and waits for a CPU
 * @WP_SPAN_BLOCKED: it waits for something else
 */
enum wp_span_kind {
	WP_SPAN_RUNNING,
	WP_SPAN_RUNNABLE,
	WP_SPAN_BLOCKED,
};

/**
 * struct wp_span - a time in which a thread was in one state
 * @kind: the state
 * @who: the thread; its name and process as known at the end of the span. Its tid is 0
 *	for the CPU's idle thread, which has RUNNING spans only
 * @serial: the number of the thread, from 0 on; a reused tid gets another one, and each
 *	CPU's idle thread has its own
 * @cpu: RUNNING: its CPU; RUNNABLE: where it will run; BLOCKED: where it ran last
 * @begin: ns
 * @end: ns
 * @cut_begin: it began before the recording, or before a gap: @begin is the end of that
 * @cut_end: it was still open at the end of the recording or at a gap, which may hide its
 *	wakeup
 * @state: BLOCKED and RUNNABLE: state in which it had left its CPU; 0: unknown. RUNNING:
 *	state in which it left at @end; 0: it did not
 * @preempted: it left, or had left, while still runnable
 * @woken: RUNNABLE: @waker woke it; not if it was preempted or forked. BLOCKED: the same
 *	for its end
 * @early: RUNNABLE: it was woken before it had left its CPU: the span begins when it left
 * @waker: the current thread on the waking CPU
 */
struct wp_span {
	enum wp_span_kind kind;
	struct wp_schedthread who;
	__u32 serial;
	__u32 cpu;
	__u64 begin;
	__u64 end;
	bool cut_begin;
	bool cut_end;
	char state;
	bool preempted;
	bool woken;
	bool early;
	struct wp_schedthread waker;
};

/* A return value other than 0 is returned by wp_schedule_event() or _end(). */
typedef int (*wp_span_fn)(void *ctx, const struct wp_span *span);

#endif /* WP_LIB_PROFILE_SPAN_H */
