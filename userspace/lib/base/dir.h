/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directories by file descriptor.
 */
#ifndef WP_LIB_BASE_DIR_H
#define WP_LIB_BASE_DIR_H

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/**
 * wp_opendirat() - opendir() in a directory
 * @dir: descriptor of the directory
 * @name: relative to it
 *
 * Return: the stream for readdir() and closedir(), or NULL.
 */
static inline DIR *wp_opendirat(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

#endif /* WP_LIB_BASE_DIR_H */
