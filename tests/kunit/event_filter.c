// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/event_filter.c: which filters are valid, and what they take.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/event_filter.h"
#include "suite.h"

#define TAKE	WALLPROF_FILTER_TAKE
#define DROP	WALLPROF_FILTER_DROP

static const char comm[WALLPROF_COMM_LEN] = "some thread";

/* Memory of exactly these bytes, so that a read beyond them is seen. */
static void *exactly(struct kunit *test, const void *bytes, size_t size)
{
	void *copy = suite_alloc(test, size);

	memcpy(copy, bytes, size);
	return copy;
}

static struct wp_event_filter filter_of(struct kunit *test,
					const struct wallprof_filter_test *tests, u32 nr,
					const char *text)
{
	return (struct wp_event_filter) {
		.tests = exactly(test, tests, nr * sizeof(*tests)),
		.text = exactly(test, text, strlen(text)),
		.nr = nr,
		.text_bytes = strlen(text),
	};
}

static enum wp_filter_result run(struct kunit *test, const struct wp_event_filter *filter,
				 const void *data, u32 size)
{
	const struct wp_event_record record = {
		.data = exactly(test, data, size),
		.size = size,
		.cpu = 3,
		.tgid = 4000000000U,
		.comm = exactly(test, comm, sizeof(comm)),
	};

	return wp_event_filter_run(filter, &record);
}

/* A single test that takes what it holds for. */
static const struct wallprof_filter_test number = {
	.operand = WALLPROF_FILTER_SIGNED, .compare = WALLPROF_FILTER_EQUAL, .offset = 8,
	.size = 4, .yes = TAKE, .no = DROP, .value = 7,
};

static const struct wallprof_filter_test words = {
	.operand = WALLPROF_FILTER_ARRAY, .compare = WALLPROF_FILTER_FULL, .offset = 8,
	.size = 16, .yes = TAKE, .no = DROP, .length = 3,
};

static const struct row {
	const char *name;
	const struct wallprof_filter_test *base;
	size_t offset, bytes;
	u64 value;
	bool ok;
} rows[] = {
#define ROW(base_, field, value_, ok_) \
	{ #base_ " " #field " " #value_, &(base_), offsetof(struct wallprof_filter_test, field), \
	  sizeof(((struct wallprof_filter_test *)NULL)->field), value_, ok_ }
	ROW(number, value, 7, true),
	ROW(number, value, ~0ULL, true),
	ROW(number, operand, WALLPROF_FILTER_UNSIGNED, true),
	ROW(number, operand, WALLPROF_FILTER_ARRAY, false),
	ROW(number, operand, WALLPROF_FILTER_DYNAMIC, false),
	ROW(number, operand, WALLPROF_FILTER_COMM, false),
	ROW(number, operand, WALLPROF_FILTER_CPU, false),
	ROW(number, operand, WALLPROF_FILTER_OPERANDS, false),
	ROW(number, operand, 255, false),
	ROW(number, compare, WALLPROF_FILTER_BITS, true),
	ROW(number, compare, WALLPROF_FILTER_FULL, false),
	ROW(number, compare, WALLPROF_FILTER_COMPARES, false),
	ROW(number, compare, 255, false),
	ROW(number, size, 1, true),
	ROW(number, size, 2, true),
	ROW(number, size, 8, true),
	ROW(number, size, 0, false),
	ROW(number, size, 3, false),
	ROW(number, size, 16, false),
	ROW(number, size, 65535, false),
	ROW(number, offset, WALLPROF_MAX_RECORD_BYTES - 4, true),
	ROW(number, offset, WALLPROF_MAX_RECORD_BYTES - 3, false),
	ROW(number, offset, 65535, false),
	ROW(number, yes, 0, false),
	ROW(number, yes, 1, false),
	ROW(number, yes, DROP, true),
	ROW(number, yes, DROP - 1, false),
	ROW(number, no, 0, false),
	ROW(number, no, 1, false),
	ROW(number, no, TAKE, true),
	ROW(number, text, 1, false),
	ROW(number, length, 1, false),
	ROW(number, reserved, 1, false),
	ROW(words, compare, WALLPROF_FILTER_GLOB, true),
	ROW(words, compare, WALLPROF_FILTER_BITS, false),
	ROW(words, compare, WALLPROF_FILTER_COMPARES, false),
	ROW(words, operand, WALLPROF_FILTER_DYNAMIC, false),
	ROW(words, operand, WALLPROF_FILTER_RELATIVE, false),
	ROW(words, operand, WALLPROF_FILTER_COMM, false),
	ROW(words, operand, WALLPROF_FILTER_UNSIGNED, false),
	ROW(words, size, 0, false),
	ROW(words, size, 1, true),
	ROW(words, size, WALLPROF_MAX_RECORD_BYTES - 8, true),
	ROW(words, size, WALLPROF_MAX_RECORD_BYTES - 7, false),
	ROW(words, size, 65535, false),
	ROW(words, text, 2, true),
	ROW(words, text, 3, false),
	ROW(words, text, 65535, false),
	ROW(words, length, 0, true),
	ROW(words, length, 5, true),
	ROW(words, length, 6, false),
	ROW(words, length, 65535, false),
	ROW(words, value, 1, false),
	ROW(words, reserved, 1, false),
};

