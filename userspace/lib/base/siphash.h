/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SipHash-2-4: a keyed hash, unpredictable without the key. For tablecache.c.
 */
#ifndef WP_LIB_BASE_SIPHASH_H
#define WP_LIB_BASE_SIPHASH_H

#include <stddef.h>
#include <linux/types.h>

/**
 * struct wp_siphash - state of a hash
 * @v: the state
 * @tail: bytes of an incomplete word
 * @size: bytes so far
 */
struct wp_siphash {
	__u64 v[4];
	__u64 tail;
	__u64 size;
};

void wp_siphash_begin(struct wp_siphash *h, const __u64 key[2]);
void wp_siphash_add(struct wp_siphash *h, const void *data, size_t size);
__u64 wp_siphash_end(struct wp_siphash *h);

#endif /* WP_LIB_BASE_SIPHASH_H */
