/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads and CPUs of a schedule. See schedstate.c; used by schedule.c only.
 */
#ifndef WP_LIB_PROFILE_SCHEDSTATE_H
#define WP_LIB_PROFILE_SCHEDSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/idmap.h"
#include "lib/profile/schedevents.h"
#include "lib/profile/span.h"

/* State of a thread: an enum wp_span_kind, or one of these. */
#define WP_SCHEDSTATE_UNKNOWN		3	/* since @begin */
#define WP_SCHEDSTATE_BORN		4	/* since @begin, never woken so far */
#define WP_SCHEDSTATE_DEAD		5

/**
 * struct wp_schedstate_thread - a thread, or a CPU's idle thread
 * @who: as in its last event
 * @serial: its number
 * @kind: its state, since @begin
 * @cpu: where it runs or ran, or will run
 * @gap: the first gap that was not over at @begin
 * @early: it was woken while it seemed to run: perhaps on its way off its CPU
 * @waker: its last waker
 */
struct wp_schedstate_thread {
	struct wp_schedthread who;
	__u32 serial;
	unsigned int kind;
	__u32 cpu;
	__u64 begin;
	size_t gap;
	bool cut_begin;
	bool preempted;
	bool woken;
	bool early;
	char state;
	struct wp_schedthread waker;
};

/**
 * struct wp_schedstate_cpu - a CPU
 * @running: the running thread; NULL if unknown
 * @since: start of its current span there
 * @last: the last event
 * @gap: events were lost since then
 * @silent: and no record reported it
 */
struct wp_schedstate_cpu {
	struct wp_schedstate_thread idle;
	struct wp_schedstate_thread *running;
	__u64 since;
	__u64 last;
	bool gap;
	bool silent;
};

struct wp_schedule {
	wp_span_fn fn;
	void *ctx;
	struct wp_idmap tids;
	struct wp_schedstate_thread **threads;
	size_t threads_room;
	struct wp_idmap cpu_nrs;
	struct wp_schedstate_cpu **cpus;
	size_t cpus_room;
	__u32 serials;
	bool started;
	__u64 start;
	__u64 now;
	__u64 last;		/* a CPU's last event; other records may be later */
	/*
	 * Start times of gaps; the number of open ones, the first of these, and the end
	 * of the last closed one.
	 */
	__u64 *gaps;
	size_t nr_gaps;
	size_t gaps_room;
	size_t nr_open;
	size_t first_open;
	__u64 gaps_end;
	__u64 missed;
};

static inline __u64 wp_schedstate_later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

__u64 wp_schedstate_clear_since(const struct wp_schedule *s);
void wp_schedstate_set(struct wp_schedule *s, struct wp_schedstate_thread *t, unsigned int kind,
		       __u64 begin);
void wp_schedstate_set_unknown(struct wp_schedule *s, struct wp_schedstate_thread *t,
			       __u64 begin);
int wp_schedstate_give(struct wp_schedule *s, const struct wp_schedstate_thread *t,
		       enum wp_span_kind kind, __u64 end, bool cut_end);
void wp_schedstate_learn(struct wp_schedstate_thread *t, const struct wp_schedthread *who);
int wp_schedstate_thread(struct wp_schedule *s, const struct wp_schedthread *who,
			 struct wp_schedstate_thread **out);
int wp_schedstate_cpu(struct wp_schedule *s, __u32 id, struct wp_schedstate_cpu **out);
int wp_schedstate_open_gap(struct wp_schedule *s, struct wp_schedstate_cpu *cpu);
void wp_schedstate_close_gap(struct wp_schedule *s, struct wp_schedstate_cpu *cpu);

#endif /* WP_LIB_PROFILE_SCHEDSTATE_H */
