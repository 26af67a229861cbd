// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of events: which records of a tracepoint are samples; what these weigh, and what
 * they are summed by.
 *
 * This file owns what a filter may be, and its evaluation. It is pure. Its callers are
 * counters.c at EVENT (process context), which checks, and the overflow handler (any
 * context, NMI included), which evaluates.
 *
 * A filter is a list of tests. Each is followed by one behind it, which depends on its
 * result, or by a decision: so an evaluation ends after each test once at most. Comparisons
 * are those of the kernel's own filters (kernel/trace/trace_events_filter.c), whose texts
 * in arrays of a fixed size do not end with their 0 for some of them.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/event_filter.h"

/* Characters that the tests of one evaluation may look at in searches, together. */
#define WP_FILTER_BUDGET	65536

/* Bytes of a record, or of a filter's text. What is behind them reads as 0. */
struct wp_bounded {
	const char *bytes;
	u32 nr;
};

static __always_inline unsigned char wp_bounded_at(const struct wp_bounded *text, u32 at)
{
	return at < text->nr ? text->bytes[at] : 0;
}

static bool wp_filter_is_text(const struct wallprof_filter_test *test)
{
	return test->operand >= WALLPROF_FILTER_ARRAY && test->operand <= WALLPROF_FILTER_COMM;
}

/* Whether a test can be followed by this, and ends some day. */
static bool wp_filter_next_ok(const struct wp_event_filter *filter, u32 at, u32 next)
{
	return (next > at && next < filter->nr) || next == WALLPROF_FILTER_TAKE ||
	       next == WALLPROF_FILTER_DROP;
}

/* Whether a field is one that a record can have. */
static bool wp_filter_field_ok(const struct wallprof_filter_test *test)
{
	switch (test->operand) {
	case WALLPROF_FILTER_UNSIGNED:
	case WALLPROF_FILTER_SIGNED:
		if (test->size != 1 && test->size != 2 && test->size != 4 && test->size != 8)
			return false;
		break;
	case WALLPROF_FILTER_ARRAY:
		if (!test->size)
			return false;
		break;
	case WALLPROF_FILTER_DYNAMIC:
	case WALLPROF_FILTER_RELATIVE:
		if (test->size != sizeof(u32))
			return false;
		break;
	default:
		return test->operand < WALLPROF_FILTER_OPERANDS && !test->offset && !test->size;
	}
	return test->offset + test->size <= WALLPROF_MAX_RECORD_BYTES;
}

static bool wp_filter_text_ok(const struct wp_event_filter *filter,
			      const struct wallprof_filter_test *test)
{
	return test->compare >= WALLPROF_FILTER_FULL &&
	       test->compare < WALLPROF_FILTER_COMPARES && !test->value &&
	       test->length <= WALLPROF_MAX_FILTER_PATTERN &&
	       test->text + test->length <= filter->text_bytes &&
	       !memchr(filter->text + test->text, 0, test->length);
}

static bool wp_filter_number_ok(const struct wallprof_filter_test *test)
{
	return test->compare < WALLPROF_FILTER_FULL && !test->text && !test->length;
}

/**
 * wp_event_filter_ok - check a filter
 * @filter: any bytes; at most WALLPROF_MAX_FILTER tests
 *
 * Context: process.
 * Return: whether it may be evaluated.
 */
bool wp_event_filter_ok(const struct wp_event_filter *filter)
{
	u32 i;

	for (i = 0; i < filter->nr; i++) {
		const struct wallprof_filter_test *test = &filter->tests[i];

		if (test->reserved || !wp_filter_field_ok(test) ||
		    !wp_filter_next_ok(filter, i, test->yes) ||
		    !wp_filter_next_ok(filter, i, test->no) ||
		    (wp_filter_is_text(test) ? !wp_filter_text_ok(filter, test) :
					       !wp_filter_number_ok(test)))
			return false;
	}
	return true;
}

