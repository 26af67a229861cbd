// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what is read from a perf.data with records that are compressed, with what is no
 * record between them, and with more than is kept in memory.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "records.h"
#include "tap.h"

static void compressed(void)
{
	static const __u32 types[] = { COMPRESSED, COMPRESSED2 };
	size_t pieces[] = { 16, 100, 1 << 16 }, i, t;
	bool good = true;

	for (t = 0; t < 2; t++) {
		for (i = 0; i < 3; i++) {
			struct wp_buf plain = { 0 }, b = { 0 };
			struct seen s;
			int n;

			for (n = 0; n < 20; n++)
				add_sample(&plain, CLOCK, 'a' + n, 0, 1, NULL, 0);
			add_packed(&b, &plain, types[t], pieces[i]);
			add_sample(&b, CLOCK, 'u', 0, 1, NULL, 0);
			s = read_records(&b);
			good &= times_are(&s, "abcdefghijklmnopqrstu") && !s.stats.damaged;
			wp_buf_free(&plain);
		}
	}
	ok(good, "compressed, in pieces of any size");
}

/* What is no record, between records, and more of it than is read at once. */
static void aux(void)
{
	size_t sizes[] = { 0, 8, 100000, 3 << 20 }, i;
	bool good = true;

	for (i = 0; i < 4; i++) {
		static const char rest[32];
		char *junk = calloc(1, sizes[i] + 1);
		struct wp_buf b = { 0 };
		struct seen s;

		memset(junk, 0xff, sizes[i]);
		add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
		add_header(&b, AUXTRACE, 40);
		add64(&b, sizes[i]);
		wp_buf_add(&b, rest, sizeof(rest));
		wp_buf_add(&b, junk, sizes[i]);
		add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
		s = read_records(&b);
		good &= times_are(&s, "ab") && !s.stats.damaged;
		free(junk);
	}
	ok(good, "traces in between are passed over");
}

/* Many small ones in a file of several reads: what follows them is in memory already. */
static void aux_small(void)
{
	enum { NR = 40000 };
	static const char rest[32];
	struct wp_buf b = { 0 };
	struct seen s;
	int i;

	for (i = 0; i < NR; i++) {
		add_sample(&b, CLOCK, 1 + i, 0, 1, NULL, 0);
		if (i % 100)
			continue;
		add_header(&b, AUXTRACE, 40);
		add64(&b, 8);
		wp_buf_add(&b, rest, sizeof(rest));
		add64(&b, ~0ULL);
	}
	s = read_records(&b);
	ok(!s.ret && s.stats.records == NR && !s.stats.damaged,
	   "and so are small ones before much else (%llu)",
	   (unsigned long long)s.stats.records);
}

static void add_frame(struct wp_buf *b, struct wp_buf *plain)
{
	char packed[1024];
	size_t len = ZSTD_compress(packed, sizeof(packed), plain->data, plain->len, 1);

	if (ZSTD_isError(len))
		exit(2);
	add_header(b, COMPRESSED, len);
	wp_buf_add(b, packed, len);
	wp_buf_free(plain);
	*plain = (struct wp_buf){ 0 };
}

/* No rounds, and times that are far from each other: some have to go on nevertheless. */
static void bounded(void)
{
	enum { NR = 4700, SIZE = 59996 };
	static const char raw[SIZE];
	struct wp_buf b = { 0 }, plain = { 0 };
	struct seen s;
	int i;

	add_sample(&b, CLOCK, 1, 0, 1, NULL, 0);
	for (i = 0; i < NR; i++) {
		add_sample(&plain, SWITCH, (1ULL << 62) + i, 0, 1, raw, SIZE);
		add_frame(&b, &plain);
	}
	add_sample(&b, SWITCH, (1ULL << 62) + 100, 0, 1, raw, SIZE);
	s = read_records(&b);
	ok(!s.ret && s.stats.records == NR + 2 && s.stats.unordered == 1,
	   "what waits is bounded (%llu, %llu late)", (unsigned long long)s.stats.records,
	   (unsigned long long)s.stats.unordered);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	compressed();
	aux();
	aux_small();
	bounded();
	return done();
}
