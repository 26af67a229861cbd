/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first screen of a report: what threads waited for, and where they ran. See
 * report/first.c.
 */
#ifndef WP_CMD_REPORT_FIRST_H
#define WP_CMD_REPORT_FIRST_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "cmd/report/overview.h"

/**
 * struct wp_report_first - what of it is wanted
 * @overview: the recording
 * @samples: its samples
 * @kinds: WP_SECTION_...
 * @idle: with idle loops and kernel threads, also of a whole host
 */
struct wp_report_first {
	const struct wp_overview *overview;
	struct wp_samples *samples;
	unsigned int kinds;
	bool idle;
};

int wp_report_first(const struct wp_report_first *o);

#endif /* WP_CMD_REPORT_FIRST_H */
