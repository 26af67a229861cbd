// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of module/tables.c: the layout of a half, stacks, aggregates, ended
 * threads, epochs and what is lost when a table is full.
 */
#include <linux/kernel.h>
#include <linux/log2.h>

#include "pure.h"
#include "tables.h"
#include "tables_model.h"

/* Layout. */

static const struct {
	u32 nr_aggrs, stack_words, nr_exits, watermark;
	u64 page;
} layouts[] = {
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, WALLPROF_MIN_EXITS, 50, 4096 },
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, 0, 1, 4096 },
	{ WALLPROF_MIN_AGGRS, WALLPROF_MIN_STACK_WORDS, 0, 100, 65536 },
	{ 17, 257, 17, 1, 4096 },
	{ 1000, 4097, 33, 99, 65536 },
	{ (1 << 10) + 1, (1 << 12) - 1, 63, 33, 16384 },
	{ WALLPROF_MAX_AGGRS - 1, WALLPROF_MAX_STACK_WORDS - 1, WALLPROF_MAX_EXITS - 1,
	  99, 4096 },
	{ WALLPROF_MAX_AGGRS, WALLPROF_MAX_STACK_WORDS, WALLPROF_MAX_EXITS, 100, 65536 },
	{ WALLPROF_MAX_AGGRS, WALLPROF_MAX_STACK_WORDS, 0, 50, 4096 },
};

static struct wp_table_sizes layout_sizes(int i)
{
	struct wp_table_sizes sizes;

	memset(&sizes, 0xa5, sizeof(sizes));
	wp_sizes_set(&sizes, layouts[i].nr_aggrs, layouts[i].stack_words,
		     layouts[i].nr_exits, layouts[i].watermark, layouts[i].page);
	return sizes;
}

static void layout_capacities(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct wp_table_sizes sizes = layout_sizes(i);

		expect_eq(sizes.nr_aggrs, layouts[i].nr_aggrs);
		expect_eq(sizes.stack_words, layouts[i].stack_words);
		expect_eq(sizes.nr_exits, layouts[i].nr_exits);
	}
}

static void layout_parts_follow(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct wp_table_sizes s = layout_sizes(i);
		unsigned __int128 end;

		expect(s.aggrs_offset >= sizeof(struct wallprof_half), "row %d", i);
		end = s.aggrs_offset + (unsigned __int128)s.nr_aggrs *
				       sizeof(struct wallprof_aggr);
		expect(s.stacks_offset >= end && s.stacks_offset < end + 64, "row %d", i);
		end = s.stacks_offset + (unsigned __int128)s.stack_words * 8;
		expect(s.exits_offset >= end && s.exits_offset < end + 64, "row %d", i);
		end = s.exits_offset + (unsigned __int128)s.nr_exits *
				       sizeof(struct wallprof_task);
		expect(s.half_stride >= end && s.half_stride < end + layouts[i].page,
		       "row %d", i);
	}
}

static void layout_aligned(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct wp_table_sizes s = layout_sizes(i);

		expect_eq(s.aggrs_offset % 64, 0);
		expect_eq(s.stacks_offset % 64, 0);
		expect_eq(s.exits_offset % 64, 0);
		expect_eq(s.half_stride % layouts[i].page, 0);
	}
}

static void layout_index_holds(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct wp_table_sizes s = layout_sizes(i);
		u64 aggrs = s.aggr_mask + 1ULL, stacks = s.stack_mask + 1ULL;

		expect(is_power_of_2(aggrs) && aggrs >= 2ULL * s.nr_aggrs, "row %d", i);
		expect(aggrs < 4ULL * s.nr_aggrs, "row %d", i);
		expect(is_power_of_2(stacks) && stacks >= s.stack_words / 4, "row %d", i);
		expect(stacks < s.stack_words / 2, "row %d", i);
		expect_eq(wp_sizes_index_words(&s), 2 * (aggrs + stacks));
	}
}

static void layout_set_disjoint(void)
{
	static const u32 rows[] = { 0, 1, 3, 4, 5 };
	int i, h;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wp_table_sizes s = layout_sizes(rows[i]);
		u64 *index = pure_alloc(wp_sizes_index_words(&s) * 8);
		u64 *mapped = pure_alloc(2 * s.half_stride);
		struct wp_tables tables;
		u64 k, words = 0;

		wp_tables_set(&tables, &s, 7, 1, mapped, index);
		expect(tables.sizes == &s);
		expect_eq(tables.cpu, 7);
		expect_eq(tables.context, 1);
		/* Each part adds one to all of its words: none is in two. */
		for (h = 0; h < 2; h++) {
			struct wp_half *half = &tables.half[h];
			u64 *parts[] = { (u64 *)half->head, (u64 *)half->aggrs,
					 half->stacks, (u64 *)half->exits,
					 half->aggr_index, half->stack_index };
			u64 sizes[] = { sizeof(*half->head) / 8,
					s.nr_aggrs * sizeof(*half->aggrs) / 8,
					s.stack_words,
					s.nr_exits * sizeof(*half->exits) / 8,
					s.aggr_mask + 1ULL, s.stack_mask + 1ULL };
			int p;

			expect((char *)half->head == (char *)mapped + h * s.half_stride);
			for (p = 0; p < ARRAY_SIZE(parts); p++) {
				for (k = 0; k < sizes[p]; k++)
					parts[p][k]++;
				words += p < 4 ? sizes[p] : 0;
			}
		}
		for (k = 0; k < wp_sizes_index_words(&s); k++) {
			if (!expect_eq(index[k], 1))
				break;
		}
		for (k = 0; k < 2 * s.half_stride / 8; k++) {
			words -= mapped[k];
			if (!expect(mapped[k] <= 1, "word %llu", k))
				break;
		}
		expect_eq(words, 0);
		free(index);
		free(mapped);
	}
}

