/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Size of the attrs of a file. See attrsize.c.
 */
#ifndef WP_LIB_PERFDATA_ATTRSIZE_H
#define WP_LIB_PERFDATA_ATTRSIZE_H

#include <linux/perf_event.h>

/*
 * The attr size that every perf from 5.5 on reads: 128 and more is refused by 5.10, 136 and
 * more by 6.1, and so on. It is also the only one for perf inject of 5.10, which writes attrs
 * of its own size, 120, without updating the size field, and cannot read its own output if
 * the size was another.
 */
#define WP_ATTRSIZE		PERF_ATTR_SIZE_VER6	/* 120 */
#define WP_ATTRSIZE_OLDEST	PERF_ATTR_SIZE_VER5	/* 112, from 4.1 on */

unsigned int wp_attrsize_of(unsigned int kernels);
unsigned int wp_attrsize_here(void);

#endif /* WP_LIB_PERFDATA_ATTRSIZE_H */
