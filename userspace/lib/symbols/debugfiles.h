/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with the names of an ELF file. See debugfiles.c.
 *
 *	wp_debugfiles_open(&files, root, path, fd, &st, inlines);
 *	...					parse files.main, files.debug, files.alt
 *	wp_debugfiles_close(&files);
 */
#ifndef WP_LIB_SYMBOLS_DEBUGFILES_H
#define WP_LIB_SYMBOLS_DEBUGFILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/elf/elffiles.h"
#include "lib/elf/elflinks.h"

/**
 * struct wp_debugplace - where to search
 * @root: root directory, or WP_OPENFILE_HERE
 * @path: path of the file itself there, or NULL
 * @only: nowhere else: neither in caches nor at servers
 */
struct wp_debugplace {
	int root;
	const char *path;
	bool only;
};

int wp_debugfiles_open(struct wp_elffiles *files, const struct wp_debugplace *place, int fd,
		       const struct stat *st, const struct wp_elflinks *links, bool dwarf);
void wp_debugfiles_close(struct wp_elffiles *files);

#endif /* WP_LIB_SYMBOLS_DEBUGFILES_H */
