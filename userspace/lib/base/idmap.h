/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for ids of threads and CPUs. See idmap.c.
 */
#ifndef WP_LIB_BASE_IDMAP_H
#define WP_LIB_BASE_IDMAP_H

#include <stddef.h>
#include <linux/types.h>

/* wp_idmap_find(): no such id. */
#define WP_IDMAP_NONE	(~(__u32)0)

/**
 * struct wp_idmap - ids and their numbers; all zeroes: empty
 * @slot: hash table; size a power of two
 * @bits: log2 of its size
 * @nr: number of ids
 * @key: key of the hash
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