/* Watermarks. */

static void watermark_of_capacity(void)
{
	static const struct {
		u32 capacity, percent, mark;
	} rows[] = {
		{ 16, 50, 8 }, { 16, 100, 16 }, { 16, 1, 1 }, { 99, 1, 1 },
		{ 100, 1, 1 }, { 200, 1, 2 }, { 1000, 33, 330 }, { 17, 50, 8 },
		{ 1 << 20, 100, 1 << 20 }, { 1 << 20, 99, 1038090 },
		{ 1 << 20, 1, 10485 },
	};
	struct wp_table_sizes s;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		wp_sizes_set(&s, rows[i].capacity, 256, 16, rows[i].percent, 4096);
		expect_eq(s.aggr_watermark, rows[i].mark);
		wp_sizes_set(&s, 16, rows[i].capacity < 256 ? 256 : rows[i].capacity,
			     16, rows[i].percent, 4096);
		if (rows[i].capacity >= 256)
			expect_eq(s.stack_watermark, rows[i].mark);
		wp_sizes_set(&s, 16, 256, rows[i].capacity, rows[i].percent, 4096);
		expect_eq(s.exit_watermark, rows[i].mark);
	}
	wp_sizes_set(&s, 16, 256, 0, 1, 4096);
	expect_eq(s.exit_watermark, U32_MAX);
}

static void watermark_crossed(void)
{
	struct wallprof_half head = { .stack_words = 1 };
	struct wp_half half = { .head = &head };
	struct wp_table_sizes s;
	u32 *counts[] = { &head.nr_aggrs, &head.stack_words, &head.nr_exits };
	int i;

	wp_sizes_set(&s, 100, 1000, 60, 50, 4096);
	for (i = 0; i < 3; i++) {
		u32 mark = i == 0 ? 50 : i == 1 ? 500 : 30, was = *counts[i];

		expect(!wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark - 1;
		expect(!wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark;
		expect(wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = mark + 1;
		expect(wp_half_above_watermark(&half, &s), "%d", i);
		*counts[i] = was;
	}
}

/* A table without exits is never full of them, though none fits. */
static void watermark_no_exits(void)
{
	struct wallprof_task task = {};
	struct twin t;

	twin_init(&t, 16, 256, 0, 50, 0, 0);
	twin_begin(&t, 1);
	twin_exit(&t, &task);
	expect(!wp_half_above_watermark(wp_half_of(&t.tables, 1), &t.sizes));
	twin_free(&t);
}

/* Stacks. */

static void stack_same_same_id(void)
{
	static const u64 ips[WALLPROF_MAX_STACK] = { 1, 2, 3, [126] = 4 };
	static const unsigned int lengths[] = { 0, 1, 2, 3, 126, 127 };
	struct twin t;
	u64 id, again;
	int i;

	twin_init(&t, 16, 4096, 16, 50, 3, 0);
	twin_begin(&t, 1);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		expect(twin_intern(&t, ips, lengths[i], 2, 1, &id));
		expect(twin_intern(&t, ips, lengths[i], 2, 1, &again));
		expect(id);
		expect_eq(id, again);
		expect_eq(t.tables.half[1].head->nr_stacks, i + 1);
	}
	expect(twin_agrees(&t));
	twin_free(&t);
}

static void stack_differs(void)
{
	static const struct {
		u64 ips[4];
		u16 nr;
		u8 unwind, flags;
	} rows[] = {
		{ { 10, 20, 30, 40 }, 3, 0, 0 }, { { 11, 20, 30 }, 3, 0, 0 },
		{ { 10, 21, 30 }, 3, 0, 0 },	 { { 10, 20, 31 }, 3, 0, 0 },
		{ { 20, 10, 30 }, 3, 0, 0 },	 { { 10, 30, 20 }, 3, 0, 0 },
		{ { 10, 20, 30, 40 }, 4, 0, 0 }, { { 10, 20 }, 2, 0, 0 },
		{ { 10, 20, 30, 0 }, 4, 0, 0 },	 { { 20, 30 }, 2, 0, 0 },
		{ { 10, 20, 30 }, 3, 1, 0 },	 { { 10, 20, 30 }, 3, 6, 0 },
		{ { 10, 20, 30 }, 3, 0, 1 },	 { { 10, 20, 30 }, 3, 1, 1 },
		{ { 10, 20, 30ULL | 1ULL << 63 }, 3, 0, 0 },
		{ { 10 | 1ULL << 32, 20, 30 }, 3, 0, 0 },
		{ { 0 }, 0, 0, 0 }, { { 0 }, 0, 1, 0 }, { { 0 }, 0, 0, 1 },
		{ { 0 }, 1, 0, 0 },
	};
	u64 ids[ARRAY_SIZE(rows)], id;
	struct twin t;
	int i, k;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 2);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(twin_intern(&t, rows[i].ips, rows[i].nr, rows[i].unwind,
				   rows[i].flags, &ids[i]));
		for (k = 0; k < i; k++)
			expect(ids[i] != ids[k], "rows %d and %d", i, k);
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		twin_intern(&t, rows[i].ips, rows[i].nr, rows[i].unwind,
			    rows[i].flags, &id);
		expect_eq(id, ids[i]);
	}
	expect(twin_agrees(&t));
	twin_free(&t);
}

