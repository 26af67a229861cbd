/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owner of a file. See fileowner.c.
 */
#ifndef WP_LIB_SANDBOX_FILEOWNER_H
#define WP_LIB_SANDBOX_FILEOWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct wp_fileowner - selects the worker that reads a file
 * @uid: the owner
 * @dev: the file system
 * @top: for files of root on our own root's file system: the beginning of the name of the
 *	directory in "/" that leads to it; empty if none does
 */
struct wp_fileowner {
	uid_t uid;
	dev_t dev;
	char top[16];
};

struct wp_fileowner wp_filereader_owner(int fd, const struct stat *st);

struct wp_fileowner wp_fileowner_of(int fd, const struct stat *st);
bool wp_fileowner_same(const struct wp_fileowner *a, const struct wp_fileowner *b);

#endif /* WP_LIB_SANDBOX_FILEOWNER_H */
