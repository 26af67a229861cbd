/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes of the module's tables, one by one. See tablesizes.c.
 */
#ifndef WP_CMD_RECORD_TABLESIZES_H
#define WP_CMD_RECORD_TABLESIZES_H

struct wp_record_opts;

int wp_table_sizes_parse(const char *arg, struct wp_record_opts *o);

#endif /* WP_CMD_RECORD_TABLESIZES_H */