static void row_describe(const struct row *r, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", r->name);
}

KUNIT_ARRAY_PARAM(row, rows, row_describe);

/* Each field alone, at its limits. */
static void field(struct kunit *test)
{
	const struct row *r = test->param_value;
	struct wallprof_filter_test one = *r->base;
	struct wp_event_filter filter;
	u16 value16 = r->value;
	u8 value8 = r->value;

	if (r->bytes == 1)
		memcpy((char *)&one + r->offset, &value8, 1);
	else if (r->bytes == 2)
		memcpy((char *)&one + r->offset, &value16, 2);
	else
		memcpy((char *)&one + r->offset, &r->value, 8);
	filter = filter_of(test, &one, 1, "texts");
	KUNIT_EXPECT_EQ(test, wp_event_filter_ok(&filter), r->ok);
}

/* What is of no field has neither place nor size; a text has no 0; a test none before it. */
static void refused(struct kunit *test)
{
	struct wallprof_filter_test tests[3] = { number, number, number };
	struct wp_event_filter filter;

	tests[0].yes = 1;
	tests[1].yes = 2;
	tests[1].no = 2;
	filter = filter_of(test, tests, 3, "");
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	tests[1].no = 1;
	filter = filter_of(test, tests, 3, "");
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));
	tests[1].no = 0;
	filter = filter_of(test, tests, 3, "");
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));
	tests[1].no = 3;
	filter = filter_of(test, tests, 3, "");
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));

	tests[0] = number;
	tests[0].operand = WALLPROF_FILTER_CPU;
	tests[0].offset = 0;
	filter = filter_of(test, tests, 1, "");
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));
	tests[0].size = 0;
	filter = filter_of(test, tests, 1, "");
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	tests[0].operand = WALLPROF_FILTER_TGID;
	filter = filter_of(test, tests, 1, "");
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	tests[0].offset = 1;
	filter = filter_of(test, tests, 1, "");
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));

	filter = filter_of(test, &words, 1, "words");
	filter.text = exactly(test, "wo\0ds", 5);
	KUNIT_EXPECT_FALSE(test, wp_event_filter_ok(&filter));
}

