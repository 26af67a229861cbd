/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's events in a perf.data: switches, wakeups, migrations and what becomes
 * of threads, in words that are the same for all kernels. See schedevents.c.
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

#define WP_SCHED_COMM	16	/* bytes of a thread's name, the 0 at the end included */

/* Of a process: not known. perf's own recordings tell only of who was on the CPU. */
#define WP_SCHED_NO_PID	(-1)

/**
 * enum wp_schedevent_type - what happened
 * @WP_SCHED_SWITCH: a CPU leaves @who for @other
 * @WP_SCHED_WAKING: @who is woken by @other (sched_waking; sched_wakeup where a file
 *	has no sched_waking)
 * @WP_SCHED_WAKEUP_NEW: the same of one that was forked and never ran
 * @WP_SCHED_MIGRATE: @who is to run on @to_cpu, no longer on @from_cpu
 * @WP_SCHED_NAME: @who has got the name that it has
 * @WP_SCHED_FORK: @who was born of @other; its name is @other's
 * @WP_SCHED_EXIT: @who ends; it may still be seen to switch
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
 * struct wp_schedthread - a thread, as an event tells of it
 * @tid: its id; 0 for the idle one of the CPU; -1: it has no id where it was recorded
 * @pid: its process, or WP_SCHED_NO_PID
 * @prio: the kernel's number of its priority, 120 for nice 0; -1: not known
 * @comm: its name, in bytes of anybody's choice; empty if not known
 */
struct wp_schedthread {
	__s32 tid;
	__s32 pid;
	__s32 prio;
	char comm[WP_SCHED_COMM];
};

/**
 * struct wp_schedevent - an event
 * @type: which
 * @time: ns of the file's clock
 * @cpu: where
 * @who: of whom
 * @other: SWITCH: who comes next; WAKING, WAKEUP_NEW: who ran there, and so woke it,
 *	or was interrupted by what did; FORK: the parent
 * @state: SWITCH: as which @who leaves, in the kernel's letter: R if it could run on,
 *	S, D, T, t, X, Z, P, I
 * @preempted: SWITCH: it was made to leave, "R+"
 * @from_cpu: MIGRATE
 * @to_cpu: MIGRATE, WAKING, WAKEUP_NEW: where it is to run
 * @lost: LOST: how many
 * @chain: call chain of @who in SWITCH, of who ran in others, with PERF_CONTEXT_ words;
 *	NULL if there is none; good until the record is gone
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