/*
 * What an index word says of a stack or aggregate that is alone in a table of
 * the least size: its slot and the bits of its hash. Two with the same are
 * told apart by comparison only.
 */
#define PLACES (1U << 21)

static u32 place_of(const u64 *index, u32 mask, u32 epoch)
{
	u32 slot;

	for (slot = 0; slot <= mask; slot++) {
		if (index[slot] >> 36 == epoch)
			return (index[slot] >> 21 & 0x7fff) * (mask + 1) + slot;
	}
	abort();
}

static u32 place_stack(struct twin *t, const u64 *ips, unsigned int nr, u8 unwind,
		       u8 flags)
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

static struct places places_new(void)
{
	return (struct places){ pure_alloc(PLACES * sizeof(u32)),
				pure_alloc(PLACES * sizeof(u32)) };
}

/* The earlier member of a family at a place, or -1; takes the place. */
static int places_take(struct places *p, u32 place, u32 family, u32 member)
{
	int earlier = p->family[place] == family ? (int)p->member[place] : -1;

	p->family[place] = family;
	p->member[place] = member;
	return earlier;
}

static void places_free(struct places *p)
{
	free(p->member);
	free(p->family);
}

enum { BY_WORD, BY_FIRST_WORD, BY_LENGTH, BY_UNWIND, BY_FLAGS, BY_MAX };

/* Member @m of a family: they differ in one thing only. */
static unsigned int family_stack(int by, u64 root, u32 m, u64 *ips, u8 *unwind,
				 u8 *flags)
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

static void collide_stacks(int by, u32 members)
{
	u64 ips[WALLPROF_MAX_STACK], id, other, again;
	struct places places = places_new();
	u32 family, m, found = 0;
	unsigned int nr;
	struct twin t;
	u8 unwind, flags;
	int earlier;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	for (family = 1; found < 3 && family < 2000; family++) {
		u64 root = pure_random();

		for (m = 0; m < members && found < 3; m++) {
			nr = family_stack(by, root, m, ips, &unwind, &flags);
			earlier = places_take(&places,
					      place_stack(&t, ips, nr, unwind, flags),
					      family, m);
			if (earlier < 0)
				continue;
			found++;
			twin_begin(&t, t.epoch + 2);
			/* The longer one first: its words begin as the other's. */
			expect(twin_intern(&t, ips, nr, unwind, flags, &id));
			nr = family_stack(by, root, earlier, ips, &unwind, &flags);
			expect(twin_intern(&t, ips, nr, unwind, flags, &other));
			expect(id && other && id != other, "taken for the same");
			expect(twin_intern(&t, ips, nr, unwind, flags, &again));
			expect_eq(again, other);
			nr = family_stack(by, root, m, ips, &unwind, &flags);
			expect(twin_intern(&t, ips, nr, unwind, flags, &again));
			expect_eq(again, id);
			expect(twin_half_agrees(&t, t.epoch % 2));
		}
	}
	expect(found, "no two stacks collide");
	twin_free(&t);
	places_free(&places);
}

static void stack_collide_word(void)
{
	collide_stacks(BY_WORD, 1 << 14);
}

static void stack_collide_first_word(void)
{
	collide_stacks(BY_FIRST_WORD, 1 << 14);
}

static void stack_collide_length(void)
{
	collide_stacks(BY_LENGTH, WALLPROF_MAX_STACK);
}

static void stack_collide_unwind(void)
{
	collide_stacks(BY_UNWIND, 256);
}

static void stack_collide_flags(void)
{
	collide_stacks(BY_FLAGS, 256);
}

static void stack_exact_capacity(void)
{
	/* Stacks of @nr frames; then one of @last frames, which fits or not. */
	static const struct {
		u32 words, stacks, nr, last;
		bool fits;
	} rows[] = {
		{ 256, 51, 4, 0, false }, { 256, 50, 4, 4, true },
		{ 256, 50, 4, 5, false }, { 256, 1, 127, 126, true },
		{ 256, 1, 127, 127, false }, { 256, 50, 4, 127, false },
		{ 257, 2, 127, 0, false }, { 258, 2, 127, 0, true },
		{ 258, 2, 127, 1, false }, { 259, 2, 127, 1, true },
		{ 4096, 31, 127, 126, true }, { 4096, 31, 127, 127, false },
	};
	u64 ips[WALLPROF_MAX_STACK] = {}, ids[64], id;
	struct twin t;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		twin_init(&t, 16, rows[i].words, 16, 50, 0, 0);
		twin_begin(&t, 1);
		for (k = 0; k < rows[i].stacks; k++) {
			ips[0] = k;
			expect(twin_intern(&t, ips, rows[i].nr, 0, 0, &ids[k]) && ids[k],
			       "row %u, stack %u", i, k);
		}
		ips[0] = ~0ULL;
		expect(twin_intern(&t, ips, rows[i].last, 0, 0, &id), "row %u", i);
		expect(!!id == rows[i].fits, "row %u", i);
		expect_eq(t.tables.half[1].head->lost[WALLPROF_LOSS_STACK_FULL].count,
			  !rows[i].fits);
		/* What is there is found as before. */
		for (k = 0; k < rows[i].stacks; k++) {
			ips[0] = k;
			expect(twin_intern(&t, ips, rows[i].nr, 0, 0, &id));
			expect_eq(id, ids[k]);
		}
		expect(twin_agrees(&t), "row %u", i);
		twin_free(&t);
	}
}

