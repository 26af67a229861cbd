// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tables.c: the layout of a half, stacks, aggregates, ended threads,
 * epochs and losses when a table is full.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"
#include "tables_model.h"

/* A stack that a case assembles; too large for a kernel stack. */
static u64 ips[WALLPROF_MAX_STACK];

static int tables_init(struct kunit *test)
{
	memset(ips, 0, sizeof(ips));
	return suite_init(test);
}

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
	KUNIT_EXPECT_EQ(test, wp_sizes_index_words(&s), 2 * (aggrs + stacks));
}

/* Adds one to all words of a half's parts; returns how many are mapped. */
static u64 half_touch(const struct wp_half *half, const struct wp_table_sizes *s)
{
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
		words += p < 6 ? sizes[p] : 0;
	}
	return words;
}

/* No word belongs to two parts. */
static void layout_disjoint(struct kunit *test)
{
	const u32 *row = test->param_value;
	struct wp_table_sizes s = layout_sizes(&layouts[*row]);
	u64 nr_index = wp_sizes_index_words(&s), nr_mapped = 2 * s.half_stride / 8;
	u64 *index, *mapped, words = 0, k;
	struct wp_tables tables;
	int h;

	index = suite_alloc(test, nr_index * 8);
	mapped = suite_alloc(test, nr_mapped * 8);
	wp_tables_set(&tables, &s, 7, 1, mapped, index);
	KUNIT_EXPECT_PTR_EQ(test, tables.sizes, (const struct wp_table_sizes *)&s);
	KUNIT_EXPECT_EQ(test, tables.cpu, 7);
	KUNIT_EXPECT_EQ(test, tables.context, 1);
	for (h = 0; h < 2; h++) {
		KUNIT_EXPECT_PTR_EQ(test, (char *)tables.half[h].head,
				    (char *)mapped + h * s.half_stride);
		words += half_touch(&tables.half[h], &s);
	}
	for (k = 0; k < nr_index && !suite_failed(test); k++)
		KUNIT_EXPECT_EQ_MSG(test, index[k], 1, "word %llu", k);
	for (k = 0; k < nr_mapped && !suite_failed(test); k++) {
		KUNIT_EXPECT_LE_MSG(test, mapped[k], 1, "word %llu", k);
		words -= mapped[k];
	}
	KUNIT_EXPECT_EQ(test, words, 0);
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
	struct wp_half half = { .head = &head };
	u32 *counts[] = { &head.nr_aggrs, &head.stack_words, &head.nr_exits,
			  &head.nr_waits };
	const u32 crossed[] = { 50, 500, 30, 40 };
	struct wp_table_sizes s;
	int i;

	wp_sizes_set(&s, 100, 1000, 60, 80, false, 50, 4096);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		u32 mark = crossed[i], was = *counts[i];

		KUNIT_EXPECT_FALSE_MSG(test, wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark - 1;
		KUNIT_EXPECT_FALSE_MSG(test, wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark;
		KUNIT_EXPECT_TRUE_MSG(test, wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark + 1;
		KUNIT_EXPECT_TRUE_MSG(test, wp_half_above_watermark(&half, &s), "%d", i);
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
	KUNIT_EXPECT_FALSE(test, wp_half_above_watermark(wp_half_of(&t.tables, 1),
							 &t.sizes));
}

/* Stacks. */

static const unsigned int lengths[] = { 0, 1, 2, 3, 126, 127 };

static void length_describe(const unsigned int *length, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u frames", *length);
}

KUNIT_ARRAY_PARAM(length, lengths, length_describe);

/* The same stack has the same id. */
static void stack_same_same_id(struct kunit *test)
{
	const unsigned int *nr = test->param_value;
	u64 id, again, other;
	static struct twin t;

	twin_init(test, &t, 16, 4096, 16, 50, 3, 0);
	twin_begin(&t, 1);
	ips[0] = 1;
	ips[1] = 2;
	ips[126] = 4;
	KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, *nr, 2, 1, &id));
	KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, 7, 2, 1, &other));
	KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, *nr, 2, 1, &again));
	KUNIT_EXPECT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, id, again);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->nr_stacks, 2);
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

