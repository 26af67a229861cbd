/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compiles the unwind information of an ELF file into an unwind table for the module
 * (uapi/linux/wallprof_unwind.h).
 */
#ifndef WP_LIB_UNWIND_UNWINDTABLE_H
#define WP_LIB_UNWIND_UNWINDTABLE_H

#include <libelf.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"

/* Maximum size of a table; the largest known one has 6.5 MB. */
#define WP_UNWINDTABLE_MAX	(128ULL << 20)

/**
 * struct wp_unwindtable - a table, and statistics of its compilation
 * @data: the table; NULL if there is none
 * @size: its size
 * @machine: ELF number
 * @code_bytes: size of the code in the file
 * @nr_fdes: number of FDEs
 * @skipped: number of those that could not be parsed
 * @unsupported: rows that a table cannot express
 * @steps: instructions, expressions and comparisons
 */
struct wp_unwindtable {
	void *data;
	size_t size;
	__u16 machine;
	__u64 code_bytes;
	size_t nr_fdes;
	size_t skipped;
	size_t unsupported;
	__u64 steps;
};

__u64 wp_unwindtable_limit(const struct wp_elfcode *codes);

int wp_unwindtable_from_elf(struct wp_unwindtable *table, Elf *elf,
			    const struct wp_elfcode *codes);
void wp_unwindtable_free(struct wp_unwindtable *table);

#endif /* WP_LIB_UNWIND_UNWINDTABLE_H */
