/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directories of processes in /proc. See procdir.c.
 */
#ifndef WP_LIB_BASE_PROCDIR_H
#define WP_LIB_BASE_PROCDIR_H

#include <stdbool.h>
#include <linux/types.h>

bool wp_procdir_has_ended(const char *stat);
int wp_procdir_living(int dir);
int wp_procdir_open(__u32 pid);
int wp_procdir_mapping(int dir, __u64 start, __u64 end);

#endif /* WP_LIB_BASE_PROCDIR_H */
