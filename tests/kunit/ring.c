// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/ring.c: a ring of records, its reader, and what is lost.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/ring.h"
#include "suite.h"

#define NR	8
#define PAGE	4096

/* A ring, and how far its reader got. */
struct pair {
	struct wp_ring ring;
	struct wallprof_ring *head;
	struct wallprof_record *records;
	struct wallprof_tail tail;
};

static struct pair *pair_of(struct kunit *test, bool overwrite)
{
	struct pair *p = suite_alloc(test, sizeof(*p));
	char *mapped = suite_alloc(test, PAGE + NR * sizeof(struct wallprof_record));

	p->head = (struct wallprof_ring *)mapped;
	p->records = (struct wallprof_record *)(mapped + PAGE);
	wp_ring_set(&p->ring, mapped, PAGE, &p->tail, NR, overwrite);
	return p;
}

/* Writes a record, identified by its time. Returns whether it found room. */
static bool put(struct pair *p, u64 now)
{
	struct wallprof_record *record = wp_ring_reserve(&p->ring, now);

	if (!record)
		return false;
	*record = (struct wallprof_record) { .type = WALLPROF_RECORD_SWITCH, .time = now };
	wp_ring_commit(&p->ring);
	return true;
}

static const struct wallprof_record *record_at(const struct pair *p, u64 nr)
{
	return &p->records[nr % NR];
}

/* Records are in order, and wrap to places that were read. */
static void in_order(struct kunit *test)
{
	struct pair *p = pair_of(test, false);
	u64 i;

	for (i = 0; i < 5 * NR && !suite_failed(test); i++) {
		KUNIT_EXPECT_EQ(test, p->head->head, i);
		KUNIT_EXPECT_TRUE(test, put(p, 100 + i));
		KUNIT_EXPECT_EQ(test, record_at(p, i)->time, 100 + i);
		p->tail.tail = i < NR - 1 ? 0 : i - (NR - 2);
	}
	KUNIT_EXPECT_EQ(test, p->head->lost, 0);
}

/*
 * Lost records are counted; the first that finds room comes behind the record of the
 * loss.
 */
static void full(struct kunit *test)
{
	struct pair *p = pair_of(test, false);
	u64 i;

	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_TRUE(test, put(p, i));
	KUNIT_EXPECT_FALSE(test, put(p, 50));
	KUNIT_EXPECT_FALSE(test, put(p, 51));
	KUNIT_EXPECT_EQ(test, p->head->head, NR);
	KUNIT_EXPECT_EQ(test, p->head->lost, 2);
	KUNIT_EXPECT_EQ(test, p->head->open, 2);
	KUNIT_EXPECT_EQ(test, p->head->open_since, 50);
	/* One place is not enough for both. */
	p->tail.tail = 1;
	KUNIT_EXPECT_FALSE(test, put(p, 52));
	p->tail.tail = 2;
	KUNIT_EXPECT_TRUE(test, put(p, 53));
	KUNIT_EXPECT_EQ(test, p->head->head, NR + 2);
	KUNIT_EXPECT_EQ(test, record_at(p, NR)->type, WALLPROF_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, record_at(p, NR)->time, 50);
	KUNIT_EXPECT_EQ(test, record_at(p, NR)->lost, 3);
	KUNIT_EXPECT_EQ(test, record_at(p, NR + 1)->time, 53);
	KUNIT_EXPECT_EQ(test, p->head->lost, 3);
	KUNIT_EXPECT_EQ(test, p->head->open, 0);
	KUNIT_EXPECT_EQ(test, p->head->open_since, 0);
}

/* The last record, if none was lost since. */
static void last(struct kunit *test)
{
	struct pair *p = pair_of(test, false);
	u64 i;

	KUNIT_EXPECT_TRUE(test, !wp_ring_last(&p->ring));
	for (i = 0; i < 2 * NR + 1; i++) {
		KUNIT_EXPECT_TRUE(test, put(p, i));
		KUNIT_EXPECT_PTR_EQ(test, wp_ring_last(&p->ring), record_at(p, i));
		p->tail.tail = i;
	}
	while (put(p, i))
		;
	KUNIT_EXPECT_TRUE(test, !wp_ring_last(&p->ring));
	p->tail.tail = p->head->head;
	KUNIT_EXPECT_TRUE(test, put(p, 99));
	KUNIT_EXPECT_EQ(test, wp_ring_last(&p->ring)->time, 99);
}

