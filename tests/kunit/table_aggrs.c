// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tables.c: aggregates, their keys, their sums and histograms.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"
#include "table_keys.h"
#include "table_places.h"
#include "tables_model.h"

/* Aggregates. */

static void field_describe(const struct field *f, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", f->name);
}

KUNIT_ARRAY_PARAM(field, fields, field_describe);

static u32 place_aggr(struct twin *t, const struct wallprof_aggr *key)
{
	u32 epoch = t->epoch += 2;

	wp_half_begin(&t->tables, epoch);
	wp_aggr_add(&t->tables, epoch, key, 1, 1);
	return place_of(wp_half_of(&t->tables, epoch)->aggr_index,
			t->sizes.aggr_mask, epoch);
}

/* The table of fields has all of the key: no byte is in none or in two. */
static void aggr_fields_are_all(struct kunit *test)
{
	struct wallprof_aggr key = {}, all = {};
	int i;

	memset(&all, 0xff, offsetof(struct wallprof_aggr, count));
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		field_flip(&key, &fields[i], U64_MAX);
	KUNIT_EXPECT_EQ(test, memcmp(&key, &all, sizeof(key)), 0);
}

/* A link is set in the aggregate that was added to last, and makes no other. */
static void aggr_chain(struct kunit *test)
{
	struct wallprof_aggr other = base_key, *aggrs;
	static struct twin t;

	other.state = WALLPROF_STATE_DISK;
	twin_init(test, &t, 128, 256, 16, 50, 3, 0);
	twin_begin(&t, 5);
	aggrs = t.tables.half[1].aggrs;
	KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 5, &base_key, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_aggr_chain(&t.tables, 5, &base_key, 77), twin_id(&t, 0));
	KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 5, &other, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_aggr_chain(&t.tables, 5, &other, 78), twin_id(&t, 1));
	KUNIT_EXPECT_EQ(test, aggrs[0].waker_aggr, 77);
	KUNIT_EXPECT_EQ(test, aggrs[1].waker_aggr, 78);
	KUNIT_EXPECT_TRUE(test, twin_again(&t.tables, &t.tables.half[1], &other, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_aggr_chain(&t.tables, 5, &other, 0), twin_id(&t, 1));
	KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 5, &base_key, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_aggr_chain(&t.tables, 5, &base_key, 79), twin_id(&t, 0));
	KUNIT_EXPECT_EQ(test, aggrs[0].waker_aggr, 79);
	KUNIT_EXPECT_EQ(test, aggrs[1].waker_aggr, 0);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_aggrs, 2);
}

/* The same in the single interval that was kept last, whose id is no aggregate's. */
static void wait_chain(struct kunit *test)
{
	const u64 more[2] = {};
	struct wallprof_wait *waits;
	static struct twin t;

	twin_init(test, &t, 128, 256, 16, 50, 3, 0);
	twin_begin(&t, 5);
	waits = t.tables.half[1].waits;
	KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 5, &base_key, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_aggr_chain(&t.tables, 5, &base_key, 76), twin_id(&t, 0));
	KUNIT_EXPECT_TRUE(test, wp_wait_add(&t.tables, 5, &base_key, more, 7, 100));
	KUNIT_EXPECT_EQ(test, waits[0].waker_aggr, 0);
	KUNIT_EXPECT_EQ(test, wp_wait_chain(&t.tables, 5, 77),
			twin_id(&t, WALLPROF_INDEX_IS_WAIT));
	KUNIT_EXPECT_TRUE(test, wp_wait_add(&t.tables, 5, &base_key, more, 7, 100));
	KUNIT_EXPECT_EQ(test, wp_wait_chain(&t.tables, 5, 78),
			twin_id(&t, WALLPROF_INDEX_IS_WAIT + 1));
	KUNIT_EXPECT_EQ(test, waits[0].waker_aggr, 77);
	KUNIT_EXPECT_EQ(test, waits[1].waker_aggr, 78);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].aggrs[0].waker_aggr, 76);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_waits, 2);
}

