/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: checks at compile time.
 */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#include <assert.h>

#undef static_assert
#define static_assert(expr) _Static_assert(expr, #expr)

#endif /* SHIM_LINUX_BUILD_BUG_H */
