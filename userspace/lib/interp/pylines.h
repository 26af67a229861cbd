/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of Python code. See pylines.c.
 */
#ifndef WP_LIB_INTERP_PYLINES_H
#define WP_LIB_INTERP_PYLINES_H

#include <stddef.h>
#include <linux/types.h>

/**
 * enum wp_pylines - kind of a table of lines
 * @WP_PYLINES_STEPS: co_lnotab: steps of addresses and of lines
 * @WP_PYLINES_LOCATIONS: co_linetable of 3.11 and later: lines and columns
 */
enum wp_pylines {
	WP_PYLINES_STEPS,
	WP_PYLINES_LOCATIONS,
};

__u32 wp_pylines_find(enum wp_pylines kind, const __u8 *table, size_t size, __s32 first,
		      __s64 at);

#endif /* WP_LIB_INTERP_PYLINES_H */