static void stack_full_counted(void)
{
	u64 ips[WALLPROF_MAX_STACK] = {}, id;
	struct wallprof_lost *lost;
	struct twin t;
	u32 k;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	lost = &t.tables.half[1].head->lost[WALLPROF_LOSS_STACK_FULL];
	for (k = 0; k < 10; k++) {
		ips[0] = k;
		twin_intern(&t, ips, 127, 0, 0, &id);
		expect_eq(lost->count, k < 1 ? 0 : k);
		expect_eq(lost->ns, 0);
	}
	/* A shorter one has room still. */
	expect(twin_intern(&t, ips, 1, 0, 0, &id) && id);
	expect(twin_agrees(&t));
	twin_free(&t);
}

/*
 * Many short stacks use up the index before the words: to its last slot,
 * however far from where a stack belongs that may be.
 */
static void stack_index_exact(void)
{
	struct twin t;
	u64 ip, id;
	u32 epoch;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	for (epoch = 1; epoch < 600; epoch++) {
		u64 first = pure_random();

		twin_begin(&t, epoch);
		for (ip = first; ip != first + 64; ip++)
			expect(twin_intern(&t, &ip, 1, 0, 0, &id) && id,
			       "stack %llu, epoch %u", ip - first, epoch);
		expect(twin_intern(&t, &ip, 1, 0, 0, &id) && !id);
		for (ip = first; ip != first + 64; ip++)
			expect(twin_intern(&t, &ip, 1, 0, 0, &id) && id,
			       "stack %llu, epoch %u", ip - first, epoch);
		expect_eq(t.tables.half[epoch % 2].head->lost[WALLPROF_LOSS_STACK_FULL].count,
			  1);
		if (!expect(twin_agrees(&t), "epoch %u", epoch))
			break;
	}
	twin_free(&t);
}

/* Random stacks of seven frames fill a large table to its last word. */
static void stack_large_fills(void)
{
	u64 ips[WALLPROF_MAX_STACK], id;
	struct twin t;
	u32 k, nr = 0, words = 1 << 15, room = words - 1;
	int i;

	twin_init(&t, 16, words, 16, 50, 0, 0);
	wp_half_begin(&t.tables, 1);
	while (room) {
		nr = 7 + pure_below(40);
		if (nr + 1 > room || room - (nr + 1) < 8)
			nr = room - 1 < 127 ? room - 1 : 20;
		for (k = 0; k < nr; k++)
			ips[k] = pure_random();
		id = wp_stack_intern(&t.tables, 1, ips, nr, 0, 0);
		room -= nr + 1;
		if (!expect(id, "%u words left", room))
			break;
		for (i = 0; i < 2; i++) {
			if (!expect_eq(wp_stack_intern(&t.tables, 1, ips, nr, 0, 0), id))
				break;
		}
	}
	expect_eq(t.tables.half[1].head->stack_words, words);
	twin_free(&t);
}

static void stack_id_decodes(void)
{
	static const u32 cpus[] = { 0, 1, 255, (1 << WALLPROF_STACK_CPU_BITS) - 1 };
	static const u32 epochs[] = { 1, 2, 3, WP_EPOCH_MAX - 1, WP_EPOCH_MAX };
	u64 ips[3] = { 0x1000, 0x2000, 0x3000 }, id;
	u32 c, e, x, at, next;
	struct twin t;

	for (c = 0; c < ARRAY_SIZE(cpus); c++) {
		for (x = 0; x < 2; x++) {
			twin_init(&t, 16, 256, 16, 50, cpus[c], x);
			for (e = 0; e < ARRAY_SIZE(epochs); e++) {
				struct wp_half *half = wp_half_of(&t.tables, epochs[e]);
				struct wallprof_stack *stack;

				expect(twin_begin(&t, epochs[e]));
				for (at = 1; at <= 9; at = next) {
					next = at + 4;
					ips[2] = at;
					expect(twin_intern(&t, ips, 3, 5, 1, &id));
					expect(id);
					expect_eq(WALLPROF_STACK_EPOCH(id), epochs[e]);
					expect_eq(WALLPROF_STACK_CPU(id), cpus[c]);
					expect_eq(WALLPROF_STACK_CONTEXT(id), x);
					expect_eq(WALLPROF_STACK_INDEX(id), at);
					stack = (void *)&half->stacks[at];
					expect_eq(stack->nr, 3);
					expect_eq(stack->unwind, 5);
					expect_eq(stack->flags, 1);
					expect_eq(stack->reserved, 0);
					expect(!memcmp(stack->ips, ips, sizeof(ips)));
				}
			}
			twin_free(&t);
		}
	}
}

