/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of a recording, as trees. See report/trees.c.
 */
#ifndef WP_CMD_REPORT_TREES_H
#define WP_CMD_REPORT_TREES_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "cmd/report/table.h"

/**
 * struct wp_report_tree_options - the options
 * @kinds: WP_SECTION_...
 * @callees: trees begin with the functions in which the time was spent
 * @sort: print tables by these keys, not trees
 * @limit: smaller branches and rows are summed, in percent
 */
struct wp_report_tree_options {
	unsigned int kinds;
	bool callees;
	struct wp_sort sort;
	double limit;
};

int wp_report_trees(const struct wp_report_tree_options *o, struct wp_samples *samples);

#endif /* WP_CMD_REPORT_TREES_H */
