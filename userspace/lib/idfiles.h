/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are found by their build-ids. See idfiles.c.
 *
 *	fd = wp_idfiles_cached(&id, "elf");
 *	if (fd < 0)
 *		fd = wp_idfiles_find(&id);
 */
#ifndef WP_LIB_IDFILES_H
#define WP_LIB_IDFILES_H

#include "lib/buildid.h"

/**
 * enum wp_idfiles_what - what a server is asked for
 * @WP_IDFILES_ELF: the file itself
 * @WP_IDFILES_DEBUG: its debug information
 */
enum wp_idfiles_what {
	WP_IDFILES_ELF,
	WP_IDFILES_DEBUG,
};

int wp_idfiles_cached(const struct wp_buildid *id, const char *what);
int wp_idfiles_served(const struct wp_buildid *id, enum wp_idfiles_what what);
int wp_idfiles_find(const struct wp_buildid *id);

#endif /* WP_LIB_IDFILES_H */
