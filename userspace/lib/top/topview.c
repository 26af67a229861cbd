// SPDX-License-Identifier: GPL-2.0
/*
 * Selects the rows of the top command and sorts them: what a row did for most of the time,
 * the filter, and the order. Called by the top command.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/cause.h"
#include "lib/model/kidle.h"
#include "lib/top/topshares.h"
#include "lib/top/toptable.h"
#include "lib/top/topview.h"

/* Maximum number of reasons of a row that are compared to find the longest one. */
#define MAX_REASONS	64

/* Time that is shown as 0.0 % of any interval. */
#define NOTHING		2000

/**
 * wp_toprow_blocked() - blocked time of a row, with the view's options
 * @row: the row
 * @o: the options
 *
 * Return: nanoseconds.
 */
__u64 wp_toprow_blocked(const struct wp_toprow *row, const struct wp_topoptions *o)
{
	return row->ns[WP_TOP_BLOCKED] - (o->no_idle ? row->idle : 0);
}

/**
 * wp_toprow_wait() - runnable and blocked time of a row
 * @row: the row
 * @o: the options
 *
 * Return: nanoseconds.
 */
__u64 wp_toprow_wait(const struct wp_toprow *row, const struct wp_topoptions *o)
{
	return row->ns[WP_TOP_RUNNABLE] + wp_toprow_blocked(row, o);
}

/*
 * Find what a row did for most of the time: the longest off-CPU reason, over all stacks,
 * or running; and the largest share of that.
 */
static void find_most(struct wp_toprow *row, const struct wp_topshares *s,
		      const struct wp_topoptions *o)
{
	struct {
		struct wp_cause cause;
		__u64 ns;
		__u64 largest;
		size_t share;
	} reason[MAX_REASONS], run = { .ns = row->ns[WP_TOP_RUN], .share = SIZE_MAX };
	unsigned int nr = 0, j;
	size_t i;

	row->most = SIZE_MAX;
	row->most_ns = 0;
	for (i = row->first; i < row->first + row->nr; i++) {
		const struct wp_topshare *share = &s->shown[i];
		__u64 ns = wp_topshare_ns(share);
		struct wp_cause cause;

		if (share->key.oncpu) {
			if (share->key.event == o->event && ns > run.largest) {
				run.largest = ns;
				run.share = i;
			}
			continue;
		}
		wp_topkey_cause(&share->key, &cause);
		if (o->no_idle && wp_topkey_idle(&share->key, row->comm))
			ns = share->ns[WP_TOP_RUNNABLE];
		for (j = 0; j < nr && !wp_cause_same(&reason[j].cause, &cause); j++)
			;
		if (j == MAX_REASONS)
			continue;
		if (j == nr) {
			nr++;
			reason[j].cause = cause;
			reason[j].ns = 0;
			reason[j].largest = 0;
		}
		reason[j].ns += ns;
		if (ns > reason[j].largest) {
			reason[j].largest = ns;
			reason[j].share = i;
		}
	}
	for (j = 0; j < nr; j++) {
		if (reason[j].ns > row->most_ns) {
			row->most_ns = reason[j].ns;
			row->most = reason[j].share;
		}
	}
	row->most_oncpu = run.ns && run.ns >= row->most_ns;
	if (row->most_oncpu) {
		row->most_ns = run.ns;
		row->most = run.share;
	}
}

/* Names are arbitrary bytes: only ASCII letters are compared without case. */
static bool has_name(const char *name, const char *part)
{
	size_t i;

	for (; *name; name++) {
		for (i = 0; part[i] && tolower((unsigned char)name[i]) ==
				       tolower((unsigned char)part[i]); i++)
			;
		if (!part[i])
			return true;
	}
	return false;
}

static bool is_wanted(const struct wp_toprow *row, const char *filter)
{
	char id[16];

	if (!*filter || has_name(row->comm, filter))
		return true;
	snprintf(id, sizeof(id), "%u", row->tid && row->tid != WP_TOP_ENDED ? row->tid : row->tgid);
	return !strcmp(id, filter);
}

