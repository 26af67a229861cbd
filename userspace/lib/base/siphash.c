// SPDX-License-Identifier: GPL-2.0
/*
 * SipHash-2-4, as its authors J.-P. Aumasson and D. J. Bernstein describe it.
 */
#include <string.h>

#include "lib/base/siphash.h"

static __u64 rotate(__u64 x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void mix(__u64 v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static inline void word(struct wp_siphash *h, __u64 m)
{
	h->v[3] ^= m;
	mix(h->v);
	mix(h->v);
	h->v[0] ^= m;
}

/**
 * wp_siphash_begin() - begin a hash
 * @h: the hash
 * @key: the secret
 */
void wp_siphash_begin(struct wp_siphash *h, const __u64 key[2])
{
	h->v[0] = key[0] ^ 0x736f6d6570736575ULL;
	h->v[1] = key[1] ^ 0x646f72616e646f6dULL;
	h->v[2] = key[0] ^ 0x6c7967656e657261ULL;
	h->v[3] = key[1] ^ 0x7465646279746573ULL;
	h->tail = 0;
	h->size = 0;
}

/**
 * wp_siphash_add() - add bytes
 * @h: the hash
 * @data: the bytes
 * @size: number of bytes
 */
void wp_siphash_add(struct wp_siphash *h, const void *data, size_t size)
{
	struct wp_siphash s = *h;	/* in registers */
	const __u8 *p = data;
	__u64 m;

	while (size) {
		if (!(s.size & 7) && size >= 8) {
			memcpy(&m, p, 8);
			word(&s, m);
			s.size += 8;
			p += 8;
			size -= 8;
			continue;
		}
		s.tail |= (__u64)*p++ << 8 * (s.size++ & 7);
		size--;
		if (!(s.size & 7)) {
			word(&s, s.tail);
			s.tail = 0;
		}
	}
	*h = s;
}

/**
 * wp_siphash_end() - the hash of all bytes
 * @h: the hash; must not be used afterwards
 *
 * Return: the hash.
 */
__u64 wp_siphash_end(struct wp_siphash *h)
{
	int i;

	word(h, h->tail | h->size << 56);
	h->v[2] ^= 0xff;
	for (i = 0; i < 4; i++)
		mix(h->v);
	return h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3];
}
