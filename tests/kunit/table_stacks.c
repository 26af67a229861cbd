// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tables.c: stacks, their ids, and a full table.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/tables.h"
#include "suite.h"
#include "table_places.h"
#include "tables_model.h"

/* A stack that a case assembles; too large for a kernel stack. */
static u64 ips[WALLPROF_MAX_STACK];

static int table_stacks_init(struct kunit *test)
{
	memset(ips, 0, sizeof(ips));
	return suite_init(test);
}

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

static u32 place_stack(struct twin *t, unsigned int nr, u8 unwind, u8 flags)
{
	u32 epoch = t->epoch += 2;

	wp_half_begin(&t->tables, epoch);
	wp_stack_intern(&t->tables, epoch, ips, nr, unwind, flags);
	return place_of(wp_half_of(&t->tables, epoch)->stack_index,
			t->sizes.stack_mask, epoch);
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

/* Stacks in the same place of the index are compared in full. */
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

static struct kunit_case table_stacks_cases[] = {
	KUNIT_CASE_PARAM(stack_same_same_id, length_gen_params),
	KUNIT_CASE(stack_differs),
	KUNIT_CASE_PARAM(stack_collisions, family_gen_params),
	KUNIT_CASE_PARAM(stack_exact_capacity, room_gen_params),
	KUNIT_CASE(stack_full_counted),
	KUNIT_CASE(stack_index_exact),
	KUNIT_CASE(stack_large_fills),
	KUNIT_CASE_PARAM(stack_id_decodes, writer_gen_params),
	KUNIT_CASE(stack_id_of_last_word),
	{}
};

static struct kunit_suite table_stacks_suite = {
	.name = "wallprof_table_stacks",
	.init = table_stacks_init,
	.test_cases = table_stacks_cases,
};

kunit_test_suite(table_stacks_suite);