/* Every bit of a key field makes another aggregate. */
static void aggr_key_fields(struct kunit *test)
{
	const struct field *f = test->param_value;
	struct wallprof_aggr key;
	static struct twin t;
	int bit;

	twin_init(test, &t, 128, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &base_key, 7, 100));
	for (bit = 0; bit < f->bits; bit++) {
		key = base_key;
		field_flip(&key, f, 1ULL << bit);
		KUNIT_EXPECT_TRUE_MSG(test, twin_aggr(&t, &key, 1, 101), "bit %d", bit);
		KUNIT_EXPECT_TRUE_MSG(test, twin_aggr(&t, &key, 2, 102), "bit %d", bit);
	}
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_aggrs, 1 + f->bits);
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* The hash keeps neighbours in its last word apart: scatter them. */
static u64 field_member(const struct field *f, u32 m)
{
	return f->offset == offsetof(struct wallprof_aggr, waker_stack) ?
	       m * (u64)m * 0xd6e8feb86659fd93ULL : m;
}

/* Keys @a and @b are at one place: each has an aggregate of its own. */
static void field_collide(struct kunit *test, struct twin *t,
			  const struct wallprof_aggr *a, const struct wallprof_aggr *b)
{
	twin_begin(t, t->epoch + 2);
	KUNIT_EXPECT_TRUE(test, twin_aggr(t, a, 10, 1));
	KUNIT_EXPECT_TRUE(test, twin_aggr(t, b, 20, 2));
	KUNIT_EXPECT_TRUE(test, twin_aggr(t, b, 30, 3));
	KUNIT_EXPECT_TRUE(test, twin_aggr(t, a, 40, 4));
	KUNIT_EXPECT_TRUE(test, twin_half_agrees(t, t->epoch % 2));
	KUNIT_EXPECT_EQ(test, wp_half_of(&t->tables, t->epoch)->head->nr_aggrs, 2);
}

/* Two keys in the same place of the index are compared in every field. */
static void aggr_collisions(struct kunit *test)
{
	const struct field *f = test->param_value;
	struct places places;
	static struct twin t;
	bool found = false;
	u32 n, m;

	places_init(test, &places);
	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	for (n = 0; n < 5000 && !found; n++) {
		struct wallprof_aggr first = base_key, key;

		first.start_time = suite_random();
		for (m = 0; m < f->members && !found; m++) {
			int earlier;

			key = first;
			field_flip(&key, f, field_member(f, m));
			earlier = places_take(&places, place_aggr(&t, &key), n + 1, m);
			if (earlier < 0)
				continue;
			found = true;
			field_flip(&first, f, field_member(f, earlier));
			field_collide(test, &t, &first, &key);
		}
		cond_resched();
	}
	KUNIT_EXPECT_TRUE_MSG(test, found, "no two keys collide");
}

/* Count, total, min, max, first and last, and time runnable, step by step. */
static void aggr_sums(struct kunit *test)
{
	static const struct {
		u64 value, runnable, time, count, total, min, max, first, last;
		u64 runnables, runnable_max, blocked_max;
	} rows[] = {
		{ 50, 20, 1000, 1, 50, 50, 50, 1000, 1000, 20, 20, 30 },
		{ 70, 0, 1100, 2, 120, 50, 70, 1000, 1100, 20, 20, 70 },
		{ 60, 60, 1200, 3, 180, 50, 70, 1000, 1200, 80, 60, 70 },
		{ 10, 9, 1300, 4, 190, 10, 70, 1000, 1300, 89, 60, 70 },
		/* The clock stepped back. */
		{ 20, 10, 1250, 5, 210, 10, 70, 1000, 1300, 99, 60, 70 },
		{ 0, 0, 1300, 6, 210, 0, 70, 1000, 1300, 99, 60, 70 },
		{ 1ULL << 60, 0, 1400, 7, (1ULL << 60) + 210, 0, 1ULL << 60, 1000, 1400,
		  99, 60, 1ULL << 60 },
		{ 61, 61, U64_MAX, 8, (1ULL << 60) + 271, 0, 1ULL << 60, 1000, U64_MAX,
		  160, 61, 1ULL << 60 },
	};
	struct wallprof_aggr key = base_key;
	struct wallprof_aggr *aggr;
	static struct twin t;
	int i;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	aggr = t.tables.half[1].aggrs;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		key.runnable = rows[i].runnable;
		KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 1, &key, rows[i].value,
						    rows[i].time));
		KUNIT_EXPECT_EQ_MSG(test, aggr->count, rows[i].count, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->total, rows[i].total, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->min, rows[i].min, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->max, rows[i].max, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->first, rows[i].first, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->last, rows[i].last, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->runnable, rows[i].runnables, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->runnable_max, rows[i].runnable_max,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, aggr->blocked_max, rows[i].blocked_max,
				    "row %d", i);
	}
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_aggrs, 1);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->events, ARRAY_SIZE(rows));
	KUNIT_EXPECT_EQ(test, memcmp(aggr, &base_key, offsetof(struct wallprof_aggr, count)),
			0);
}

