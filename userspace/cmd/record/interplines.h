/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines about Python functions. See interplines.c.
 */
#ifndef WP_CMD_RECORD_INTERPLINES_H
#define WP_CMD_RECORD_INTERPLINES_H

#include "lib/record/sessionstats.h"

void wp_record_interp_lines(const struct wp_record_stats *s);
void wp_record_interp_details(const struct wp_record_stats *s);

#endif /* WP_CMD_RECORD_INTERPLINES_H */
