/* SPDX-License-Identifier: GPL-2.0 */
/* tests/kunit/shim: cache lines. What a suite allocates is on whichever it happens to be. */
#ifndef SHIM_LINUX_CACHE_H
#define SHIM_LINUX_CACHE_H

#define ____cacheline_aligned_in_smp

#endif /* SHIM_LINUX_CACHE_H */
