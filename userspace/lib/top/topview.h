/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selection and order of the rows of a live view. See topview.c.
 */
#ifndef WP_LIB_TOP_TOPVIEW_H
#define WP_LIB_TOP_TOPVIEW_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/top/topshares.h"
#include "lib/top/toptable.h"

/**
 * enum wp_topcolumn - sort columns
 * @WP_TOPCOLUMN_ID: process, then thread; the smallest first
 * @WP_TOPCOLUMN_NAME: name
 * @WP_TOPCOLUMN_RUN: time on a CPU, the longest first
 * @WP_TOPCOLUMN_RUNNABLE: time runnable, likewise
 * @WP_TOPCOLUMN_BLOCKED: time blocked, likewise
 * @WP_TOPCOLUMN_WAIT: time runnable or blocked, likewise
 * @WP_TOPCOLUMN_EVENT: the selected event, the most first
 * @WP_TOPCOLUMN_MAX: number of columns
 */
enum wp_topcolumn {
	WP_TOPCOLUMN_ID,
	WP_TOPCOLUMN_NAME,
	WP_TOPCOLUMN_RUN,
	WP_TOPCOLUMN_RUNNABLE,
	WP_TOPCOLUMN_BLOCKED,
	WP_TOPCOLUMN_WAIT,
	WP_TOPCOLUMN_EVENT,
	WP_TOPCOLUMN_MAX,
};

/**
 * struct wp_topoptions - selection and order of rows
 * @threads: threads, not processes
 * @column: the sort column
 * @event: the selected event: on-CPU stacks are of its samples
 * @reverse: reverse order
 * @no_idle: leave out the blocked time of idle waits (wp_topkey_idle()), rows that are
 *	empty without it, and idle kernel threads
 * @filter: only rows whose name contains this, ignoring case, or whose id is this; "":
 *	all
 */
struct wp_topoptions {
	bool threads;
	enum wp_topcolumn column;
	unsigned int event;
	bool reverse;
	bool no_idle;
	char filter[64];
};

int wp_toptable_view(struct wp_toptable *t, const struct wp_topshares *s,
		     const struct wp_topoptions *o);
__u64 wp_toprow_blocked(const struct wp_toprow *row, const struct wp_topoptions *o);
__u64 wp_toprow_wait(const struct wp_toprow *row, const struct wp_topoptions *o);

#endif /* WP_LIB_TOP_TOPVIEW_H */
