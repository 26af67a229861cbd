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

#include <linux/types.h>

#include "lib/profile/schedevents.h"
#include "lib/profile/span.h"

struct wp_schedule;

/* wp_schedule_serial(): no such thread. */
#define WP_SCHEDULE_NONE	(~(__u32)0)

int wp_schedule_new(struct wp_schedule **out, wp_span_fn fn, void *ctx);
int wp_schedule_event(struct wp_schedule *s, const struct wp_schedevent *ev);
int wp_schedule_end(struct wp_schedule *s, __u64 time);
__u32 wp_schedule_serial(const struct wp_schedule *s, __s32 tid);
__u64 wp_schedule_start(const struct wp_schedule *s);
__u64 wp_schedule_now(const struct wp_schedule *s);
__u64 wp_schedule_missed(const struct wp_schedule *s);
void wp_schedule_free(struct wp_schedule *s);

#endif /* WP_LIB_PROFILE_SCHEDULE_H */
