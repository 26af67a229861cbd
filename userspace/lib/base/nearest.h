/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suggestion of a name for a misspelled word. See nearest.c.
 */
#ifndef WP_LIB_BASE_NEAREST_H
#define WP_LIB_BASE_NEAREST_H

#include <stdbool.h>

#define WP_NEAREST_SIZE	64

/**
 * struct wp_nearest - a misspelled word and the best candidate
 * @wanted: the word
 * @best: the distance of @name, initially WP_NEAREST_SIZE
 * @name: the candidate; empty: there is none
 */
struct wp_nearest {
	const char *wanted;
	unsigned int best;
	char name[WP_NEAREST_SIZE];
};

/* A search for @word, which must stay valid. */
#define WP_NEAREST(word)	{ .wanted = (word), .best = WP_NEAREST_SIZE }

void wp_nearest_offer(struct wp_nearest *n, const char *name);
bool wp_nearest_found(const struct wp_nearest *n);

#endif /* WP_LIB_BASE_NEAREST_H */
