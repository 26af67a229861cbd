// SPDX-License-Identifier: GPL-2.0
/*
 * Compression by gzip, of what is in memory as a whole. Called by agent/outbox.c and
 * otlp/pprofpush.c.
 */
#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "lib/base/gzip.h"

/* A gzip header, and the largest window. */
#define WINDOW_BITS	31

/**
 * wp_gzip() - compress
 * @data: what to compress
 * @size: its size
 * @to: the result is appended
 *
 * Return: 0, -ENOMEM, or -EFBIG: it is 4 GiB or more.
 */
int wp_gzip(const void *data, size_t size, struct wp_buf *to)
{
	z_stream z = { .next_in = (void *)data, .avail_in = size };
	size_t before = to->len;
	uLong room;
	int ret = Z_MEM_ERROR;

	if (size > UINT_MAX)
		return -EFBIG;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&z, size);
	wp_buf_add(to, NULL, room);
	if (!to->failed) {
		z.next_out = (void *)(to->data + before);
		z.avail_out = room;
		ret = deflate(&z, Z_FINISH);
		to->len = before + z.total_out;
	}
	deflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : -ENOMEM;
}
