/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Size limits of the cache of unwind tables, and eviction. For tablecache.c.
 */
#ifndef WP_LIB_BASE_CACHEROOM_H
#define WP_LIB_BASE_CACHEROOM_H

#include <stdbool.h>
#include <linux/types.h>

/* Limits in bytes: of all tables, of those of one user's files, and of all but root's. */
#define WP_CACHEROOM_LIMIT	(1ULL << 30)
#define WP_CACHEROOM_SHARE	(WP_CACHEROOM_LIMIT / 4)
#define WP_CACHEROOM_OTHERS	(WP_CACHEROOM_LIMIT / 2)

/* Other files of the directory; everything else is evicted when it is full. */
#define WP_CACHEROOM_STATE	"state"
#define WP_CACHEROOM_KEY	"key"
#define WP_CACHEROOM_INDEX	"index"
#define WP_CACHEROOM_TMP	".tmp"

int wp_cacheroom_take(int dir, const __u64 key[2], const char *name, __u64 size);
void wp_cacheroom_done(int room, const __u64 key[2], const char *name, __u64 size, bool good);
void wp_cacheroom_used(int fd);

#endif /* WP_LIB_BASE_CACHEROOM_H */
