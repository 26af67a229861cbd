// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/event_filter.c: the input is a filter and a record. A filter that
 * is valid takes what the reference takes, and reads nothing beyond.
 *
 * Input: the number of tests, the bytes of all texts, and of the record; the tests as they
 * are, the texts, the record. What the input lacks is 0.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pure/event_filter.h"

/* Above this a search may be given up; the reference takes too long then, too. */
#define SHORT	24

static const uint8_t *data;
static size_t left;

static void take(void *to, size_t bytes)
{
	size_t nr = bytes < left ? bytes : left;

	memset(to, 0, bytes);
	memcpy(to, data, nr);
	data += nr;
	left -= nr;
}

static void must(bool good)
{
	if (!good)
		abort();
}

/* One character of a class, which has an end: -1 if it has none. */
static int in_class(const char *p, unsigned char c, const char **end)
{
	bool inverted = *p == '!', found = false;
	const char *start = p += inverted;
	unsigned char from, to;

	do {
		from = *p++;
		to = from;
		if (from && p[0] == '-' && p[1] != ']') {
			to = p[1];
			if (to)
				p += 2;
		}
		if (!from || !to)
			return -1;
		found |= from <= c && c <= to;
	} while (*p != ']' || p == start);
	*end = p + 1;
	return c && found != inverted;
}

static bool globs(const char *p, const char *t)
{
	const char *end;
	int result;

	switch (*p) {
	case 0:
		return !*t;
	case '*':
		return globs(p + 1, t) || (*t && globs(p, t + 1));
	case '?':
		return *t && globs(p + 1, t + 1);
	case '[':
		result = in_class(p + 1, *t, &end);
		if (result >= 0)
			return result && globs(end, t + 1);
		return *t == '[' && globs(p + 1, t + 1);
	case '\\':
		return p[1] ? *t == p[1] && globs(p + 2, t + 1) : !*t;
	default:
		return *t == *p && globs(p + 1, t + 1);
	}
}

/* 1, 0, or -1: not tested. @text has a 0 behind its end, and so much room. */
static int reference_text(u8 compare, const char *pattern, const char *text, u32 room, u32 length)
{
	u32 nr = strlen(pattern), at;

	switch (compare) {
	case WALLPROF_FILTER_FULL:
		return !(length ? strncmp(text, pattern, length) : strcmp(text, pattern));
	case WALLPROF_FILTER_FRONT:
		return (!length || length >= nr) && !strncmp(text, pattern, nr);
	case WALLPROF_FILTER_MIDDLE:
		length = length ? length : strlen(text);
		for (at = 0; at + nr <= length; at++) {
			if (!memcmp(text + at, pattern, nr))
				return 1;
		}
		return 0;
	case WALLPROF_FILTER_END:
		return length > nr && !memcmp(text + length - 1 - nr, pattern, nr);
	}
	return strlen(text) > SHORT || nr > SHORT ? -1 : globs(pattern, text);
}

static int reference_number(u8 compare, bool has_sign, u64 a, u64 b)
{
	switch (compare) {
	case WALLPROF_FILTER_EQUAL:
		return a == b;
	case WALLPROF_FILTER_LESS:
		return has_sign ? (s64)a < (s64)b : a < b;
	case WALLPROF_FILTER_GREATER:
		return has_sign ? (s64)a > (s64)b : a > b;
	}
	return (a & b) != 0;
}

/* What a field is, as a number; false: it is not in the record. */
static bool number_of(const struct wallprof_filter_test *test, const struct wp_event_record *r,
		      u64 *number)
{
	u64 v = 0;

	if (test->operand == WALLPROF_FILTER_CPU || test->operand == WALLPROF_FILTER_TGID) {
		*number = test->operand == WALLPROF_FILTER_CPU ? r->cpu : r->tgid;
		return true;
	}
	if (test->offset + test->size > r->size)
		return false;
	for (int i = test->size - 1; i >= 0; i--)
		v = v << 8 | ((const u8 *)r->data)[test->offset + i];
	if (test->operand == WALLPROF_FILTER_SIGNED && test->size < 8 &&
	    v >> (8 * test->size - 1) & 1)
		v |= ~0ULL << 8 * test->size;
	*number = v;
	return true;
}

static int reference_test(const struct wp_event_filter *filter,
			  const struct wallprof_filter_test *test,
			  const struct wp_event_record *r, bool *unfit)
{
	char pattern[WALLPROF_MAX_FILTER_PATTERN + 1] = "", text[512] = "";
	u32 start = test->offset, length = test->size;
	u64 number;

	*unfit = false;
	if (test->operand < WALLPROF_FILTER_ARRAY || test->operand > WALLPROF_FILTER_COMM) {
		*unfit = !number_of(test, r, &number);
		return *unfit ? 0 : reference_number(test->compare,
						     test->operand != WALLPROF_FILTER_UNSIGNED &&
						     test->operand != WALLPROF_FILTER_TGID,
						     number, test->value);
	}
	memcpy(pattern, filter->text + test->text, test->length);
	if (test->operand == WALLPROF_FILTER_COMM) {
		memcpy(text, r->comm, WALLPROF_COMM_LEN);
		return reference_text(test->compare, pattern, text, WALLPROF_COMM_LEN,
				      WALLPROF_COMM_LEN);
	}
	*unfit = start + length > r->size;
	if (*unfit)
		return 0;
	if (test->operand != WALLPROF_FILTER_ARRAY) {
		const u8 *at = (const u8 *)r->data + start;

		start = (at[0] | at[1] << 8) +
			(test->operand == WALLPROF_FILTER_RELATIVE ? start + 4 : 0);
		length = at[2] | at[3] << 8;
		*unfit = start + length > r->size;
		if (*unfit)
			return 0;
	}
	memcpy(text, (const char *)r->data + start, r->size - start);
	return reference_text(test->compare, pattern, text, r->size - start, length);
}

