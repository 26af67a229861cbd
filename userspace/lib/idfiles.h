/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are found by their build-ids. See idfiles.c.
 *
 *	fd = wp_idfiles_cached(&id, "elf");
 *	if (fd < 0)
 *		fd = wp_idfiles_find(&id, path);
 */
#ifndef WP_LIB_IDFILES_H
#define WP_LIB_IDFILES_H

#include "lib/buildid.h"

int wp_idfiles_regular(const char *path);
int wp_idfiles_cached(const struct wp_buildid *id, const char *what);
int wp_idfiles_find(const struct wp_buildid *id, const char *path);

#endif /* WP_LIB_IDFILES_H */
