/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions, or variables, of an ELF file. See elfnames.c.
 *
 *	trouble = wp_elfnames_read(&names, &files, false);
 *	wp_elfnames_free(&names);
 */
#ifndef WP_LIB_ELF_ELFNAMES_H
#define WP_LIB_ELF_ELFNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elffiles.h"
#include "lib/elf/inlines.h"
#include "lib/elf/symtable.h"

#define WP_NO_MEMORY	"there is no memory"

/**
 * struct wp_segment - a segment of the file
 * @offset: its offset in the file
 * @size: its size in the file
 * @address: its address
 * @memory: its size in memory: beyond @size there are zeroes
 * @code: it is executable: 0 or 1
 */
struct wp_segment {
	__u64 offset;
	__u64 size;
	__u64 address;
	__u64 memory;
	__u64 code;
};

/**
 * struct wp_elfnames - functions, or variables, of a file; all zero: empty
 * @table: the symbols, not sorted yet
 * @segment: the file's segments
 * @nr_segments: their number
 * @variables: the symbols are variables
 * @only: only symbols of these names: each with a terminating 0, then an empty one; or NULL
 */
struct wp_elfnames {
	struct wp_symtable table;
	struct wp_segment *segment;
	size_t nr_segments;
	bool variables;
	const char *only;
};

const char *wp_elfnames_read(struct wp_elfnames *names, const struct wp_elffiles *files,
			     bool variables);
void wp_elfnames_free(struct wp_elfnames *names);

#endif /* WP_LIB_ELF_ELFNAMES_H */
