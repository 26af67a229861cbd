/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of an ELF file: its executable segments, and their addresses when the file is
 * mapped. For unwindtable.c, and for publishing mappings.
 */
#ifndef WP_LIB_ELF_ELFCODE_H
#define WP_LIB_ELF_ELFCODE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* The kernel starts no program whose program headers take more than 64 KiB. */
#define WP_PHDRS_MAX	(65536 / sizeof(Elf64_Phdr))

/* Maximum number of code segments of one file; most have one. */
#define WP_CODE_MAX	16

/**
 * struct wp_code - code of a file
 * @start: first address
 * @end: its end, exclusive
 * @offset: its offset in the file
 * @size: its size in the file
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
 * @fd: the file, or -1 if only its Elf is available
 * @entry: entry point of a program
 * @bytes: bytes of code in the file, without holes, and with parts shared by segments
 *	counted once: limits are proportional to it
 * @code: the segments; sorted, do not overlap
 * @nr: their number, at least 1
 */
struct wp_elfcode {
	__u16 machine;
	int fd;
	__u64 entry;
	__u64 bytes;
	struct wp_code code[WP_CODE_MAX];
	size_t nr;
};

Elf *wp_elfcode_begin(int fd);
int wp_elfcode_read(struct wp_elfcode *codes, Elf *elf);
int wp_elfcode_read_fd(struct wp_elfcode *codes, Elf *elf, int fd);
bool wp_elfcode_is_valid(const struct wp_elfcode *codes);
bool wp_elfcode_data(int fd, __u64 *from, __u64 *to);
bool wp_elfcode_names(Elf *elf, size_t *index);
__u64 wp_elfcode_limit(const struct wp_elfcode *codes, __u64 least, unsigned int times);
bool wp_elfcode_bias(const struct wp_elfcode *codes, __u64 start, __u64 end,
		     __u64 offset, __u64 *bias);
const struct wp_code *wp_elfcode_find(const struct wp_elfcode *codes, __u64 addr);

#endif /* WP_LIB_ELF_ELFCODE_H */