static const struct compared {
	const char *name;
	u8 operand, size, compare;
	u64 in_record, value;
	bool holds;
} all_compared[] = {
#define COMPARED(operand_, size_, a, compare_, b, holds_) \
	{ #operand_ " " #size_ ": " #a " " #compare_ " " #b, WALLPROF_FILTER_ ## operand_, size_, \
	  WALLPROF_FILTER_ ## compare_, a, b, holds_ }
	COMPARED(UNSIGNED, 1, 200, EQUAL, 200, true),
	COMPARED(UNSIGNED, 1, 200, GREATER, 100, true),
	COMPARED(SIGNED, 1, 200, GREATER, 100, false),
	COMPARED(SIGNED, 1, 200, LESS, 0, true),
	COMPARED(SIGNED, 1, 200, EQUAL, -56, true),
	COMPARED(UNSIGNED, 2, 0xfffe, GREATER, 0xfffd, true),
	COMPARED(UNSIGNED, 2, 0xfffe, LESS, 0xffff, true),
	COMPARED(SIGNED, 2, 0xfffe, EQUAL, -2, true),
	COMPARED(SIGNED, 2, 0xfffe, LESS, -1, true),
	COMPARED(UNSIGNED, 4, 0x80000000, GREATER, 1, true),
	COMPARED(SIGNED, 4, 0x80000000, GREATER, 1, false),
	COMPARED(SIGNED, 4, 0x80000000, LESS, -1, true),
	COMPARED(SIGNED, 4, 0x80000000, BITS, 0x80000000, true),
	COMPARED(UNSIGNED, 4, 6, BITS, 1, false),
	COMPARED(UNSIGNED, 4, 6, BITS, 3, true),
	COMPARED(UNSIGNED, 8, ~0ULL, GREATER, 5, true),
	COMPARED(SIGNED, 8, ~0ULL, GREATER, 5, false),
	COMPARED(SIGNED, 8, ~0ULL, EQUAL, -1, true),
	COMPARED(UNSIGNED, 8, 1ULL << 40, EQUAL, 0, false),
	COMPARED(UNSIGNED, 8, 1ULL << 40, BITS, 1ULL << 40, true),
	COMPARED(SIGNED, 8, 5, LESS, 5, false),
	COMPARED(SIGNED, 8, 5, GREATER, 5, false),
};

static void compared_describe(const struct compared *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(compared, all_compared, compared_describe);

/* Each type of the kernel's filters, wherever it is in the record; but not beyond its end. */
static void numbers(struct kunit *test)
{
	const struct compared *c = test->param_value;
	char data[24];
	u32 offset;

	for (offset = 0; offset < 8; offset++) {
		const struct wallprof_filter_test one = {
			.operand = c->operand, .compare = c->compare, .offset = offset,
			.size = c->size, .yes = TAKE, .no = DROP, .value = c->value,
		};
		struct wp_event_filter filter = filter_of(test, &one, 1, "");

		KUNIT_ASSERT_TRUE(test, wp_event_filter_ok(&filter));
		memset(data, 0xa5, sizeof(data));
		memcpy(data + offset, &c->in_record, c->size);
		KUNIT_EXPECT_EQ(test, run(test, &filter, data, sizeof(data)),
				c->holds ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
		KUNIT_EXPECT_EQ(test, run(test, &filter, data, offset + c->size),
				c->holds ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
		KUNIT_EXPECT_EQ(test, run(test, &filter, data, offset + c->size - 1),
				WP_FILTER_UNFIT);
		KUNIT_EXPECT_EQ(test, run(test, &filter, data, 0), WP_FILTER_UNFIT);
	}
}

/* A weight is read wherever it is, but not beyond the end; a negative one is 0. */
static void weights(struct kunit *test)
{
	const struct compared *c = test->param_value;
	u32 offset, shift = 64 - 8 * c->size;
	s64 value = (s64)(c->in_record << shift) >> shift;
	char data[24];
	u64 weight;

	for (offset = 0; offset < 8; offset++) {
		struct wallprof_event event = {
			.weight_offset = offset, .weight_size = c->size, .weight_sign = 1,
		};
		struct wp_event_record record = { .size = offset + c->size };

		memset(data, 0xa5, sizeof(data));
		memcpy(data + offset, &c->in_record, c->size);
		record.data = exactly(test, data, record.size);
		KUNIT_EXPECT_TRUE(test, wp_event_weight(&event, &record, &weight));
		KUNIT_EXPECT_EQ(test, weight, value > 0 ? (u64)value : 0);
		event.weight_sign = 0;
		KUNIT_EXPECT_TRUE(test, wp_event_weight(&event, &record, &weight));
		KUNIT_EXPECT_EQ(test, weight, (u64)value << shift >> shift);
		record.size--;
		record.data = exactly(test, data, record.size);
		KUNIT_EXPECT_FALSE(test, wp_event_weight(&event, &record, &weight));
	}
}

/* What is summed by is read likewise, with its sign. */
static void numbers_to_sum_by(struct kunit *test)
{
	const struct compared *c = test->param_value;
	u32 offset, shift = 64 - 8 * c->size;
	char data[24];
	u64 by;

	for (offset = 0; offset < 8; offset++) {
		struct wallprof_event event = {
			.by_offset = offset, .by_size = c->size, .by_sign = 1,
		};
		struct wp_event_record record = { .size = offset + c->size };

		memset(data, 0xa5, sizeof(data));
		memcpy(data + offset, &c->in_record, c->size);
		record.data = exactly(test, data, record.size);
		KUNIT_EXPECT_TRUE(test, wp_event_by(&event, &record, &by));
		KUNIT_EXPECT_EQ(test, (s64)by, (s64)(c->in_record << shift) >> shift);
		event.by_sign = 0;
		KUNIT_EXPECT_TRUE(test, wp_event_by(&event, &record, &by));
		KUNIT_EXPECT_EQ(test, by, (u64)c->in_record << shift >> shift);
		record.size--;
		record.data = exactly(test, data, record.size);
		KUNIT_EXPECT_FALSE(test, wp_event_by(&event, &record, &by));
	}
}

static const struct matched {
	const char *name;
	u8 compare;
	const char *pattern;
	const char *text;	/* 16 bytes, if it is an array */
	bool array, dynamic;
} all_matched[] = {
#define MATCHED(compare_, pattern_, text_, array_, dynamic_) \
	{ #compare_ " '" pattern_ "' in '" text_ "'", WALLPROF_FILTER_ ## compare_, pattern_, \
	  text_, array_, dynamic_ }
	MATCHED(FULL, "bash", "bash", true, true),
	MATCHED(FULL, "bash", "bas", false, false),
	MATCHED(FULL, "bas", "bash", false, false),
	MATCHED(FULL, "", "", true, true),
	MATCHED(FULL, "", "x", false, false),
	/* An array that is filled ends there, for whatever is longer. */
	MATCHED(FULL, "sixteen_letters_and", "sixteen_letters_", true, false),
	MATCHED(FRONT, "ba", "bash", true, true),
	MATCHED(FRONT, "bash", "bash", true, true),
	MATCHED(FRONT, "bashful", "bash", false, false),
	MATCHED(FRONT, "as", "bash", false, false),
	MATCHED(FRONT, "", "bash", true, true),
	MATCHED(FRONT, "seventeen_letters", "seventeen_letter", false, false),
	MATCHED(MIDDLE, "as", "bash", true, true),
	MATCHED(MIDDLE, "bash", "bash", true, true),
	MATCHED(MIDDLE, "", "", true, true),
	MATCHED(MIDDLE, "sa", "bash", false, false),
	MATCHED(MIDDLE, "aab", "aaab", true, true),
	/* The end of an array is not that of its text. */
	MATCHED(END, "sh", "bash", false, true),
	MATCHED(END, "", "bash", true, true),
	MATCHED(END, "bash", "bash", false, true),
	MATCHED(END, "xbash", "bash", false, false),
	MATCHED(END, "letters", "sixteen_letters_", true, false),
	MATCHED(GLOB, "b?sh", "bash", true, true),
	MATCHED(GLOB, "b?sh", "bsh", false, false),
	MATCHED(GLOB, "ba?h?", "bash", false, false),
	MATCHED(GLOB, "b*h", "bash", true, true),
	MATCHED(GLOB, "b*s", "bash", false, false),
	MATCHED(GLOB, "b*as?", "bash", true, true),
	MATCHED(GLOB, "*ba", "bash", false, false),
	MATCHED(GLOB, "*a*s*", "bash", true, true),
	MATCHED(GLOB, "a*b*b", "abcbcb", true, true),
	MATCHED(GLOB, "[a-c]a[!t]h", "bash", true, true),
	MATCHED(GLOB, "[!a-c]ash", "bash", false, false),
	MATCHED(GLOB, "bas[!x]", "bas", false, false),
	MATCHED(GLOB, "[]b]ash", "bash", true, true),
	MATCHED(GLOB, "[b-]ash", "-ash", true, true),
	MATCHED(GLOB, "[bash", "[bash", true, true),
	MATCHED(GLOB, "[b-", "[b-", true, true),
	MATCHED(GLOB, "b\\*h", "b*h", true, true),
	MATCHED(GLOB, "b\\*h", "bash", false, false),
	MATCHED(GLOB, "b\\", "b", true, true),
	MATCHED(GLOB, "*\\?", "what?", true, true),
	MATCHED(GLOB, "", "", true, true),
	MATCHED(GLOB, "*", "", true, true),
};

static void matched_describe(const struct matched *m, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", m->name);
}

KUNIT_ARRAY_PARAM(matched, all_matched, matched_describe);

static enum wp_filter_result match(struct kunit *test, const struct matched *m, u8 operand,
				   u16 offset, u16 size, const void *data, u32 bytes)
{
	const struct wallprof_filter_test one = {
		.operand = operand, .compare = m->compare, .offset = offset, .size = size,
		.yes = TAKE, .no = DROP, .text = 2, .length = strlen(m->pattern),
	};
	struct wp_event_filter filter;
	char text[64];

	snprintf(text, sizeof(text), "__%s", m->pattern);
	filter = filter_of(test, &one, 1, text);
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	return run(test, &filter, data, bytes);
}

/* Texts in arrays and elsewhere, as the kernel compares them. */
static void texts(struct kunit *test)
{
	const struct matched *m = test->param_value;
	u32 length = strlen(m->text), place;
	char data[64] = "behind";

	/* A 0 follows the array. */
	memset(data + 5, 0, sizeof(data) - 5);
	memcpy(data + 5, m->text, length);
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_ARRAY, 5, 16, data, 22),
			m->array ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_ARRAY, 5, 16, data, 20),
			WP_FILTER_UNFIT);
	place = (length + 1) << 16 | 5;
	memcpy(data, &place, sizeof(place));
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 5 + length + 1),
			m->dynamic ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 5 + length),
			WP_FILTER_UNFIT);
	place = (length + 1) << 16 | 1;
	memcpy(data, &place, sizeof(place));
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_RELATIVE, 0, 4, data, 5 + length + 1),
			m->dynamic ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
	place = 0xffffffff;
	memcpy(data, &place, sizeof(place));
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 5 + length),
			WP_FILTER_UNFIT);
	KUNIT_EXPECT_EQ(test, match(test, m, WALLPROF_FILTER_RELATIVE, 0, 4, data, 3),
			WP_FILTER_UNFIT);
}

