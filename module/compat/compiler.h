/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/compiler.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_COMPILER_H
#define WALLPROF_COMPAT_COMPILER_H

#include <linux/compiler.h>

/* For KCSAN only, which older kernels lack. */
#ifndef data_race			/* 5.8 */
#define data_race(expr)		(expr)
#endif

#endif /* WALLPROF_COMPAT_COMPILER_H */
