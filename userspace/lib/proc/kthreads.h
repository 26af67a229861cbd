/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of new kernel threads, which no record has from Linux 6.4 on. Used by siderecords.c.
 */
#ifndef WP_LIB_PROC_KTHREADS_H
#define WP_LIB_PROC_KTHREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define WP_KTHREADD	2U	/* forks all other kernel threads */

bool wp_kthreads_born_named(const char *release);
bool wp_kthreads_name(const char *root, __u32 tid, char *name, size_t size);

#endif /* WP_LIB_PROC_KTHREADS_H */
