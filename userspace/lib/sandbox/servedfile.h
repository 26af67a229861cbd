/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies in memory of files whose server may never answer. See servedfile.c.
 */
#ifndef WP_LIB_SANDBOX_SERVEDFILE_H
#define WP_LIB_SANDBOX_SERVEDFILE_H

#include <sys/stat.h>

/* Maximum size. */
#define WP_SERVEDFILE_MAX	((off_t)256 << 20)

int wp_servedfile_copy(int place, const struct stat *st);

#endif /* WP_LIB_SANDBOX_SERVEDFILE_H */