static const struct different {
	u64 ips[4];
	u16 nr;
	u8 unwind, flags;
} differents[] = {
	{ { 10, 20, 30, 40 }, 3, 0, 0 }, { { 11, 20, 30 }, 3, 0, 0 },
	{ { 10, 21, 30 }, 3, 0, 0 },	 { { 10, 20, 31 }, 3, 0, 0 },
	{ { 20, 10, 30 }, 3, 0, 0 },	 { { 10, 30, 20 }, 3, 0, 0 },
	{ { 10, 20, 30, 40 }, 4, 0, 0 }, { { 10, 20 }, 2, 0, 0 },
	{ { 10, 20, 30, 0 }, 4, 0, 0 },	 { { 20, 30 }, 2, 0, 0 },
	{ { 10, 20, 30 }, 3, 1, 0 },	 { { 10, 20, 30 }, 3, 6, 0 },
	{ { 10, 20, 30 }, 3, 0, 1 },	 { { 10, 20, 30 }, 3, 1, 1 },
	{ { 10, 20, 30ULL | 1ULL << 63 }, 3, 0, 0 },
	{ { 10 | 1ULL << 32, 20, 30 }, 3, 0, 0 },
	{ { 0 }, 0, 0, 0 }, { { 0 }, 0, 1, 0 }, { { 0 }, 0, 0, 1 }, { { 0 }, 1, 0, 0 },
};

/* Another word, length, unwind or flag is another id. */
static void stack_differs(struct kunit *test)
{
	u64 ids[ARRAY_SIZE(differents)], id;
	static struct twin t;
	int i, k;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 2);
	for (i = 0; i < ARRAY_SIZE(differents); i++) {
		const struct different *d = &differents[i];

		KUNIT_EXPECT_TRUE(test, twin_intern(&t, d->ips, d->nr, d->unwind,
						    d->flags, &ids[i]));
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE_MSG(test, ids[i], ids[k], "rows %d and %d", i, k);
	}
	for (i = 0; i < ARRAY_SIZE(differents); i++) {
		const struct different *d = &differents[i];

		twin_intern(&t, d->ips, d->nr, d->unwind, d->flags, &id);
		KUNIT_EXPECT_EQ_MSG(test, id, ids[i], "row %d", i);
	}
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/*
 * What an index word holds of a stack or aggregate that is alone in a table of the least
 * size: its slot and the bits of its hash. Two with the same are distinguished by
 * comparison only.
 */
#define PLACES BIT(21)

static u32 place_of(const u64 *index, u32 mask, u32 epoch)
{
	u32 slot;

	for (slot = 0; slot < mask; slot++) {
		if (index[slot] >> 36 == epoch)
			break;
	}
	return (u32)(index[slot] >> 21 & 0x7fff) * (mask + 1) + slot;
}

static u32 place_stack(struct twin *t, unsigned int nr, u8 unwind, u8 flags)
{
	u32 epoch = t->epoch += 2;

	wp_half_begin(&t->tables, epoch);
	wp_stack_intern(&t->tables, epoch, ips, nr, unwind, flags);
	return place_of(wp_half_of(&t->tables, epoch)->stack_index,
			t->sizes.stack_mask, epoch);
}

static u32 place_aggr(struct twin *t, const struct wallprof_aggr *key)
{
	u32 epoch = t->epoch += 2;

	wp_half_begin(&t->tables, epoch);
	wp_aggr_add(&t->tables, epoch, key, 1, 1);
	return place_of(wp_half_of(&t->tables, epoch)->aggr_index,
			t->sizes.aggr_mask, epoch);
}

/* Which of a family of things was seen at a place: 0 or its number. */
struct places {
	u32 *member, *family;
};

static void places_init(struct kunit *test, struct places *places)
{
	places->member = suite_alloc(test, PLACES * sizeof(u32));
	places->family = suite_alloc(test, PLACES * sizeof(u32));
}

/* The earlier member of a family at a place, or -1; takes the place. */
static int places_take(struct places *p, u32 place, u32 family, u32 member)
{
	int earlier = p->family[place] == family ? (int)p->member[place] : -1;

	p->family[place] = family;
	p->member[place] = member;
	return earlier;
}

enum { BY_WORD, BY_FIRST_WORD, BY_LENGTH, BY_UNWIND, BY_FLAGS };

static const struct family {
	const char *differs;
	int by;
	u32 members;
} families[] = {
	{ "the last word", BY_WORD, 1 << 14 },
	{ "the first word", BY_FIRST_WORD, 1 << 14 },
	{ "the length", BY_LENGTH, WALLPROF_MAX_STACK },
	{ "why the walk ended", BY_UNWIND, 256 },
	{ "the flags", BY_FLAGS, 256 },
};

static void family_describe(const struct family *f, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "by %s", f->differs);
}

KUNIT_ARRAY_PARAM(family, families, family_describe);

/* Member @m of a family, in ips: they differ in one thing only. */
static unsigned int family_stack(int by, u64 root, u32 m, u8 *unwind, u8 *flags)
{
	unsigned int k;

	for (k = 0; k < WALLPROF_MAX_STACK; k++)
		ips[k] = root * (2 * k + 3);
	*unwind = by == BY_UNWIND ? m : 0;
	*flags = by == BY_FLAGS ? m : 0;
	/* Not m itself: the hash keeps neighbours apart. */
	if (by == BY_WORD)
		ips[2] = (root ^ (u64)m << 20) * (m | 1);
	if (by == BY_FIRST_WORD)
		ips[0] = (root ^ (u64)m << 20) * (m | 1);
	return by == BY_LENGTH ? m % WALLPROF_MAX_STACK + 1 : 3;
}

