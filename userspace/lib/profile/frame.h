/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stacks of samples are made of: frames, the functions that they are in, and the files
 * that those are in. profstacks.c numbers them.
 */
#ifndef WP_LIB_PROFILE_FRAME_H
#define WP_LIB_PROFILE_FRAME_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/symbols.h"

/**
 * struct wp_function - a function in a file
 * @name: its name; NULL if not known
 * @label: the same for people: of one without a name as wp_framename() has it, or with
 *	" (inlined)" behind it
 * @dso: the file's name without its directory, "[kernel.kallsyms]", "[nf_tables]",
 *	"[vdso]", or "[unknown]"
 * @path: the file's name with it
 * @kernel: it is of the kernel
 * @inlined: it is where it was inlined
 * @sched: it is the kernel's scheduler's own: threads leave their CPU by it
 *
 * Functions of one name, or without one of one label, in one file are one. Strings may
 * hold any byte but 0.
 */
struct wp_function {
	const char *name;
	const char *label;
	const char *dso;
	const char *path;
	bool kernel;
	bool inlined;
	bool sched;
};

/**
 * struct wp_frame - a place in a stack
 * @function: wp_profile_function()
 * @inlined: wp_profile_frame_functions() has more than that
 * @address: where it was in the memory of the first process in which it was met; of a
 *	caller the byte before that to which its callee returns
 * @offset: the same as the file's offset, or as the kernel's address
 * @map_start: of the mapping; 0 if there is none
 * @map_end: the same
 * @map_offset: the same
 */
struct wp_frame {
	__u32 function;
	__u32 inlined;
	__u64 address;
	__u64 offset;
	__u64 map_start;
	__u64 map_end;
	__u64 map_offset;
};

/**
 * struct wp_profile_code - a file that samples have frames in
 * @kind: an ELF file or the kernel
 * @path: its name, which may hold any byte but 0
 * @id: its build-id, of no bytes if not known
 * @stat: how it was, if it has none
 */
struct wp_profile_code {
	enum wp_symbols_kind kind;
	const char *path;
	struct wp_buildid id;
	struct wp_filestat stat;
};

#endif /* WP_LIB_PROFILE_FRAME_H */
