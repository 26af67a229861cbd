/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of a sample's stack: frames, their functions, and the files of these.
 * profstacks.c assigns the numbers.
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
 * @name: its name; NULL if unknown
 * @label: the name to print: for a function without a name as from wp_framename(), or
 *	with " (inlined)" appended
 * @dso: the file's name without its directory, "[kernel.kallsyms]", "[nf_tables]",
 *	"[vdso]", or "[unknown]"
 * @path: the file's full path
 * @kernel: it is in the kernel
 * @inlined: it is inlined here
 * @sched: it belongs to the kernel's scheduler: threads leave their CPU in it
 *
 * Functions in one file with the same name, or without a name and with the same label,
 * are the same. Strings may contain any byte but 0.
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
 * struct wp_frame - an address in a stack
 * @function: wp_profile_function()
 * @inlined: wp_profile_frame_functions() has more than @function
 * @address: its address in the first process in which it was found; of a caller, the byte
 *	before the return address
 * @offset: the same as an offset in the file, or as the kernel's address
 * @map_start: start of the mapping; 0 if there is none
 * @map_end: end of the mapping
 * @map_offset: its offset in the file
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
 * @path: its path, which may contain any byte but 0
 * @id: its build-id, empty if unknown
 * @stat: its identity at the time of the recording, if it has no build-id
 */
struct wp_profile_code {
	enum wp_symbols_kind kind;
	const char *path;
	struct wp_buildid id;
	struct wp_filestat stat;
};

#endif /* WP_LIB_PROFILE_FRAME_H */
