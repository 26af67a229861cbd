// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of compressed records: what perf would make of them is what went in, a record
 * at a time, each aligned and none larger than its size field allows.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/types.h>
#include <zstd.h>

#include "lib/perfdata/compress.h"
#include "tap.h"

#define MOST	(4 * WP_COMPRESS_CHUNK)

/*
 * As perf's zstd_decompress_stream(), which gives up if a frame needs a second step.
 * Returns the bytes that came out, or -1.
 */
static ssize_t as_perf(ZSTD_DStream *stream, const void *src, size_t len, char *dst, size_t room)
{
	ZSTD_inBuffer in = { src, len, 0 };
	ZSTD_outBuffer out = { dst, room, 0 };

	while (in.pos < in.size) {
		size_t ret = ZSTD_decompressStream(stream, &out, &in);

		if (ZSTD_isError(ret))
			return -1;
		out.dst = dst + out.pos;
		out.size = room - out.pos;
	}
	return out.pos;
}

static void round_trip(const char *what, const char *data, size_t len, int level)
{
	struct wp_compressor *c = wp_compressor_new(level);
	ZSTD_DStream *stream = ZSTD_createDStream();
	char *back = malloc(MOST + WP_COMPRESS_CHUNK);
	const void *out = NULL;
	size_t out_len = 0, at = 0, got = 0;
	bool good = true;
	unsigned int round;

	if (!c || !stream || !back)
		exit(2);
	ZSTD_initDStream(stream);
	/* The second time behind the first. */
	for (round = 0; round < 2 && good; round++) {
		good = !wp_compressor_run(c, data, len, &out, &out_len);
		got = 0;
		for (at = 0; good && at < out_len;) {
			const struct perf_event_header *rec = (const void *)((char *)out + at);
			ssize_t n;

			good = rec->type == 81 && rec->size > sizeof(*rec) &&
			       rec->size % 8 == 0 && at + rec->size <= out_len;
			if (!good)
				break;
			n = as_perf(stream, rec + 1, rec->size - sizeof(*rec), back + got,
				    WP_COMPRESS_CHUNK);
			good = n > 0 && got + n <= len;
			got += n;
			at += rec->size;
		}
		good = good && got == len && !memcmp(back, data, len);
	}
	ok(good, "%s, level %d: %zu bytes become %zu", what, level, len, out_len);
	if (len > 10000 && *what == 'z')
		ok(wp_compressor_ratio(c) > 100, "and much less");
	free(back);
	ZSTD_freeDStream(stream);
	wp_compressor_free(c);
}

int main(void)
{
	static const size_t sizes[] = {
		0, 8, 64, WP_COMPRESS_CHUNK - 8, WP_COMPRESS_CHUNK, WP_COMPRESS_CHUNK + 8, MOST,
	};
	char *zeros = calloc(1, MOST), *noise = malloc(MOST);
	unsigned int i;

	if (!zeros || !noise)
		return 2;
	srand(1);
	for (i = 0; i < MOST; i++)
		noise[i] = rand() >> 7;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		round_trip("zeros", zeros, sizes[i], 1);
		round_trip("noise", noise, sizes[i], 1);
	}
	/* What pads a record has all lengths. */
	for (i = 1; i < 9; i++)
		round_trip("a few bytes", noise, 100 + i, 1);
	round_trip("noise", noise, MOST, WP_COMPRESS_MAX_LEVEL);
	round_trip("zeros", zeros, MOST, WP_COMPRESS_MAX_LEVEL);
	free(zeros);
	free(noise);
	return done();
}
