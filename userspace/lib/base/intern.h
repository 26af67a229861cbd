/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for byte strings; equal strings have the same number. See intern.c.
 */
#ifndef WP_LIB_BASE_INTERN_H
#define WP_LIB_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct wp_intern_entry - a string
 * @hash: its hash
 * @at: its position
 * @len: its length
 */
struct wp_intern_entry {
	__u64 hash;
	size_t at;
	size_t len;
};

/**
 * struct wp_intern - the strings; all zero: an empty table
 * @slot: hash table: numbers of entries, 0 for free ones
 * @room: size of @slot, a power of two, or 0
 * @entry: the strings, by their numbers less 1
 * @nr: their number
 * @entry_room: allocated entries
 * @bytes: their bytes
 * @len: used bytes
 * @bytes_room: allocated bytes
 * @key: key of the hash, which makes it unpredictable
 */
struct wp_intern {
	__u32 *slot;
	size_t room;
	struct wp_intern_entry *entry;
	size_t nr;
	size_t entry_room;
	char *bytes;
	size_t len;
	size_t bytes_room;
	__u64 key[2];
};

__u32 wp_intern(struct wp_intern *t, const void *data, size_t len, bool *is_new);
__u32 wp_intern_find(const struct wp_intern *t, const void *data, size_t len);
const void *wp_intern_bytes(const struct wp_intern *t, __u32 nr, size_t *len);
size_t wp_intern_memory(const struct wp_intern *t);
void wp_intern_free(struct wp_intern *t);

#endif /* WP_LIB_BASE_INTERN_H */
