/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of an ELF file, or its variables. See elfnames.c.
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
 * struct wp_segment - where a part of the file is mapped to, as its program headers say
 * @offset: of the part in the file
 * @size: its bytes there
 * @address: where it is mapped
 * @memory: its bytes there: what is more than @size is zeroes
 * @code: it can be executed: 0 or 1
 */
struct wp_segment {
	__u64 offset;
	__u64 size;
	__u64 address;
	__u64 memory;
	__u64 code;
};

/**
 * struct wp_elfnames - functions, or variables, of a file; all zero has none
 * @table: these, not sorted yet
 * @segment: where its parts are
 * @nr_segments: their number
 * @variables: they are variables
 */
struct wp_elfnames {
	struct wp_symtable table;
	struct wp_segment *segment;
	size_t nr_segments;
	bool variables;
};

const char *wp_elfnames_read(struct wp_elfnames *names, const struct wp_elffiles *files,
			     bool variables);
void wp_elfnames_free(struct wp_elfnames *names);

#endif /* WP_LIB_ELF_ELFNAMES_H */
