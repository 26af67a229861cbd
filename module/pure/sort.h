/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_SORT_H
#define WALLPROF_PURE_SORT_H

#include <linux/types.h>

void wp_sort(void *base, u32 nr, size_t width, int (*compare)(const void *a, const void *b));

#endif /* WALLPROF_PURE_SORT_H */
