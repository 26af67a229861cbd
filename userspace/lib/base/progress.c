// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the progress line on standard error: only on a terminal, and only for work that
 * takes longer than half a second. Called by perfrecords.c and mapsync.c.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/progress.h"

/* Delay before the line is shown. */
#define PATIENCE_NS	500000000ULL

/**
 * wp_progress_begin() - begin
 * @p: filled in
 * @what: description of the work; must stay valid
 * @all: total amount of work, 0: unknown
 */
void wp_progress_begin(struct wp_progress *p, const char *what, __u64 all)
{
	*p = (struct wp_progress){
		.what = what, .all = all, .percent = -1, .begun = wp_clock_now(),
	};
}

/**
 * wp_progress_step() - update the progress
 * @p: the progress
 * @done: amount of work done
 */
void wp_progress_step(struct wp_progress *p, __u64 done)
{
	int percent = p->all ? done < p->all ? (double)done / p->all * 100 : 100 : 0;

	if (percent == p->percent || wp_clock_now() - p->begun < PATIENCE_NS ||
	    wp_get_verbosity() < WP_NORMAL || !isatty(STDERR_FILENO))
		return;
	if (p->all)
		fprintf(stderr, "\r%s: %d %%", p->what, percent);
	else
		fprintf(stderr, "\r%s", p->what);
	p->percent = percent;
	p->shown = true;
}

/**
 * wp_progress_end() - remove the line
 * @p: the progress
 */
void wp_progress_end(struct wp_progress *p)
{
	/* Erase the maximum length of the line. */
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)(strlen(p->what) + strlen(": 100 %")), "");
	p->shown = false;
}
