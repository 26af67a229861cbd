/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of a live view that are numbered, and of which there are only so many. See topnames.c.
 *
 *	struct wp_topnames names = { 0 };
 *
 *	nr = wp_topnames_number(&names, "worker");
 *	... wp_topnames_text(&names, nr)
 *	each interval:
 *		wp_topnames_turn(&names)
 */
#ifndef WP_LIB_TOP_TOPNAMES_H
#define WP_LIB_TOP_TOPNAMES_H

#include <linux/types.h>

/* Different names at a time. */
#define WP_TOPNAMES		100

/* The number of all others. */
#define WP_TOPNAMES_OTHER	(WP_TOPNAMES + 1)

/* Bytes of a name, the last one 0; longer ones are cut. */
#define WP_TOPNAME		128

/* Intervals for which a name that is not used any more keeps its number. */
#define WP_TOPNAMES_KEPT	3

/**
 * struct wp_topname - a name
 * @text: the name; "": a free entry
 * @used: the last interval in which it was used
 */
struct wp_topname {
	char text[WP_TOPNAME];
	__u32 used;
};

/**
 * struct wp_topnames - the names; all zero: none
 * @name: by number, less 1
 * @slot: hash table: numbers, 0 for free ones
 * @now: number of the interval
 * @overflowed: how often WP_TOPNAMES_OTHER was the answer, since the start
 */
struct wp_topnames {
	struct wp_topname name[WP_TOPNAMES];
	__u8 slot[256];
	__u32 now;
	__u64 overflowed;
};

__u8 wp_topnames_number(struct wp_topnames *t, const char *text);
const char *wp_topnames_text(const struct wp_topnames *t, __u8 nr);
void wp_topnames_turn(struct wp_topnames *t);

#endif /* WP_LIB_TOP_TOPNAMES_H */
