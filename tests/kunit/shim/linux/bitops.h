/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: bitmaps of longs. set_bit() is atomic and orders nothing, as in
 * the kernel.
 */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define BITS_TO_LONGS(nr) (((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)

static inline unsigned long __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

/* 1 + the number of the highest bit set; 0 if none is. */
static inline int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return __atomic_load_n(&map[nr / BITS_PER_LONG], __ATOMIC_RELAXED) >>
	       nr % BITS_PER_LONG & 1;
}

static inline void set_bit(unsigned long nr, unsigned long *map)
{
	__atomic_fetch_or(&map[nr / BITS_PER_LONG], BIT(nr % BITS_PER_LONG),
			  __ATOMIC_RELAXED);
}

#endif /* SHIM_LINUX_BITOPS_H */