static const struct lie {
	const char *name;
	u64 tail;
	bool room;
} lies[] = {
	{ "one ahead", NR / 2 + 1, false },
	{ "a ring ahead", NR / 2 + NR, false },
	{ "the largest number", U64_MAX, true },	/* one behind the first record */
	{ "a ring behind the first", -(u64)NR, false },
	{ "2^63", 1ULL << 63, false },
	{ "2^32 ahead", (1ULL << 32) + NR / 2, false },
	{ "all", NR / 2, true },
};

static void lie_describe(const struct lie *lie, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", lie->name);
}

KUNIT_ARRAY_PARAM(lie, lies, lie_describe);

/*
 * Whatever the tail's value, only the reader's own records suffer, and they are counted.
 */
static void hostile(struct kunit *test)
{
	const struct lie *lie = test->param_value;
	struct pair *p = pair_of(test, false);
	u64 i;

	for (i = 0; i < NR / 2; i++)
		KUNIT_EXPECT_TRUE(test, put(p, i));
	p->tail.tail = lie->tail;
	KUNIT_EXPECT_EQ(test, put(p, 99), lie->room);
	KUNIT_EXPECT_EQ(test, p->head->lost, !lie->room);
	/* With a correct tail again, the reader gets all records from there on. */
	p->tail.tail = p->head->head;
	KUNIT_EXPECT_TRUE(test, put(p, 100));
	KUNIT_EXPECT_EQ(test, record_at(p, p->head->head - 1)->time, 100);
}

/* Without a reader, the last records are there. */
static void overwrite(struct kunit *test)
{
	struct pair *p = pair_of(test, true);
	u64 i;

	p->tail.tail = 12345;
	for (i = 0; i < 3 * NR + 3; i++)
		KUNIT_EXPECT_TRUE(test, put(p, i));
	KUNIT_EXPECT_EQ(test, p->head->head, 3 * NR + 3);
	KUNIT_EXPECT_EQ(test, p->head->lost, 0);
	KUNIT_EXPECT_FALSE(test, wp_ring_is_half_full(&p->ring));
	for (i = 2 * NR + 3; i < 3 * NR + 3; i++)
		KUNIT_EXPECT_EQ(test, record_at(p, i)->time, i);
}

/* The reader is woken from the half on. */
static void half(struct kunit *test)
{
	struct pair *p = pair_of(test, false);
	u64 i;

	for (i = 0; i < NR; i++) {
		KUNIT_EXPECT_EQ(test, wp_ring_is_half_full(&p->ring), i >= NR / 2);
		put(p, i);
	}
	p->tail.tail = NR;
	KUNIT_EXPECT_FALSE(test, wp_ring_is_half_full(&p->ring));
}

/* A reader of any speed: records read and reported lost are all that were written. */
static void random_model(struct kunit *test)
{
	struct pair *p = pair_of(test, false);
	u64 now = 1, seen = 0, lost = 0, last = 0;
	int round;

	for (round = 0; round < SUITE_ROUNDS(40000) && !suite_failed(test); round++) {
		u32 i, nr = suite_below(NR + 4);

		for (i = 0; i < nr; i++)
			put(p, now++);
		for (nr = suite_below(NR + 1); nr && p->tail.tail < p->head->head; nr--) {
			const struct wallprof_record *record = record_at(p, p->tail.tail);

			if (record->type == WALLPROF_RECORD_LOST) {
				KUNIT_EXPECT_EQ(test, record->time, last + 1);
				lost += record->lost;
				last += record->lost;
			} else {
				KUNIT_EXPECT_EQ(test, record->time, last + 1);
				last = record->time;
				seen++;
			}
			p->tail.tail++;
		}
		KUNIT_EXPECT_LE(test, p->head->head - p->tail.tail, NR);
	}
	for (; p->tail.tail < p->head->head; p->tail.tail++) {
		if (record_at(p, p->tail.tail)->type == WALLPROF_RECORD_LOST)
			lost += record_at(p, p->tail.tail)->lost;
		else
			seen++;
	}
	KUNIT_EXPECT_EQ(test, p->head->lost, lost + p->head->open);
	KUNIT_EXPECT_EQ(test, seen + p->head->lost, now - 1);
	KUNIT_EXPECT_GT(test, seen, 0);
	KUNIT_EXPECT_GT(test, lost, 0);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(in_order),
	KUNIT_CASE(full),
	KUNIT_CASE(last),
	KUNIT_CASE_PARAM(hostile, lie_gen_params),
	KUNIT_CASE(overwrite),
	KUNIT_CASE(half),
	KUNIT_CASE(random_model),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "wallprof_ring",
	.init = suite_init,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
