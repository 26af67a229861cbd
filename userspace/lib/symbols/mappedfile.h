/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped files, whatever their paths lead to. See mappedfile.c.
 */
#ifndef WP_LIB_SYMBOLS_MAPPEDFILE_H
#define WP_LIB_SYMBOLS_MAPPEDFILE_H

#include "lib/symbols/dso.h"
#include "lib/symbols/filestat.h"

struct wp_keepfiles;

int wp_mappedfile_place(__u32 pid, __u64 start, __u64 end);
int wp_mappedfile_find(const struct wp_dso *dso, struct stat *st);
bool wp_mappedfile_is(const struct wp_fileid *file, const struct stat *st, bool strict);
void wp_mappedfile_here(const char *path, struct stat *st, struct wp_buildid *id);
void wp_mappedfile_look(struct wp_dso *dso, struct wp_keepfiles *keep);
void wp_mappedfile_read(struct wp_dso *dso);
struct wp_filestat wp_mappedfile_stat(const struct wp_dso *dso);

#endif /* WP_LIB_SYMBOLS_MAPPEDFILE_H */
