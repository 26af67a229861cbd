/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path lookup. See lookup.c.
 */
#ifndef WP_LIB_SANDBOX_LOOKUP_H
#define WP_LIB_SANDBOX_LOOKUP_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct wp_lookup_avoid - file systems to avoid, by device
 * @silent: these
 * @nr_silent: their number
 * @good: if @only_good, also all that are not on a disk (disk.c) except these
 * @nr_good: their number
 * @only_good: see @good
 */
struct wp_lookup_avoid {
	dev_t silent[16];
	unsigned int nr_silent;
	dev_t good[64];
	unsigned int nr_good;
	bool only_good;
};

/* Takes a device. */
typedef void wp_lookup_at(dev_t dev);

int wp_lookup_known(int fd, struct stat *st);
bool wp_lookup_avoids(const struct wp_lookup_avoid *avoid, dev_t dev);
int wp_lookup(int root, const char *path, const struct wp_lookup_avoid *avoid,
	      wp_lookup_at *at);

#endif /* WP_LIB_SANDBOX_LOOKUP_H */