/* What the kernel does with more than a text: behind its 0, and without a length. */
static void odd_texts(struct kunit *test)
{
	static const struct matched behind = { "", WALLPROF_FILTER_MIDDLE, "old" };
	static const struct matched full = { "", WALLPROF_FILTER_FULL, "rest" };
	static const struct matched longer = { "", WALLPROF_FILTER_FULL, "rests" };
	static const struct matched middle = { "", WALLPROF_FILTER_MIDDLE, "es" };
	static const struct matched front = { "", WALLPROF_FILTER_FRONT, "re" };
	static const struct matched end = { "", WALLPROF_FILTER_END, "" };
	u32 place = 4;
	char data[16] = {};

	memcpy(data, "new\0old", 7);
	KUNIT_EXPECT_EQ(test, match(test, &behind, WALLPROF_FILTER_ARRAY, 0, 8, data, 8),
			WP_FILTER_TAKEN);
	memcpy(data, &place, sizeof(place));
	memcpy(data + 4, "rest", 4);
	KUNIT_EXPECT_EQ(test, match(test, &full, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 8),
			WP_FILTER_TAKEN);
	KUNIT_EXPECT_EQ(test, match(test, &longer, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 8),
			WP_FILTER_DROPPED);
	KUNIT_EXPECT_EQ(test, match(test, &middle, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 8),
			WP_FILTER_TAKEN);
	KUNIT_EXPECT_EQ(test, match(test, &front, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 8),
			WP_FILTER_TAKEN);
	KUNIT_EXPECT_EQ(test, match(test, &end, WALLPROF_FILTER_DYNAMIC, 0, 4, data, 8),
			WP_FILTER_DROPPED);
}

