/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a process has mapped, opened. See mapplace.c.
 */
#ifndef WP_LIB_SYMBOLS_MAPPLACE_H
#define WP_LIB_SYMBOLS_MAPPLACE_H

#include <stdbool.h>
#include <linux/types.h>

int wp_mapplace_open(__u32 pid, __u64 start, __u64 end, const char *name, __u64 ino,
		     bool *is_served);
int wp_mapplace_find(__u32 pid, __u64 address, __u64 *offset);

#endif /* WP_LIB_SYMBOLS_MAPPLACE_H */
