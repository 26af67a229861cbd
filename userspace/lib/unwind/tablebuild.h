/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Builds an unwind table (uapi/linux/wallprof_unwind.h), row by row. For unwindtable.c.
 */
#ifndef WP_LIB_UNWIND_TABLEBUILD_H
#define WP_LIB_UNWIND_TABLEBUILD_H

#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof_unwind.h>

/* Numbers of rules that every table has. */
#define WP_RULE_NONE		0
#define WP_RULE_UNSUPPORTED	1

struct wp_tablebuild;

struct wp_tablebuild *wp_tablebuild_new(__u64 limit);
__u64 wp_tablebuild_steps(const struct wp_tablebuild *build);
void wp_tablebuild_free(struct wp_tablebuild *build);
int wp_tablebuild_row(struct wp_tablebuild *build, __u64 pc, __u16 rule);
int wp_tablebuild_rule(struct wp_tablebuild *build, struct wallprof_rule *rule,
		       const struct wallprof_save *saves, size_t nr_saves);
int wp_tablebuild_finish(struct wp_tablebuild *build, __u16 machine, void **data,
			 size_t *size);

#endif /* WP_LIB_UNWIND_TABLEBUILD_H */
