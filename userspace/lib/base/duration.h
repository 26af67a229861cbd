/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times in options: 250us, 10ms. See duration.c.
 */
#ifndef WP_LIB_BASE_DURATION_H
#define WP_LIB_BASE_DURATION_H

#include <linux/types.h>

#define WP_NSEC_PER_USEC	1000ULL
#define WP_NSEC_PER_MSEC	1000000ULL

int wp_duration_parse(const char *arg, __u64 unit, __u64 *ns);

#endif /* WP_LIB_BASE_DURATION_H */