/* What the filter must make of a record; -1: that is not known here. */
static int reference(const struct wp_event_filter *filter, const struct wp_event_record *r)
{
	u32 at = 0;

	while (at < filter->nr) {
		bool unfit;
		int result = reference_test(filter, &filter->tests[at], r, &unfit);

		if (unfit)
			return WP_FILTER_UNFIT;
		if (result < 0)
			return -1;
		at = result ? filter->tests[at].yes : filter->tests[at].no;
	}
	return at == WALLPROF_FILTER_TAKE ? WP_FILTER_TAKEN : WP_FILTER_DROPPED;
}

/* Most of what is random would be refused: so nearly all is made to fit. */
static void fit(struct wallprof_filter_test *test, u32 at, u32 nr)
{
	bool text;

	if (test->reserved == 0xffff)
		return;
	test->reserved = 0;
	test->operand %= WALLPROF_FILTER_OPERANDS;
	text = test->operand >= WALLPROF_FILTER_ARRAY && test->operand <= WALLPROF_FILTER_COMM;
	test->compare = text ? WALLPROF_FILTER_FULL + test->compare % 5 : test->compare % 4;
	test->offset %= 64;
	test->size = text ? test->operand == WALLPROF_FILTER_ARRAY ? 1 + test->size % 32 : 4 :
			    1 << test->size % 4;
	if (test->operand > WALLPROF_FILTER_RELATIVE) {
		test->offset = 0;
		test->size = 0;
	}
	test->yes = test->yes & 1 || at + 1 >= nr ? WALLPROF_FILTER_DROP + (test->yes >> 1 & 1) :
						    at + 1 + (test->yes >> 1) % (nr - at - 1);
	test->no = test->no & 1 || at + 1 >= nr ? WALLPROF_FILTER_DROP + (test->no >> 1 & 1) :
						  at + 1 + (test->no >> 1) % (nr - at - 1);
	test->text = text ? test->text % 16 : 0;
	test->length = text ? test->length % 16 : 0;
	if (text)
		test->value = 0;
}

/* A number of the record is its bytes, least ones first, and nothing if it ends beyond it. */
static void read_number(const struct wp_event_record *r, u16 offset, u8 how)
{
	const struct wallprof_event event = {
		.by_offset = offset % 300, .by_size = 1 << how % 4, .by_sign = how >> 2 & 1,
		.weight_offset = offset % 300, .weight_size = 1 << how % 4,
		.weight_sign = how >> 2 & 1,
	};
	bool has = event.by_offset + event.by_size <= r->size, negative;
	const u8 *at = (const u8 *)r->data + event.by_offset;
	u64 want = 0, by = 0, weight = 0;

	must(wp_event_by(&event, r, &by) == has && wp_event_weight(&event, r, &weight) == has);
	if (!has)
		return;
	negative = event.by_sign && at[event.by_size - 1] >> 7;
	for (int i = 7; i >= 0; i--)
		want = want << 8 | (i < event.by_size ? at[i] : negative ? 0xff : 0);
	must(by == want && weight == (negative ? 0 : want));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct wallprof_filter_test *tests;
	struct wp_event_filter filter;
	struct wp_event_record record;
	uint8_t head[3];
	char comm[WALLPROF_COMM_LEN], *text, *bytes;
	int want;

	data = input;
	left = size;
	take(head, sizeof(head));
	filter.nr = 1 + head[0] % 8;
	filter.text_bytes = head[1];
	tests = malloc(filter.nr * sizeof(*tests));
	take(tests, filter.nr * sizeof(*tests));
	for (u32 i = 0; i < filter.nr; i++)
		fit(&tests[i], i, filter.nr);
	text = malloc(filter.text_bytes + 1UL);
	take(text, filter.text_bytes);
	bytes = malloc(head[2] + 1UL);
	take(bytes, head[2]);
	take(comm, sizeof(comm));
	/* Memory of exactly these bytes. */
	text = realloc(text, filter.text_bytes ? : 1);
	bytes = realloc(bytes, head[2] ? : 1);
	filter.tests = tests;
	filter.text = text;
	record = (struct wp_event_record){
		.data = bytes, .size = head[2], .cpu = head[0] >> 3, .tgid = 7, .comm = comm,
	};
	read_number(&record, (u8)comm[0] | (u8)comm[1] << 8, comm[2]);
	if (wp_event_filter_ok(&filter)) {
		want = reference(&filter, &record);
		must(want < 0 || want == (int)wp_event_filter_run(&filter, &record));
	}
	free(tests);
	free(text);
	free(bytes);
	return 0;
}