/* Members @a and @b are at one place: each has an id of its own. */
static void family_collide(struct kunit *test, struct twin *t, int by, u64 root,
			   u32 a, u32 b)
{
	u64 id, other, again;
	unsigned int nr;
	u8 unwind, flags;

	twin_begin(t, t->epoch + 2);
	/* The longer one first: its words begin as the other's. */
	nr = family_stack(by, root, a, &unwind, &flags);
	KUNIT_EXPECT_TRUE(test, twin_intern(t, ips, nr, unwind, flags, &id));
	nr = family_stack(by, root, b, &unwind, &flags);
	KUNIT_EXPECT_TRUE(test, twin_intern(t, ips, nr, unwind, flags, &other));
	KUNIT_EXPECT_NE(test, id, 0);
	KUNIT_EXPECT_NE(test, other, 0);
	KUNIT_EXPECT_NE_MSG(test, id, other, "taken for the same");
	KUNIT_EXPECT_TRUE(test, twin_intern(t, ips, nr, unwind, flags, &again));
	KUNIT_EXPECT_EQ(test, again, other);
	nr = family_stack(by, root, a, &unwind, &flags);
	KUNIT_EXPECT_TRUE(test, twin_intern(t, ips, nr, unwind, flags, &again));
	KUNIT_EXPECT_EQ(test, again, id);
	KUNIT_EXPECT_TRUE(test, twin_half_agrees(t, t->epoch % 2));
}

/* Stacks that the index cannot tell apart are compared in full. */
static void stack_collisions(struct kunit *test)
{
	const struct family *f = test->param_value;
	u32 family, m, found = 0, wanted = 3;
	struct places places;
	unsigned int nr;
	static struct twin t;
	u8 unwind, flags;
	int earlier;

	places_init(test, &places);
	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	for (family = 1; found < wanted && family < 2000; family++) {
		u64 root = suite_random();

		for (m = 0; m < f->members && found < wanted; m++) {
			nr = family_stack(f->by, root, m, &unwind, &flags);
			earlier = places_take(&places, place_stack(&t, nr, unwind, flags),
					      family, m);
			if (earlier < 0)
				continue;
			found++;
			family_collide(test, &t, f->by, root, m, earlier);
		}
		cond_resched();
	}
	KUNIT_EXPECT_EQ_MSG(test, found, wanted, "no such stacks collide");
}

/* Stacks of @nr frames; then one of @last frames, which fits or not. */
static const struct room {
	u32 words, stacks, nr, last;
	bool fits;
} rooms[] = {
	{ 256, 51, 4, 0, false }, { 256, 50, 4, 4, true }, { 256, 50, 4, 5, false },
	{ 256, 1, 127, 126, true }, { 256, 1, 127, 127, false },
	{ 256, 50, 4, 127, false }, { 257, 2, 127, 0, false }, { 258, 2, 127, 0, true },
	{ 258, 2, 127, 1, false }, { 259, 2, 127, 1, true },
	{ 4096, 31, 127, 126, true }, { 4096, 31, 127, 127, false },
};

static void room_describe(const struct room *r, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u words, %u stacks of %u frames, one of %u",
		 r->words, r->stacks, r->nr, r->last);
}

KUNIT_ARRAY_PARAM(room, rooms, room_describe);

