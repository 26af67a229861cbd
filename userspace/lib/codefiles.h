/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files whose code processes have mapped, and their unwind tables. For
 * publish.c.
 */
#ifndef WP_LIB_CODEFILES_H
#define WP_LIB_CODEFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/procmaps.h"
#include "lib/tablecache.h"

/**
 * struct wp_codefiles_options - what the tables are for
 * @push: takes a table; sets its id; 0 or a negative errno. From a thread of
 *	its own
 * @ctx: handed to @push
 * @cache: where tables are kept, or NULL
 */
struct wp_codefiles_options {
	int (*push)(void *ctx, const void *table, size_t size, __u32 *id);
	void *ctx;
	struct wp_tablecache *cache;
};

/**
 * struct wp_codefiles_stats - what was done
 * @files: different files
 * @tables: tables that were pushed
 * @cached: of them, from the cache
 * @bytes: of tables
 * @no_table: files that tell nothing of their frames, or are none
 * @refused: tables that @push refused
 * @error: the last reason, a negative errno
 * @ns: time that it took
 */
struct wp_codefiles_stats {
	__u64 files;
	__u64 tables;
	__u64 cached;
	__u64 bytes;
	__u64 no_table;
	__u64 refused;
	int error;
	__u64 ns;
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
int wp_codefiles_fd(const struct wp_codefiles *files);
bool wp_codefiles_busy(struct wp_codefiles *files);
void wp_codefiles_stats(struct wp_codefiles *files, struct wp_codefiles_stats *stats);

#endif /* WP_LIB_CODEFILES_H */
