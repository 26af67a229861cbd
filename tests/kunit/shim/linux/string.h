/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: memset() and its kin.
 */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>

#include <linux/types.h>

#endif /* SHIM_LINUX_STRING_H */