/* The last word of a table is used, none behind it. */
static void stack_exact_capacity(struct kunit *test)
{
	const struct room *r = test->param_value;
	u64 ids[64], id;
	static struct twin t;
	u32 k;

	twin_init(test, &t, 16, r->words, 16, 50, 0, 0);
	twin_begin(&t, 1);
	for (k = 0; k < r->stacks; k++) {
		ips[0] = k;
		KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, r->nr, 0, 0, &ids[k]));
		KUNIT_EXPECT_NE_MSG(test, ids[k], 0, "stack %u", k);
	}
	ips[0] = ~0ULL;
	KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, r->last, 0, 0, &id));
	KUNIT_EXPECT_EQ(test, !!id, r->fits);
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->lost[WALLPROF_LOSS_STACK_FULL].count,
			!r->fits);
	/* Stacks that are there are found as before. */
	for (k = 0; k < r->stacks; k++) {
		ips[0] = k;
		KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, r->nr, 0, 0, &id));
		KUNIT_EXPECT_EQ(test, id, ids[k]);
	}
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Each stack that finds no room is counted, and a shorter one still finds room. */
static void stack_full_counted(struct kunit *test)
{
	struct wallprof_lost *lost;
	static struct twin t;
	u64 id;
	u32 k;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	lost = &t.tables.half[1].head->lost[WALLPROF_LOSS_STACK_FULL];
	for (k = 0; k < 10; k++) {
		ips[0] = k;
		twin_intern(&t, ips, 127, 0, 0, &id);
		KUNIT_EXPECT_EQ(test, lost->count, k < 1 ? 0 : k);
		KUNIT_EXPECT_EQ(test, lost->ns, 0);
	}
	KUNIT_EXPECT_TRUE(test, twin_intern(&t, ips, 1, 0, 0, &id));
	KUNIT_EXPECT_NE(test, id, 0);
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/*
 * Many short stacks use up the index before the words: to its last slot,
 * however far from where a stack belongs that may be.
 */
static void stack_index_exact(struct kunit *test)
{
	struct wallprof_lost *lost;
	static struct twin t;
	u64 ip, id;
	u32 epoch;

	twin_init(test, &t, 16, 256, 16, 50, 0, 0);
	for (epoch = 1; epoch < SUITE_ROUNDS(600) && !suite_failed(test); epoch++) {
		u64 first = suite_random();
		int pass;

		twin_begin(&t, epoch);
		for (pass = 0; pass < 2; pass++) {
			for (ip = first; ip != first + 64; ip++) {
				KUNIT_EXPECT_TRUE(test, twin_intern(&t, &ip, 1, 0, 0, &id));
				KUNIT_EXPECT_NE_MSG(test, id, 0, "stack %llu, epoch %u",
						    ip - first, epoch);
			}
			/* One more fits neither at first nor later. */
			KUNIT_EXPECT_TRUE(test, twin_intern(&t, &ip, 1, 0, 0, &id));
			KUNIT_EXPECT_EQ(test, id, 0);
		}
		lost = &wp_half_of(&t.tables, epoch)->head->lost[WALLPROF_LOSS_STACK_FULL];
		KUNIT_EXPECT_EQ(test, lost->count, 2);
		KUNIT_EXPECT_TRUE_MSG(test, twin_agrees(&t), "epoch %u", epoch);
		cond_resched();
	}
}

/* Random stacks, most of seven frames and more, fill a table to its last word. */
static void stack_large_fills(struct kunit *test)
{
	u32 words = 1 << 15, room = words - 1, k, nr;
	static struct twin t;
	u64 id;
	int i;

	twin_init(test, &t, 16, words, 16, 50, 0, 0);
	wp_half_begin(&t.tables, 1);
	while (room && !suite_failed(test)) {
		nr = 7 + suite_below(40);
		if (nr + 1 > room || room - (nr + 1) < 8)
			nr = room - 1 < 127 ? room - 1 : 20;
		for (k = 0; k < nr; k++)
			ips[k] = suite_random();
		id = wp_stack_intern(&t.tables, 1, ips, nr, 0, 0);
		room -= nr + 1;
		KUNIT_EXPECT_NE_MSG(test, id, 0, "%u words left", room);
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ(test, wp_stack_intern(&t.tables, 1, ips, nr, 0, 0),
					id);
	}
	KUNIT_EXPECT_EQ(test, t.tables.half[1].head->stack_words, words);
}

static const struct writer {
	u32 cpu, context;
} writers[] = {
	{ 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 255, 0 }, { 255, 1 },
	{ (1 << WALLPROF_STACK_CPU_BITS) - 1, 0 },
	{ (1 << WALLPROF_STACK_CPU_BITS) - 1, 1 },
};

static void writer_describe(const struct writer *w, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "CPU %u, context %u", w->cpu, w->context);
}

KUNIT_ARRAY_PARAM(writer, writers, writer_describe);

/* The parts of the id of a stack of three frames at @at are right. */
static void id_decodes(struct kunit *test, struct twin *t, u32 at)
{
	struct wallprof_stack *stack;
	u64 id;

	ips[0] = 0x1000;
	ips[1] = 0x2000;
	ips[2] = at;
	KUNIT_EXPECT_TRUE(test, twin_intern(t, ips, 3, 5, 1, &id));
	KUNIT_EXPECT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_EPOCH(id), t->epoch);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_CPU(id), t->tables.cpu);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_CONTEXT(id), t->tables.context);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_INDEX(id), at);
	stack = (struct wallprof_stack *)&wp_half_of(&t->tables, t->epoch)->stacks[at];
	KUNIT_EXPECT_EQ(test, stack->nr, 3);
	KUNIT_EXPECT_EQ(test, stack->unwind, 5);
	KUNIT_EXPECT_EQ(test, stack->flags, 1);
	KUNIT_EXPECT_EQ(test, stack->reserved, 0);
	KUNIT_EXPECT_EQ(test, memcmp(stack->ips, ips, 3 * sizeof(ips[0])), 0);
}

