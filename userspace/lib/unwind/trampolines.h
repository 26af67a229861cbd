/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signal trampolines in a file's code, found by their instructions. For unwindtable.c,
 * and for the cache's hash of a table's input.
 */
#ifndef WP_LIB_UNWIND_TRAMPOLINES_H
#define WP_LIB_UNWIND_TRAMPOLINES_H

#include <libelf.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"

/* A file has one or two; further ones are ignored. */
#define WP_TRAMPOLINES_MAX	1024

/* Maximum size of the code to search, as all of it must be read. */
#define WP_TRAMPOLINES_CODE	(512ULL << 20)

/**
 * struct wp_trampoline - a trampoline
 * @start: its first address
 * @end: the end of its system call
 * @reach: end, exclusive, of the addresses that belong to it. A thread in the system call
 *	has @end as its instruction pointer. If another function may begin there, the two
 *	cannot be distinguished, and the address belongs to that; else @reach is @end plus
 *	one
 */
struct wp_trampoline {
	__u64 start;
	__u64 end;
	__u64 reach;
};

/**
 * struct wp_trampolines - the trampolines of a file
 * @nr: their number
 * @list: sorted; they do not overlap, but one can begin at the @reach of another
 */
struct wp_trampolines {
	size_t nr;
	struct wp_trampoline list[WP_TRAMPOLINES_MAX];
};

void wp_trampolines_find(struct wp_trampolines *trampolines, Elf *elf,
			 const struct wp_elfcode *codes);

#endif /* WP_LIB_UNWIND_TRAMPOLINES_H */
