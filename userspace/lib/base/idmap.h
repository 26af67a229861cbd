/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for ids: of threads, of CPUs. See idmap.c.
 */
#ifndef WP_LIB_BASE_IDMAP_H
#define WP_LIB_BASE_IDMAP_H

#include <stddef.h>
#include <linux/types.h>

/* wp_idmap_find(): there is no such id. */
#define WP_IDMAP_NONE	(~(__u32)0)

/**
 * struct wp_idmap - ids and their numbers; all zeroes: none
 * @slot: places; power of two
 * @bits: of how many places
 * @nr: ids in it
 * @key: what the places depend on
 */
struct wp_idmap {
	struct wp_idmap_slot {
		__u32 id;
		__u32 nr;
	} *slot;
	unsigned int bits;
	__u32 nr;
	__u64 key;
};

__u32 wp_idmap_find(const struct wp_idmap *m, __u32 id);
int wp_idmap_add(struct wp_idmap *m, __u32 id, __u32 *nr);
void wp_idmap_free(struct wp_idmap *m);

#endif /* WP_LIB_BASE_IDMAP_H */
