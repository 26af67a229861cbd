/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trampolines in a file's code that signal handlers return to, found by what
 * they look like. For unwindtable.c, and for the cache's idea of what a table was
 * made from.
 */
#ifndef WP_LIB_UNWIND_TRAMPOLINES_H
#define WP_LIB_UNWIND_TRAMPOLINES_H

#include <libelf.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"

/* A file has one or two; of others, not all are known. */
#define WP_TRAMPOLINES_MAX	1024

/* Code in which they are looked for, bytes: it is read for that. */
#define WP_TRAMPOLINES_CODE	(512ULL << 20)

/**
 * struct wp_trampoline - where one is
 * @start: its first address
 * @end: the one behind its system call
 * @reach: behind what a thread may be found at that is in the system call: its
 *	instruction pointer is @end. If another function may begin there, that is
 *	not told apart, and left to it; else @reach is one more
 */
struct wp_trampoline {
	__u64 start;
	__u64 end;
	__u64 reach;
};

/**
 * struct wp_trampolines - where they are
 * @nr: how many there are
 * @list: sorted; they do not overlap, but one can begin where one reaches to
 */
struct wp_trampolines {
	size_t nr;
	struct wp_trampoline list[WP_TRAMPOLINES_MAX];
};

void wp_trampolines_find(struct wp_trampolines *trampolines, Elf *elf,
			 const struct wp_elfcode *codes);

#endif /* WP_LIB_UNWIND_TRAMPOLINES_H */
