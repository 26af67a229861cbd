/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens files whose names others chose, without side effects. See openfile.c.
 *
 *	root = wp_openfile_root(pid);
 *	fd = wp_openfile_in(root, "/usr/lib/libc.so.6", &st);
 */
#ifndef WP_LIB_SANDBOX_OPENFILE_H
#define WP_LIB_SANDBOX_OPENFILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <linux/types.h>

/* Instead of a descriptor: our own root directory. */
#define WP_OPENFILE_HERE	(-1)

int wp_openfile_found(int place, struct stat *st);
int wp_openfile(const char *path, int flags, struct stat *st);
int wp_openfile_in(int root, const char *path, struct stat *st);
int wp_openfile_place(int root, const char *path);
int wp_openfile_cached(const char *path);
int wp_openfile_stat(int root, const char *path, struct stat *st);
int wp_openfile_root(__u32 pid);
int wp_openfile_rootat(int dir);
int wp_openfile_known(int fd, struct stat *st);
bool wp_openfile_has_owner(const struct stat *st);
bool wp_openfile_is_served(int fd);
bool wp_openfile_is_on_root(dev_t dev);

#endif /* WP_LIB_SANDBOX_OPENFILE_H */