/* The last word of the largest table has an index that an id can name. */
static void stack_id_of_last_word(void)
{
	u64 ips[WALLPROF_MAX_STACK] = {}, id = 0;
	u32 words = WALLPROF_MAX_STACK_WORDS, at = 1;
	struct twin t;

	twin_init(&t, 16, words, 16, 50, 16383, 1);
	wp_half_begin(&t.tables, WP_EPOCH_MAX);
	while (at < words) {
		u32 left = words - at;
		u32 nr = left > 128 ? 127 : left > 1 ? left - 2 : 0;

		ips[0] = at;
		id = wp_stack_intern(&t.tables, WP_EPOCH_MAX, ips, nr, left == 1, 0);
		if (!expect_eq(WALLPROF_STACK_INDEX(id), at))
			break;
		at += nr + 1;
	}
	expect_eq(at, words);
	expect_eq(WALLPROF_STACK_INDEX(id), words - 1);
	expect_eq(WALLPROF_STACK_EPOCH(id), WP_EPOCH_MAX);
	expect_eq(wp_stack_intern(&t.tables, WP_EPOCH_MAX, ips, 127, 0, 0), 0);
	twin_free(&t);
}

/* Aggregates. */

static const struct wallprof_aggr base_key = {
	.tid = 11, .tgid = 10, .start_time = 1000, .exec_id = 5,
	.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
	.flags = 0, .user_stack = 0x1000000001, .kernel_stack = 0x1000000005,
};

enum {
	FIELD_TID, FIELD_TGID, FIELD_START_TIME, FIELD_EXEC_ID, FIELD_KIND,
	FIELD_STATE, FIELD_FLAGS, FIELD_USER_STACK, FIELD_KERNEL_STACK, FIELD_MAX,
};

static const char *const field_names[FIELD_MAX] = {
	"tid", "tgid", "start_time", "exec_id", "kind", "state", "flags",
	"user_stack", "kernel_stack",
};

static void field_flip(struct wallprof_aggr *key, int field, u64 bits)
{
	switch (field) {
	case FIELD_TID:
		key->tid ^= bits;
		break;
	case FIELD_TGID:
		key->tgid ^= bits;
		break;
	case FIELD_START_TIME:
		key->start_time ^= bits;
		break;
	case FIELD_EXEC_ID:
		key->exec_id ^= bits;
		break;
	case FIELD_KIND:
		key->kind ^= bits;
		break;
	case FIELD_STATE:
		key->state ^= bits;
		break;
	case FIELD_FLAGS:
		key->flags ^= bits;
		break;
	case FIELD_USER_STACK:
		key->user_stack ^= bits;
		break;
	case FIELD_KERNEL_STACK:
		key->kernel_stack ^= bits;
		break;
	}
}

static void aggr_key_field(int field)
{
	static const int width[FIELD_MAX] = { 32, 32, 64, 32, 8, 8, 16, 64, 64 };
	struct wallprof_aggr key;
	struct twin t;
	int bit;

	twin_init(&t, 128, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	expect(twin_aggr(&t, &base_key, 7, 100));
	for (bit = 0; bit < width[field]; bit++) {
		key = base_key;
		field_flip(&key, field, 1ULL << bit);
		expect(twin_aggr(&t, &key, 1, 101), "bit %d", bit);
		expect(twin_aggr(&t, &key, 2, 102), "bit %d", bit);
	}
	expect_eq(t.tables.half[1].head->nr_aggrs, 1 + width[field]);
	expect(twin_agrees(&t));
	twin_free(&t);
}

static void aggr_key_fields(void)
{
	int field;

	for (field = 0; field < FIELD_MAX; field++)
		aggr_key_field(field);
}

/* The hash keeps neighbours in its last word apart: scatter them. */
static u64 field_bits(int field, u32 m)
{
	return field == FIELD_KERNEL_STACK ? m * (u64)m * 0xd6e8feb86659fd93ULL : m;
}

/* Two keys that differ in one field and lie at one place of the index. */
static void aggr_collide(void)
{
	struct places places = places_new();
	struct twin t;
	int field;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	for (field = 0; field < FIELD_MAX; field++) {
		bool narrow = field == FIELD_KIND || field == FIELD_STATE;
		u32 members = narrow ? 256 : 8192;
		u32 found = 0, n, m;

		for (n = 0; n < 5000 && !found; n++) {
			struct wallprof_aggr first = base_key, key;

			first.start_time = pure_random();
			for (m = 0; m < members && !found; m++) {
				int earlier;

				key = first;
				field_flip(&key, field, field_bits(field, m));
				earlier = places_take(&places, place_aggr(&t, &key),
						      field * 5000 + n + 1, m);
				if (earlier < 0)
					continue;
				found++;
				field_flip(&first, field, field_bits(field, earlier));
				twin_begin(&t, t.epoch + 2);
				expect(twin_aggr(&t, &first, 10, 1), "%s",
				       field_names[field]);
				expect(twin_aggr(&t, &key, 20, 2), "%s",
				       field_names[field]);
				expect(twin_aggr(&t, &key, 30, 3), "%s",
				       field_names[field]);
				expect(twin_aggr(&t, &first, 40, 4), "%s",
				       field_names[field]);
				expect(twin_half_agrees(&t, t.epoch % 2), "%s",
				       field_names[field]);
				expect_eq(t.tables.half[t.epoch % 2].head->nr_aggrs, 2);
			}
		}
		expect(found, "no two keys collide by %s", field_names[field]);
	}
	twin_free(&t);
	places_free(&places);
}

static void aggr_sums(void)
{
	static const struct {
		u64 value, time, count, total, min, max, first, last;
	} rows[] = {
		{ 50, 1000, 1, 50, 50, 50, 1000, 1000 },
		{ 70, 1100, 2, 120, 50, 70, 1000, 1100 },
		{ 60, 1200, 3, 180, 50, 70, 1000, 1200 },
		{ 10, 1300, 4, 190, 10, 70, 1000, 1300 },
		/* The clock stepped back. */
		{ 20, 1250, 5, 210, 10, 70, 1000, 1300 },
		{ 0, 1300, 6, 210, 0, 70, 1000, 1300 },
		{ 1ULL << 60, 1400, 7, (1ULL << 60) + 210, 0, 1ULL << 60, 1000, 1400 },
		{ 1, U64_MAX, 8, (1ULL << 60) + 211, 0, 1ULL << 60, 1000, U64_MAX },
	};
	struct wallprof_aggr *aggr;
	struct twin t;
	int i;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	aggr = t.tables.half[1].aggrs;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(wp_aggr_add(&t.tables, 1, &base_key, rows[i].value, rows[i].time));
		expect_eq(aggr->count, rows[i].count);
		expect_eq(aggr->total, rows[i].total);
		expect_eq(aggr->min, rows[i].min);
		expect_eq(aggr->max, rows[i].max);
		expect_eq(aggr->first, rows[i].first);
		expect_eq(aggr->last, rows[i].last);
	}
	expect_eq(t.tables.half[1].head->nr_aggrs, 1);
	expect_eq(t.tables.half[1].head->events, ARRAY_SIZE(rows));
	expect(!memcmp(aggr, &base_key, offsetof(struct wallprof_aggr, count)));
	twin_free(&t);
}

