/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: many bits at once.
 */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <string.h>

#include <linux/bitops.h>

static inline void bitmap_zero(unsigned long *map, unsigned int nr)
{
	memset(map, 0, BITS_TO_LONGS(nr) * sizeof(long));
}

#endif /* SHIM_LINUX_BITMAP_H */
