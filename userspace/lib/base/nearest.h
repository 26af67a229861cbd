/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The name that a misspelled word may have meant. See nearest.c.
 */
#ifndef WP_LIB_BASE_NEAREST_H
#define WP_LIB_BASE_NEAREST_H

#include <stdbool.h>

#define WP_NEAREST_SIZE	64

/**
 * struct wp_nearest - a misspelled word and the best of the names that were offered
 * @wanted: the word
 * @best: the distance of @name, from WP_NEAREST_SIZE on down
 * @name: that name; empty: none was offered
 */
struct wp_nearest {
	const char *wanted;
	unsigned int best;
	char name[WP_NEAREST_SIZE];
};

/* The search for @word, which must live as long. */
#define WP_NEAREST(word)	{ .wanted = (word), .best = WP_NEAREST_SIZE }

void wp_nearest_offer(struct wp_nearest *n, const char *name);
bool wp_nearest_found(const struct wp_nearest *n);

#endif /* WP_LIB_BASE_NEAREST_H */
