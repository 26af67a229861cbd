/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mapped files of a recording. See recordedfiles.c; used by memmaps.c only.
 */
#ifndef WP_LIB_PERFDATA_RECORDEDFILES_H
#define WP_LIB_PERFDATA_RECORDEDFILES_H

#include <stddef.h>
#include <time.h>
#include <linux/types.h>

#include "lib/base/buf.h"
#include "lib/base/intern.h"
#include "lib/elf/buildid.h"
#include "lib/perfdata/memmap.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/jitmaps.h"

/* Device and inode of a file, where a record has no build-id. */
struct wp_inode {
	__u32 maj;
	__u32 min;
	__u64 ino;
};

/**
 * struct wp_recordedfiles - the files
 * @paths: names of files
 * @id: build-ids of the section, by the numbers of their paths less 1
 * @nr_ids: their number
 * @others: further files with a path that another file has
 * @other_id: their build-ids, by the numbers of these less 1
 * @nr_others: their number
 * @files: files without a build-id, by path and inode
 * @stat: their status, by the numbers of these less 1
 * @nr_stats: their number
 * @jit: lists of functions of processes
 * @nr_jit: their number
 * @written: end of the recording, or 0
 */
struct wp_recordedfiles {
	struct wp_intern paths;
	struct wp_buildid *id;
	size_t nr_ids;
	struct wp_intern others;
	struct wp_buildid *other_id;
	size_t nr_others;
	struct wp_intern files;
	struct wp_filestat *stat;
	size_t nr_stats;
	struct wp_jitmap *jit;
	size_t nr_jit;
	struct timespec written;
};

void wp_recordedfiles_read(struct wp_recordedfiles *f, const struct wp_buf *b);
void wp_recordedfiles_find(struct wp_recordedfiles *f, struct wp_memmap *map,
			   const struct wp_inode *inode);
const struct wp_jitmap *wp_recordedfiles_jit(const struct wp_recordedfiles *f, __s32 pid);
struct wp_filestat wp_recordedfiles_stat(const struct wp_recordedfiles *f, __u32 file);
void wp_recordedfiles_id(struct wp_recordedfiles *f, const char *path, struct wp_buildid *id);
void wp_recordedfiles_free(struct wp_recordedfiles *f);

#endif /* WP_LIB_PERFDATA_RECORDEDFILES_H */
