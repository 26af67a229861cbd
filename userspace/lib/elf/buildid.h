/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build-ids, and functions to read them. See buildid.c.
 */
#ifndef WP_LIB_ELF_BUILDID_H
#define WP_LIB_ELF_BUILDID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define WP_BUILDID_MAX	20

struct wp_buildid {
	__u8 size;		/* bytes used; 0: unknown */
	__u8 data[WP_BUILDID_MAX];
};

int wp_buildid_from_elf(Elf *elf, struct wp_buildid *id);
int wp_buildid_from_fd(int fd, struct wp_buildid *id);
int wp_buildid_of_loaded(int fd, struct wp_buildid *id);
int wp_buildid_from_notes(const void *notes, size_t size, struct wp_buildid *id);
int wp_buildid_from_notes_file(const char *path, struct wp_buildid *id);
int wp_buildid_of_vdso(struct wp_buildid *id);
bool wp_buildid_wants_path(const char *path);
bool wp_buildid_same(const struct wp_buildid *a, const struct wp_buildid *b);

#endif /* WP_LIB_ELF_BUILDID_H */
