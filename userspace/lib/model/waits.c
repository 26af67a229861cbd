// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sums of what all threads waited for, and of who woke them, which the record
 * command prints with -v. The command passes here everything that it merges into samples:
 * aggregates, single and open intervals, and spilled time, each as struct wp_wait, which
 * procwaits.c takes as well. The tables are bounded: reasons by the number of system
 * calls, wakers by WP_WAKERS_MAX, and objects by the limit of lib/model/objects.h, for
 * each call.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/waits.h"

#define MIN_ROOM	256

static size_t hash_of(const struct wp_wait *wait)
{
	const struct wp_cause *c = &wait->cause;
	__u64 key = (__u64)c->reason << 56 | (__u64)c->waker << 48 |
		    (__u64)c->syscall << 32 | (c->waker_tid ^ wait->object);

	return key * 0x9e3779b97f4a7c15ULL >> 32;
}

static bool same(const struct wp_wait *a, const struct wp_wait *b)
{
	return a->object == b->object && wp_cause_same(&a->cause, &b->cause);
}

/* The entry equal to @wait, or the free slot for it. */
static struct wp_wait *slot(struct wp_wait *entry, size_t room, const struct wp_wait *wait)
{
	size_t i = hash_of(wait) & (room - 1);

	while (entry[i].used && !same(&entry[i], wait))
		i = (i + 1) & (room - 1);
	return &entry[i];
}