/* Ids decode by the macros of the interface, at all limits. */
static void stack_id_decodes(struct kunit *test)
{
	static const u32 epochs[] = { 1, 2, 3, WP_EPOCH_MAX - 1, WP_EPOCH_MAX };
	const struct writer *w = test->param_value;
	static struct twin t;
	u32 e, at;

	twin_init(test, &t, 16, 256, 16, 50, w->cpu, w->context);
	for (e = 0; e < ARRAY_SIZE(epochs); e++) {
		KUNIT_EXPECT_TRUE(test, twin_begin(&t, epochs[e]));
		for (at = 1; at <= 9; at += 4)
			id_decodes(test, &t, at);
	}
}

/* The last word of the largest table has an index that an id can name. */
static void stack_id_of_last_word(struct kunit *test)
{
	u32 words = WALLPROF_MAX_STACK_WORDS, at = 1;
	static struct twin t;
	u64 id = 0;

	twin_init(test, &t, 16, words, 16, 50, 16383, 1);
	wp_half_begin(&t.tables, WP_EPOCH_MAX);
	while (at < words && !suite_failed(test)) {
		u32 left = words - at;
		u32 nr = left > 128 ? 127 : left > 1 ? left - 2 : 0;

		ips[0] = at;
		id = wp_stack_intern(&t.tables, WP_EPOCH_MAX, ips, nr, left == 1, 0);
		KUNIT_EXPECT_EQ(test, WALLPROF_STACK_INDEX(id), at);
		at += nr + 1;
	}
	KUNIT_EXPECT_EQ(test, at, words);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_INDEX(id), words - 1);
	KUNIT_EXPECT_EQ(test, WALLPROF_STACK_EPOCH(id), WP_EPOCH_MAX);
	KUNIT_EXPECT_EQ(test, wp_stack_intern(&t.tables, WP_EPOCH_MAX, ips, 127, 0, 0),
			0);
}

/* Aggregates. */

static const struct wallprof_aggr base_key = {
	.tid = 11, .tgid = 10, .start_time = 1000, .exec_id = 5,
	.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
	.flags = 0, .user_stack = 0x1000000001, .kernel_stack = 0x1000000005,
	.waker_tid = 12, .syscall = 202, .reason = WALLPROF_REASON_SYSCALL,
	.waker = WALLPROF_WAKER_TASK, .arg = 0x7fff00001000,
	.waker_stack = 0x1000000007,
};

/* The fields of the key: how wide, and how many to try until two collide. */
static const struct field {
	const char *name;
	unsigned int offset, bits;
	u32 members;
} fields[] = {
	{ "tid", offsetof(struct wallprof_aggr, tid), 32, 8192 },
	{ "tgid", offsetof(struct wallprof_aggr, tgid), 32, 8192 },
	{ "start_time", offsetof(struct wallprof_aggr, start_time), 64, 8192 },
	{ "exec_id", offsetof(struct wallprof_aggr, exec_id), 32, 8192 },
	{ "kind", offsetof(struct wallprof_aggr, kind), 8, 256 },
	{ "state", offsetof(struct wallprof_aggr, state), 8, 256 },
	{ "flags", offsetof(struct wallprof_aggr, flags), 16, 8192 },
	{ "user_stack", offsetof(struct wallprof_aggr, user_stack), 64, 8192 },
	{ "kernel_stack", offsetof(struct wallprof_aggr, kernel_stack), 64, 8192 },
	{ "waker_tid", offsetof(struct wallprof_aggr, waker_tid), 32, 8192 },
	{ "syscall", offsetof(struct wallprof_aggr, syscall), 16, 8192 },
	{ "reason", offsetof(struct wallprof_aggr, reason), 8, 256 },
	{ "waker", offsetof(struct wallprof_aggr, waker), 8, 256 },
	{ "arg", offsetof(struct wallprof_aggr, arg), 64, 8192 },
	{ "waker_stack", offsetof(struct wallprof_aggr, waker_stack), 64, 8192 },
};

static void field_describe(const struct field *f, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", f->name);
}

KUNIT_ARRAY_PARAM(field, fields, field_describe);

static void field_flip(struct wallprof_aggr *key, const struct field *f, u64 bits)
{
	void *at = (char *)key + f->offset;

	switch (f->bits) {
	case 8:
		*(u8 *)at ^= bits;
		break;
	case 16:
		*(u16 *)at ^= bits;
		break;
	case 32:
		*(u32 *)at ^= bits;
		break;
	default:
		*(u64 *)at ^= bits;
	}
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

/* Two keys that the index cannot tell apart are compared in every field. */
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
		wp_hist_add(&t.tables, 1, &key, 1);
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

/* Ended threads. */

static const u32 exit_capacities[] = { 0, 1, 16, 100 };

KUNIT_ARRAY_PARAM(exit_capacity, exit_capacities, capacity_describe);

/* Exactly as many as the capacity, the rest counted by spill_ns. */
static void exit_exact_capacity(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, k, b;
	struct wallprof_task task;
	struct wallprof_half *head;
	static struct twin t;

	twin_init(test, &t, 16, 256, n, 100, 0, 0);
	twin_begin(&t, 1);
	head = t.tables.half[1].head;
	for (k = 0; k < n + 3; k++) {
		for (b = 0; b < sizeof(task); b++)
			((u8 *)&task)[b] = k * 7 + b;
		task.spill_ns = 1000 + k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_exit(&t, &task), "%u of %u", k, n);
	}
	KUNIT_EXPECT_EQ(test, head->nr_exits, n);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_EXIT_FULL].count, 3);
	KUNIT_EXPECT_EQ(test, head->lost[WALLPROF_LOSS_EXIT_FULL].ns, 3 * (1001 + n));
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Single intervals. */

