// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the progress line on standard error: only on a terminal, and only for work that
 * takes longer than half a second. Called by perfrecords.c.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/progress.h"

/* Delay before the line is shown. */
#define PATIENCE_NS	500000000ULL

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/**
 * wp_progress_begin() - begin
 * @p: filled in
 * @what: description of the work; must stay valid
 * @all: total amount of work
 */
void wp_progress_begin(struct wp_progress *p, const char *what, __u64 all)
{
	*p = (struct wp_progress){ .what = what, .all = all, .begun = now() };
}

/**
 * wp_progress_step() - update the progress
 * @p: the progress
 * @done: amount of work done
 */
void wp_progress_step(struct wp_progress *p, __u64 done)
{
	unsigned int percent = p->all ? (double)done / p->all * 100 : 0;

	if (percent == p->percent || now() - p->begun < PATIENCE_NS || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s: %u %%", p->what, percent > 100 ? 100 : percent);
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
		fprintf(stderr, "\r%*s\r", (int)sizeof("reading the recording: 100 %"), "");
	p->shown = false;
}