/* Of the caller's struct only the key and runnable are read. */
static void aggr_rest_ignored(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	size_t rest = sizeof(key) - offsetof(struct wallprof_aggr, count);
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	memset((char *)&key + sizeof(key) - rest, 0xff, rest);
	key.runnable = 4;
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, 5, 100));
	memset((char *)&key + sizeof(key) - rest, 0x11, rest);
	key.runnable = 1;
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, 6, 200));
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_aggrs, 1);
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/*
 * An aggregate that is found where it was last is the right one: each part of the key,
 * alone, decides, wherever its place is kept; and so does the epoch.
 */
static void aggr_recent(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	struct wp_half *half;
	unsigned int bit;
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	half = wp_half_of(&t.tables, 1);
	KUNIT_EXPECT_FALSE(test, twin_again(&t.tables, half, &key, 5, 100));
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, 5, 100));
	for (bit = 0; bit < 8 * offsetof(struct wallprof_aggr, count); bit++) {
		u8 *byte = (u8 *)&key + bit / 8;

		*byte ^= BIT(bit % 8);
		*wp_aggr_recent(&t.tables, key.tid, key.user_stack) = 0;
		KUNIT_EXPECT_FALSE_MSG(test, twin_again(&t.tables, half, &key, 5, 200),
				       "bit %u", bit);
		*byte ^= BIT(bit % 8);
	}
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
	KUNIT_EXPECT_TRUE(test, twin_again(&t.tables, half, &key, 7, 300));
	KUNIT_EXPECT_EQ(test, half->aggrs[0].count, 2);
	KUNIT_EXPECT_EQ(test, half->aggrs[0].total, 12);
	KUNIT_EXPECT_EQ(test, half->head->events, 2);
	/* The same place and words, of two epochs before. */
	wp_half_begin(&t.tables, 3);
	KUNIT_EXPECT_FALSE(test, twin_again(&t.tables, half, &key, 7, 400));
	KUNIT_EXPECT_EQ(test, half->head->events, 0);
}

static const u32 capacities[] = { 16, 17, 31, 32, 33, 63, 4096 };

static void capacity_describe(const u32 *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u", *n);
}

KUNIT_ARRAY_PARAM(capacity, capacities, capacity_describe);

/* Exactly as many aggregates as the capacity, the rest counted by value. */
static void aggr_exact_capacity(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, k;
	struct wallprof_aggr key = base_key;
	struct wallprof_half *head;
	static struct twin t;

	twin_init(test, &t, n, 256, 16, 50, 0, 0);
	wp_half_begin(&t.tables, 1);
	head = t.tables.half[1].head;
	for (k = 0; k < n + 5 && !suite_failed(test); k++) {
		key.tid = k;
		KUNIT_EXPECT_EQ_MSG(test, wp_aggr_add(&t.tables, 1, &key, k, 100), k < n,
				    "%u of %u", k, n);
	}
	KUNIT_EXPECT_EQ(test, head->nr_aggrs, n);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_AGGR_FULL].count, 5);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_AGGR_FULL].ns, 5 * n + 10);
	/* Aggregates that are there still grow. */
	for (k = 0; k < n && !suite_failed(test); k++) {
		key.tid = k;
		KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 1, &key, 1, 100));
		KUNIT_EXPECT_EQ(test, t.tables.half[1].aggrs[k].tid, k);
		KUNIT_EXPECT_EQ(test, t.tables.half[1].aggrs[k].total, k + 1);
	}
	KUNIT_EXPECT_EQ(test, head->nr_aggrs, n);
	KUNIT_EXPECT_EQ(test, head->events, 2 * n + 5);
}

