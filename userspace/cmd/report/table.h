/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time of a kind by keys, as a table. See report/table.c.
 */
#ifndef WP_CMD_REPORT_TABLE_H
#define WP_CMD_REPORT_TABLE_H

#include "cmd/common/samples.h"
#include "cmd/common/sections.h"
#include "cmd/common/sortkeys.h"

int wp_report_table(struct wp_samples *s, const struct wp_section *section,
		    const struct wp_sort *sort, double limit);

#endif /* WP_CMD_REPORT_TABLE_H */
