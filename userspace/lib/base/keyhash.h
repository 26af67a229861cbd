/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash with a random key of words that a process chooses: it cannot have them all in one
 * place of a table.
 */
#ifndef WP_LIB_BASE_KEYHASH_H
#define WP_LIB_BASE_KEYHASH_H

#include <stdint.h>
#include <sys/random.h>
#include <linux/types.h>

/**
 * struct wp_keyhash - a key
 * @key: it; the second word is odd
 */
struct wp_keyhash {
	__u64 key[2];
};

/**
 * wp_keyhash_draw() - draw a key
 * @k: set to it
 */
static inline void wp_keyhash_draw(struct wp_keyhash *k)
{
	if (getrandom(k->key, sizeof(k->key), GRND_NONBLOCK) != sizeof(k->key))
		k->key[1] = (__u64)(uintptr_t)k * 0x9e3779b97f4a7c15ULL;
	k->key[1] |= 1;
}

/**
 * wp_keyhash() - hash of a word
 * @k: the key
 * @word: the word
 *
 * Return: 32 bits.
 */
static inline __u32 wp_keyhash(const struct wp_keyhash *k, __u64 word)
{
	__u64 hash = (word ^ k->key[0]) * 0x9e3779b97f4a7c15ULL;

	return (hash ^ hash >> 32) * k->key[1] >> 32;
}

#endif /* WP_LIB_BASE_KEYHASH_H */
