/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writer of gzip-compressed tar files. See tarfile.c.
 */
#ifndef WP_LIB_BASE_TARFILE_H
#define WP_LIB_BASE_TARFILE_H

#include <linux/types.h>

/* Limit for the size of a file, exclusive. */
#define WP_TARFILE_MAX	(1LL << 33)

struct wp_tarfile;

struct wp_tarfile *wp_tarfile_new(int fd);
int wp_tarfile_dir(struct wp_tarfile *t, const char *name);
int wp_tarfile_link(struct wp_tarfile *t, const char *name, const char *to);
int wp_tarfile_add(struct wp_tarfile *t, const char *name, int fd, __u64 size);
int wp_tarfile_text(struct wp_tarfile *t, const char *name, const void *text, __u64 size);
int wp_tarfile_end(struct wp_tarfile *t);

#endif /* WP_LIB_BASE_TARFILE_H */
