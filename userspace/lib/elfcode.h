/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of an ELF file: its executable segments, and where they are when the
 * file is mapped. For unwindtable.c, and for whoever publishes mappings.
 */
#ifndef WP_LIB_ELFCODE_H
#define WP_LIB_ELFCODE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Code segments of one file; most have one. */
#define WP_CODE_MAX	16

/**
 * struct wp_code - code of a file
 * @start: first address
 * @end: the one behind the last
 * @offset: where it is in the file
 * @size: bytes of it that are in the file
 */
struct wp_code {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u64 size;
};

/**
 * struct wp_elfcode - all code of a file
 * @machine: ELF number
 * @entry: address where a program begins, if it is one
 * @code: the segments; sorted, do not overlap
 * @nr: how many, at least 1
 */
struct wp_elfcode {
	__u16 machine;
	__u64 entry;
	struct wp_code code[WP_CODE_MAX];
	size_t nr;
};

int wp_elfcode_read(struct wp_elfcode *codes, Elf *elf);
bool wp_elfcode_bias(const struct wp_elfcode *codes, __u64 start, __u64 end,
		     __u64 offset, __u64 *bias);
const struct wp_code *wp_elfcode_find(const struct wp_elfcode *codes, __u64 addr);

#endif /* WP_LIB_ELFCODE_H */