/* The thread and the CPU, whatever the record is. */
static void general(struct kunit *test)
{
	struct wallprof_filter_test one = {
		.operand = WALLPROF_FILTER_CPU, .compare = WALLPROF_FILTER_EQUAL, .yes = TAKE,
		.no = DROP, .value = 3,
	};
	const struct wp_event_filter filter = { .tests = &one, .nr = 1, .text = "some*",
						.text_bytes = 5 };

	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_TAKEN);
	one.compare = WALLPROF_FILTER_GREATER;
	one.value = -1;
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_TAKEN);
	one.operand = WALLPROF_FILTER_TGID;
	one.value = 3999999999U;
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_TAKEN);
	one.value = 4000000000U;
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_DROPPED);
	one.compare = WALLPROF_FILTER_EQUAL;
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_TAKEN);
	one = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_COMM, .compare = WALLPROF_FILTER_FRONT, .yes = TAKE,
		.no = DROP, .length = 4,
	};
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_TAKEN);
	one.compare = WALLPROF_FILTER_FULL;
	KUNIT_EXPECT_EQ(test, run(test, &filter, "", 0), WP_FILTER_DROPPED);
}

/* a && (b || c), of bits of a byte; what is not asked for is not read. */
static void together(struct kunit *test)
{
	struct wallprof_filter_test tests[3];
	struct wp_event_filter filter;
	u8 bits[2];
	u32 i;

	for (i = 0; i < 3; i++) {
		tests[i] = (struct wallprof_filter_test){
			.operand = WALLPROF_FILTER_UNSIGNED, .compare = WALLPROF_FILTER_BITS,
			.offset = i == 2, .size = 1, .value = 1 << i,
		};
	}
	tests[0].yes = 1;
	tests[0].no = DROP;
	tests[1].yes = TAKE;
	tests[1].no = 2;
	tests[2].yes = TAKE;
	tests[2].no = DROP;
	filter = filter_of(test, tests, 3, "");
	KUNIT_ASSERT_TRUE(test, wp_event_filter_ok(&filter));
	for (i = 0; i < 8; i++) {
		bits[0] = i;
		bits[1] = i;
		KUNIT_EXPECT_EQ(test, run(test, &filter, bits, 2),
				i & 1 && i & 6 ? WP_FILTER_TAKEN : WP_FILTER_DROPPED);
		KUNIT_EXPECT_EQ(test, run(test, &filter, bits, 1),
				!(i & 1) ? WP_FILTER_DROPPED :
				i & 2 ? WP_FILTER_TAKEN : WP_FILTER_UNFIT);
	}
}

