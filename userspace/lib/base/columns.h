/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and numbers in columns of limited width. See columns.c.
 */
#ifndef WP_LIB_BASE_COLUMNS_H
#define WP_LIB_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

size_t wp_columns_cut(char *to, size_t size, const char *name, size_t width);
size_t wp_columns_name(char *to, size_t size, const char *name, size_t width);
size_t wp_columns_path(char *to, size_t size, const char *path, size_t width);
void wp_columns_share(size_t *width, const size_t *wanted, const size_t *least, size_t nr,
		      size_t room);
void wp_columns_time(char to[16], __u64 ns);

#endif /* WP_LIB_BASE_COLUMNS_H */
