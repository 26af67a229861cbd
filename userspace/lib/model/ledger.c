// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the ledger. For every thread, the module records how long it ran, how long it was
 * off its CPU, and how much was lost; together they must equal the time that it was
 * watched. The runnable part of the off-CPU time must not exceed the whole. The record
 * command passes every thread here when it ends and all others after STOP; the sums are
 * always kept, lines of single threads only as many as are printed, so that memory does
 * not grow with the number of short-lived threads.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/ledger.h"

/**
 * wp_ledger_init() - initialize an empty ledger
 * @l: the ledger
 * @keep: number of threads' lines to keep; SIZE_MAX for all
 */
void wp_ledger_init(struct wp_ledger *l, size_t keep)
{
	memset(l, 0, sizeof(*l));
	l->keep = keep;
}

/**
 * wp_ledger_free() - free a ledger
 * @l: the ledger
 */
void wp_ledger_free(struct wp_ledger *l)
{
	free(l->lines);
	memset(l, 0, sizeof(*l));
}

/**
 * wp_ledger_read() - read the totals of a thread
 * @task: a slot of the task table after STOP, or a thread that ended
 * @stop: time of STOP, for a thread that did not end
 * @comm: its name, may be NULL
 * @a: filled in
 *
 * Return: false if there are none: the slot is free, or the thread waits for its exec.
 */
bool wp_ledger_read(const struct wallprof_task *task, __u64 stop, const char *comm,
		    struct wp_totals *a)
{
	if (task->phase == WALLPROF_TASK_FREE || task->flags & WALLPROF_TASK_ARMED)
		return false;
	memset(a, 0, sizeof(*a));
	a->tid = task->tid;
	a->tgid = task->tgid;
	if (comm)
		strncpy(a->comm, comm, sizeof(a->comm) - 1);
	a->flags = task->flags;
	a->ended = task->phase == WALLPROF_TASK_EXITED;
	a->born = task->born;
	a->end = a->ended ? task->since : stop;
	a->run_ns = task->run_ns;
	a->off_ns = task->off_ns;
	a->nr_off = task->nr_off;
	a->unknown_ns = task->unknown_ns;
	a->spill_ns = task->spill_ns;
	a->runnable_ns = task->runnable_ns;
	a->runnable_max = task->runnable_max;
	a->blocked_max = task->blocked_max;
	a->asleep_since = task->asleep_since;
	return true;
}

/* Longest off-CPU time first; but threads with a difference before all others. */
static int by_off(const void *pa, const void *pb)
{
	const struct wp_totals *a = pa, *b = pb;
	bool bad_a = wp_totals_diff(a), bad_b = wp_totals_diff(b);

	if (bad_a != bad_b)
		return bad_a ? -1 : 1;
	if (a->off_ns != b->off_ns)
		return a->off_ns > b->off_ns ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static __u64 magnitude(__s64 n)
{
	return n < 0 ? -(__u64)n : (__u64)n;
}

/**
 * wp_ledger_add() - add a thread
 * @l: the ledger
 * @a: its totals
 * @nr_spilled: number of its intervals that found no aggregate
 *
 * Return: 0 or -ENOMEM; the sums are right in either case.
 */
int wp_ledger_add(struct wp_ledger *l, const struct wp_totals *a, __u64 nr_spilled)
{
	__s64 diff = wp_totals_diff(a);

	l->threads++;
	l->ended += a->ended;
	l->unbalanced += diff != 0;
	l->wall_ns += wp_totals_wall(a);
	l->run_ns += a->run_ns;
	l->off_ns += a->off_ns;
	l->nr_off += a->nr_off;
	l->unknown_ns += a->unknown_ns;
	l->spill_ns += a->spill_ns;
	l->nr_spilled += nr_spilled;
	l->runnable_ns += a->runnable_ns;
	if (magnitude(diff) > magnitude(l->worst_ns))
		l->worst_ns = diff;
	if (!l->keep)
		return 0;
	if (l->nr == l->room) {
		if (l->nr / 2 > l->keep) {
			wp_ledger_sort(l);
			l->nr = l->keep;
		} else {
			size_t room = l->room ? l->room * 2 : 256;
			void *lines = reallocarray(l->lines, room, sizeof(*l->lines));

			if (!lines)
				return -ENOMEM;
			l->lines = lines;
			l->room = room;
		}
	}
	l->lines[l->nr++] = *a;
	return 0;
}

/**
 * wp_ledger_sort() - sort the lines, longest off-CPU time first
 * @l: the ledger
 */
void wp_ledger_sort(struct wp_ledger *l)
{
	if (l->nr)
		qsort(l->lines, l->nr, sizeof(*l->lines), by_off);
}
