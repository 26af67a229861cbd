/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: powers of two, of unsigned longs as in the kernel.
 */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

#include <linux/types.h>

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* Not defined for 0, as in the kernel. */
static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n == 1 ? 1 : 2UL << (63 - __builtin_clzl(n - 1));
}

#endif /* SHIM_LINUX_LOG2_H */