/* What lies behind the key in the caller's struct does not matter. */
static void aggr_rest_ignored(void)
{
	struct wallprof_aggr key = base_key;
	struct twin t;

	twin_init(&t, 16, 256, 16, 50, 0, 0);
	twin_begin(&t, 1);
	memset(&key.count, 0xff, sizeof(key) - offsetof(struct wallprof_aggr, count));
	expect(twin_aggr(&t, &key, 5, 100));
	memset(&key.count, 0x11, sizeof(key) - offsetof(struct wallprof_aggr, count));
	expect(twin_aggr(&t, &key, 6, 200));
	expect_eq(t.tables.half[1].head->nr_aggrs, 1);
	expect(twin_agrees(&t));
	twin_free(&t);
}

static void aggr_exact_capacity(void)
{
	static const u32 capacities[] = { 16, 17, 31, 32, 33, 63, 4096 };
	struct wallprof_aggr key = base_key;
	struct wallprof_half *head;
	struct twin t;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		u32 n = capacities[i];

		twin_init(&t, n, 256, 16, 50, 0, 0);
		wp_half_begin(&t.tables, 1);
		head = t.tables.half[1].head;
		for (k = 0; k < n; k++) {
			key.tid = k;
			expect(wp_aggr_add(&t.tables, 1, &key, k, 100), "%u of %u", k, n);
		}
		expect_eq(head->nr_aggrs, n);
		for (; k < n + 5; k++) {
			key.tid = k;
			expect(!wp_aggr_add(&t.tables, 1, &key, k, 100), "%u of %u", k, n);
		}
		expect_eq(head->lost[WALLPROF_LOSS_AGGR_FULL].count, 5);
		expect_eq(head->lost[WALLPROF_LOSS_AGGR_FULL].ns, 5 * n + 10);
		/* What is there still grows. */
		for (k = 0; k < n; k++) {
			key.tid = k;
			expect(wp_aggr_add(&t.tables, 1, &key, 1, 100), "%u of %u", k, n);
			expect_eq(t.tables.half[1].aggrs[k].tid, k);
			expect_eq(t.tables.half[1].aggrs[k].total, k + 1);
		}
		expect_eq(head->nr_aggrs, n);
		expect_eq(head->events, 2 * n + 5);
		twin_free(&t);
	}
}

/* Ended threads. */

static void exit_exact_capacity(void)
{
	static const u32 capacities[] = { 0, 1, 16, 100 };
	struct wallprof_task task;
	struct wallprof_half *head;
	struct twin t;
	u32 i, k, b;

	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		twin_init(&t, 16, 256, capacities[i], 100, 0, 0);
		twin_begin(&t, 1);
		head = t.tables.half[1].head;
		for (k = 0; k < capacities[i] + 3; k++) {
			for (b = 0; b < sizeof(task); b++)
				((u8 *)&task)[b] = k * 7 + b;
			task.spill_ns = 1000 + k;
			expect(twin_exit(&t, &task), "%u of %u", k, capacities[i]);
		}
		expect_eq(head->nr_exits, capacities[i]);
		expect_eq(head->lost[WALLPROF_LOSS_EXIT_FULL].count, 3);
		expect_eq(head->lost[WALLPROF_LOSS_EXIT_FULL].ns,
			  3 * (1001 + capacities[i]));
		expect(twin_agrees(&t));
		twin_free(&t);
	}
}

