/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of files that no path of ours leads to, for later reports. See keepfiles.c.
 */
#ifndef WP_LIB_SYMBOLS_KEEPFILES_H
#define WP_LIB_SYMBOLS_KEEPFILES_H

#include "lib/elf/buildid.h"
#include "lib/symbols/filestat.h"

/* Size limits: for one file, and for all files of a recording. */
#define WP_KEEPFILES_FILE	(256ULL << 20)
#define WP_KEEPFILES_ALL	(1ULL << 30)

/**
 * struct wp_keepfiles_stats - statistics
 * @kept: files that were copied
 * @there: files that had been copied before
 * @bytes: bytes of the copies
 * @large: files that were not copied, as they, their owner's or all together are too large
 * @failed: files that could not be copied
 */
struct wp_keepfiles_stats {
	__u64 kept;
	__u64 there;
	__u64 bytes;
	__u64 large;
	__u64 failed;
};

struct wp_keepfiles;

struct wp_keepfiles *wp_keepfiles_new(const char *dir);
void wp_keepfiles_add(struct wp_keepfiles *k, int fd, const struct wp_buildid *id,
		      const struct stat *st);
int wp_keepfiles_write(struct wp_keepfiles *k, const void *data, size_t size,
		       const struct wp_buildid *id);
void wp_keepfiles_end(struct wp_keepfiles *k, struct wp_keepfiles_stats *stats);

#endif /* WP_LIB_SYMBOLS_KEEPFILES_H */
