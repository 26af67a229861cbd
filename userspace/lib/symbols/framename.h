/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Label of a function without a name. See framename.c.
 */
#ifndef WP_LIB_SYMBOLS_FRAMENAME_H
#define WP_LIB_SYMBOLS_FRAMENAME_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct wp_frameplace - location of a function
 * @path: its file or memory, as in mappings; NULL: none
 * @file: @path is a file, the vdso or the kernel, with fixed offsets
 * @kernel: it is in the kernel, or in a module
 * @user: it is in user space
 * @offset: in @path, or the address
 * @base: KERNEL: address of the kernel's first function; 0: unknown
 */
struct wp_frameplace {
	const char *path;
	bool file;
	bool kernel;
	bool user;
	__u64 offset;
	__u64 base;
};

/* Limit of different labels of memory: memfds have any name. */
#define WP_FRAMELABELS_MAX	256

/**
 * struct wp_framelabels - labels of memory without a file
 * @label: each once
 * @nr: their number
 */
struct wp_framelabels {
	char *label[WP_FRAMELABELS_MAX];
	size_t nr;
};

char *wp_framename(const struct wp_frameplace *place);
const char *wp_framelabels_get(struct wp_framelabels *l, const char *path);
void wp_framelabels_free(struct wp_framelabels *l);

#endif /* WP_LIB_SYMBOLS_FRAMENAME_H */
