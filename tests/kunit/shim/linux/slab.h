/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: memory, of just the size that is asked for, so that ASan sees
 * what is beyond.
 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>

#include <linux/types.h>

typedef unsigned int gfp_t;

#define GFP_KERNEL 0U

static inline void *kvzalloc(size_t size, gfp_t flags)
{
	(void)flags;
	return calloc(1, size ? size : 1);
}

static inline void kvfree(const void *p)
{
	free((void *)p);
}

#endif /* SHIM_LINUX_SLAB_H */
