/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Index of files whose tables' names are known. For tablecache.c.
 */
#ifndef WP_LIB_UNWIND_TABLEINDEX_H
#define WP_LIB_UNWIND_TABLEINDEX_H

#include <stdbool.h>

#include "lib/base/fileident.h"
#include "lib/elf/elfcode.h"
#include "lib/unwind/tablename.h"

/**
 * struct wp_tableentry - a file that was read
 * @file: the file
 * @name: the name of its table
 * @codes: its code
 * @table: the file of the table, when its contents were verified; all 0: they were not
 */
struct wp_tableentry {
	struct wp_fileident file;
	struct wp_tablename name;
	struct wp_elfcode codes;
	struct wp_fileident table;
};

int wp_tableindex_open(int dir);
bool wp_tableindex_find(int fd, const __u64 key[2], const struct wp_fileident *file,
			struct wp_tableentry *entry);
void wp_tableindex_put(int fd, const __u64 key[2], const struct wp_tableentry *entry);

#endif /* WP_LIB_UNWIND_TABLEINDEX_H */