/* Losses and epochs. */

static void lose_by_reason(void)
{
	struct wallprof_half head = {};
	struct wp_half half = { .head = &head };
	int why;

	for (why = 0; why < WALLPROF_LOSS_MAX; why++) {
		wp_half_lose(&half, why, 10 + why);
		wp_half_lose(&half, why, 100);
	}
	/* NO_TASK counts differences modulo 2^64. */
	wp_half_lose(&half, WALLPROF_LOSS_NO_TASK, -200ULL);
	for (why = 0; why < WALLPROF_LOSS_MAX; why++) {
		bool twice = why == WALLPROF_LOSS_NO_TASK;

		expect_eq(head.lost[why].count, twice ? 3 : 2);
		expect_eq(head.lost[why].ns, 110 + why - (twice ? 200 : 0));
	}
}

static void begin_resets_head(void)
{
	struct wallprof_half *heads[2];
	struct wallprof_half zero = {}, other;
	struct twin t;

	twin_init(&t, 16, 256, 16, 50, 9, 1);
	heads[0] = t.tables.half[0].head;
	heads[1] = t.tables.half[1].head;
	memset(heads[0], 0xff, sizeof(other));
	memset(heads[1], 0xee, sizeof(other));
	other = *heads[1];
	wp_half_begin(&t.tables, 44);
	zero.epoch = 44;
	zero.cpu = 9;
	zero.stack_words = 1;
	expect(!memcmp(heads[0], &zero, sizeof(zero)));
	expect(!memcmp(heads[1], &other, sizeof(other)), "the other half changed");
	twin_free(&t);
}

/* In each epoch the same things go in, and all of them are new. */
static void epoch_reuse_epochs(const u32 *epochs, u32 nr)
{
	struct wallprof_aggr key = base_key;
	u64 ips[4] = {}, id;
	struct twin t;
	u32 e, k;

	twin_init(&t, 16, 256, 16, 50, 1, 0);
	for (e = 0; e < nr; e++) {
		u32 epoch = epochs ? epochs[e] : e + 1;
		struct wallprof_half *head = wp_half_of(&t.tables, epoch)->head;

		expect(twin_begin(&t, epoch));
		for (k = 0; k < 16; k++) {
			ips[3] = k;
			expect(twin_intern(&t, ips, 4, 0, 0, &id), "epoch %u", epoch);
			expect_eq(WALLPROF_STACK_EPOCH(id), epoch);
			expect_eq(head->nr_stacks, k + 1);
			key.tid = k;
			expect(twin_aggr(&t, &key, e, e), "epoch %u", epoch);
			expect_eq(head->nr_aggrs, k + 1);
		}
		if (!expect(twin_agrees(&t), "epoch %u", epoch))
			break;
	}
	twin_free(&t);
}

static void epoch_reuse(void)
{
	epoch_reuse_epochs(NULL, 3000);
}

static void epoch_limits(void)
{
	static const u32 epochs[] = {
		1, 2, 3, 1 << 15, (1 << 15) + 1, 1 << 27, (1 << 27) + 1,
		(1 << 27) + 2, WP_EPOCH_MAX - 1, WP_EPOCH_MAX,
	};

	expect_eq(WP_EPOCH_MAX, (1U << 28) - 1);
	epoch_reuse_epochs(epochs, ARRAY_SIZE(epochs));
}

/* Every bit of an epoch tells it from others: 1 and 1 + 2^bit, in one half. */
static void epoch_every_bit(void)
{
	u32 bit;

	for (bit = 1; bit < 28; bit++) {
		u32 epochs[] = { 1, 1 | 1U << bit };

		epoch_reuse_epochs(epochs, 2);
	}
}

/* The half that is not written stays as it was for the reader. */
static void epoch_quiet_half_stays(void)
{
	struct wallprof_aggr key = base_key;
	u64 index[2][64], ips[4], id;
	struct twin t;
	u32 e, k;

	twin_init(&t, 32, 256, 16, 50, 1, 0);
	twin_begin(&t, 1);
	for (e = 1; e < 200; e++) {
		struct wp_half *quiet = wp_half_of(&t.tables, e + 1);

		twin_begin(&t, e);
		memcpy(index[0], quiet->aggr_index, sizeof(index[0]));
		memcpy(index[1], quiet->stack_index, sizeof(index[1]));
		for (k = 0; k < 100; k++) {
			ips[0] = pure_below(60);
			key.tid = pure_below(40);
			twin_intern(&t, ips, 1, 0, 0, &id);
			twin_aggr(&t, &key, pure_below(100), e);
		}
		expect(twin_agrees(&t), "epoch %u", e);
		expect(!memcmp(index[0], quiet->aggr_index, sizeof(index[0])));
		expect(!memcmp(index[1], quiet->stack_index, sizeof(index[1])));
	}
	twin_free(&t);
}

/* Random. */

struct sums {
	u64 count, ns;
};