/* Searches end, whatever they are asked for. */
static void too_long(struct kunit *test)
{
	struct wallprof_filter_test one = {
		.operand = WALLPROF_FILTER_ARRAY, .compare = WALLPROF_FILTER_GLOB, .yes = TAKE,
		.no = DROP, .size = WALLPROF_MAX_RECORD_BYTES, .length = 250,
	};
	char *data = suite_alloc(test, WALLPROF_MAX_RECORD_BYTES);
	struct wp_event_filter filter;
	char pattern[251];

	memset(data, 'a', WALLPROF_MAX_RECORD_BYTES);
	memset(pattern, 'a', 250);
	pattern[249] = 'b';
	pattern[250] = 0;
	one.compare = WALLPROF_FILTER_MIDDLE;
	filter = filter_of(test, &one, 1, pattern);
	KUNIT_EXPECT_TRUE(test, wp_event_filter_ok(&filter));
	KUNIT_EXPECT_EQ(test, run(test, &filter, data, WALLPROF_MAX_RECORD_BYTES), WP_FILTER_UNFIT);
	one.compare = WALLPROF_FILTER_GLOB;
	pattern[0] = '*';
	filter = filter_of(test, &one, 1, pattern);
	KUNIT_EXPECT_EQ(test, run(test, &filter, data, WALLPROF_MAX_RECORD_BYTES), WP_FILTER_UNFIT);
	memset(pattern, '*', 250);
	filter = filter_of(test, &one, 1, pattern);
	KUNIT_EXPECT_EQ(test, run(test, &filter, data, WALLPROF_MAX_RECORD_BYTES), WP_FILTER_TAKEN);
	/* What ends at once is not dear. */
	data[3] = 0;
	memset(pattern + 1, 'a', 249);
	filter = filter_of(test, &one, 1, pattern);
	KUNIT_EXPECT_EQ(test, run(test, &filter, data, WALLPROF_MAX_RECORD_BYTES),
			WP_FILTER_DROPPED);
}

