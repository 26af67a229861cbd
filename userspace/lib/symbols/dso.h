/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that processes have mapped: which one it is, and what its build-id is.
 * buildids.c holds them.
 */
#ifndef WP_LIB_SYMBOLS_DSO_H
#define WP_LIB_SYMBOLS_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/**
 * struct wp_fileid - which file it is, whatever its path
 * @maj: its device; 0 with @min 0: the file could not be found, and @ino is our number
 * @min: the same
 * @ino: its inode number; 0: not known
 */
struct wp_fileid {
	__u32 maj;
	__u32 min;
	__u64 ino;
};

/**
 * struct wp_mapped - where a file is mapped
 * @file: which one, as far as known
 * @pid: the process; 0: none
 * @start: first address
 * @end: behind the last one
 * @time: when it was mapped, ns of CLOCK_MONOTONIC; 0: not known
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
 * @path: the name as the mapping records have it
 * @last: where it was mapped last; of no process if that is not known
 * @id: its build-id
 * @time: when it was mapped first, if that is known
 * @stat: how it was when it was seen first, once that is so
 * @looks: how often it was looked for
 * @changed: it has changed since
 * @kernel: the kernel or a module
 * @tried: the file has been looked at in vain
 * @other: another file stands for @path, with another build-id or without one
 * @repeats: another file stands for @path, with the same build-id
 * @nr_maps: how often it was mapped
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
	bool other;
	bool repeats;
	__u64 nr_maps;
	size_t next;
};

#endif /* WP_LIB_SYMBOLS_DSO_H */
