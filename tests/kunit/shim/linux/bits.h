/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: bits of a long.
 */
#ifndef SHIM_LINUX_BITS_H
#define SHIM_LINUX_BITS_H

#include <limits.h>

#define BITS_PER_LONG (CHAR_BIT * (int)sizeof(long))
#define BIT(nr) (1UL << (nr))
#define BIT_ULL(nr) (1ULL << (nr))
#define GENMASK(high, low) (~0UL >> (BITS_PER_LONG - 1 - (high)) & ~0UL << (low))

#endif /* SHIM_LINUX_BITS_H */
