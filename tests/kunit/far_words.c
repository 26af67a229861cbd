// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of the far words of module/pure/stack_cache.h: each of them decides, as does the
 * thread pointer, and they are found as long as nothing has overwritten them. Those of walks
 * of interpreted functions are in the suite of these: interp.c.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/stack_cache.h"
#include "suite.h"

#define STACK	0x7ffd00000000ULL
#define THREAD	0x7f0000001000ULL
#define HEAP	0x550000000000ULL
#define STACKS	4096

static struct wp_stack_cache *cache;
static struct wp_stack_cache_notes notes;
static u64 differs;	/* the address of a word that has changed */

static void set_up(struct kunit *test)
{
	cache = suite_alloc(test, sizeof(*cache));
	cache->far = suite_alloc(test, sizeof(*cache->far));
	wp_stack_cache_init(cache);
	differs = 0;
}

/* Each word is its address. */
static bool is_address(void *ctx, u64 addr, u64 word)
{
	return word == addr && addr != differs;
}

static u64 far_at(u64 ip, unsigned int i)
{
	return HEAP + ip * 0x10000 + 8 * i;
}

/* A walk from @ip, of @near words and @far ones. */
static struct wp_cached_stack *walk_of(u64 ip, unsigned int near, unsigned int far, u64 id)
{
	unsigned int i;

	wp_stack_cache_begin(&notes, cache, wp_stack_cache_find(cache, ip, STACK, 1), ip, STACK,
			     0, 1);
	for (i = 0; i < near; i++)
		wp_stack_cache_note(&notes, STACK + 8 * i, STACK + 8 * i);
	wp_stack_cache_far_begin(&notes, THREAD);
	for (i = 0; i < far; i++)
		wp_stack_cache_note_far(&notes, far_at(ip, i), far_at(ip, i));
	wp_stack_cache_keep(&notes, 1, 1, 1, id, 0, 0);
	return notes.old;
}

static bool holds(const struct wp_cached_stack *old, u64 thread)
{
	return wp_stack_cache_holds(cache, old, is_address, NULL, 1, 1, 0, thread);
}

static void each_decides(struct kunit *test)
{
	unsigned int far, i;

	set_up(test);
	for (far = 0; far < 20; far++) {
		const struct wp_cached_stack *old = walk_of(far, 2, far, 1);

		KUNIT_EXPECT_TRUE(test, holds(old, THREAD));
		KUNIT_EXPECT_FALSE(test, holds(old, THREAD + 8));
		KUNIT_EXPECT_FALSE(test, holds(old, 0));
		for (i = 0; i < far + 1; i++) {
			differs = far_at(far, i);
			KUNIT_EXPECT_EQ_MSG(test, holds(old, THREAD), i == far, "%u of %u", i, far);
		}
		differs = STACK + 8;
		KUNIT_EXPECT_FALSE(test, holds(old, THREAD));
		differs = 0;
	}
}

/* A walk whose words cannot all be noted is not cached. */
static void bounded(struct kunit *test)
{
	const struct wp_cached_stack *old;

	set_up(test);
	KUNIT_EXPECT_TRUE(test, holds(walk_of(1, 1, WP_FAR_WORDS, 1), THREAD));
	old = walk_of(1, 1, WP_FAR_WORDS + 1, 1);
	KUNIT_EXPECT_EQ(test, old->begin, 0);
	KUNIT_EXPECT_FALSE(test, notes.whole);
	/* They are known by the near words. */
	KUNIT_EXPECT_EQ(test, walk_of(1, 0, 3, 1)->begin, 0);
	KUNIT_EXPECT_NE(test, walk_of(1, 1, 3, 1)->begin, 0);
	KUNIT_EXPECT_EQ(test, walk_of(1, 1, 3, 0)->begin, 0);
}

