/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ages and times of day as text. See since.c.
 */
#ifndef WP_LIB_BASE_SINCE_H
#define WP_LIB_BASE_SINCE_H

#include <stddef.h>
#include <linux/types.h>

/* Sufficient size for either text. */
#define WP_SINCE_TEXT	32

const char *wp_since_age(__u64 ns, char *buf, size_t size);
__u64 wp_since_suspended(void);
const char *wp_since_clock(__u64 ns, __u64 at, char *buf, size_t size);

#endif /* WP_LIB_BASE_SINCE_H */
