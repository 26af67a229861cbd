/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings of a process, from /proc/PID/maps. For synthesize.c, which writes records of
 * the executable ones, for mapsync.c, and for openprocs.c.
 */
#ifndef WP_LIB_PROC_PROCMAPS_H
#define WP_LIB_PROC_PROCMAPS_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/procfile.h"

/**
 * struct wp_procmaps - buffer for the text of the file; reusable
 * @text: the text
 */
struct wp_procmaps {
	struct wp_procfile_text text;
};

/**
 * struct wp_procmap - a mapping
 * @start: first address
 * @end: end, exclusive
 * @pgoff: its offset in the file
 * @ino: inode number of the file; 0: there is none
 * @maj: device of the file
 * @min: the same
 * @prot: PROT_*
 * @flags: MAP_SHARED or MAP_PRIVATE
 * @name: name, with escapes decoded; "" if there is none
 */
struct wp_procmap {
	__u64 start;
	__u64 end;
	__u64 pgoff;
	__u64 ino;
	__u32 maj;
	__u32 min;
	__u32 prot;
	__u32 flags;
	char *name;
};

/* @dir: descriptor of the /proc/PID that the mapping was read from */
typedef int (*wp_procmap_fn)(void *ctx, int dir, const struct wp_procmap *map);

int wp_procmaps_each(struct wp_procmaps *t, int dir, __u32 prot, wp_procmap_fn fn, void *ctx);
void wp_procmaps_free(struct wp_procmaps *t);

#endif /* WP_LIB_PROC_PROCMAPS_H */