/* A word that is read again is noted once, if it is the same. */
static void once(struct kunit *test)
{
	unsigned int i;

	set_up(test);
	for (i = 0; i < 4; i++)
		walk_of(1, 1, 5, 1);
	wp_stack_cache_begin(&notes, cache, NULL, 2, STACK, 0, 1);
	wp_stack_cache_note(&notes, STACK, STACK);
	wp_stack_cache_far_begin(&notes, THREAD);
	for (i = 0; i < 40; i++)
		wp_stack_cache_note_far(&notes, far_at(1, i % 5), far_at(1, i % 5));
	KUNIT_EXPECT_EQ(test, notes.far_next - notes.far, 5);
	/* Changed meanwhile: the stack is never found. */
	wp_stack_cache_note_far(&notes, far_at(1, 3), 0);
	KUNIT_EXPECT_EQ(test, notes.far_next - notes.far, 6);
	wp_stack_cache_keep(&notes, 1, 1, 1, 1, 0, 0);
	KUNIT_EXPECT_NE(test, notes.old->begin, 0);
	KUNIT_EXPECT_FALSE(test, holds(notes.old, THREAD));
}

/* Words are overwritten by others, also by those of walks that are not kept; no others are. */
static void overwrites(struct kunit *test)
{
	struct {
		u64 begin;
		u32 first, nr;
		u16 far;
		bool kept;
	} *made = suite_alloc(test, STACKS * sizeof(*made));
	u32 *owner = suite_alloc(test, WP_FAR_RING * sizeof(*owner));
	unsigned int rounds = SUITE_ROUNDS(40000), round, i, held = 0, lost = 0, cut = 0;

	set_up(test);
	for (round = 1; round < rounds && !suite_failed(test); round++) {
		const struct wp_cached_stack *old;
		unsigned int far = suite_below(suite_below(4) ? 60 : WP_FAR_WORDS + 10);
		unsigned int at = round % STACKS, k;
		bool there;

		old = walk_of(round, 1, far, suite_below(4));
		made[at].kept = old->begin;
		made[at].begin = old->begin;
		made[at].far = old->far;
		made[at].first = notes.far - 1;
		made[at].nr = 1 + notes.far_next - notes.far;
		KUNIT_ASSERT_TRUE(test, made[at].first + made[at].nr <= WP_FAR_RING);
		for (i = 0; i < made[at].nr; i++)
			owner[made[at].first + i] = round;
		/* What repeats the last one, of which there may be none. */
		for (; made[at].kept && (made[at].nr - 1) % WP_FAR_STEP; made[at].nr++)
			owner[made[at].first + made[at].nr] = round;

		at = (round - suite_below(round < STACKS ? round : 400)) % STACKS;
		if (!made[at].kept)
			continue;
		for (there = true, i = 0, k = owner[made[at].first]; i < made[at].nr; i++) {
			there &= owner[made[at].first + i] % STACKS == at;
			cut += owner[made[at].first + i] != k;
		}
		KUNIT_EXPECT_EQ_MSG(test, there,
				    wp_stack_cache_far_unchanged(cache->far, made[at].far,
								 made[at].begin, is_address, NULL,
								 THREAD),
				    "round %u", round);
		held += there;
		lost += !there;
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, held, rounds / 20);
	KUNIT_EXPECT_GT(test, lost, rounds / 20);
	KUNIT_EXPECT_GT(test, cut, rounds / 20);
}

/* The largest piece fits before the end of the ring, and begins anew behind that. */
static void at_the_end(struct kunit *test)
{
	set_up(test);
	cache->far->head = WP_FAR_RING - WP_FAR_WORDS - 1;
	KUNIT_EXPECT_TRUE(test, holds(walk_of(1, 1, WP_FAR_WORDS, 1), THREAD));
	KUNIT_EXPECT_EQ(test, notes.far_next, WP_FAR_RING);
	KUNIT_EXPECT_TRUE(test, holds(walk_of(2, 1, 3, 1), THREAD));
	KUNIT_EXPECT_EQ(test, notes.far, 1);
	cache->far->head = WP_FAR_RING - WP_FAR_WORDS;
	KUNIT_EXPECT_TRUE(test, holds(walk_of(3, 1, 3, 1), THREAD));
	KUNIT_EXPECT_EQ(test, notes.far, 1);
}

static struct kunit_case far_words_cases[] = {
	KUNIT_CASE(each_decides),
	KUNIT_CASE(bounded),
	KUNIT_CASE(once),
	KUNIT_CASE(overwrites),
	KUNIT_CASE(at_the_end),
	{}
};

static struct kunit_suite far_words_suite = {
	.name = "wallprof_far_words",
	.init = suite_init,
	.test_cases = far_words_cases,
};

kunit_test_suite(far_words_suite);
