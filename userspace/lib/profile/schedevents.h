/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's events in a perf.data: switches, wakeups, migrations and changes of
 * threads, in a form that is the same for all kernels. See schedevents.c.
 *
 *	ret = wp_schedevents_new(&events, records);
 *	ret = wp_perfrecords_read(records, fn, ctx);
 *	fn(): ret = wp_schedevents_decode(events, rec, &ev);	1: ev is one
 *	wp_schedevents_free(events);
 */
#ifndef WP_LIB_PROFILE_SCHEDEVENTS_H
#define WP_LIB_PROFILE_SCHEDEVENTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/perfdata/perfrecords.h"

struct wp_schedevents;

#define WP_SCHED_COMM	16	/* bytes of a thread's name, including the 0 */

/* Unknown process. perf's own recordings have the process of the current thread only. */
#define WP_SCHED_NO_PID	(-1)

/**
 * enum wp_schedevent_type - type of an event
 * @WP_SCHED_SWITCH: a CPU switches from @who to @other
 * @WP_SCHED_WAKING: @who is woken by @other (sched_waking; sched_wakeup where a file has
 *	no sched_waking)
 * @WP_SCHED_WAKEUP_NEW: the same for a new thread that has never run
 * @WP_SCHED_MIGRATE: @who moves from @from_cpu to @to_cpu
 * @WP_SCHED_NAME: @who has a name
 * @WP_SCHED_FORK: @who was forked by @other; its name is @other's
 * @WP_SCHED_EXIT: @who ends; it may still switch after this
 * @WP_SCHED_LOST: @lost events are missing here
 */
enum wp_schedevent_type {
	WP_SCHED_SWITCH,
	WP_SCHED_WAKING,
	WP_SCHED_WAKEUP_NEW,
	WP_SCHED_MIGRATE,
	WP_SCHED_NAME,
	WP_SCHED_FORK,
	WP_SCHED_EXIT,
	WP_SCHED_LOST,
};

/**
 * struct wp_schedthread - a thread in an event
 * @tid: its id; 0 for the CPU's idle thread; -1: it has no id where it was recorded
 * @pid: its process, or WP_SCHED_NO_PID
 * @prio: the kernel's priority, 120 for nice 0; -1: unknown
 * @comm: its name, unsanitized; empty if unknown
 */
struct wp_schedthread {
	__s32 tid;
	__s32 pid;
	__s32 prio;
	char comm[WP_SCHED_COMM];
};

/**
 * struct wp_schedevent - an event
 * @type: its type
 * @time: ns of the file's clock
 * @cpu: its CPU
 * @who: its thread
 * @other: SWITCH: the next thread; WAKING, WAKEUP_NEW: the current thread, which is the
 *	waker or was interrupted by it; FORK: the parent
 * @state: SWITCH: state in which @who leaves, in the kernel's letter: R if it is still
 *	runnable, S, D, T, t, X, Z, P, I
 * @preempted: SWITCH: @who was preempted, "R+"
 * @from_cpu: MIGRATE
 * @to_cpu: MIGRATE, WAKING, WAKEUP_NEW: CPU on which it will run
 * @lost: LOST: number of events
 * @chain: call chain of @who in SWITCH, of the current thread in others, with
 *	PERF_CONTEXT_ words; NULL if there is none; valid as long as the record
 * @nr_chain: its words
 */
struct wp_schedevent {
	enum wp_schedevent_type type;
	__u64 time;
	__u32 cpu;
	struct wp_schedthread who;
	struct wp_schedthread other;
	char state;
	bool preempted;
	__u32 from_cpu;
	__u32 to_cpu;
	__u64 lost;
	const __u64 *chain;
	__u64 nr_chain;
};

int wp_schedevents_new(struct wp_schedevents **out, const struct wp_perfrecords *records);
bool wp_schedevents_any(const struct wp_schedevents *e);
int wp_schedevents_decode(struct wp_schedevents *e, const struct wp_perfrecord *rec,
			  struct wp_schedevent *ev);
void wp_schedevents_free(struct wp_schedevents *e);

#endif /* WP_LIB_PROFILE_SCHEDEVENTS_H */
