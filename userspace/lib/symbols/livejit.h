/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A jitdump file of a running process, which grows. See livejit.c.
 */
#ifndef WP_LIB_SYMBOLS_LIVEJIT_H
#define WP_LIB_SYMBOLS_LIVEJIT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <linux/types.h>

#include "lib/base/intern.h"

/**
 * struct wp_livejit - a file, and names that were found in it; all zero: none yet
 * @next: when it is looked at again
 * @pause: time between two looks
 * @dev: the file, as it was read last
 * @ino: the same
 * @size: the same
 * @index: names that were found
 * @name: the same, where they stay
 * @room: allocated entries of @name
 */
struct wp_livejit {
	__u64 next;
	__u64 pause;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct wp_intern index;
	char **name;
	size_t room;
};

bool wp_livejit_has_changed(struct wp_livejit *j, const struct stat *st);
void wp_livejit_wait(struct wp_livejit *j, __u64 began, bool changed);
const char *wp_livejit_name(struct wp_livejit *j, const char *name);
void wp_livejit_free(struct wp_livejit *j);

#endif /* WP_LIB_SYMBOLS_LIVEJIT_H */