static void random_tables(u32 nr_aggrs, u32 stack_words, u32 nr_exits)
{
	struct sums in = {}, out = {};
	u32 step, epoch = 1, i;
	struct twin t;

	twin_init(&t, nr_aggrs, stack_words, nr_exits, 1 + pure_below(100),
		  pure_below(1 << 14), pure_below(2));
	twin_begin(&t, epoch);
	for (step = 0; step < 4000; step++) {
		u64 ips[WALLPROF_MAX_STACK], id, value = pure_random() >> 20;
		struct wallprof_aggr key = base_key;
		struct wallprof_task task = {};
		struct wallprof_half *head;
		bool good = true;

		switch (pure_below(100)) {
		case 0:
			head = t.tables.half[epoch % 2].head;
			for (i = 0; i < head->nr_aggrs; i++) {
				out.count += t.tables.half[epoch % 2].aggrs[i].count;
				out.ns += t.tables.half[epoch % 2].aggrs[i].total;
			}
			out.count += head->lost[WALLPROF_LOSS_AGGR_FULL].count;
			out.ns += head->lost[WALLPROF_LOSS_AGGR_FULL].ns;
			good = expect_eq(out.count, in.count) &&
			       expect_eq(out.ns, in.ns) && twin_agrees(&t);
			epoch += 1 + 2 * !pure_below(4);
			good &= twin_begin(&t, epoch);
			break;
		case 1 ... 39:
			for (i = 0; i < WALLPROF_MAX_STACK; i++)
				ips[i] = i;
			ips[0] = pure_below(16);
			ips[2] = pure_below(2);
			good = twin_intern(&t, ips, pure_below(8) ? pure_below(8) :
					   pure_below(128), pure_below(2), pure_below(2), &id);
			break;
		case 40 ... 94:
			field_flip(&key, pure_below(FIELD_MAX), pure_below(4));
			field_flip(&key, pure_below(FIELD_MAX), pure_below(4));
			in.count++;
			in.ns += value;
			good = twin_aggr(&t, &key, value, step - pure_below(10) + 10);
			break;
		default:
			task.spill_ns = value;
			task.tid = step;
			good = twin_exit(&t, &task);
		}
		if (!expect(good, "step %u", step))
			break;
	}
	expect(twin_agrees(&t));
	twin_free(&t);
}

static void random_model(void)
{
	int i;

	for (i = 0; i < 60; i++)
		random_tables(16 + pure_below(48), 256 + pure_below(3) * pure_below(400),
			      pure_below(2) * pure_below(20));
}

static void random_model_large(void)
{
	int i;

	for (i = 0; i < 10; i++)
		random_tables(256 + pure_below(256), 1024 + pure_below(4096), 64);
}

static const struct pure_case cases[] = {
	{ "layout: capacities are kept", layout_capacities },
	{ "layout: parts follow each other within the stride", layout_parts_follow },
	{ "layout: parts and halves are aligned", layout_aligned },
	{ "layout: the indexes are powers of two and large enough", layout_index_holds },
	{ "layout: no word belongs to two parts", layout_set_disjoint },
	{ "watermark: a percentage of the capacity, at least 1", watermark_of_capacity },
	{ "watermark: crossed at its value by each table", watermark_crossed },
	{ "watermark: never crossed by a table without exits", watermark_no_exits },
	{ "stack: the same one has the same id", stack_same_same_id },
	{ "stack: another word, length, unwind or flag is another id", stack_differs },
	{ "stack: collisions compare the last word", stack_collide_word },
	{ "stack: collisions compare the first word", stack_collide_first_word },
	{ "stack: collisions compare the length", stack_collide_length },
	{ "stack: collisions compare why the walk ended", stack_collide_unwind },
	{ "stack: collisions compare the flags", stack_collide_flags },
	{ "stack: the last word of a table is used, none behind it", stack_exact_capacity },
	{ "stack: each one that finds no room is counted", stack_full_counted },
	{ "stack: as many as the index has slots", stack_index_exact },
	{ "stack: a large table fills to its last word", stack_large_fills },
	{ "stack: ids decode by the macros, at all limits", stack_id_decodes },
	{ "stack: an id can name the last word of the largest table",
	  stack_id_of_last_word },
	{ "aggr: every bit of every key field matters", aggr_key_fields },
	{ "aggr: collisions compare every key field", aggr_collide },
	{ "aggr: count, total, min, max, first, last", aggr_sums },
	{ "aggr: what is not the key is not read", aggr_rest_ignored },
	{ "aggr: exactly as many as the capacity, the rest counted by value",
	  aggr_exact_capacity },
	{ "exit: exactly as many as the capacity, the rest counted by spill_ns",
	  exit_exact_capacity },
	{ "loss: counted by reason", lose_by_reason },
	{ "epoch: a half begins with an empty head", begin_resets_head },
	{ "epoch: a half sees nothing of its earlier epochs", epoch_reuse },
	{ "epoch: the first and the last one work", epoch_limits },
	{ "epoch: every bit of an epoch tells", epoch_every_bit },
	{ "epoch: the quiet half stays as it was", epoch_quiet_half_stays },
	{ "random: as the reference; sums and losses are what was put in", random_model },
	{ "random: the same with large tables", random_model_large },
};

int main(void)
{
	return pure_run(cases, ARRAY_SIZE(cases));
}