/* Any filter that is valid, of any record, reads nothing else, and ends. */
static void anything(struct kunit *test)
{
	struct wallprof_filter_test tests[8];
	u32 round, i, nr, valid = 0, counts[3] = {};
	char data[48], text[] = "*a?[b-d]\\*x!c";

	for (round = 0; round < SUITE_ROUNDS(20000); round++) {
		struct wp_event_filter filter;
		enum wp_filter_result result;

		nr = 1 + suite_below(suite_below(4) ? 2 : ARRAY_SIZE(tests));
		for (i = 0; i < nr; i++) {
			bool is_text = suite_below(2);

			tests[i] = (struct wallprof_filter_test){
				.operand = is_text ? WALLPROF_FILTER_ARRAY + suite_below(4) :
						     suite_below(2),
				.compare = is_text ? WALLPROF_FILTER_FULL + suite_below(5) :
						     suite_below(4),
				.offset = suite_below(sizeof(data)),
				.size = is_text ? 3 + suite_below(2) : 1 << suite_below(4),
				.yes = suite_below(3) ? i + 1 : DROP + suite_below(2),
				.no = suite_below(3) ? i + 1 : DROP + suite_below(2),
				.text = is_text ? suite_below(8) : 0,
				.length = is_text ? suite_below(8) : 0,
				.value = is_text ? 0 : suite_below(4),
			};
			/* Some are anything. */
			if (!suite_below(8)) {
				tests[i].operand = suite_below(WALLPROF_FILTER_OPERANDS);
				tests[i].compare = suite_below(WALLPROF_FILTER_COMPARES);
			}
			if (tests[i].operand > WALLPROF_FILTER_RELATIVE) {
				tests[i].offset = 0;
				tests[i].size = 0;
			}
		}
		filter = filter_of(test, tests, nr, text);
		for (i = 0; i < sizeof(data); i++)
			data[i] = suite_below(2) ? suite_below(8) : text[suite_below(13)];
		if (wp_event_filter_ok(&filter)) {
			valid++;
			result = run(test, &filter, data, suite_below(sizeof(data) + 1));
			KUNIT_EXPECT_LE(test, (u32)result, (u32)WP_FILTER_UNFIT);
			counts[result]++;
		}
		suite_free(test, (void *)filter.tests);
		suite_free(test, (void *)filter.text);
		if (suite_failed(test))
			return;
	}
	KUNIT_EXPECT_GT(test, valid, 0U);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		KUNIT_EXPECT_GT(test, counts[i], 0U);
}

static struct kunit_case event_filter_cases[] = {
	KUNIT_CASE_PARAM(field, row_gen_params),
	KUNIT_CASE(refused),
	KUNIT_CASE_PARAM(numbers, compared_gen_params),
	KUNIT_CASE_PARAM(weights, compared_gen_params),
	KUNIT_CASE_PARAM(numbers_to_sum_by, compared_gen_params),
	KUNIT_CASE_PARAM(texts, matched_gen_params),
	KUNIT_CASE(odd_texts),
	KUNIT_CASE(general),
	KUNIT_CASE(together),
	KUNIT_CASE(too_long),
	KUNIT_CASE(anything),
	{}
};

static struct kunit_suite event_filter_suite = {
	.name = "wallprof_event_filter",
	.init = suite_init,
	.test_cases = event_filter_cases,
};

kunit_test_suite(event_filter_suite);
