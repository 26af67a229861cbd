/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recognizing a file that was read before and has not changed since. See fileident.c.
 */
#ifndef WP_LIB_BASE_FILEIDENT_H
#define WP_LIB_BASE_FILEIDENT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/types.h>

/* Seconds since the last change, before a file is recognized by the time of that. */
#define WP_FILEIDENT_AGE	60

/**
 * struct wp_fileident - a file and its contents; all bytes are compared
 * @fs: id of the file system
 * @dev: its device
 * @ino: the inode
 * @size: bytes
 * @modified: time of the last modification: seconds and nanoseconds
 * @changed: time of the last change
 * @owner: the owner
 * @zero: 0
 */
struct wp_fileident {
	__u64 fs;
	__u64 dev;
	__u64 ino;
	__u64 size;
	__s64 modified[2];
	__s64 changed[2];
	__u32 owner;
	__u32 zero;
};

bool wp_fileident_set(struct wp_fileident *ident, const struct stat *st, const struct statfs *fs,
		      __s64 now);
bool wp_fileident_of(struct wp_fileident *ident, int fd);
bool wp_fileident_same(const struct wp_fileident *a, const struct wp_fileident *b);

#endif /* WP_LIB_BASE_FILEIDENT_H */
