/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first screen of a report: waits of threads, and where they ran. See report/first.c.
 */
#ifndef WP_CMD_REPORT_FIRST_H
#define WP_CMD_REPORT_FIRST_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "cmd/report/overview.h"

/**
 * struct wp_report_first - the options
 * @overview: the recording
 * @samples: its samples
 * @kinds: WP_SECTION_...
 * @idle: show idle loops and kernel threads, also of a whole host
 */
struct wp_report_first {
	const struct wp_overview *overview;
	struct wp_samples *samples;
	unsigned int kinds;
	bool idle;
};

int wp_report_first(const struct wp_report_first *o);

#endif /* WP_CMD_REPORT_FIRST_H */
