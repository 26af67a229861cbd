/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report for programs. See report/json.c.
 */
#ifndef WP_CMD_REPORT_JSON_H
#define WP_CMD_REPORT_JSON_H

#include <stdio.h>

struct wp_overview;
struct wp_samples;

int wp_report_json(FILE *f, const struct wp_overview *o, struct wp_samples *s,
		   unsigned int kinds);

#endif /* WP_CMD_REPORT_JSON_H */
