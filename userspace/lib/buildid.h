/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of build-ids: which file had which build-id while it was mapped. Several
 * files can have one path, as in containers; each has an entry.
 * Filled by sideband.c and proc.c (every executable mapping that they see) and
 * ksyms.c (kernel and modules), written by perfdata.c as the BUILD_ID feature.
 *
 * perf lists only the files that samples hit; here every file that was mapped
 * executable is listed, which saves resolving samples while recording and
 * means the same to every reader.
 */
#ifndef WP_LIB_BUILDID_H
#define WP_LIB_BUILDID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/filestat.h"

#define WP_BUILDID_MAX	20

struct wp_buildid {
	__u8 size;		/* bytes used; 0: not known */
	__u8 data[WP_BUILDID_MAX];
};

struct wp_buildids;
struct wp_jitmaps;
struct wp_keepfiles;

/* Files of one path that are kept apart; what is more is one file that nobody knows. */
#define WP_BUILDIDS_OF_PATH	1024

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

struct wp_buildids *wp_buildids_new(void);
void wp_buildids_free(struct wp_buildids *ids);
void wp_buildids_keep(struct wp_buildids *ids, struct wp_keepfiles *keep);
void wp_buildids_code(struct wp_buildids *ids, const char *path, __u32 pid);
struct wp_jitmaps *wp_buildids_jit(const struct wp_buildids *ids);
struct wp_dso *wp_buildids_add(struct wp_buildids *ids, const char *path, __u32 pid,
			       bool kernel, const struct wp_buildid *id);
struct wp_dso *wp_buildids_map(struct wp_buildids *ids, const char *path,
			       const struct wp_mapped *map, const struct wp_buildid *id);
struct wp_dso *wp_buildids_find_id(struct wp_buildids *ids, const char *path,
				   const struct wp_buildid *id);
struct wp_dso *wp_buildids_find(const struct wp_buildids *ids, const char *path);
const struct wp_dso *wp_buildids_find_one_of(const struct wp_buildids *ids, const char *path,
					     const struct wp_fileid *file);
bool wp_buildids_share_paths(const struct wp_buildids *ids);
void wp_buildids_resolve(struct wp_buildids *ids);
size_t wp_buildids_count(const struct wp_buildids *ids);
int wp_buildids_for_each(const struct wp_buildids *ids,
			 int (*fn)(void *ctx, const struct wp_dso *dso), void *ctx);

int wp_buildid_from_elf(Elf *elf, struct wp_buildid *id);
int wp_buildid_from_fd(int fd, struct wp_buildid *id);
int wp_buildid_of_loaded(int fd, struct wp_buildid *id);
int wp_buildid_from_file(const char *path, struct wp_buildid *id);
int wp_buildid_from_notes(const void *notes, size_t size, struct wp_buildid *id);
int wp_buildid_from_notes_file(const char *path, struct wp_buildid *id);
int wp_buildid_of_vdso(struct wp_buildid *id);
bool wp_buildid_wants_path(const char *path);
bool wp_buildid_same(const struct wp_buildid *a, const struct wp_buildid *b);

#endif /* WP_LIB_BUILDID_H */