/* Exactly as many as the capacity; the rest is counted, and added to nothing. */
static void wait_exact_capacity(struct kunit *test)
{
	u32 n = *(const u32 *)test->param_value, k, b;
	struct wallprof_half *head;
	struct wallprof_aggr key;
	static struct twin t;

	twin_init(test, &t, 16, 256, n, 100, 0, 0);
	twin_begin(&t, 1);
	head = t.tables.half[1].head;
	for (k = 0; k < n + 3; k++) {
		/* Each field of the key has bytes that no other one has. */
		for (b = 0; b < sizeof(key); b++)
			((u8 *)&key)[b] = k * 7 + b;
		key.runnable = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_wait(&t, &key, 1000 + k, 5000 + 2 * k),
				      "%u of %u", k, n);
	}
	KUNIT_EXPECT_EQ(test, head->nr_waits, n);
	KUNIT_EXPECT_EQ(test, head->events, n);
	KUNIT_EXPECT_EQ(test, head->nr_aggrs, 0);
	KUNIT_EXPECT_EQ(test, head->waits_full.count, 3);
	KUNIT_EXPECT_EQ(test, head->waits_full.ns, 3 * (1001 + n));
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
}

/* Losses and epochs. */

/* Losses are counted by reason; NO_TASK counts differences modulo 2^64. */
static void lose_by_reason(struct kunit *test)
{
	struct wallprof_half head = {};
	struct wp_half half = { .head = &head };
	int why;

	for (why = 0; why < WALLPROF_LOSS_MAX; why++) {
		wp_half_lose(&half, why, 10 + why);
		wp_half_lose(&half, why, 100);
	}
	wp_half_lose(&half, WALLPROF_LOSS_NO_TASK, -200ULL);
	for (why = 0; why < WALLPROF_LOSS_MAX; why++) {
		bool more = why == WALLPROF_LOSS_NO_TASK;

		KUNIT_EXPECT_EQ(test, head.lost[why].count, more ? 3 : 2);
		KUNIT_EXPECT_EQ(test, head.lost[why].ns, 110ULL + why - (more ? 200 : 0));
	}
}

/* A half begins with an empty head; the other half stays. */
static void begin_resets_head(struct kunit *test)
{
	struct wallprof_half empty = { .epoch = 44, .cpu = 9, .stack_words = 1 };
	struct wallprof_half *heads[2], other;
	static struct twin t;

	twin_init(test, &t, 16, 256, 16, 50, 9, 1);
	heads[0] = t.tables.half[0].head;
	heads[1] = t.tables.half[1].head;
	memset(heads[0], 0xff, sizeof(other));
	memset(heads[1], 0xee, sizeof(other));
	other = *heads[1];
	wp_half_begin(&t.tables, 44);
	KUNIT_EXPECT_EQ(test, memcmp(heads[0], &empty, sizeof(empty)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(heads[1], &other, sizeof(other)), 0);
}

/* The same entries go into @epoch as into those before, and all are new. */
static void epoch_again(struct kunit *test, struct twin *t, u32 epoch)
{
	struct wallprof_half *head = wp_half_of(&t->tables, epoch)->head;
	struct wallprof_aggr key = base_key;
	u64 id;
	u32 k;

	KUNIT_EXPECT_TRUE(test, twin_begin(t, epoch));
	for (k = 0; k < 16; k++) {
		ips[3] = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_intern(t, ips, 4, 0, 0, &id), "epoch %u",
				      epoch);
		KUNIT_EXPECT_EQ(test, WALLPROF_STACK_EPOCH(id), epoch);
		KUNIT_EXPECT_EQ(test, head->nr_stacks, k + 1);
		key.tid = k;
		KUNIT_EXPECT_TRUE_MSG(test, twin_aggr(t, &key, k, epoch), "epoch %u",
				      epoch);
		KUNIT_EXPECT_EQ(test, head->nr_aggrs, k + 1);
	}
	KUNIT_EXPECT_TRUE_MSG(test, twin_agrees(t), "epoch %u", epoch);
}

