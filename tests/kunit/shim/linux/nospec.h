/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: bounds that hold for a CPU that runs ahead, too. Nobody listens
 * here.
 */
#ifndef SHIM_LINUX_NOSPEC_H
#define SHIM_LINUX_NOSPEC_H

#include <stdlib.h>

/* An index that is out of range is wrong without speculation, too. */
#define array_index_nospec(index, size) ({					\
	unsigned long __index = (index);					\
										\
	if (__index >= (size))							\
		abort();							\
	__index;								\
})

#endif /* SHIM_LINUX_NOSPEC_H */
