/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mapping of a process in a recording, for memmaps.h and recordedfiles.h.
 */
#ifndef WP_LIB_PERFDATA_MEMMAP_H
#define WP_LIB_PERFDATA_MEMMAP_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/**
 * struct wp_memmap - an executable mapping
 * @start: its first address
 * @end: its end, exclusive
 * @offset: offset in the file of @start
 * @path: number of the file's name: wp_memmaps_path()
 * @id: the file's build-id, empty if unknown
 * @other: it is unknown, and the file is not the one at the path
 * @file: of a file without a build-id: number of its status, for wp_memmaps_stat()
 */
struct wp_memmap {
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 path;
	struct wp_buildid id;
	bool other;
	__u32 file;
};

#endif /* WP_LIB_PERFDATA_MEMMAP_H */
