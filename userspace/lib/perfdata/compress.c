// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the compression of records: by libzstd, into PERF_RECORD_COMPRESSED, which every
 * perf from 5.2 on reads if built with that library. Called by perfdata.c.
 *
 * Each record holds one complete frame, so that a torn record damages no other. perf
 * gives up on a frame whose output does not fit in one step, so the padding of the record
 * to a multiple of 8 comes before the frame, as a skippable frame (RFC 8878, 3.1.2).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/perfdata/compress.h"

/* perf's own record type, from tools/lib/perf/include/perf/event.h */
#define RECORD_COMPRESSED	81

#define SKIPPABLE_MAGIC		0x184d2a50U

/* A record up to its frame, with maximum padding. */
struct record {
	struct perf_event_header header;
	__u32 magic;
	__u32 skip;
	char pad[8];
};

#define RECORD_HEAD	offsetof(struct record, pad)

struct wp_compressor {
	ZSTD_CCtx *ctx;
	int level;
	struct wp_buf out;
	char frame[ZSTD_COMPRESSBOUND(WP_COMPRESS_CHUNK)];
	__u64 from, to;		/* total bytes in and out */
};

_Static_assert(sizeof(struct record) + ZSTD_COMPRESSBOUND(WP_COMPRESS_CHUNK) <= 0xffff,
	       "a record's size has 16 bits");

/**
 * wp_compressor_new() - allocate a compressor
 * @level: zstd's level, 1 to WP_COMPRESS_MAX_LEVEL
 *
 * Return: the compressor, to be freed; NULL if memory ran out.
 */
struct wp_compressor *wp_compressor_new(int level)
{
	struct wp_compressor *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->level = level;
	c->ctx = ZSTD_createCCtx();
	if (!c->ctx) {
		free(c);
		return NULL;
	}
	return c;
}

static int add_chunk(struct wp_compressor *c, const char *data, size_t len)
{
	size_t n = ZSTD_compressCCtx(c->ctx, c->frame, sizeof(c->frame), data, len, c->level);
	struct record rec = { .header.type = RECORD_COMPRESSED, .magic = SKIPPABLE_MAGIC };

	if (ZSTD_isError(n))
		return -ENOMEM;
	rec.skip = -(RECORD_HEAD + n) % 8;
	rec.header.size = RECORD_HEAD + rec.skip + n;
	wp_buf_add(&c->out, &rec, RECORD_HEAD + rec.skip);
	wp_buf_add(&c->out, c->frame, n);
	return c->out.failed ? -ENOMEM : 0;
}

/**
 * wp_compressor_run() - compress records
 * @c: the compressor
 * @data: complete records
 * @len: their size in bytes
 * @out: set to the compressed records, valid until the next call
 * @out_len: set to their size
 *
 * Return: 0 or -ENOMEM.
 */
int wp_compressor_run(struct wp_compressor *c, const void *data, size_t len,
		      const void **out, size_t *out_len)
{
	const char *p = data;
	size_t left = len;

	c->out.len = 0;
	c->out.failed = 0;
	while (left) {
		size_t n = left < WP_COMPRESS_CHUNK ? left : WP_COMPRESS_CHUNK;
		int err = add_chunk(c, p, n);

		if (err)
			return err;
		p += n;
		left -= n;
	}
	c->from += len;
	c->to += c->out.len;
	*out = c->out.data;
	*out_len = c->out.len;
	return 0;
}

/**
 * wp_compressor_ratio() - compression ratio so far
 * @c: the compressor
 *
 * Return: the ratio, rounded, at least 1.
 */
__u32 wp_compressor_ratio(const struct wp_compressor *c)
{
	__u64 ratio = c->to ? (c->from + c->to / 2) / c->to : 0;

	return ratio ? ratio : 1;
}

/**
 * wp_compressor_free() - free a compressor
 * @c: the compressor, or NULL
 */
void wp_compressor_free(struct wp_compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->ctx);
	wp_buf_free(&c->out);
	free(c);
}