/* A half sees nothing of its earlier epochs. */
static void epoch_reuse(struct kunit *test)
{
	static struct twin t;
	u32 epoch;

	twin_init(test, &t, 16, 256, 16, 50, 1, 0);
	for (epoch = 1; epoch <= SUITE_ROUNDS(3000) && !suite_failed(test); epoch++) {
		epoch_again(test, &t, epoch);
		cond_resched();
	}
}

/* The first epoch and the last one work, and the jumps between. */
static void epoch_limits(struct kunit *test)
{
	static const u32 epochs[] = {
		1, 2, 3, 1 << 15, (1 << 15) + 1, 1 << 27, (1 << 27) + 1,
		(1 << 27) + 2, WP_EPOCH_MAX - 1, WP_EPOCH_MAX,
	};
	static struct twin t;
	int i;

	KUNIT_EXPECT_EQ(test, WP_EPOCH_MAX, (1U << 28) - 1);
	twin_init(test, &t, 16, 256, 16, 50, 1, 0);
	for (i = 0; i < ARRAY_SIZE(epochs); i++)
		epoch_again(test, &t, epochs[i]);
}

/* Every bit of an epoch distinguishes it: 1 and 1 + 2^bit, in one half. */
static void epoch_every_bit(struct kunit *test)
{
	u32 bit;

	for (bit = 1; bit < 28 && !suite_failed(test); bit++) {
		static struct twin t;

		twin_init(test, &t, 16, 256, 16, 50, 1, 0);
		epoch_again(test, &t, 1);
		epoch_again(test, &t, 1 | 1U << bit);
		twin_free(test, &t);
	}
}

/* The half that is not written stays unchanged for the reader. */
static void epoch_quiet_half_stays(struct kunit *test)
{
	struct wallprof_aggr key = base_key;
	u64 *was[2], id;
	static struct twin t;
	u32 e, k;

	twin_init(test, &t, 32, 256, 16, 50, 1, 0);
	for (k = 0; k < 2; k++)
		was[k] = suite_alloc(test, 64 * sizeof(u64));
	twin_begin(&t, 1);
	for (e = 1; e < SUITE_ROUNDS(200) && !suite_failed(test); e++) {
		struct wp_half *quiet = wp_half_of(&t.tables, e + 1);

		twin_begin(&t, e);
		memcpy(was[0], quiet->aggr_index, 64 * sizeof(u64));
		memcpy(was[1], quiet->stack_index, 64 * sizeof(u64));
		for (k = 0; k < 100; k++) {
			ips[0] = suite_below(60);
			key.tid = suite_below(40);
			twin_intern(&t, ips, 1, 0, 0, &id);
			twin_aggr(&t, &key, suite_below(100), e);
		}
		KUNIT_EXPECT_TRUE_MSG(test, twin_agrees(&t), "epoch %u", e);
		KUNIT_EXPECT_EQ(test, memcmp(was[0], quiet->aggr_index, 64 * sizeof(u64)), 0);
		KUNIT_EXPECT_EQ(test, memcmp(was[1], quiet->stack_index, 64 * sizeof(u64)),
				0);
		cond_resched();
	}
}

/* Random. */

struct sums {
	u64 count, ns;
};

/* Sums of the entries and losses of an epoch. */
static void sums_of_half(const struct wp_half *half, struct sums *sums)
{
	const struct wallprof_half *head = half->head;
	u32 i;

	for (i = 0; i < head->nr_aggrs; i++) {
		sums->count += half->aggrs[i].count;
		sums->ns += half->aggrs[i].total;
	}
	for (i = 0; i < head->nr_waits; i++) {
		sums->count++;
		sums->ns += half->waits[i].end - half->waits[i].begin;
	}
	sums->count += head->lost[WALLPROF_LOSS_AGGR_FULL].count;
	sums->ns += head->lost[WALLPROF_LOSS_AGGR_FULL].ns;
}

static bool random_stack(struct twin *t)
{
	u64 id;
	u32 i;

	for (i = 0; i < WALLPROF_MAX_STACK; i++)
		ips[i] = i;
	ips[0] = suite_below(16);
	ips[2] = suite_below(2);
	i = suite_below(8) ? suite_below(8) : suite_below(128);
	return twin_intern(t, ips, i, suite_below(2), suite_below(2), &id);
}

static bool random_aggr(struct twin *t, u64 value, u32 step, struct sums *in)
{
	struct wallprof_aggr key = base_key;

	field_flip(&key, &fields[suite_below(ARRAY_SIZE(fields))], suite_below(4));
	field_flip(&key, &fields[suite_below(ARRAY_SIZE(fields))], suite_below(4));
	in->count++;
	in->ns += value;
	return twin_aggr(t, &key, value, step - suite_below(10) + 10);
}