/* Histograms. */

static const struct part {
	u64 ns;
	int bucket;		/* -1: none */
} parts[] = {
	{ 0, -1 }, { 1, 0 }, { 999, 0 }, { 1000, 1 }, { 1999, 1 }, { 2000, 2 },
	{ 3999, 2 }, { 4000, 3 }, { 1023999, 10 }, { 1024000, 11 },
	{ (1000ULL << 29) - 1, 29 }, { 1000ULL << 29, 30 },
	{ (1000ULL << 30) - 1, 30 }, { 1000ULL << 30, 31 },
	{ 1000ULL << 31, 31 }, { U64_MAX, 31 },
};

static void part_describe(const struct part *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%llu ns", l->ns);
}

KUNIT_ARRAY_PARAM(part, parts, part_describe);

/* All buckets of a kind but one are 0, and that is @count. */
static void hist_holds(struct kunit *test, const u32 *buckets, int nr, u32 count)
{
	int i;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++)
		KUNIT_EXPECT_EQ_MSG(test, buckets[i], i == nr ? count : 0, "bucket %d", i);
}

/* An interval that was blocked all the time, and one that was runnable. */
static void hist_bucket(struct kunit *test)
{
	const struct part *l = test->param_value;
	struct wallprof_aggr key = base_key;
	struct wallprof_hist *hists;
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	hists = t.tables.half[1].hists;
	key.runnable = 0;
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, l->ns, 1));
	key.tid++;
	key.runnable = l->ns;
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, l->ns, 1));
	hist_holds(test, hists[0].blocked, l->bucket, 1);
	hist_holds(test, hists[0].runnable, -1, 1);
	hist_holds(test, hists[1].blocked, -1, 1);
	hist_holds(test, hists[1].runnable, l->bucket, 1);
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Both parts of an interval count, each in its bucket. */
static void hist_parts(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	struct wallprof_hist *hist;
	static struct twin t;
	int i;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	hist = t.tables.half[1].hists;
	key.runnable = 5000;
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, 105000, 1));
	hist_holds(test, hist->blocked, 7, 10);
	hist_holds(test, hist->runnable, 3, 10);
}

/* A count at its maximum stays there. */
static void hist_full(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	struct wallprof_hist *hist;
	static struct twin t;
	int i;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	hist = t.tables.half[1].hists;
	key.runnable = 0;
	KUNIT_EXPECT_TRUE(test, twin_aggr(&t, &key, 1, 1));
	hist->blocked[0] = U32_MAX - 1;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 1, &key, 1, 1));
		twin_hist(&t, &key, 1);
	}
	hist_holds(test, hist->blocked, 0, U32_MAX);
}

/* Tables without histograms do not touch the memory behind them. */
static void hist_none(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	t.sizes.hists = false;
	twin_begin(&t, 1);
	memset(t.tables.half[1].hists, 0xa5, sizeof(struct wallprof_hist));
	KUNIT_EXPECT_TRUE(test, wp_aggr_add(&t.tables, 1, &key, 1000, 1));
	KUNIT_EXPECT_EQ(test, t.tables.half[1].hists[0].blocked[0], 0xa5a5a5a5U);
}

static struct kunit_case table_aggrs_cases[] = {
	KUNIT_CASE(aggr_fields_are_all),
	KUNIT_CASE(aggr_chain),
	KUNIT_CASE(wait_chain),
	KUNIT_CASE_PARAM(aggr_key_fields, field_gen_params),
	KUNIT_CASE_PARAM(aggr_collisions, field_gen_params),
	KUNIT_CASE(aggr_sums),
	KUNIT_CASE(aggr_rest_ignored),
	KUNIT_CASE(aggr_recent),
	KUNIT_CASE_PARAM(aggr_exact_capacity, capacity_gen_params),
	KUNIT_CASE_PARAM(hist_bucket, part_gen_params),
	KUNIT_CASE(hist_parts),
	KUNIT_CASE(hist_full),
	KUNIT_CASE(hist_none),
	{}
};

static struct kunit_suite table_aggrs_suite = {
	.name = "wallprof_table_aggrs",
	.init = suite_init,
	.test_cases = table_aggrs_cases,
};

kunit_test_suite(table_aggrs_suite);
