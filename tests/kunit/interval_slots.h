/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread's slot in each of its phases, for the suites of intervals. Used by intervals.c,
 * interval_lives.c and interval_ranges.c.
 */
#ifndef WALLPROF_KUNIT_INTERVAL_SLOTS_H
#define WALLPROF_KUNIT_INTERVAL_SLOTS_H

#include <linux/string.h>
#include <linux/types.h>

#include "pure/intervals.h"

static const struct wp_thread before = {
	.start_time = 500, .tid = 21, .tgid = 20, .exec_id = 3,
};

/* Intervals of any length. */
static const struct wp_range any = { .span = U64_MAX };

static const struct wp_leave sleeps = {
	.user_stack = 0x1000000001, .kernel_stack = 0x1000000009,
	.arg = 0x7fffdeadbeef, .syscall = 202, .reason = WALLPROF_REASON_SYSCALL,
	.state = WALLPROF_STATE_SLEEPING,
};

/* A slot in @phase since 1000. */
static inline struct wallprof_task slot_in(u8 phase)
{
	struct wallprof_task slot;

	memset(&slot, 0xff, sizeof(slot));
	wp_interval_begin(&slot, &before, phase, WALLPROF_STATE_DISK, 1000);
	return slot;
}

/* Does what the probe does when a thread comes to a CPU. */
static inline enum wp_closed close_slot(struct wallprof_task *slot, u64 now,
					struct wallprof_aggr *key, u64 *ns)
{
	struct wp_interval interval;
	enum wp_closed closed = wp_interval_close(slot, now, &interval);

	*ns = interval.ns;
	if (closed == WP_CLOSED_NOTHING)
		return closed;
	if (closed == WP_CLOSED_INTERVAL)
		wp_interval_key(slot, &interval, key);
	wp_interval_forget(slot);
	return closed;
}

static const u8 phases[] = {
	WALLPROF_TASK_UNSEEN, WALLPROF_TASK_RUNNING, WALLPROF_TASK_OFF,
};

#endif /* WALLPROF_KUNIT_INTERVAL_SLOTS_H */
