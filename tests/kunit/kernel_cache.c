// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/kernel_cache.h: a kernel stack is known again if, and only if, a walk
 * would take the same steps. The reference walks a stack of a simple kind: what a function's
 * frame is like is in the lowest bits of the address to which the one below it returns, as
 * the kernel's unwinder has it in a table.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/kernel_cache.h"
#include "suite.h"

#define WORDS	256			/* of the stack */
#define TOP	(WORDS - 8)		/* where walks end */
#define FROM	0xffffc90000004000ULL
#define TEXT	0xffffffff81000000ULL
#define IP	0x401000ULL
#define THREAD	0xffff888012340000ULL
#define PARTS	8

/* A frame of a function, by the lowest bits of the return address. */
#define SIZE(ip)	((ip) & 3)	/* words, beside the return address */
#define SAVES(ip)	((ip) & 4)	/* the frame pointer, in the highest of these */
#define BY_FP(ip)	((ip) & 8)	/* two words above the frame pointer */
#define POINTS(ip)	((ip) & 16)	/* the lowest one says how far it is from the base */
#define ENDS(ip)	((ip) & 32)

static struct wp_stack_cache *cache;
static u64 *memory;
static u64 changes, reads;
static u32 epoch;

static u64 addr_of(unsigned int at)
{
	return FROM + 8 * at;
}

static u64 word_at(u64 addr)
{
	if (addr < FROM || addr >= addr_of(WORDS) || addr & 7) {
		reads++;
		return 0;
	}
	return memory[(addr - FROM) / 8];
}

static struct wp_kernel_stack stack_of(unsigned int anchor)
{
	return (struct wp_kernel_stack){
		.from = FROM, .size = 8 * WORDS, .end = addr_of(TOP), .anchor = addr_of(anchor),
	};
}

/*
 * Walks, with notes if they are asked for. Returns a number for what it found, that is for
 * the addresses; 0 if the stack is broken.
 */
static u64 walk(unsigned int anchor, struct wp_kernel_notes *n)
{
	u64 at = addr_of(anchor) + 8, fp = memory[anchor], saved = addr_of(anchor), id = 1, ip;
	u64 base = addr_of(anchor);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		if (at < FROM || at >= addr_of(WORDS))
			return 0;
		ip = word_at(at);
		if (n)
			wp_kernel_same(n, at, ip);
		id = (id ^ ip) * 0x9e3779b97f4a7c15ULL;
		if (ENDS(ip)) {
			if (at + 8 != addr_of(TOP))
				return 0;
			if (n)
				wp_kernel_end(n, at + 8);
			return id ?: 1;
		}
		if (BY_FP(ip)) {
			if (fp <= base || fp & 7 || fp >= addr_of(WORDS - 2))
				return 0;
			if (n)
				wp_kernel_next(n, saved, fp);
			base = fp;
			saved = fp;
			at = fp + 8;
			fp = word_at(fp);
			continue;
		}
		if (at + 8 * SIZE(ip) >= addr_of(WORDS))
			return 0;
		if (POINTS(ip) && SIZE(ip)) {
			if (n)
				wp_kernel_near(n, at + 8, word_at(at + 8));
			id += word_at(at + 8) - base;
		}
		at += 8 * SIZE(ip);
		if (SAVES(ip) && SIZE(ip)) {
			saved = at;
			fp = word_at(at);
		}
		at += 8;
	}
	return 0;
}

/* Walks and keeps. Returns the id, 0 of a broken stack. */
static u64 walk_anew(unsigned int anchor, u64 thread)
{
	struct wp_kernel_notes n;
	u64 id;

	wp_kernel_begin(&n, cache, IP, thread, addr_of(anchor));
	id = walk(anchor, &n);
	wp_kernel_keep(&n, changes, epoch, id);
	return id;
}

/*
 * Writes a stack: some frames from the anchor on, the last of which saves the frame pointer
 * of a function whose frame is at the top, and does not move; or whatever @kind says.
 */
