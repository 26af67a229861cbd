// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tables.c: the layout of a half, watermarks, and growth.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"
#include "tables_model.h"

/* Layout. */

struct layout {
	u32 nr_aggrs, stack_words, nr_exits, watermark;
	u64 page;
	u32 nr_waits;
	bool hists;
};

static const struct layout layouts[] = {
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, WALLPROF_MIN_EXITS, 50, 4096,
	  WALLPROF_MIN_WAITS },
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, 0, 1, 4096 },
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, 0, 100, 65536 },
	{ 17, 257, 17, 1, 4096, 0, true },
	{ 1000, 4097, 33, 99, 65536, 17, true },
	{ (1 << 10) + 1, (1 << 12) - 1, 63, 33, 16384 },
	{ WALLPROF_MAX_AGGRS - 1, WALLPROF_MAX_STACK_WORDS - 1, WALLPROF_MAX_EXITS - 1,
	  99, 4096, WALLPROF_MAX_WAITS - 1 },
	{ WALLPROF_MAX_AGGRS, WALLPROF_MAX_STACK_WORDS, WALLPROF_MAX_EXITS, 100, 65536,
	  WALLPROF_MAX_WAITS, true },
	{ WALLPROF_MAX_AGGRS, WALLPROF_MAX_STACK_WORDS, 0, 50, 4096 },
};

/* Layouts that are small enough to be allocated. */
static const u32 small_layouts[] = { 0, 1, 2, 3, 4, 5 };

static void layout_describe(const struct layout *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE,
		 "%u aggregates%s, %u words, %u exits, %u waits, page %llu", l->nr_aggrs,
		 l->hists ? " with histograms" : "", l->stack_words, l->nr_exits,
		 l->nr_waits, l->page);
}

KUNIT_ARRAY_PARAM(layout, layouts, layout_describe);

static void small_layout_describe(const u32 *row, char *desc)
{
	layout_describe(&layouts[*row], desc);
}

KUNIT_ARRAY_PARAM(small_layout, small_layouts, small_layout_describe);

static struct wp_table_sizes layout_sizes(const struct layout *l)
{
	struct wp_table_sizes sizes;

	memset(&sizes, 0xa5, sizeof(sizes));
	wp_sizes_set(&sizes, l->nr_aggrs, l->stack_words, l->nr_exits, l->nr_waits,
		     l->hists, l->watermark, l->page);
	return sizes;
}

/* Capacities are kept. */
static void layout_capacities(struct kunit *test)
{
	const struct layout *l = test->param_value;
	struct wp_table_sizes sizes = layout_sizes(l);

	KUNIT_EXPECT_EQ(test, sizes.nr_aggrs, l->nr_aggrs);
	KUNIT_EXPECT_EQ(test, sizes.stack_words, l->stack_words);
	KUNIT_EXPECT_EQ(test, sizes.nr_exits, l->nr_exits);
	KUNIT_EXPECT_EQ(test, sizes.nr_waits, l->nr_waits);
	KUNIT_EXPECT_EQ(test, sizes.hists, l->hists);
}

/* Parts follow each other within the stride. */
static void layout_parts_follow(struct kunit *test)
{
	const struct layout *l = test->param_value;
	struct wp_table_sizes s = layout_sizes(l);
	u64 end;

	KUNIT_EXPECT_GE(test, s.aggrs_offset, sizeof(struct wallprof_half));
	end = s.aggrs_offset + s.nr_aggrs * sizeof(struct wallprof_aggr);
	KUNIT_EXPECT_GE(test, s.stacks_offset, end);
	KUNIT_EXPECT_LT(test, s.stacks_offset, end + 64);
	end = s.stacks_offset + s.stack_words * 8ULL;
	KUNIT_EXPECT_GE(test, s.exits_offset, end);
	KUNIT_EXPECT_LT(test, s.exits_offset, end + 64);
	end = s.exits_offset + s.nr_exits * sizeof(struct wallprof_task);
	KUNIT_EXPECT_GE(test, s.waits_offset, end);
	KUNIT_EXPECT_LT(test, s.waits_offset, end + 64);
	end = s.waits_offset + s.nr_waits * sizeof(struct wallprof_wait);
	if (l->hists) {
		KUNIT_EXPECT_GE(test, s.hists_offset, end);
		KUNIT_EXPECT_LT(test, s.hists_offset, end + 64);
		end = s.hists_offset + s.nr_aggrs * sizeof(struct wallprof_hist);
	}
	KUNIT_EXPECT_GE(test, s.half_stride, end);
	KUNIT_EXPECT_LT(test, s.half_stride, end + l->page);
	/* None of these sums wrapped. */
	KUNIT_EXPECT_LT(test, s.half_stride, WALLPROF_MAX_CPU_BYTES);
	/* The indexes are not mapped. */
	KUNIT_EXPECT_EQ(test, s.aggr_index_offset, s.half_stride);
	end = s.aggr_index_offset + (s.aggr_mask + 1ULL) * 8;
	KUNIT_EXPECT_GE(test, s.stack_index_offset, end);
	KUNIT_EXPECT_LT(test, s.stack_index_offset, end + 64);
	end = s.stack_index_offset + (s.stack_mask + 1ULL) * 8;
	KUNIT_EXPECT_GE(test, s.area_bytes, end);
	KUNIT_EXPECT_LT(test, s.area_bytes, end + l->page);
}

