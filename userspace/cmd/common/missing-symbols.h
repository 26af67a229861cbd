/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files without symbols, and stacks that only perf reads. See missing-symbols.c.
 */
#ifndef WP_CMD_COMMON_MISSING_SYMBOLS_H
#define WP_CMD_COMMON_MISSING_SYMBOLS_H

#include <stddef.h>

/* As wp_profile_trouble(). */
typedef const char *(*wp_missing_symbols_fn)(const void *ctx, size_t *at, const char **path);

struct wp_perfevents;
struct wp_perffile;

void wp_warn_unread_stacks(const char *input, const struct wp_perffile *file,
			   const struct wp_perfevents *events);
void wp_warn_missing_symbols(wp_missing_symbols_fn next, const void *ctx);

#endif /* WP_CMD_COMMON_MISSING_SYMBOLS_H */
