/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of a recording, as trees. See report/stacks.c.
 */
#ifndef WP_CMD_REPORT_STACKS_H
#define WP_CMD_REPORT_STACKS_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "cmd/report/table.h"

/**
 * struct wp_report_stacks - the options
 * @kinds: WP_SECTION_...
 * @callees: trees begin with the functions in which the time was spent
 * @sort: print tables by these keys, not trees
 * @limit: smaller branches and rows are summed, in percent
 */
struct wp_report_stacks {
	unsigned int kinds;
	bool callees;
	struct wp_report_sort sort;
	double limit;
};

int wp_report_stacks(const struct wp_report_stacks *o, struct wp_samples *samples);

#endif /* WP_CMD_REPORT_STACKS_H */