/* Reads a number that may be anywhere; @size is 1, 2, 4 or 8. */
static u64 wp_filter_unsigned(const void *at, u32 size)
{
	u64 v64;
	u32 v32;
	u16 v16;

	switch (size) {
	case 1:
		return *(const u8 *)at;
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
}

static s64 wp_filter_signed(const void *at, u32 size)
{
	u32 shift = 64 - 8 * size;

	return (s64)(wp_filter_unsigned(at, size) << shift) >> shift;
}

/* Reads a number of a record, and extends it to 64 bits; false if the record ends before. */
static bool wp_event_number(const struct wp_event_record *record, u32 offset, u32 size,
			    bool sign, u64 *value)
{
	const char *at = (const char *)record->data + offset;

	if (offset + size > record->size)
		return false;
	*value = sign ? (u64)wp_filter_signed(at, size) : wp_filter_unsigned(at, size);
	return true;
}

/**
 * wp_event_weight - read the weight of a record
 * @event: has a weight
 * @record: the record; nothing beyond it is read
 * @weight: output
 *
 * Context: any, NMI included.
 * Return: whether the record has it.
 */
bool wp_event_weight(const struct wallprof_event *event, const struct wp_event_record *record,
		     u64 *weight)
{
	if (!wp_event_number(record, event->weight_offset, event->weight_size,
			     event->weight_sign, weight))
		return false;
	if (event->weight_sign && (s64)*weight < 0)
		*weight = 0;
	return true;
}

/**
 * wp_event_by - read the number of a record by which samples are summed
 * @event: has one
 * @record: the record; nothing beyond it is read
 * @by: output: the number, extended to 64 bits
 *
 * Context: any, NMI included.
 * Return: whether the record has it.
 */
bool wp_event_by(const struct wallprof_event *event, const struct wp_event_record *record, u64 *by)
{
	return wp_event_number(record, event->by_offset, event->by_size, event->by_sign, by);
}

static int wp_filter_compare_signed(u8 compare, s64 a, s64 b)
{
	switch (compare) {
	case WALLPROF_FILTER_EQUAL:
		return a == b;
	case WALLPROF_FILTER_LESS:
		return a < b;
	case WALLPROF_FILTER_GREATER:
		return a > b;
	default:
		return !!(a & b);
	}
}

static int wp_filter_compare(u8 compare, u64 a, u64 b)
{
	switch (compare) {
	case WALLPROF_FILTER_EQUAL:
		return a == b;
	case WALLPROF_FILTER_LESS:
		return a < b;
	case WALLPROF_FILTER_GREATER:
		return a > b;
	default:
		return !!(a & b);
	}
}

/* 1 or 0, or -1: the record has no such field. */
static int wp_filter_number(const struct wallprof_filter_test *test,
			    const struct wp_event_record *record)
{
	const char *at = (const char *)record->data + test->offset;

	if (test->operand == WALLPROF_FILTER_CPU)
		return wp_filter_compare_signed(test->compare, record->cpu, (s64)test->value);
	if (test->operand == WALLPROF_FILTER_TGID)
		return wp_filter_compare(test->compare, record->tgid, test->value);
	if (test->offset + test->size > record->size)
		return -1;
	if (test->operand == WALLPROF_FILTER_SIGNED)
		return wp_filter_compare_signed(test->compare, wp_filter_signed(at, test->size),
						(s64)test->value);
	return wp_filter_compare(test->compare, wp_filter_unsigned(at, test->size), test->value);
}

/*
 * Finds the text of a field: @text is all that follows it in the record, too, and @length
 * what the field has of it. False: the record does not have that.
 */
static bool wp_filter_find_text(const struct wallprof_filter_test *test,
				const struct wp_event_record *record, struct wp_bounded *text,
				u32 *length)
{
	u32 place, start = test->offset;

	if (test->operand == WALLPROF_FILTER_COMM) {
		*text = (struct wp_bounded){ record->comm, WALLPROF_COMM_LEN };
		*length = WALLPROF_COMM_LEN;
		return true;
	}
	if (test->offset + test->size > record->size)
		return false;
	*length = test->size;
	if (test->operand != WALLPROF_FILTER_ARRAY) {
		memcpy(&place, (const char *)record->data + test->offset, sizeof(place));
		start = place & 0xffff;
		if (test->operand == WALLPROF_FILTER_RELATIVE)
			start += test->offset + test->size;
		*length = place >> 16;
		if (start > record->size || *length > record->size - start)
			return false;
	}
	*text = (struct wp_bounded){ (const char *)record->data + start, record->size - start };
	return true;
}

/* As strncmp(), of the first @nr characters. */
static int wp_filter_same(const struct wp_bounded *text, const struct wp_bounded *pattern, u32 nr)
{
	unsigned char c;
	u32 i;

	for (i = 0; i < nr; i++) {
		c = wp_bounded_at(text, i);
		if (c != wp_bounded_at(pattern, i))
			return 0;
		if (!c)
			return 1;
	}
	return 1;
}

/* Searches a pattern in the first @length bytes of a text, zeroes among them. */
static int wp_filter_search(const struct wp_bounded *text, const struct wp_bounded *pattern,
			    u32 length, u32 *budget)
{
	u32 at, i;

	for (at = 0; at + pattern->nr <= length; at++) {
		for (i = 0; i < pattern->nr && text->bytes[at + i] == pattern->bytes[i]; i++)
			;
		if (i == pattern->nr)
			return 1;
		if (*budget <= i)
			return -1;
		*budget -= i + 1;
	}
	return 0;
}

/*
 * Whether a class has a character: @at is behind its bracket, and afterwards behind its
 * end. -1: it has no end, so that its bracket is a bracket.
 */
static int wp_filter_class(const struct wp_bounded *pattern, u32 *at, unsigned char c)
{
	bool inverted = wp_bounded_at(pattern, *at) == '!', match = false;
	unsigned char first, last;
	u32 i = *at + inverted;

	first = wp_bounded_at(pattern, i++);
	do {
		last = first;
		if (first && wp_bounded_at(pattern, i) == '-' &&
		    wp_bounded_at(pattern, i + 1) != ']') {
			last = wp_bounded_at(pattern, i + 1);
			i += 2;
		}
		if (!first || !last)
			return -1;
		match |= first <= c && c <= last;
		first = wp_bounded_at(pattern, i++);
	} while (first != ']');
	*at = i;
	return match != inverted;
}

/* As the kernel's glob_match(). -1: that takes too long. */
static int wp_filter_glob(const struct wp_bounded *text, const struct wp_bounded *pattern,
			  u32 *budget)
{
	u32 t = 0, p = 0, back_t = 0, back_p = 0;

	for (;;) {
		unsigned char c = wp_bounded_at(text, t++), d = wp_bounded_at(pattern, p++);
		u32 from = p;
		int same;

		if (d == '*') {
			if (p >= pattern->nr)
				return 1;
			back_p = p;
			back_t = --t;
			continue;
		}
		same = d == '[' ? wp_filter_class(pattern, &p, c) : -1;
		if (d == '\\')
			d = wp_bounded_at(pattern, p++);
		else if (d == '?')
			same = 1;
		if (same < 0)
			same = c == d;
		if (same && !c)
			return !d;
		if (*budget <= p - from)
			return -1;
		*budget -= p - from + 1;
		if (same)
			continue;
		/* Nothing is left, or no asterisk could have taken more. */
		if (!c || !back_p)
			return 0;
		p = back_p;
		t = ++back_t;
	}
}

/* 1 or 0, or -1: the record has no such text, or the search takes too long. */
static int wp_filter_text(const struct wp_event_filter *filter,
			  const struct wallprof_filter_test *test,
			  const struct wp_event_record *record, u32 *budget)
{
	const struct wp_bounded pattern = { filter->text + test->text, test->length };
	struct wp_bounded text;
	u32 length, end;

	if (!wp_filter_find_text(test, record, &text, &length))
		return -1;
	switch (test->compare) {
	case WALLPROF_FILTER_FULL:
		/* What has no length ends with its 0. */
		return wp_filter_same(&text, &pattern, length ? length : text.nr + 1);
	case WALLPROF_FILTER_FRONT:
		return (!length || length >= pattern.nr) &&
		       wp_filter_same(&text, &pattern, pattern.nr);
	case WALLPROF_FILTER_MIDDLE:
		return wp_filter_search(&text, &pattern,
					length ? length : strnlen(text.bytes, text.nr), budget);
	case WALLPROF_FILTER_END:
		/* The last byte is a 0, or taken for one: in an array, that of the array. */
		end = length - 1;
		return length > pattern.nr &&
		       !memcmp(text.bytes + end - pattern.nr, pattern.bytes, pattern.nr);
	default:
		return wp_filter_glob(&text, &pattern, budget);
	}
}

/**
 * wp_event_filter_run - evaluate a filter
 * @filter: checked, with one test at least
 * @record: the record; nothing beyond it is read
 *
 * Context: any, NMI included.
 * Return: whether the record passes.
 */
enum wp_filter_result wp_event_filter_run(const struct wp_event_filter *filter,
					  const struct wp_event_record *record)
{
	u32 at = 0, budget = WP_FILTER_BUDGET;
	int result;

	do {
		const struct wallprof_filter_test *test = &filter->tests[at];

		result = wp_filter_is_text(test) ?
			 wp_filter_text(filter, test, record, &budget) :
			 wp_filter_number(test, record);
		if (result < 0)
			return WP_FILTER_UNFIT;
		at = result ? test->yes : test->no;
	} while (at < filter->nr);
	return at == WALLPROF_FILTER_TAKE ? WP_FILTER_TAKEN : WP_FILTER_DROPPED;
}
