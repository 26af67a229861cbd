/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts the scheduler's events into the states of each thread: spans in which it ran,
 * was runnable or was blocked. See schedule.c.
 *
 *	ret = wp_schedule_new(&s, fn, ctx);
 *	for each event, in order of time:
 *		ret = wp_schedule_event(s, &ev);	calls fn for the spans that it ends
 *	ret = wp_schedule_end(s, time);			and for those that are still open
 *	wp_schedule_free(s);
 *
 * The spans of a thread come in order, each begins where the one before it ended, and
 * they cover all time from the first event to the thread's exit or the end of the
 * recording. Where events were lost there may be gaps between them.
 */
#ifndef WP_LIB_PROFILE_SCHEDULE_H
#define WP_LIB_PROFILE_SCHEDULE_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/profile/schedevents.h"

struct wp_schedule;

/* wp_schedule_serial(): no such thread. */
#define WP_SCHEDULE_NONE	(~(__u32)0)

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

int wp_schedule_new(struct wp_schedule **out, wp_span_fn fn, void *ctx);
int wp_schedule_event(struct wp_schedule *s, const struct wp_schedevent *ev);
int wp_schedule_end(struct wp_schedule *s, __u64 time);
__u32 wp_schedule_serial(const struct wp_schedule *s, __s32 tid);
__u64 wp_schedule_start(const struct wp_schedule *s);
__u64 wp_schedule_now(const struct wp_schedule *s);
__u64 wp_schedule_missed(const struct wp_schedule *s);
void wp_schedule_free(struct wp_schedule *s);

#endif /* WP_LIB_PROFILE_SCHEDULE_H */
