/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: sort() is libc's.
 */
#ifndef SHIM_LINUX_SORT_H
#define SHIM_LINUX_SORT_H

#include <stdlib.h>

#define sort(base, num, size, cmp, swap) qsort((base), (num), (size), (cmp))

#endif /* SHIM_LINUX_SORT_H */
