/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files with code of a recording. See proffiles.c; used by profstacks.c only.
 */
#ifndef WP_LIB_PROFILE_PROFFILES_H
#define WP_LIB_PROFILE_PROFFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/elf/buildid.h"
#include "lib/perfdata/memmaps.h"
#include "lib/profile/frame.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/symbols.h"

/**
 * struct wp_proffile - a file with code
 * @symbols: its number in the symbol tables
 * @path: number of its path
 * @kind: its kind
 * @id: its build-id, if known
 * @stat: its identity at the time of the recording, if it has no build-id
 */
struct wp_proffile {
	__u32 symbols;
	__u32 path;
	struct wp_buildid id;
	struct wp_filestat stat;
	enum wp_symbols_kind kind;
};

/**
 * struct wp_proffiles - all files
 * @symbols: names
 * @maps: mappings at the time of the current record
 * @paths: names of files
 * @files: struct file_key
 * @file: by the number of its key less 1
 * @kernel: the kernel's file, or 0
 */
struct wp_proffiles {
	struct wp_symbols *symbols;
	struct wp_memmaps *maps;
	struct wp_intern paths;
	struct wp_intern files;
	struct wp_proffile *file;
	__u32 kernel;
};

enum wp_symbols_kind wp_proffiles_kind(const struct wp_memmap *map, const char *path);
__u32 wp_proffiles_file(struct wp_proffiles *s, enum wp_symbols_kind kind, const char *path,
			const struct wp_memmap *map, __s32 pid);
__u32 wp_proffiles_kernel(struct wp_proffiles *s);
bool wp_proffiles_variable(struct wp_proffiles *s, __s32 pid, __u64 address, char *text,
			   size_t size);
bool wp_proffiles_code(const struct wp_proffiles *s, size_t *at, struct wp_profile_code *code);
const char *wp_proffiles_trouble(const struct wp_proffiles *s, size_t *at, const char **path);
void wp_proffiles_free(struct wp_proffiles *s);

#endif /* WP_LIB_PROFILE_PROFFILES_H */
