/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: hash_32() and hash_64(), with the kernel's own constants and formulas.
 */
#ifndef SHIM_LINUX_HASH_H
#define SHIM_LINUX_HASH_H

#include <linux/types.h>

#define GOLDEN_RATIO_32 0x61C88647
#define GOLDEN_RATIO_64 0x61C8864680B583EBull

static inline u32 hash_32(u32 val, unsigned int bits)
{
	return val * GOLDEN_RATIO_32 >> (32 - bits);
}

static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * GOLDEN_RATIO_64 >> (64 - bits);
}

#endif /* SHIM_LINUX_HASH_H */
