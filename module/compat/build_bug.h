/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/build_bug.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_BUILD_BUG_H
#define WALLPROF_COMPAT_BUILD_BUG_H

#include <linux/build_bug.h>

#ifndef static_assert			/* 5.1 */
#define static_assert(expr)	_Static_assert(expr, #expr)
#endif

#endif /* WALLPROF_COMPAT_BUILD_BUG_H */
