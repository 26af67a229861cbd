/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far something is that takes long, for who looks at a terminal. See progress.c.
 */
#ifndef WP_LIB_BASE_PROGRESS_H
#define WP_LIB_BASE_PROGRESS_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct wp_progress - something that may take long
 * @what: what is done
 * @all: how much there is to do
 * @begun: when it began, ns of CLOCK_MONOTONIC
 * @percent: what was told last
 * @shown: something was told
 */
struct wp_progress {
	const char *what;
	__u64 all;
	__u64 begun;
	unsigned int percent;
	bool shown;
};

void wp_progress_begin(struct wp_progress *p, const char *what, __u64 all);
void wp_progress_step(struct wp_progress *p, __u64 done);
void wp_progress_end(struct wp_progress *p);

#endif /* WP_LIB_BASE_PROGRESS_H */