/* Parts and halves are aligned. */
static void layout_aligned(struct kunit *test)
{
	const struct layout *l = test->param_value;
	struct wp_table_sizes s = layout_sizes(l);

	KUNIT_EXPECT_EQ(test, s.aggrs_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.stacks_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.exits_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.waits_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.hists_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.half_stride & (l->page - 1), 0);
	KUNIT_EXPECT_EQ(test, s.stack_index_offset & 63, 0);
	KUNIT_EXPECT_EQ(test, s.area_bytes & (l->page - 1), 0);
}

/* The indexes are powers of two and large enough. */
static void layout_index_holds(struct kunit *test)
{
	struct wp_table_sizes s = layout_sizes(test->param_value);
	u64 aggrs = s.aggr_mask + 1ULL, stacks = s.stack_mask + 1ULL;

	KUNIT_EXPECT_TRUE(test, is_power_of_2(aggrs));
	KUNIT_EXPECT_GE(test, aggrs, 2ULL * s.nr_aggrs);
	KUNIT_EXPECT_LT(test, aggrs, 4ULL * s.nr_aggrs);
	KUNIT_EXPECT_TRUE(test, is_power_of_2(stacks));
	KUNIT_EXPECT_GE(test, stacks, s.stack_words / 4ULL);
	KUNIT_EXPECT_LT(test, stacks, s.stack_words / 2);
}

/* Adds one to all words of a half's parts; returns how many. */
static u64 half_touch(const struct wp_half *half)
{
	const struct wp_table_sizes *s = half->sizes;
	u64 *parts[] = { (u64 *)half->head, (u64 *)half->aggrs, half->stacks,
			 (u64 *)half->exits, (u64 *)half->waits, (u64 *)half->hists,
			 half->aggr_index, half->stack_index };
	u64 sizes[] = { sizeof(*half->head) / 8, s->nr_aggrs * sizeof(*half->aggrs) / 8,
			s->stack_words, s->nr_exits * sizeof(*half->exits) / 8,
			s->nr_waits * sizeof(*half->waits) / 8,
			s->hists ? s->nr_aggrs * sizeof(*half->hists) / 8 : 0,
			s->aggr_mask + 1ULL, s->stack_mask + 1ULL };
	u64 k, words = 0;
	int p;

	for (p = 0; p < ARRAY_SIZE(parts); p++) {
		for (k = 0; k < sizes[p]; k++)
			parts[p][k]++;
		words += sizes[p];
	}
	return words;
}

/* Whether a page has a word that is not 0; these are counted off. */
static bool page_used(const u64 *page, u64 bytes, u64 *words)
{
	bool used = false;
	u64 k;

	for (k = 0; k < bytes / 8; k++) {
		used |= page[k];
		*words -= page[k];
	}
	return used;
}

/* No word belongs to two parts, and the pages that have one are those that are said to. */
static void half_judge(struct kunit *test, const struct wp_table_sizes *s, u64 page)
{
	u64 *area = suite_alloc(test, s->area_bytes), words, used = 0, at;
	static struct wp_half half;	/* the stack has no room for it */

	wp_half_set(&half, s, area);
	KUNIT_EXPECT_PTR_EQ(test, half.sizes, s);
	KUNIT_EXPECT_PTR_EQ(test, (u64 *)half.head, area);
	words = half_touch(&half);
	for (at = 0; at < s->area_bytes / 8 && !suite_failed(test); at++)
		KUNIT_EXPECT_LE_MSG(test, area[at], 1, "word %llu", at);
	for (at = 0; at < s->area_bytes && !suite_failed(test); at += page) {
		bool is = page_used(area + at / 8, page, &words);

		KUNIT_EXPECT_EQ_MSG(test, is, wp_sizes_use(s, at, page), "byte %llu", at);
		used += is ? page : 0;
	}
	KUNIT_EXPECT_EQ(test, words, 0);
	KUNIT_EXPECT_EQ(test, wp_sizes_bytes(s, page), used);
	suite_free(test, area);
}

static void layout_disjoint(struct kunit *test)
{
	const u32 *row = test->param_value;
	struct wp_table_sizes s = layout_sizes(&layouts[*row]);

	half_judge(test, &s, layouts[*row].page);
	KUNIT_EXPECT_EQ(test, wp_sizes_bytes(&s, layouts[*row].page), s.area_bytes);
}

