/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of build-ids: which file had which build-id while it was mapped.
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

#define WP_BUILDID_MAX	20

struct wp_buildid {
	__u8 size;		/* bytes used; 0: not known */
	__u8 data[WP_BUILDID_MAX];
};

struct wp_buildids;

/**
 * struct wp_dso - one file of the table
 * @path: the name as the mapping records have it
 * @id: its build-id; the latest one, should the file have been replaced
 * @kernel: the kernel or a module
 * @tried: the file has been looked at in vain
 * @pid: a process that mapped it, whose root directory leads to it
 * @maj: device of the file, as far as known
 * @min: the same
 * @ino: inode number of the file, 0 if not known
 */
struct wp_dso {
	char *path;
	struct wp_buildid id;
	bool kernel;
	bool tried;
	__u32 pid;
	__u32 maj;
	__u32 min;
	__u64 ino;
};

struct wp_buildids *wp_buildids_new(void);
void wp_buildids_free(struct wp_buildids *ids);
struct wp_dso *wp_buildids_add(struct wp_buildids *ids, const char *path, __u32 pid,
			       bool kernel, const struct wp_buildid *id);
struct wp_dso *wp_buildids_find(const struct wp_buildids *ids, const char *path);
void wp_buildids_resolve(struct wp_buildids *ids);
size_t wp_buildids_count(const struct wp_buildids *ids);
int wp_buildids_for_each(const struct wp_buildids *ids,
			 int (*fn)(void *ctx, const struct wp_dso *dso), void *ctx);

int wp_buildid_from_elf(Elf *elf, struct wp_buildid *id);
int wp_buildid_from_fd(int fd, struct wp_buildid *id);
int wp_buildid_from_file(const char *path, struct wp_buildid *id);
int wp_buildid_from_notes(const void *notes, size_t size, struct wp_buildid *id);
int wp_buildid_from_notes_file(const char *path, struct wp_buildid *id);
int wp_buildid_of_vdso(struct wp_buildid *id);
bool wp_buildid_wants_path(const char *path);

#endif /* WP_LIB_BUILDID_H */