static bool is_idle(const struct wp_toprow *row, const struct wp_topoptions *o, __u64 interval)
{
	__u64 ran = row->ns[WP_TOP_RUN] + row->ns[WP_TOP_RUNNABLE];

	if (row->kthread)
		return wp_kidle_thread(ran, wp_toprow_blocked(row, o), interval);
	return ran + wp_toprow_blocked(row, o) < NOTHING;
}

static void leave_out(struct wp_toptable *t, const struct wp_toprow *row)
{
	__u64 ns = row->ns[WP_TOP_RUN] + row->ns[WP_TOP_RUNNABLE] + row->ns[WP_TOP_BLOCKED];

	if (row->kthread) {
		t->kthreads++;
		t->kthreads_ns += ns;
	} else {
		t->left_out++;
		t->left_out_ns += ns;
	}
}

/* Sort key of rows. */
struct sort {
	const struct wp_topoptions *o;
	__u64 interval;
};

/*
 * The larger first. Values that are displayed alike compare equal, as the rows of an idle
 * host would otherwise move all the time.
 */
static int by_time(const struct sort *s, __u64 a, __u64 b)
{
	double unit = s->interval / 1000.0;

	return wp_topshares_order(b / unit + 0.5, a / unit + 0.5);
}

/* Rows that compare equal are sorted by id. */
static int by_column(const void *pa, const void *pb, void *arg)
{
	const struct wp_toprow *a = *(struct wp_toprow *const *)pa;
	const struct wp_toprow *b = *(struct wp_toprow *const *)pb;
	const struct sort *s = arg;
	const struct wp_topoptions *o = s->o;
	int ret = 0;

	switch (o->column) {
	case WP_TOPCOLUMN_NAME:
		ret = strcmp(a->comm, b->comm);
		break;
	case WP_TOPCOLUMN_RUN:
		ret = by_time(s, a->ns[WP_TOP_RUN], b->ns[WP_TOP_RUN]);
		break;
	case WP_TOPCOLUMN_RUNNABLE:
		ret = by_time(s, a->ns[WP_TOP_RUNNABLE], b->ns[WP_TOP_RUNNABLE]);
		break;
	case WP_TOPCOLUMN_BLOCKED:
		ret = by_time(s, wp_toprow_blocked(a, o), wp_toprow_blocked(b, o));
		break;
	case WP_TOPCOLUMN_WAIT:
		ret = by_time(s, wp_toprow_wait(a, o), wp_toprow_wait(b, o));
		break;
	case WP_TOPCOLUMN_EVENT:
		ret = wp_topshares_order(b->events[o->event], a->events[o->event]);
		break;
	default:
		break;
	}
	ret = ret ? ret : wp_toprow_by_id(a, b);
	return o->reverse ? -ret : ret;
}

/**
 * wp_toptable_view() - select and sort the visible rows
 * @t: the table, joined with the shares
 * @s: the shares
 * @o: the options
 *
 * Return: 0 or -ENOMEM.
 */
int wp_toptable_view(struct wp_toptable *t, const struct wp_topshares *s,
		     const struct wp_topoptions *o)
{
	struct wp_toprows *rows = o->threads ? &t->threads : &t->processes;
	struct sort sort = { .o = o, .interval = t->interval };
	size_t i;

	t->nr_view = 0;
	t->left_out = 0;
	t->left_out_ns = 0;
	t->kthreads = 0;
	t->kthreads_ns = 0;
	if (t->room_view < rows->nr) {
		struct wp_toprow **more = reallocarray(t->view, rows->nr, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->view = more;
		t->room_view = rows->nr;
	}
	for (i = 0; i < rows->nr; i++) {
		struct wp_toprow *row = &rows->row[i];

		if (!is_wanted(row, o->filter))
			continue;
		if (o->no_idle && is_idle(row, o, t->interval)) {
			leave_out(t, row);
			continue;
		}
		find_most(row, s, o);
		t->view[t->nr_view++] = row;
	}
	if (t->nr_view)
		qsort_r(t->view, t->nr_view, sizeof(struct wp_toprow *), by_column, &sort);
	return 0;
}
