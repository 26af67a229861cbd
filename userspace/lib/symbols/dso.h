/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that processes have mapped: its identity and its build-id. Entries of
 * buildids.c.
 */
#ifndef WP_LIB_SYMBOLS_DSO_H
#define WP_LIB_SYMBOLS_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/**
 * struct wp_fileid - identity of a file, independent of its path
 * @maj: its device; 0 with @min 0: the file could not be found, and @ino is a number of
 *	ours
 * @min: the same
 * @ino: its inode number; 0: unknown
 */
struct wp_fileid {
	__u32 maj;
	__u32 min;
	__u64 ino;
};

/**
 * struct wp_mapped - a mapping of a file
 * @file: the file, as far as it is known
 * @pid: the process; 0: none
 * @start: first address
 * @end: end, exclusive
 * @time: time of the mapping, ns of CLOCK_MONOTONIC; 0: unknown
 */
struct wp_mapped {
	struct wp_fileid file;
	__u32 pid;
	__u64 start;
	__u64 end;
	__u64 time;
};

/**
 * struct wp_dso - one file of the table
 * @path: the name as in the mapping records
 * @last: its last mapping; without a process if that is unknown
 * @id: its build-id
 * @time: time of its first mapping, if known
 * @stat: its status when it was first seen, once that has happened
 * @looks: number of lookups
 * @changed: it has changed since
 * @kernel: the kernel or a module
 * @tried: its build-id could not be read
 * @elsewhere: so that is unknown, and its path leads to another file here
 * @other: another file represents @path, with another build-id or without one
 * @repeats: another file represents @path, with the same build-id
 * @nr_maps: number of mappings
 * @next: index + 1 of the next file of that path; 0: there is none
 */
struct wp_dso {
	char *path;
	struct wp_mapped last;
	struct wp_buildid id;
	__u64 time;
	struct stat stat;
	unsigned int looks;
	bool changed;
	bool kernel;
	bool tried;
	bool elsewhere;
	bool other;
	bool repeats;
	__u64 nr_maps;
	size_t next;
};

#endif /* WP_LIB_SYMBOLS_DSO_H */
