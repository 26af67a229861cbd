/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounds-checked parsing of bytes. After a read beyond the end, this and all later reads
 * return 0 and @bad is set, so that callers check only once. For ehframe.c, cfaprogram.c,
 * cfaexpr.c and perfsample.c.
 */
#ifndef WP_LIB_BASE_BYTES_H
#define WP_LIB_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

/**
 * struct wp_bytes - bytes that are being parsed
 * @p: the next one
 * @end: end, exclusive
 * @bad: a read went beyond the end
 */
struct wp_bytes {
	const __u8 *p;
	const __u8 *end;
	bool bad;
};

static inline size_t wp_bytes_left(const struct wp_bytes *b)
{
	return b->end - b->p;
}

static inline void wp_bytes_fail(struct wp_bytes *b)
{
	b->bad = true;
	b->p = b->end;
}

/* The next @size bytes, or NULL. */
static inline const __u8 *wp_bytes_take(struct wp_bytes *b, __u64 size)
{
	const __u8 *p = b->p;

	if (size > wp_bytes_left(b)) {
		wp_bytes_fail(b);
		return NULL;
	}
	b->p += size;
	return p;
}

/* A little-endian number of @size bytes, up to 8. */
static inline __u64 wp_bytes_uint(struct wp_bytes *b, unsigned int size)
{
	const __u8 *p = wp_bytes_take(b, size);
	__u64 value = 0;

	while (p && size--)
		value = value << 8 | p[size];
	return value;
}

static inline __s64 wp_bytes_sint(struct wp_bytes *b, unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (__s64)(wp_bytes_uint(b, size) << unused) >> unused;
}

/* LEB128. Bits beyond the 64th are dropped. */
static inline __u64 wp_bytes_leb(struct wp_bytes *b, bool is_signed)
{
	unsigned int shift = 0;
	__u64 value = 0;
	__u8 byte;

	do {
		if (b->p == b->end) {
			wp_bytes_fail(b);
			return 0;
		}
		byte = *b->p++;
		if (shift < 64)
			value |= (__u64)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ULL << shift;
	return value;
}

static inline __u64 wp_bytes_uleb(struct wp_bytes *b)
{
	return wp_bytes_leb(b, false);
}

static inline __s64 wp_bytes_sleb(struct wp_bytes *b)
{
	return wp_bytes_leb(b, true);
}

#endif /* WP_LIB_BASE_BYTES_H */
