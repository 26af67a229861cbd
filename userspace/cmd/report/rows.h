/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of the first screen of a report. See report/rows.c.
 */
#ifndef WP_CMD_REPORT_ROWS_H
#define WP_CMD_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/model/waitrows.h"

/* Size of buffers for names. */
#define WP_REPORT_NAME	256

/**
 * struct wp_report_titles - titles of columns
 * @figure: the value
 * @longest: the longest interval, or NULL
 * @count: number of samples, in its place, or NULL
 * @what: what it was spent on
 * @where: the function, or NULL
 * @by: the threads
 */
struct wp_report_titles {
	const char *figure;
	const char *longest;
	const char *count;
	const char *what;
	const char *where;
	const char *by;
};

void wp_report_name(char to[WP_REPORT_NAME], const char *name);
void wp_report_group(char to[WP_REPORT_NAME], const char *comm);
void wp_report_rows(const struct wp_waitrows *r, const struct wp_report_titles *titles,
		    size_t most, bool ns);

#endif /* WP_CMD_REPORT_ROWS_H */
