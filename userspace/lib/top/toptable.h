/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of a live view: times of each thread or process in the last interval. See
 * toptable.c.
 *
 *	wp_toptable_init(&t, start, nr_tasks);
 *
 *	each interval:
 *		wp_toptable_ended(&t, task, comm)		each thread that ended
 *		wp_toptable_live(&t, slot, task, time, comm)	each live one, at its end
 *		wp_toptable_turn(&t, time, true)
 *		wp_topshares_turn(&shares, true)
 *		wp_toptable_join(&t, &shares)
 *	whenever the screen is drawn:
 *		wp_toptable_view(&t, &shares, &options)	see topview.h
 *		... t.view
 *	wp_toptable_free(&t);
 */
#ifndef WP_LIB_TOP_TOPTABLE_H
#define WP_LIB_TOP_TOPTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/top/topshares.h"

/* The id of the row that sums up a process's ended threads. */
#define WP_TOP_ENDED	(~0U)

/**
 * struct wp_toprow - a thread, or a process
 * @tgid: process
 * @tid: thread; of a process 0; WP_TOP_ENDED: all ended threads of a process, if there
 *	are several
 * @start_time: the thread's start time
 * @comm: its name; of a process, its first thread's; of a thread without a known name,
 *	its process's
 * @ended: it ended in this interval; for a process: all its threads did
 * @kthread: it is a kernel thread
 * @nr_threads: number of threads in it: for a process including those that ended
 * @ns: its times, by enum wp_toptime
 * @idle: part of WP_TOP_BLOCKED in which it waited for work: wp_topkey_idle()
 * @events: the sum of the periods of its samples, by event
 * @first: its first share, in wp_topshares.shown
 * @nr: number of its shares
 * @most: the share that represents what it did for most of the time, or SIZE_MAX; set by
 *	wp_toptable_view()
 * @most_ns: total time for the reason of that share, over all stacks
 * @most_oncpu: it ran for most of the time; if @most is not SIZE_MAX, that share has the
 *	stack
 */
struct wp_toprow {
	__u32 tgid;
	__u32 tid;
	__u64 start_time;
	char comm[WALLPROF_COMM_LEN];
	bool ended;
	bool kthread;
	__u32 nr_threads;
	__u64 ns[WP_TOP_TIMES];
	__u64 idle;
	__u64 events[WP_TOP_EVENTS];
	size_t first;
	size_t nr;
	size_t most;
	__u64 most_ns;
	bool most_oncpu;
};

struct wp_topbase;

/**
 * struct wp_toprows - rows
 * @row: the rows
 * @nr: their number
 * @room: allocated rows
 */
struct wp_toprows {
	struct wp_toprow *row;
	size_t nr;
	size_t room;
};

/**
 * struct wp_toptable - state of all threads
 * @self: our own process, whose waits are idle; 0: none
 * @time: end of the last interval
 * @interval: length of the visible interval
 * @ns: sums over its threads, by enum wp_toptime
 * @events: the sum of the periods of all samples, by event
 * @nr_threads: number of threads alive at its end
 * @nr_ended: number of threads that ended in it
 * @threads: its threads, by process, thread and start time
 * @processes: its processes, by id
 * @view: rows selected by wp_toptable_view(), in order
 * @nr_view: their number
 * @room_view: allocated rows of @view
 * @left_out: rows that @no_idle removed from @view, except kernel threads
 * @left_out_ns: sum of their times
 * @kthreads: idle kernel threads that are not in @view
 * @kthreads_ns: sum of their times
 * @next: threads of the current interval
 * @base: totals of threads at its start
 * @nr_base: their number
 * @room_base: allocated entries of @base
 * @new_base: the same at its end
 * @nr_new: their number
 * @room_new: allocated entries of @new_base
 * @of_slot: by slot of the task table: number of its entry in @base, plus 1
 * @nr_slots: number of slots
 */
struct wp_toptable {
	__u32 self;
	__u64 time;
	__u64 interval;
	__u64 ns[WP_TOP_TIMES];
	__u64 events[WP_TOP_EVENTS];
	__u64 nr_threads;
	__u64 nr_ended;
	struct wp_toprows threads;
	struct wp_toprows processes;
	struct wp_toprow **view;
	size_t nr_view;
	size_t room_view;
	size_t left_out;
	__u64 left_out_ns;
	size_t kthreads;
	__u64 kthreads_ns;
	struct wp_toprows next;
	struct wp_topbase *base;
	size_t nr_base;
	size_t room_base;
	struct wp_topbase *new_base;
	size_t nr_new;
	size_t room_new;
	__u32 *of_slot;
	__u32 nr_slots;
};

bool wp_top_open_phase(const struct wallprof_task *task, __u64 time, __u64 *blocked,
		       __u64 *runnable);

int wp_toptable_init(struct wp_toptable *t, __u64 start, __u32 nr_slots);
int wp_toptable_live(struct wp_toptable *t, __u32 slot, const struct wallprof_task *task,
		     __u64 time, const char *comm);
int wp_toptable_ended(struct wp_toptable *t, const struct wallprof_task *task,
		      const char *comm);
int wp_toptable_turn(struct wp_toptable *t, __u64 time, bool shown);
void wp_toptable_join(struct wp_toptable *t, struct wp_topshares *s);
int wp_toprow_by_id(const void *pa, const void *pb);
bool wp_topkey_idle(const struct wp_topkey *key, const char *comm);
void wp_toptable_free(struct wp_toptable *t);

#endif /* WP_LIB_TOP_TOPTABLE_H */