/* Tables that can double, twice, have their parts where those that have doubled do. */
static void layout_grows(struct kunit *test)
{
	const u32 *row = test->param_value;
	struct layout l = layouts[*row];
	struct wp_table_sizes sizes[3];
	u64 last = 0;
	int i;

	for (i = 0; i < 3; i++) {
		sizes[i] = layout_sizes(&l);
		l.nr_aggrs *= 2;
		l.stack_words *= 2;
		l.nr_exits *= 2;
		l.nr_waits *= 2;
	}
	for (i = 0; i < 3 && !suite_failed(test); i++) {
		wp_sizes_place(&sizes[i], &sizes[2]);
		KUNIT_EXPECT_EQ(test, sizes[i].area_bytes, sizes[2].area_bytes);
		half_judge(test, &sizes[i], l.page);
		KUNIT_EXPECT_LT(test, last, wp_sizes_bytes(&sizes[i], l.page) + 1);
		last = wp_sizes_bytes(&sizes[i], l.page);
	}
	KUNIT_EXPECT_EQ(test, last, sizes[2].area_bytes);
}

/* How often a half has to double. */

static const struct want {
	const char *name;
	u32 aggrs, words, stacks, exits, waits;		/* in use */
	u32 no_aggr, no_stack, no_exit, no_wait;	/* found no room */
	unsigned int wants;
} wants[] = {
	{ "nothing", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "all below their watermarks", 49, 499, 20, 29, 39, 0, 0, 0, 0, 0 },
	{ "full, but nothing was lost", 100, 1000, 50, 60, 80, 0, 0, 0, 0, 1 },
	{ "aggregates at their watermark", 50, 1, 0, 0, 0, 0, 0, 0, 0, 1 },
	{ "stacks at their watermark", 0, 500, 20, 0, 0, 0, 0, 0, 0, 1 },
	{ "ended threads at their watermark", 0, 1, 0, 30, 0, 0, 0, 0, 0, 1 },
	{ "single intervals at their watermark", 0, 1, 0, 0, 40, 0, 0, 0, 0, 1 },
	{ "one aggregate", 100, 1, 0, 0, 0, 1, 0, 0, 0, 1 },
	{ "as many again", 100, 1, 0, 0, 0, 100, 0, 0, 0, 1 },
	{ "more than as many", 100, 1, 0, 0, 0, 101, 0, 0, 0, 2 },
	{ "far more", 100, 1, 0, 0, 0, 1000000, 0, 0, 0, 2 },
	{ "a search gave up", 3, 1, 0, 0, 0, 1, 0, 0, 0, 1 },
	{ "one stack", 0, 1000, 50, 0, 0, 0, 1, 0, 0, 1 },
	{ "as many stacks", 0, 1000, 50, 0, 0, 0, 50, 0, 0, 1 },
	{ "more stacks", 0, 1000, 50, 0, 0, 0, 51, 0, 0, 2 },
	{ "the first stack", 0, 1, 0, 0, 0, 0, 1, 0, 0, 1 },
	{ "an ended thread", 0, 1, 0, 60, 0, 0, 0, 1, 0, 1 },
	{ "many of them", 0, 1, 0, 60, 0, 0, 0, 61, 0, 2 },
	{ "a single interval", 0, 1, 0, 0, 80, 0, 0, 0, 1, 1 },
	{ "many of those", 0, 1, 0, 0, 80, 0, 0, 0, 81, 2 },
	{ "the largest", 100, 1000, 50, 60, 80, 1, 51, 1, 1, 2 },
};

static void want_describe(const struct want *w, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", w->name);
}

KUNIT_ARRAY_PARAM(want, wants, want_describe);

static void half_wants(struct kunit *test)
{
	const struct want *w = test->param_value;
	struct wallprof_half head = {
		.nr_aggrs = w->aggrs, .stack_words = w->words, .nr_stacks = w->stacks,
		.nr_exits = w->exits, .nr_waits = w->waits,
		.lost[WALLPROF_LOSS_AGGR_FULL].count = w->no_aggr,
		.lost[WALLPROF_LOSS_STACK_FULL].count = w->no_stack,
		.lost[WALLPROF_LOSS_EXIT_FULL].count = w->no_exit,
		.waits_full.count = w->no_wait,
	};
	struct wp_table_sizes s;
	static struct wp_half half;

	half.head = &head;
	half.sizes = &s;
	wp_sizes_set(&s, 100, 1000, 60, 80, false, 50, 4096);
	KUNIT_EXPECT_EQ(test, wp_half_wants(&half), w->wants);
}

/* Watermarks. */

