/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: bsearch() is libc's.
 */
#ifndef SHIM_LINUX_BSEARCH_H
#define SHIM_LINUX_BSEARCH_H

#include <stdlib.h>

#endif /* SHIM_LINUX_BSEARCH_H */
