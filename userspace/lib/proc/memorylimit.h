/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory that our control group may have. See memorylimit.c.
 */
#ifndef WP_LIB_PROC_MEMORYLIMIT_H
#define WP_LIB_PROC_MEMORYLIMIT_H

#include <linux/types.h>

__u64 wp_memory_limit_of(const char *groups, const char *mounted);
__u64 wp_memory_limit(void);

#endif /* WP_LIB_PROC_MEMORYLIMIT_H */
