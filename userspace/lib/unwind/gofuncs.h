/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start functions of Go's goroutines and threads: functions without a caller, from Go's
 * own table of functions. For unwindtable.c, and for the cache's hash of a table's input.
 */
#ifndef WP_LIB_UNWIND_GOFUNCS_H
#define WP_LIB_UNWIND_GOFUNCS_H

#include <libelf.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"

/* One for each name. */
#define WP_GOFUNCS_MAX	4

/**
 * struct wp_gofunc - a function without a caller
 * @start: its first address
 * @end: its end, exclusive
 */
struct wp_gofunc {
	__u64 start;
	__u64 end;
};

/**
 * struct wp_gofuncs - the functions of a file
 * @nr: their number
 * @list: sorted; they do not overlap
 */
struct wp_gofuncs {
	size_t nr;
	struct wp_gofunc list[WP_GOFUNCS_MAX];
};

void wp_gofuncs_find(struct wp_gofuncs *funcs, Elf *elf, const struct wp_elfcode *codes);

#endif /* WP_LIB_UNWIND_GOFUNCS_H */
