/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys that samples are summed and sorted by: --sort. See sortkeys.c.
 */
#ifndef WP_CMD_COMMON_SORTKEYS_H
#define WP_CMD_COMMON_SORTKEYS_H

#include <stdbool.h>

#include "cmd/common/samples.h"
#include "lib/perfdata/byfield.h"

/* Room for a word that is made. */
#define WP_SORTKEY_SPARE	(2 * WP_BYFIELD_TEXT)

#define WP_SORT_KEYS	11

/**
 * struct wp_sort - sort keys
 * @key: the keys, in the order of the columns
 * @nr: their number; 0: no table is wanted
 * @counts: print numbers of samples
 * @children: include the time of callees
 */
struct wp_sort {
	unsigned char key[WP_SORT_KEYS];
	unsigned int nr;
	bool counts;
	bool children;
};

int wp_sort_parse(const char *arg, struct wp_sort *sort);
const char *wp_sortkey_name(unsigned int key);
const char *wp_sortkey_title(unsigned int key);
const char *wp_sortkey_word(struct wp_samples *s, unsigned int key, const struct wp_profline *l,
			    const struct wp_function *f, char spare[WP_SORTKEY_SPARE]);

#endif /* WP_CMD_COMMON_SORTKEYS_H */
