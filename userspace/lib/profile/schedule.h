/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the scheduler's events to what each thread did: spans of running, of waiting for
 * a CPU and of being blocked. See schedule.c.
 *
 *	ret = wp_schedule_new(&s, fn, ctx);
 *	for each event, in order of time:
 *		ret = wp_schedule_event(s, &ev);	calls fn for the spans that it ends
 *	ret = wp_schedule_end(s, time);			and for those that are still open
 *	wp_schedule_free(s);
 *
 * The spans of a thread come in order, each begins where the one before it ended, and
 * they cover all from the first event to its death or to the end of the recording. Where
 * events were lost there may be holes between them.
 */
#ifndef WP_LIB_PROFILE_SCHEDULE_H
#define WP_LIB_PROFILE_SCHEDULE_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/profile/schedevents.h"

struct wp_schedule;

/* wp_schedule_serial(): there is no such thread. */
#define WP_SCHEDULE_NONE	(~(__u32)0)

/**
 * enum wp_span_kind - what a thread does in a span
 * @WP_SPAN_RUNNING: it runs on a CPU
 * @WP_SPAN_RUNNABLE: it was woken, forked or made to leave its CPU, and waits for one
 * @WP_SPAN_BLOCKED: it waits for something else
 */
enum wp_span_kind {
	WP_SPAN_RUNNING,
	WP_SPAN_RUNNABLE,
	WP_SPAN_BLOCKED,
};

/**
 * struct wp_span - a time in which a thread did one thing
 * @kind: what
 * @who: the thread; its name and process as known when the span ended. Its tid is 0 for
 *	the idle one of the CPU, which has spans of RUNNING only
 * @serial: the number of the thread, from 0 on; a tid that is used again gets another one,
 *	and each CPU's idle thread has its own
 * @cpu: RUNNING: where; RUNNABLE: where it is to run; BLOCKED: where it ran last
 * @begin: ns
 * @end: ns
 * @cut_begin: it began before the recording, or behind events that were lost: @begin is
 *	when that was over, not when it began
 * @cut_end: it was not over when the recording was, or events were lost, as that of its
 *	wakeup
 * @state: BLOCKED and RUNNABLE: in which state it had left its CPU; 0: not known. RUNNING:
 *	in which it left at @end; 0: it did not
 * @preempted: it left, or had left, though it could have run on
 * @woken: RUNNABLE: @waker woke it; not if it was preempted or forked. BLOCKED: the same
 *	of its end
 * @early: RUNNABLE: it was woken before it had left its CPU, and still had to leave it:
 *	the span begins when it did
 * @waker: who ran there when it was woken
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

/* A return other than 0 is that of wp_schedule_event() or _end(). */
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
