/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trampolines in a file's code that signal handlers return to, found by what
 * they look like. For unwindtable.c, and for the cache's idea of what a table was
 * made from.
 */
#ifndef WP_LIB_TRAMPOLINES_H
#define WP_LIB_TRAMPOLINES_H

#include <libelf.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elfcode.h"

/* A file has one or two; of others, not all are known. */
#define WP_TRAMPOLINES_MAX	1024

/* Code in which they are looked for, bytes: it is read for that. */
#define WP_TRAMPOLINES_CODE	(512ULL << 20)

/**
 * struct wp_trampolines - where they are
 * @size: of one, bytes
 * @nr: how many there are
 * @start: the first address of each; sorted, they do not overlap
 */
struct wp_trampolines {
	__u64 size;
	size_t nr;
	__u64 start[WP_TRAMPOLINES_MAX];
};

void wp_trampolines_find(struct wp_trampolines *trampolines, Elf *elf,
			 const struct wp_elfcode *codes);

#endif /* WP_LIB_TRAMPOLINES_H */
