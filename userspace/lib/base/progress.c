// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the line on standard error that tells how far something is: only on a terminal, and
 * only of what takes longer than half a second. Called by perfrecords.c.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/progress.h"

/* Nothing is told before. */
#define PATIENCE_NS	500000000ULL

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/**
 * wp_progress_begin() - begin
 * @p: out
 * @what: what is done; kept
 * @all: how much there is to do
 */
void wp_progress_begin(struct wp_progress *p, const char *what, __u64 all)
{
	*p = (struct wp_progress){ .what = what, .all = all, .begun = now() };
}

/**
 * wp_progress_step() - tell how far it is
 * @p: what is done
 * @done: so much of all
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
 * wp_progress_end() - take the line away
 * @p: what is done
 */
void wp_progress_end(struct wp_progress *p)
{
	/* The line is as long as it can have been at most. */
	if (p->shown)
		fprintf(stderr, "\r%*s\r", (int)sizeof("reading the recording: 100 %"), "");
	p->shown = false;
}
