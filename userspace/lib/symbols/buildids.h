/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of build-ids of mapped files. Several files can have one path, as in
 * containers; each has an entry. Filled by siderecords.c and synthesize.c (every executable
 * mapping that they see) and ksyms.c (kernel and modules), written by perfdata.c as the
 * BUILD_ID feature.
 *
 * perf lists only files with samples; here every executable mapping's file is listed,
 * which saves resolving samples during the recording and is equivalent for readers.
 */
#ifndef WP_LIB_SYMBOLS_BUILDIDS_H
#define WP_LIB_SYMBOLS_BUILDIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/symbols/dso.h"

struct wp_buildids;
struct wp_jitloads;
struct wp_jitmaps;
struct wp_keepfiles;

/*
 * Maximum number of distinct files of one path; further ones share an entry of an unknown
 * file.
 */
#define WP_BUILDIDS_OF_PATH	1024

struct wp_buildids *wp_buildids_new(void);
void wp_buildids_free(struct wp_buildids *ids);
void wp_buildids_keep(struct wp_buildids *ids, struct wp_keepfiles *keep);
void wp_buildids_code(struct wp_buildids *ids, const char *path, __u32 pid);
void wp_buildids_loads(struct wp_buildids *ids, __u32 pid, const struct wp_jitloads *loads);
struct wp_jitmaps *wp_buildids_jit(const struct wp_buildids *ids);
struct wp_dso *wp_buildids_add(struct wp_buildids *ids, const char *path, __u32 pid,
			       bool kernel, const struct wp_buildid *id);
struct wp_dso *wp_buildids_map(struct wp_buildids *ids, const char *path,
			       const struct wp_mapped *map, const struct wp_buildid *id);
struct wp_dso *wp_buildids_find_id(struct wp_buildids *ids, const char *path,
				   const struct wp_buildid *id);
const struct wp_dso *wp_buildids_find_one_of(const struct wp_buildids *ids, const char *path,
					     const struct wp_fileid *file);
bool wp_buildids_is_another(const struct wp_dso *dso);
bool wp_buildids_are_ambiguous(const struct wp_buildids *ids);
void wp_buildids_resolve(struct wp_buildids *ids);
int wp_buildids_for_each(const struct wp_buildids *ids,
			 int (*fn)(void *ctx, const struct wp_dso *dso), void *ctx);

#endif /* WP_LIB_SYMBOLS_BUILDIDS_H */