/* As a single interval, if there is room; else as the probe does. */
static bool random_wait(struct twin *t, u64 value, u32 step, struct sums *in)
{
	struct wallprof_aggr key = base_key;
	u32 nr = wp_half_of(&t->tables, t->epoch)->head->nr_waits;

	key.tid = step;
	if (!twin_wait(t, &key, value, step))
		return false;
	if (nr == t->sizes.nr_waits)
		return random_aggr(t, value, step, in);
	in->count++;
	in->ns += value;
	return true;
}

static bool random_exit(struct twin *t, u64 value, u32 step)
{
	struct wallprof_task task = { .spill_ns = value, .tid = step };

	return twin_exit(t, &task);
}

static void random_tables(struct kunit *test, u32 nr_aggrs, u32 stack_words,
			  u32 nr_exits)
{
	struct sums in = {}, out = {};
	u32 step;
	static struct twin t;

	twin_init(test, &t, nr_aggrs, stack_words, nr_exits, 1 + suite_below(100),
		  suite_below(1 << 14), suite_below(2));
	twin_begin(&t, 1);
	for (step = 0; step < 4000 && !suite_failed(test); step++) {
		u64 value = suite_random() >> 20;
		bool good = true;

		switch (suite_below(100)) {
		case 0:
			sums_of_half(wp_half_of(&t.tables, t.epoch), &out);
			KUNIT_EXPECT_EQ(test, out.count, in.count);
			KUNIT_EXPECT_EQ(test, out.ns, in.ns);
			good = twin_agrees(&t);
			good &= twin_begin(&t, t.epoch + 1 + 2 * !suite_below(4));
			break;
		case 1 ... 39:
			good = random_stack(&t);
			break;
		case 40 ... 90:
			good = random_aggr(&t, value, step, &in);
			break;
		case 91 ... 94:
			good = random_wait(&t, value, step, &in);
			break;
		default:
			good = random_exit(&t, value, step);
		}
		KUNIT_EXPECT_TRUE_MSG(test, good, "step %u", step);
	}
	KUNIT_EXPECT_TRUE(test, twin_agrees(&t));
	twin_free(test, &t);
	cond_resched();
}

/* The tables agree with the reference; sums and losses are what was put in. */
static void random_model(struct kunit *test)
{
	int i;

	for (i = 0; i < SUITE_ROUNDS(60) && !suite_failed(test); i++) {
		u32 aggrs = 16 + suite_below(48);
		u32 words = 256 + suite_below(3) * suite_below(400);

		random_tables(test, aggrs, words, suite_below(2) * suite_below(20));
	}
}

/* The same with large tables. */
static void random_model_large(struct kunit *test)
{
	int i;

	for (i = 0; i < SUITE_ROUNDS(10) && !suite_failed(test); i++)
		random_tables(test, 256 + suite_below(256), 1024 + suite_below(4096), 64);
}

static struct kunit_case tables_cases[] = {
	KUNIT_CASE_PARAM(layout_capacities, layout_gen_params),
	KUNIT_CASE_PARAM(layout_parts_follow, layout_gen_params),
	KUNIT_CASE_PARAM(layout_aligned, layout_gen_params),
	KUNIT_CASE_PARAM(layout_index_holds, layout_gen_params),
	KUNIT_CASE_PARAM(layout_disjoint, small_layout_gen_params),
	KUNIT_CASE_PARAM(watermark_of_capacity, mark_gen_params),
	KUNIT_CASE(watermark_of_nothing),
	KUNIT_CASE(watermark_crossed),
	KUNIT_CASE(watermark_no_exits),
	KUNIT_CASE_PARAM(stack_same_same_id, length_gen_params),
	KUNIT_CASE(stack_differs),
	KUNIT_CASE_PARAM(stack_collisions, family_gen_params),
	KUNIT_CASE_PARAM(stack_exact_capacity, room_gen_params),
	KUNIT_CASE(stack_full_counted),
	KUNIT_CASE(stack_index_exact),
	KUNIT_CASE(stack_large_fills),
	KUNIT_CASE_PARAM(stack_id_decodes, writer_gen_params),
	KUNIT_CASE(stack_id_of_last_word),
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
	KUNIT_CASE_PARAM(exit_exact_capacity, exit_capacity_gen_params),
	KUNIT_CASE_PARAM(wait_exact_capacity, exit_capacity_gen_params),
	KUNIT_CASE(lose_by_reason),
	KUNIT_CASE(begin_resets_head),
	KUNIT_CASE(epoch_reuse),
	KUNIT_CASE(epoch_limits),
	KUNIT_CASE(epoch_every_bit),
	KUNIT_CASE(epoch_quiet_half_stays),
	KUNIT_CASE(random_model),
	KUNIT_CASE(random_model_large),
	{}
};

static struct kunit_suite tables_suite = {
	.name = "wallprof_tables",
	.init = tables_init,
	.test_cases = tables_cases,
};

kunit_test_suite(tables_suite);
