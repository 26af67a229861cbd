/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: the few kernel headers that the pure parts of the module include,
 * for programs of userspace. Here the kernel's types, as wide as there.
 */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include_next <linux/types.h>

#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#endif /* SHIM_LINUX_TYPES_H */