static void write_stack(unsigned int anchor, unsigned int kind)
{
	unsigned int at = anchor + 1, fixed = TOP - 4, frame;

	memory[anchor] = addr_of(fixed);
	for (frame = 0; frame < 3 + kind % 3; frame++) {
		u64 ip = TEXT + 64 * (100 * kind + frame) + frame % 4;

		/* The second one keeps a frame pointer, or points near. */
		if (frame == 1)
			ip = (ip & ~31ULL) | 3 | 4 | (kind & 4 ? 16 : 0);
		memory[at] = ip;
		if (frame == 1) {
			memory[at + 1] = addr_of(anchor) + 8 * kind;
			memory[at + 2] = kind;
			memory[at + 3] = addr_of(fixed);
		}
		at += 1 + SIZE(ip);
	}
	memory[at] = TEXT + 64 * kind + 8;
	memory[fixed] = 0;
	memory[fixed + 1] = TEXT + 64 * (900 + kind) + 1;
	memory[fixed + 2] = 0;
	memory[fixed + 3] = TEXT + 64 * 999 + 32;
}

static void set_up(struct kunit *test)
{
	cache = suite_alloc(test, sizeof(*cache));
	memory = suite_alloc(test, WORDS * sizeof(*memory));
	wp_stack_cache_init(cache);
	changes = 1;
	epoch = 1;
	reads = 0;
}

static const struct wp_cached_stack *cached(unsigned int anchor, u64 thread)
{
	const struct wp_kernel_stack stack = stack_of(anchor);

	return wp_kernel_cached(cache, IP, thread, &stack, changes, epoch, word_at);
}

static bool holds(const struct wp_cached_kernel *part, unsigned int anchor)
{
	const struct wp_kernel_stack stack = stack_of(anchor);

	return wp_cached_kernel_holds(part, cache, &stack, changes, word_at);
}

/* Nothing is known at first. */
static void nothing_first(struct kunit *test)
{
	set_up(test);
	write_stack(10, 1);
	KUNIT_EXPECT_NULL(test, cached(10, THREAD));
}

/* Each word that the walk depends on decides, and no other. */
static void each_word_decides(struct kunit *test)
{
	unsigned int kind, i;

	for (kind = 0; kind < 8; kind++) {
		struct wp_cached_kernel part = {};
		u64 id;

		set_up(test);
		write_stack(10, kind);
		id = walk_anew(10, THREAD);
		KUNIT_ASSERT_TRUE(test, id);
		KUNIT_ASSERT_NOT_NULL(test, cached(10, THREAD));
		KUNIT_EXPECT_EQ(test, cached(10, THREAD)->id, id);
		wp_cached_kernel_learn(&part, cached(10, THREAD));
		KUNIT_EXPECT_EQ(test, part.id, id);
		for (i = 0; i < WORDS; i++) {
			bool same;

			memory[i] ^= 1ULL << 40;
			same = walk(10, NULL) == id;
			KUNIT_EXPECT_EQ_MSG(test, !!cached(10, THREAD), same, "%u", i);
			KUNIT_EXPECT_EQ_MSG(test, holds(&part, 10), same, "%u", i);
			memory[i] ^= 1ULL << 40;
		}
		KUNIT_EXPECT_TRUE(test, holds(&part, 10));
	}
	KUNIT_EXPECT_EQ(test, reads, 0);
}

/* So do the code, the epoch and the thread. */
static void the_rest_decides(struct kunit *test)
{
	struct wp_cached_kernel part = {};

	set_up(test);
	write_stack(10, 1);
	walk_anew(10, THREAD);
	wp_cached_kernel_learn(&part, cached(10, THREAD));
	KUNIT_EXPECT_NULL(test, cached(10, THREAD + 1));
	changes++;
	KUNIT_EXPECT_NULL(test, cached(10, THREAD));
	KUNIT_EXPECT_FALSE(test, holds(&part, 10));
	changes--;
	epoch++;
	KUNIT_EXPECT_NULL(test, cached(10, THREAD));
	epoch--;
	KUNIT_EXPECT_NOT_NULL(test, cached(10, THREAD));
	KUNIT_EXPECT_TRUE(test, holds(&part, 10));
}

