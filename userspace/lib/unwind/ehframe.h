/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of an ELF file: the FDEs (frame description entries) of .eh_frame and
 * .debug_frame, sorted, with the CIE (common information entry) of each. For
 * unwindtable.c.
 */
#ifndef WP_LIB_UNWIND_EHFRAME_H
#define WP_LIB_UNWIND_EHFRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"

/**
 * struct wp_cie - common part of FDEs
 * @at: its offset in the section
 * @initial: the initial instructions of each FDE
 * @initial_end: their end
 * @code_align: unit of advances
 * @data_align: unit of offsets
 * @ra: number of the column of the return address
 * @encoding: encoding of pointers in the FDE (DW_EH_PE_*)
 * @sized: FDEs have augmentation data with a size
 * @extra: size of the augmentation data in FDEs without a size
 * @signal: frames of a signal trampoline
 */
struct wp_cie {
	__u64 at;
	const __u8 *initial;
	const __u8 *initial_end;
	__u64 code_align;
	__s64 data_align;
	__u64 ra;
	__u8 encoding;
	bool sized;
	size_t extra;
	bool signal;
};

/**
 * struct wp_fde - frames of a range of code
 * @start: its first address
 * @end: its end, exclusive
 * @program: the instructions
 * @program_end: their end
 * @cie: index of the CIE
 */
struct wp_fde {
	__u64 start;
	__u64 end;
	const __u8 *program;
	const __u8 *program_end;
	size_t cie;
};

/**
 * struct wp_ehframe - frames of a file
 * @cie: the CIEs
 * @nr_cies: number of CIEs
 * @fde: the FDEs, sorted; they do not overlap and are within code
 * @nr_fdes: number of FDEs
 * @skipped: number of FDEs and CIEs that could not be parsed
 * @bytes: size of their sections
 *
 * Points into the data of the Elf that it was read from.
 */
struct wp_ehframe {
	struct wp_cie *cie;
	size_t nr_cies;
	struct wp_fde *fde;
	size_t nr_fdes;
	size_t skipped;
	__u64 bytes;
};

/* Larger sections are never read: this corresponds to about 2 GiB of code. */
#define WP_EHFRAME_MAX	(256ULL << 20)

/* Limits per file. Of 8465 files one had 171,047 FDEs, and one 199 CIEs. */
#define WP_FDES_MAX	(4U << 20)
#define WP_CIES_MAX	(16U << 10)

int wp_ehframe_read(struct wp_ehframe *frames, Elf *elf, const struct wp_elfcode *codes);
void wp_ehframe_bytes(Elf *elf, const struct wp_elfcode *codes,
		      void (*add)(void *ctx, const void *data, size_t size), void *ctx);
void wp_ehframe_free(struct wp_ehframe *frames);

#endif /* WP_LIB_UNWIND_EHFRAME_H */
