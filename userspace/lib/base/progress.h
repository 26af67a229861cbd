/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Progress of long work, for a user at a terminal. See progress.c.
 */
#ifndef WP_LIB_BASE_PROGRESS_H
#define WP_LIB_BASE_PROGRESS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct wp_progress - progress of work
 * @what: description of the work
 * @all: total amount of work, 0: unknown
 * @begun: its start, ns of CLOCK_MONOTONIC
 * @percent: value shown last, or -1
 * @shown: the line is shown
 */
struct wp_progress {
	const char *what;
	__u64 all;
	__u64 begun;
	int percent;
	bool shown;
};

void wp_progress_begin(struct wp_progress *p, const char *what, __u64 all);
void wp_progress_step(struct wp_progress *p, __u64 done);
void wp_progress_end(struct wp_progress *p);

#endif /* WP_LIB_BASE_PROGRESS_H */
