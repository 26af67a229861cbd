/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files whose code processes have mapped, and their unwind tables. For mapsync.c.
 */
#ifndef WP_LIB_RECORD_CODEFILES_H
#define WP_LIB_RECORD_CODEFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/proc/procmaps.h"
#include "lib/record/tablequeue.h"

/**
 * struct wp_codefiles_options - where tables go
 * @push: takes a table and sets its id; returns 0 or a negative errno. Called from a
 *	thread of its own
 * @ctx: passed to @push
 * @cache: on-disk cache of tables, or NULL
 * @limits: limits for reading a file; NULL: defaults
 */
struct wp_codefiles_options {
	int (*push)(void *ctx, const void *table, size_t size, __u32 *id);
	void *ctx;
	struct wp_tablecache *cache;
	const struct wp_worker_limits *limits;
};

/**
 * struct wp_codefiles_stats - statistics
 * @files: number of distinct files that there were
 * @did: statistics of their tables
 */
struct wp_codefiles_stats {
	__u64 files;
	struct wp_tablequeue_stats did;
};

struct wp_codefiles;
struct wp_codefile;

struct wp_codefiles *wp_codefiles_new(const struct wp_codefiles_options *opt);
void wp_codefiles_free(struct wp_codefiles *files);
int wp_codefiles_find(struct wp_codefiles *files, int dir, const struct wp_procmap *m,
		      size_t nr, struct wp_codefile **file);
bool wp_codefile_map(struct wp_codefiles *files, struct wp_codefile *file,
		     const struct wp_procmap *m, struct wallprof_map *map);
void wp_codefiles_forget(struct wp_codefiles *files);
void wp_codefiles_sweep(struct wp_codefiles *files, __u64 now, size_t most);
int wp_codefiles_fd(const struct wp_codefiles *files);
bool wp_codefiles_busy(struct wp_codefiles *files);
void wp_codefiles_stats(struct wp_codefiles *files, struct wp_codefiles_stats *stats);

#endif /* WP_LIB_RECORD_CODEFILES_H */