static int grow(struct wp_wait_table *t)
{
	size_t room = t->room ? t->room * 2 : MIN_ROOM, i;
	struct wp_wait *entry = calloc(room, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	for (i = 0; i < t->room; i++) {
		if (t->entry[i].used)
			*slot(entry, room, &t->entry[i]) = t->entry[i];
	}
	free(t->entry);
	t->entry = entry;
	t->room = room;
	return 0;
}

/* Add to the entry with equal fields; NULL: no memory. */
static struct wp_wait *add(struct wp_wait_table *t, const struct wp_cause *c, __u32 object,
			   const struct wp_wait *wait)
{
	const struct wp_wait key = { .cause = *c, .object = object, .used = true };
	struct wp_wait *entry;

	if (t->nr + 1 > t->room / 2 && grow(t))
		return NULL;
	entry = slot(t->entry, t->room, &key);
	if (!entry->used) {
		*entry = key;
		t->nr++;
	}
	entry->count += wait->count;
	entry->total += wait->total;
	entry->runnable += wait->runnable;
	return entry;
}

static int by_total(const void *pa, const void *pb)
{
	const struct wp_wait *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->count == b->count ? 0 : a->count > b->count ? -1 : 1;
}

/* A waker counts for the time that was blocked, not for the wait for a CPU after it. */
static int by_blocked(const void *pa, const void *pb)
{
	const struct wp_wait *a = pa, *b = pb;
	__u64 blocked_a = a->total - a->runnable, blocked_b = b->total - b->runnable;

	if (blocked_a != blocked_b)
		return blocked_a > blocked_b ? -1 : 1;
	return a->count == b->count ? 0 : a->count > b->count ? -1 : 1;
}

static void sort(struct wp_wait_table *t, int (*by)(const void *a, const void *b))
{
	size_t i, nr = 0;

	for (i = 0; i < t->room; i++) {
		if (t->entry[i].used)
			t->entry[nr++] = t->entry[i];
	}
	if (nr)
		qsort(t->entry, nr, sizeof(*t->entry), by);
}

/* Merge the half of the wakers that ended the least time into one entry. */
static int sum_wakers(struct wp_wait_table *t)
{
	struct wp_wait_table all = *t;
	size_t i;

	sort(&all, by_blocked);
	*t = (struct wp_wait_table){};
	for (i = 0; i < all.nr; i++) {
		struct wp_cause waker = all.entry[i].cause;
		struct wp_wait *entry;

		if (i >= WP_WAKERS_MAX / 2 && waker.waker == WALLPROF_WAKER_TASK)
			waker.waker_tid = WP_WAKER_OTHERS;
		entry = add(t, &waker, 0, &all.entry[i]);
		if (!entry) {
			free(all.entry);
			return -ENOMEM;
		}
		if (waker.waker_tid != WP_WAKER_OTHERS)
			memcpy(entry->comm, all.entry[i].comm, sizeof(entry->comm));
	}
	free(all.entry);
	return 0;
}

/* Add to what this waker ended. The waker may be renamed or end later. */
static int add_waker(struct wp_waits *w, const struct wp_cause *waker, const struct wp_wait *wait)
{
	struct wp_wait *entry;
	const char *name;
	int err;

	err = w->wakers.nr >= WP_WAKERS_MAX ? sum_wakers(&w->wakers) : 0;
	if (err)
		return err;
	entry = add(&w->wakers, waker, 0, wait);
	if (!entry)
		return -ENOMEM;
	name = w->comms ? wp_comms_find(w->comms, waker->waker_tid) : NULL;
	if (name)
		memcpy(entry->comm, name, sizeof(entry->comm));
	return 0;
}

/**
 * wp_wait_aggr() - convert an aggregate
 * @wait: filled in; without intervals for an aggregate of samples
 * @aggr: the aggregate
 */
void wp_wait_aggr(struct wp_wait *wait, const struct wallprof_aggr *aggr)
{
	*wait = (struct wp_wait){
		.tgid = aggr->tgid,
		.state = aggr->state,
		.iowait = aggr->flags & WALLPROF_AGGR_IOWAIT,
	};
	wp_cause_aggr(&wait->cause, aggr);
	if (aggr->kind != WALLPROF_AGGR_OFFCPU)
		return;
	wait->count = aggr->count;
	wait->total = aggr->total;
	wait->runnable = aggr->runnable;
}

/**
 * wp_wait_single() - convert a single interval
 * @wait: filled in
 * @single: the interval
 */
void wp_wait_single(struct wp_wait *wait, const struct wallprof_wait *single)
{
	*wait = (struct wp_wait){
		.tgid = single->tgid,
		.state = single->state,
		.iowait = single->flags & WALLPROF_AGGR_IOWAIT,
		.count = 1,
		.total = single->end - single->begin,
		.runnable = single->runnable,
	};
	wp_cause_wait(&wait->cause, single);
}

/**
 * wp_wait_open() - convert an interval that was open when the session ended
 * @wait: filled in; without intervals if there is none, or it is not recorded
 * @task: its thread, after STOP
 */
void wp_wait_open(struct wp_wait *wait, const struct wallprof_task *task)
{
	*wait = (struct wp_wait){
		.tgid = task->tgid,
		.state = task->state,
		.iowait = task->flags & WALLPROF_TASK_IOWAIT,
	};
	wp_cause_open(&wait->cause, task);
	if (!wp_task_is_open(task))
		return;
	wait->count = 1;
	wait->total = task->open_ns;
	wait->runnable = task->open_runnable_ns;
}

/**
 * wp_wait_spill() - convert the time of a thread that found no aggregate
 * @wait: filled in
 * @task: the thread: one that ended, or any after STOP
 */
void wp_wait_spill(struct wp_wait *wait, const struct wallprof_task *task)
{
	*wait = (struct wp_wait){
		.cause = wp_cause_none,
		.tgid = task->tgid,
		.state = WALLPROF_STATE_UNKNOWN,
		.count = task->nr_spilled,
		.total = task->spill_ns,
		.runnable = task->spill_runnable_ns,
	};
}

/**
 * wp_waits_add() - add equal intervals
 * @w: the sums
 * @wait: the intervals; none is left out
 *
 * Return: 0 or -ENOMEM.
 */
int wp_waits_add(struct wp_waits *w, const struct wp_wait *wait)
{
	struct wp_cause reason = wp_cause_none, waker = wp_cause_none;
	struct wp_wait counted = *wait;

	if (!wait->count && !wait->total)
		return 0;
	if (w->no_idle && wp_cause_idle(&wait->cause, wait->state)) {
		counted.total = counted.runnable;
		if (!counted.total)
			return 0;
	}
	reason.reason = wait->cause.reason;
	reason.syscall = wait->cause.syscall;
	reason.compat = wait->cause.compat && wait->cause.syscall != WALLPROF_SYSCALL_NONE;
	if (!add(&w->reasons, &reason, 0, &counted) ||
	    (wait->object && !add(&w->objects, &reason, wait->object, &counted)))
		return -ENOMEM;
	if (wait->iowait) {
		w->iowait.count += counted.count;
		w->iowait.total += counted.total;
		w->iowait.runnable += counted.runnable;
	}
	if (wait->cause.waker == WALLPROF_WAKER_NONE)
		return 0;
	waker.waker = wait->cause.waker;
	waker.waker_tid = wait->cause.waker_tid;
	return add_waker(w, &waker, &counted);
}

/**
 * wp_waits_sort() - sort the tables, longest time first
 * @w: the sums; nothing can be added afterwards
 */
void wp_waits_sort(struct wp_waits *w)
{
	sort(&w->reasons, by_total);
	sort(&w->objects, by_total);
	sort(&w->wakers, by_blocked);
}

/**
 * wp_waits_free() - free the sums
 * @w: the sums
 */
void wp_waits_free(struct wp_waits *w)
{
	free(w->reasons.entry);
	free(w->objects.entry);
	free(w->wakers.entry);
	memset(w, 0, sizeof(*w));
}
