/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of wallprof diff, as text and as JSON. See diff/print.c and diff/json.c.
 */
#ifndef WP_CMD_DIFF_PRINT_H
#define WP_CMD_DIFF_PRINT_H

#include <stdio.h>

#include "cmd/diff/rows.h"

void wp_diff_print(const struct wp_diff *d, size_t most);
void wp_diff_json(FILE *f, const struct wp_diff *d);

#endif /* WP_CMD_DIFF_PRINT_H */
