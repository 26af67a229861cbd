/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time of a kind by keys, as a table. See report/table.c.
 */
#ifndef WP_CMD_REPORT_TABLE_H
#define WP_CMD_REPORT_TABLE_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "cmd/common/sections.h"

#define WP_SORT_KEYS	11

/**
 * struct wp_report_sort - sort keys
 * @key: the keys, in the order of the columns
 * @nr: their number; 0: no table is wanted
 * @counts: print numbers of samples
 * @children: include the time of callees
 */
struct wp_report_sort {
	unsigned char key[WP_SORT_KEYS];
	unsigned int nr;
	bool counts;
	bool children;
};

int wp_report_sort_parse(const char *arg, struct wp_report_sort *sort);
int wp_report_table(struct wp_samples *s, const struct wp_section *section,
		    const struct wp_report_sort *sort, double limit);

#endif /* WP_CMD_REPORT_TABLE_H */