/* A stack that has moved, up to a frame that has not, is the same. */
static void moves(struct kunit *test)
{
	struct wp_cached_kernel part = {};
	unsigned int anchor;
	u64 id;

	set_up(test);
	write_stack(10, 5);
	id = walk_anew(10, THREAD);
	wp_cached_kernel_learn(&part, cached(10, THREAD));
	for (anchor = 0; anchor < 100; anchor++) {
		write_stack(anchor, 5);
		KUNIT_ASSERT_EQ(test, walk(anchor, NULL), id);
		KUNIT_EXPECT_TRUE(test, holds(&part, anchor));
		KUNIT_EXPECT_NOT_NULL(test, cached(anchor, THREAD));
		/* The frame that does not move is elsewhere. */
		memory[anchor + 1] ^= 64;
		KUNIT_EXPECT_FALSE(test, holds(&part, anchor));
	}
}

/* Nothing is read that is not on the stack. */
static void on_the_stack(struct kunit *test)
{
	struct wp_cached_kernel part = {};
	u64 bases[] = {
		0, 8, FROM - 8, addr_of(WORDS), addr_of(WORDS - 1), addr_of(WORDS - 4),
		addr_of(TOP - 4) + 4, addr_of(10), addr_of(2), addr_of(TOP - 3), ~0ULL, ~7ULL,
	};
	unsigned int i, saved = 0;
	struct wp_kernel_stack stack;

	set_up(test);
	write_stack(10, 1);
	walk_anew(10, THREAD);
	wp_cached_kernel_learn(&part, cached(10, THREAD));
	KUNIT_ASSERT_TRUE(test, holds(&part, 10));
	for (i = 10; i < TOP - 8; i++) {
		if (memory[i] == addr_of(TOP - 4))
			saved = i;
	}
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		memory[saved] = bases[i];
		KUNIT_EXPECT_FALSE_MSG(test, holds(&part, 10), "%u", i);
	}
	memory[saved] = addr_of(TOP - 4);
	KUNIT_EXPECT_TRUE(test, holds(&part, 10));
	/* An anchor as high as it can be, or higher, or on another stack. */
	for (i = WORDS - 20; i < WORDS + 2; i++)
		holds(&part, i);
	stack = stack_of(0);
	stack.anchor = FROM - 8;
	KUNIT_EXPECT_FALSE(test, wp_cached_kernel_holds(&part, cache, &stack, changes, word_at));
	KUNIT_EXPECT_EQ(test, reads, 0);
}

/* Where the stack ends decides, too. */
static void ends(struct kunit *test)
{
	struct wp_cached_kernel part = {};
	struct wp_kernel_stack stack = stack_of(10);

	set_up(test);
	write_stack(10, 1);
	walk_anew(10, THREAD);
	wp_cached_kernel_learn(&part, cached(10, THREAD));
	stack.end += 8;
	KUNIT_EXPECT_FALSE(test, wp_cached_kernel_holds(&part, cache, &stack, changes, word_at));
	stack.end -= 8;
	KUNIT_EXPECT_TRUE(test, wp_cached_kernel_holds(&part, cache, &stack, changes, word_at));
}