static const struct mark {
	u32 capacity, percent, mark;
} marks[] = {
	{ 16, 50, 8 }, { 16, 100, 16 }, { 16, 1, 1 }, { 99, 1, 1 }, { 100, 1, 1 },
	{ 200, 1, 2 }, { 1000, 33, 330 }, { 17, 50, 8 }, { 1 << 20, 100, 1 << 20 },
	{ 1 << 20, 99, 1038090 }, { 1 << 20, 1, 10485 },
};

static void mark_describe(const struct mark *m, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u percent of %u", m->percent, m->capacity);
}

KUNIT_ARRAY_PARAM(mark, marks, mark_describe);

/* A watermark is a percentage of the capacity, at least 1. */
static void watermark_of_capacity(struct kunit *test)
{
	const struct mark *m = test->param_value;
	struct wp_table_sizes s;

	wp_sizes_set(&s, m->capacity, 256, 16, 16, false, m->percent, 4096);
	KUNIT_EXPECT_EQ(test, s.aggr_watermark, m->mark);
	wp_sizes_set(&s, 16, 256, m->capacity, 16, false, m->percent, 4096);
	KUNIT_EXPECT_EQ(test, s.exit_watermark, m->mark);
	wp_sizes_set(&s, 16, 256, 16, m->capacity, false, m->percent, 4096);
	KUNIT_EXPECT_EQ(test, s.wait_watermark, m->mark);
	if (m->capacity < 256)
		return;
	wp_sizes_set(&s, 16, m->capacity, 16, 16, false, m->percent, 4096);
	KUNIT_EXPECT_EQ(test, s.stack_watermark, m->mark);
}

/* A table without capacity has a watermark that is out of reach. */
static void watermark_of_nothing(struct kunit *test)
{
	struct wp_table_sizes s;

	wp_sizes_set(&s, 16, 256, 0, 0, false, 1, 4096);
	KUNIT_EXPECT_EQ(test, s.exit_watermark, U32_MAX);
	KUNIT_EXPECT_EQ(test, s.wait_watermark, U32_MAX);
}

/* Each table crosses its watermark at its value. */
static void watermark_crossed(struct kunit *test)
{
	struct wallprof_half head = { .stack_words = 1 };
	struct wp_table_sizes s;
	static struct wp_half half;
	u32 *counts[] = { &head.nr_aggrs, &head.stack_words, &head.nr_exits,
			  &head.nr_waits };
	const u32 crossed[] = { 50, 500, 30, 40 };
	int i;

	half.head = &head;
	half.sizes = &s;
	wp_sizes_set(&s, 100, 1000, 60, 80, false, 50, 4096);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		u32 mark = crossed[i], was = *counts[i];

		KUNIT_EXPECT_FALSE_MSG(test, wp_half_above_watermark(&half), "%d", i);
		*counts[i] = mark - 1;
		KUNIT_EXPECT_FALSE_MSG(test, wp_half_above_watermark(&half), "%d", i);
		*counts[i] = mark;
		KUNIT_EXPECT_TRUE_MSG(test, wp_half_above_watermark(&half), "%d", i);
		*counts[i] = mark + 1;
		KUNIT_EXPECT_TRUE_MSG(test, wp_half_above_watermark(&half), "%d", i);
		*counts[i] = was;
	}
}

/* A table without exits is never full of them, though none fits. */
static void watermark_no_exits(struct kunit *test)
{
	struct wallprof_task task = {};
	static struct twin t;

	twin_init(test, &t, 16, 256, 0, 50, 0, 0);
	twin_begin(&t, 1);
	twin_exit(&t, &task);
	KUNIT_EXPECT_FALSE(test, wp_half_above_watermark(wp_half_of(&t.tables, 1)));
}

static struct kunit_case table_sizes_cases[] = {
	KUNIT_CASE_PARAM(layout_capacities, layout_gen_params),
	KUNIT_CASE_PARAM(layout_parts_follow, layout_gen_params),
	KUNIT_CASE_PARAM(layout_aligned, layout_gen_params),
	KUNIT_CASE_PARAM(layout_index_holds, layout_gen_params),
	KUNIT_CASE_PARAM(layout_disjoint, small_layout_gen_params),
	KUNIT_CASE_PARAM(layout_grows, small_layout_gen_params),
	KUNIT_CASE_PARAM(half_wants, want_gen_params),
	KUNIT_CASE_PARAM(watermark_of_capacity, mark_gen_params),
	KUNIT_CASE(watermark_of_nothing),
	KUNIT_CASE(watermark_crossed),
	KUNIT_CASE(watermark_no_exits),
	{}
};

static struct kunit_suite table_sizes_suite = {
	.name = "wallprof_table_sizes",
	.init = suite_init,
	.test_cases = table_sizes_cases,
};

kunit_test_suite(table_sizes_suite);
