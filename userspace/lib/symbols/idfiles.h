/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files found by their build-ids. See idfiles.c.
 *
 *	fd = wp_idfiles_cached(&id, "elf");
 *	if (fd < 0)
 *		fd = wp_idfiles_find(&id);
 */
#ifndef WP_LIB_SYMBOLS_IDFILES_H
#define WP_LIB_SYMBOLS_IDFILES_H

#include <stddef.h>

#include "lib/elf/buildid.h"
#include "lib/symbols/filestat.h"

/**
 * enum wp_idfiles_what - kind of a file at a server
 * @WP_IDFILES_ELF: the file itself
 * @WP_IDFILES_DEBUG: its debug information
 */
enum wp_idfiles_what {
	WP_IDFILES_ELF,
	WP_IDFILES_DEBUG,
};

/* Directory of our copies in perf's cache; size of the name of one. */
#define WP_IDFILES_OURS		"wallprof"
#define WP_IDFILES_NAME		112

int wp_idfiles_dir(char *path, size_t size);
void wp_idfiles_name(char *name, const struct wp_buildid *id, const struct wp_filestat *stat);
int wp_idfiles_kept(const struct wp_filestat *stat);
int wp_idfiles_open(const char *path, const struct wp_buildid *id,
		    const struct wp_filestat *stat, struct stat *st);
int wp_idfiles_cached(const struct wp_buildid *id, const char *what);
int wp_idfiles_served(const struct wp_buildid *id, enum wp_idfiles_what what);
int wp_idfiles_find(const struct wp_buildid *id);

#endif /* WP_LIB_SYMBOLS_IDFILES_H */