/* What cannot be noted is not kept. */
static void kept_whole_only(struct kunit *test)
{
	struct wp_kernel_notes n;
	unsigned int i;

	set_up(test);
	write_stack(10, 1);
	for (i = 0; i < 6; i++) {
		walk_anew(10, THREAD);
		KUNIT_EXPECT_NOT_NULL(test, cached(10, THREAD));
		/* One that is begun drops the one before. */
		wp_kernel_begin(&n, cache, IP, THREAD, addr_of(10));
		KUNIT_EXPECT_NULL(test, cached(10, THREAD));
		if (i == 0)
			wp_kernel_same(&n, addr_of(9), memory[9]);
		if (i == 1)
			wp_kernel_same(&n, addr_of(10) + 4, 0);
		if (i == 2)
			wp_kernel_same(&n, addr_of(10) + 8 * (WP_KERNEL_AT + 1), 0);
		if (i == 3)
			wp_kernel_next(&n, addr_of(10), addr_of(10));
		wp_kernel_keep(&n, changes, epoch, i == 4 ? 0 : 7);
		/* The last one has no steps, and is kept. */
		KUNIT_EXPECT_EQ(test, !!cached(10, THREAD), i == 5);
	}
	/* More steps than there is room for. */
	wp_kernel_begin(&n, cache, IP, THREAD, addr_of(10));
	for (i = 0; i <= WP_STACK_CACHE_WORDS; i++)
		wp_kernel_same(&n, addr_of(10), memory[10]);
	wp_kernel_keep(&n, changes, epoch, 7);
	KUNIT_EXPECT_NULL(test, cached(10, THREAD));
}

/* Steps that were overwritten are not taken. */
static void overwritten(struct kunit *test)
{
	struct wp_cached_kernel part = {};
	unsigned int i;

	set_up(test);
	write_stack(10, 1);
	walk_anew(10, THREAD);
	wp_cached_kernel_learn(&part, cached(10, THREAD));
	/* The same ones, so that only their positions differ. */
	for (i = 0; i < WP_STACK_CACHE_RING / 6; i++)
		walk_anew(10, THREAD);
	KUNIT_EXPECT_FALSE(test, holds(&part, 10));
	KUNIT_EXPECT_NOT_NULL(test, cached(10, THREAD));
}

/* Whatever happens, what is found is what a walk returns, and mostly it is found. */
static void random_walks(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(200000), round, found = 0, held = 0, missed = 0;
	struct wp_cached_kernel parts[PARTS] = {};
	u32 of_epoch[PARTS] = {};

	set_up(test);
	for (round = 0; round < rounds && !suite_failed(test); round++) {
		unsigned int anchor = suite_below(64), nr = suite_below(PARTS);
		u64 thread = THREAD + suite_below(4), id;
		const struct wp_cached_stack *old;

		write_stack(anchor, suite_below(4) ? thread & 7 : suite_below(8));
		if (!suite_below(8))
			memory[anchor + suite_below(16)] ^= 1ULL << suite_below(48);
		if (!suite_below(8))
			memory[TOP - suite_below(6)] ^= 1ULL << suite_below(48);
		id = walk(anchor, NULL);
		old = cached(anchor, thread);
		if (of_epoch[nr] == epoch && holds(parts + nr, anchor)) {
			KUNIT_EXPECT_EQ_MSG(test, parts[nr].id, id, "round %u", round);
			held++;
		}
		if (old) {
			KUNIT_EXPECT_EQ_MSG(test, old->id, id, "round %u", round);
			found++;
		} else if (walk_anew(anchor, thread)) {
			old = cached(anchor, thread);
			missed += !old;
		}
		if (old && !suite_below(4)) {
			wp_cached_kernel_learn(parts + nr, old);
			of_epoch[nr] = epoch;
		}
		changes += !suite_below(1024);
		epoch += !suite_below(1024);
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, found, rounds / 4);
	KUNIT_EXPECT_GT(test, held, rounds / 100);
	KUNIT_EXPECT_EQ(test, missed, 0);
	KUNIT_EXPECT_EQ(test, reads, 0);
}

static struct kunit_case kernel_cache_cases[] = {
	KUNIT_CASE(nothing_first),
	KUNIT_CASE(each_word_decides),
	KUNIT_CASE(the_rest_decides),
	KUNIT_CASE(moves),
	KUNIT_CASE(on_the_stack),
	KUNIT_CASE(ends),
	KUNIT_CASE(kept_whole_only),
	KUNIT_CASE(overwritten),
	KUNIT_CASE(random_walks),
	{}
};

static struct kunit_suite kernel_cache_suite = {
	.name = "wallprof_kernel_cache",
	.init = suite_init,
	.test_cases = kernel_cache_cases,
};

kunit_test_suite(kernel_cache_suite);
