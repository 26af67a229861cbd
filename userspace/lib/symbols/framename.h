/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands for the name of a function that has none. See framename.c.
 */
#ifndef WP_LIB_SYMBOLS_FRAMENAME_H
#define WP_LIB_SYMBOLS_FRAMENAME_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct wp_frameplace - where the function is
 * @path: its file or memory, as mappings have it; NULL: in none
 * @file: @path is a file, the vdso or the kernel: places in it have a fixed offset
 * @kernel: it is of the kernel, or of a module of it
 * @user: it is user space
 * @offset: in @path, or the address
 * @base: KERNEL: address of the kernel's first function; 0: not known
 */
struct wp_frameplace {
	const char *path;
	bool file;
	bool kernel;
	bool user;
	__u64 offset;
	__u64 base;
};

char *wp_framename(const struct wp_frameplace *place);

#endif /* WP_LIB_SYMBOLS_FRAMENAME_H */
