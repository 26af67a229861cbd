// SPDX-License-Identifier: GPL-2.0
/*
 * Growing byte buffers, for sections of perf.data. Allocation failures are recorded, so
 * that callers check only once, at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

/**
 * wp_buf_add() - append bytes
 * @b: buffer
 * @data: bytes, or NULL for zeros
 * @len: number of bytes
 */
void wp_buf_add(struct wp_buf *b, const void *data, size_t len)
{
	if (b->failed || !len)
		return;
	if (len > b->room - b->len) {
		size_t room = 2 * b->room + len + 64;
		char *p = realloc(b->data, room);

		if (!p) {
			b->failed = 1;
			return;
		}
		b->data = p;
		b->room = room;
	}
	if (data)
		memcpy(b->data + b->len, data, len);
	else
		memset(b->data + b->len, 0, len);
	b->len += len;
}

/**
 * wp_buf_u32() - append a 32-bit number
 * @b: buffer
 * @v: number
 */
void wp_buf_u32(struct wp_buf *b, __u32 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

/**
 * wp_buf_u64() - append a 64-bit number
 * @b: buffer
 * @v: number
 */
void wp_buf_u64(struct wp_buf *b, __u64 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

/**
 * wp_buf_string() - append a string in perf's form: padded, length first
 * @b: buffer
 * @s: string
 */
void wp_buf_string(struct wp_buf *b, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + WP_STRING_ALIGN - 1) & ~(size_t)(WP_STRING_ALIGN - 1);

	wp_buf_u32(b, padded);
	wp_buf_add(b, s, len);
	wp_buf_add(b, NULL, padded - len);
}

/**
 * wp_buf_free() - free the bytes
 * @b: buffer; empty afterwards
 */
void wp_buf_free(struct wp_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
