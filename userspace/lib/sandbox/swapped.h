/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a file in memory has pages in swap. See swapped.c.
 */
#ifndef WP_LIB_SANDBOX_SWAPPED_H
#define WP_LIB_SANDBOX_SWAPPED_H

#include <stdbool.h>
#include <sys/stat.h>

void wp_swapped_leave(void);
bool wp_swapped_is_left(int fd, const struct stat *st);

#endif /* WP_LIB_SANDBOX_SWAPPED_H */
