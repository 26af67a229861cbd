// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/stack_cache.h: a stack is found in the cache if, and only if, all
 * that its walk depended on is unchanged, and no newer stacks have replaced it. Stacks
 * come from the random tables and memory of the unwinder's own suite, or from the
 * reference.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "cfi_model.h"
#include "pure/stack_cache.h"
#include "stack_cache_model.h"
#include "suite.h"

#define LIMIT	0x7ffffffff000ULL
#define CODE	0x400000ULL
#define PAGE	((u32)BIT(WALLPROF_TABLE_SHIFT))
#define STACK	0x7ffd00000000ULL
#define RULES	24

struct one_page {
	struct wallprof_table head;
	struct wallprof_rule rules[RULES];
	u32 pages[2];
	struct wallprof_row rows[RULES];
	struct wallprof_save saves[2];
};

static struct one_page page;
static struct wp_table table;
static struct wp_map map;
static u64 stack[512];
static struct cfi_user user;
static struct wp_step_cache steps;
static struct wp_stack_cache *cache;
static struct wp_stack_cache_notes notes;
static u64 ips[WALLPROF_MAX_STACK], fresh[WALLPROF_MAX_STACK];

/* As cfi_reg() and cfi_read(), with notes. */
static u64 noted_reg(const void *ctx, unsigned int reg)
{
	wp_stack_cache_note_reg(&notes, reg == wp_cfi_x86_64.fp);
	return cfi_reg(ctx, reg);
}

static bool noted_read(void *ctx, u64 addr, u64 *value)
{
	if (!cfi_read(ctx, addr, value)) {
		wp_stack_cache_note_fault(&notes);
		return false;
	}
	wp_stack_cache_note(&notes, addr, *value);
	return true;
}

static const struct wp_cfi_ops noted = {
	.arch = &wp_cfi_x86_64, .reg = noted_reg, .read = noted_read, .strip = cfi_strip,
};

#define EPOCH	3
#define ID	0x1234
#define PROCESS	0x9990

/* Numbers of the current table: each has its own, which the steps know. */
static u64 generation = 7, changes;

/* Makes an empty cache. */
static void set_up_cache(struct kunit *test)
{
	cache = suite_alloc(test, sizeof(*cache));
	wp_stack_cache_init(cache);
	changes = 5;
}

/* As at a switch: the stack that was found last is tried first. */
static struct wp_cached_stack *find(u64 ip, u64 sp, u64 process)
{
	struct wp_cached_stack *cached = wp_stack_cache_last(cache, ip, sp, process);

	return wp_stack_cache_began(cached, ip, sp, process) ? cached :
	       wp_stack_cache_find(cache, ip, sp, process);
}

/* The probe's fast path, which does not look the mappings up. */
static bool holds_short(u64 process, u64 since, u32 epoch)
{
	const struct wp_cached_stack *cached = find(user.ip, user.regs[7], process);

	return cached && wp_stack_cache_may_hold(cache, cached, since, epoch, user.regs[6]) &&
	       wp_stack_cache_words_hold(cache, cached, cfi_is, &user, user.regs[7]);
}

static unsigned int walk(struct wp_cfi_result *result)
{
	struct wp_cfi_code code = { .maps = &user.maps, .steps = &steps, .by_fp = true };
	unsigned int nr;

	user.maps.generation = generation;
	wp_stack_cache_begin(&notes, cache,
			     wp_stack_cache_find(cache, user.ip, user.regs[7], PROCESS),
			     user.ip, user.regs[7], user.regs[6], PROCESS);
	nr = wp_unwind_cfi(&noted, &user, &code, user.ip, user.regs[7], user.limit, ips,
			   WALLPROF_MAX_STACK, result);
	wp_stack_cache_keep(&notes, generation, changes, EPOCH, ID, result->stop, 0);
	return nr;
}

static unsigned int disagreed;

/* Both paths, which must agree. */
static bool holds(u64 of, u32 epoch)
{
	const struct wp_cached_stack *cached =
		wp_stack_cache_find(cache, user.ip, user.regs[7], PROCESS);
	bool held = cached && wp_stack_cache_holds(cache, cached, cfi_is, &user, of, epoch,
						   user.regs[6], 0);

	disagreed += of == generation && held != holds_short(PROCESS, changes, epoch);
	return held;
}

static u64 in(unsigned int rule)
{
	return CODE + 16 * rule + 4;
}

static void set_up(struct kunit *test)
{
	u32 i;

	generation++;
	changes++;
	memset(&page, 0, sizeof(page));
	page.head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = EM_X86_64, .nr_pages = 1, .nr_rows = RULES,
		.nr_rules = RULES, .nr_saves = 2, .base = CODE,
	};
	for (i = 0; i < RULES; i++) {
		struct wallprof_rule *r = &page.rules[i];

		page.rows[i] = (struct wallprof_row){ 16 * i, i };
		r->index = WALLPROF_RULE_NO_INDEX;
		if (!i)
			continue;
		/* Mostly by sp, sometimes by fp, rbx or through memory. */
		r->kind = suite_below(12) ? WALLPROF_RULE_CFA : WALLPROF_RULE_DEREF;
		r->reg = suite_below(4) ? 7 : suite_below(8) ? 6 : 3;
		r->off = 8 * (1 + suite_below(4));
		r->ra = -1;
		if (!suite_below(3)) {
			r->flags = WALLPROF_RULE_FP_SAVED;
			r->fp = -2;
		}
		/* A word of the frame decides nothing but the stack. */
		if (r->kind == WALLPROF_RULE_DEREF && suite_below(2)) {
			r->flags |= WALLPROF_RULE_WORD;
			r->index = 1 + suite_below(4);
		}
	}
	page.rules[RULES - 1] = (struct wallprof_rule){ WALLPROF_RULE_END,
							.index = 0xff };
	page.pages[1] = RULES;
	page.saves[0].how = WALLPROF_SAVE_END;
	page.saves[1].how = WALLPROF_SAVE_END;
	map = (struct wp_map){ CODE, CODE + PAGE, 0, &table };
	for (i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = suite_below(4) ? in(1 + suite_below(RULES - 1)) :
			   STACK + 8 * suite_below(ARRAY_SIZE(stack));
	user = (struct cfi_user){
		.bytes = (u8 *)stack, .base = STACK, .size = sizeof(stack), .limit = LIMIT,
		.maps = { &map, 1 }, .arch = &wp_cfi_x86_64,
		.ip = in(1 + suite_below(RULES - 1)),
	};
	for (i = 0; i < 16; i++)
		user.regs[i] = STACK + 8 * suite_below(64);
	KUNIT_ASSERT_TRUE(test, !wp_table_check(&table, &page, sizeof(page), EM_X86_64));
}

/* Whatever changes: a stack that is found is what a walk would find. */
static void exact(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(20000), round, i, kept = 0, held = 0;
	struct wp_cfi_result result, now;

	set_up_cache(test);
	for (round = 0; round < rounds && !suite_failed(test); round++) {
		unsigned int nr;

		set_up(test);
		nr = walk(&result);
		KUNIT_EXPECT_EQ(test, holds(generation, EPOCH), notes.whole);
		kept += notes.whole;
		for (i = 0; i < 8; i++) {
			u64 *word = suite_below(4) ? &stack[suite_below(64)] :
				    suite_below(3) ? &user.regs[suite_below(16)] : &user.ip;
			u64 old = *word;

			*word = suite_below(2) ? in(1 + suite_below(RULES - 1)) :
				STACK + 8 * suite_below(ARRAY_SIZE(stack));
			if (holds(generation, EPOCH)) {
				held++;
				KUNIT_EXPECT_EQ(test, nr,
						cfi_walk(&user, fresh, WALLPROF_MAX_STACK,
							 &now));
				KUNIT_EXPECT_EQ(test, result.stop, now.stop);
				KUNIT_EXPECT_EQ(test, result.by_fp, now.by_fp);
				KUNIT_EXPECT_EQ(test, 0,
						memcmp(ips, fresh, nr * sizeof(*ips)));
			}
			*word = old;
		}
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, kept, rounds / 4);
	KUNIT_EXPECT_GT(test, held, rounds / 4);
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* Each input of a walk, changed alone, decides. */
static void each_decides(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(5000), round, words = 0;
	struct wp_cfi_result result;

	set_up_cache(test);
	for (round = 0; round < rounds && !suite_failed(test); round++) {
		const struct wp_cached_stack *cached;
		u16 i;

		set_up(test);
		KUNIT_EXPECT_FALSE(test, holds(generation, EPOCH));
		walk(&result);
		cached = notes.old;
		if (!notes.whole)
			continue;
		KUNIT_EXPECT_TRUE(test, holds(generation, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds(generation + 1, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds(generation, EPOCH + 1));
		KUNIT_EXPECT_TRUE(test, holds_short(PROCESS, changes, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds_short(PROCESS + 1, changes, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds_short(PROCESS, changes + 1, EPOCH));
		user.ip++;
		KUNIT_EXPECT_FALSE(test, holds(generation, EPOCH));
		user.ip--;
		user.regs[7] += 8;
		KUNIT_EXPECT_FALSE(test, holds(generation, EPOCH));
		user.regs[7] -= 8;
		user.regs[6]++;
		KUNIT_EXPECT_EQ(test, holds(generation, EPOCH), !cached->by_fp);
		user.regs[6]--;
		for (i = 0; i < cached->nr; i++) {
			u32 slot = cached->begin % WP_STACK_CACHE_RING + i;
			u64 *word = &stack[(cached->sp - STACK) / 8 + cache->at[slot]];

			words++;
			*word ^= BIT(suite_below(32));
			KUNIT_EXPECT_FALSE(test, holds(generation, EPOCH));
			*word = cache->word[slot];
		}
		/* Its memory is unmapped. */
		user.size = 0;
		KUNIT_EXPECT_EQ(test, holds(generation, EPOCH), !cached->nr);
	}
	KUNIT_EXPECT_GT(test, words, rounds);
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* A walk from @ip, of @nr words, each of them its address. */
static struct wp_cached_stack *walk_of(u64 ip, u64 process, unsigned int nr, u64 id)
{
	unsigned int i;

	wp_stack_cache_begin(&notes, cache, wp_stack_cache_find(cache, ip, STACK, process),
			     ip, STACK, 0, process);
	for (i = 0; i < nr; i++)
		wp_stack_cache_note(&notes, STACK + 8 * i, STACK + 8 * i);
	wp_stack_cache_keep(&notes, generation, changes, EPOCH, id, 0, 0);
	return notes.old;
}

static bool is_address(void *ctx, u64 addr, u64 word)
{
	return word == addr;
}

/* The id of the cached stack, by both paths; 0: there is none. */
static u64 id_of(u64 ip, u64 process)
{
	const struct wp_cached_stack *cached = find(ip, STACK, process);
	bool there;

	if (!cached)
		return 0;
	there = wp_stack_cache_may_hold(cache, cached, changes, EPOCH, 0) &&
		wp_stack_cache_words_hold(cache, cached, is_address, NULL, STACK);
	disagreed += there != wp_stack_cache_holds(cache, cached, is_address, NULL, generation,
						   EPOCH, 0, 0);
	return there ? cached->id : 0;
}

/* A walk whose inputs cannot all be noted is not cached. */
static void bounded(struct kunit *test)
{
	struct wp_cached_stack *cached;

	set_up_cache(test);
	cached = walk_of(CODE, PROCESS, WP_STACK_CACHE_WORDS, ID);
	KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS), ID);
	KUNIT_EXPECT_EQ(test, cached->nr, WP_STACK_CACHE_WORDS);
	wp_stack_cache_note(&notes, STACK, 0);
	KUNIT_EXPECT_EQ(test, notes.next, WP_STACK_CACHE_WORDS);
#define NOT_KEPT(sp, does, id)                                                          \
	do {                                                                            \
		walk_of(CODE, PROCESS, 3, ID);                                          \
		KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS), ID);                        \
		wp_stack_cache_begin(&notes, cache, cached, CODE, sp, 0, PROCESS);      \
		KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS), 0);                         \
		does;                                                                   \
		wp_stack_cache_keep(&notes, generation, changes, EPOCH, id, 0, 0);      \
		KUNIT_EXPECT_EQ(test, cached->begin, 0);                                \
		KUNIT_EXPECT_FALSE(                                                     \
			test, wp_stack_cache_may_hold(cache, cached, changes, EPOCH, 0)); \
		KUNIT_EXPECT_FALSE(test,                                                \
				   wp_stack_cache_holds(cache, cached, is_address, NULL, \
							generation, EPOCH, 0, 0));      \
		wp_stack_cache_begin(&notes, cache, cached, CODE, STACK, 0, PROCESS);   \
	} while (0)
	NOT_KEPT(STACK, wp_stack_cache_note(&notes, STACK - 8, 0), ID);
	NOT_KEPT(STACK, wp_stack_cache_note(&notes, STACK + 8 * 65536, 0), ID);
	NOT_KEPT(STACK, wp_stack_cache_note_fault(&notes), ID);
	NOT_KEPT(STACK, wp_stack_cache_note_reg(&notes, false), ID);
	NOT_KEPT(STACK + 4, (void)0, ID);
	/* Addresses above the end of all memory wrap to its start. */
	NOT_KEPT(-16ULL, wp_stack_cache_note(&notes, 8, 0), ID);
	NOT_KEPT(STACK, (void)0, 0);
	walk_of(CODE, PROCESS, WP_STACK_CACHE_WORDS + 1, ID);
	KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS), 0);

	/* The comparison in pairs compares no word that was not noted. */
	wp_stack_cache_begin(&notes, cache, cached, CODE, STACK, 0, PROCESS);
	wp_stack_cache_note(&notes, STACK + 8 * 65535, 5);
	wp_stack_cache_note_reg(&notes, true);
	wp_stack_cache_keep(&notes, generation, changes, EPOCH, ID, 0, 0);
	KUNIT_EXPECT_NE(test, cached->begin, 0);
	KUNIT_EXPECT_TRUE(test, cached->by_fp);
	KUNIT_EXPECT_EQ(test, cached->nr, 2);
	KUNIT_EXPECT_EQ(test, cache->at[notes.next], 65535);
	KUNIT_EXPECT_EQ(test, cache->word[notes.next], 5);
}

#define SET	WP_STACK_CACHE_SET_BITS
#define TAG	(WP_STACK_CACHE_SET_BITS + 8)

/* The @nr'th address other than CODE whose hash begins with the same @bits. */
static u64 like(unsigned int nr, unsigned int bits)
{
	u64 hash = wp_stack_cache_hash(CODE, STACK, PROCESS), ip = CODE;

	while (nr)
		nr -= !((wp_stack_cache_hash(++ip, STACK, PROCESS) ^ hash) >> (64 - bits));
	return ip;
}

/* A full set replaces the stack that was walked the longest ago. */
static void ways(struct kunit *test)
{
	unsigned int walked[3 * WP_STACK_CACHE_WAYS] = {}, now, i, j;

	set_up_cache(test);
	for (now = 1; now < ARRAY_SIZE(walked) && !suite_failed(test); now++) {
		/* The first stacks again; a lookup does not make them newer. */
		unsigned int which = now < 12 ? now : now < 14 ? now - 6 : now - 2;

		walk_of(like(which, SET), PROCESS, 3, now);
		walked[which] = now;
		for (i = 0; i < ARRAY_SIZE(walked); i++) {
			unsigned int newer = 0;

			for (j = 0; j < ARRAY_SIZE(walked); j++)
				newer += walked[j] > walked[i];
			KUNIT_EXPECT_EQ_MSG(test, id_of(like(i, SET), PROCESS),
					    newer < WP_STACK_CACHE_WAYS ? walked[i] : 0,
					    "%u at %u", i, now);
		}
	}
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* A stack that was not kept takes a way, and the next one replaces it. */
static void nothing_first(struct kunit *test)
{
	unsigned int n;

	set_up_cache(test);
	for (n = 0; n < WP_STACK_CACHE_WAYS; n++)
		walk_of(like(n, SET), PROCESS, 3, 1 + n);
	walk_of(like(5, SET), PROCESS, 3, 0);
	walk_of(like(8, SET), PROCESS, 3, 9);
	for (n = 0; n <= WP_STACK_CACHE_WAYS; n++)
		KUNIT_EXPECT_EQ(test, id_of(like(n, SET), PROCESS), n == 5 ? 0 : 1 + n);
}

/* With equal set and tag the rest is compared. An empty way is never found. */
static void tags(struct kunit *test)
{
	unsigned int n, i;

	set_up_cache(test);
	for (n = 0; n < 1000; n++)
		KUNIT_EXPECT_EQ(test, id_of(CODE + n, PROCESS), 0);
	for (n = 0; n < 4; n++) {
		walk_of(like(n, TAG), PROCESS, 3, 1 + n);
		for (i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, id_of(like(i, TAG), PROCESS),
					i <= n ? 1 + i : 0);
	}
}

/* The stack that was found or walked last is tried first, within its set. */
static void last_first(struct kunit *test)
{
	const struct wp_cached_stack *cached;
	unsigned int n;

	set_up_cache(test);
	for (n = 0; n < 1000; n++) {
		u64 ip = suite_random(),
		    set = wp_stack_cache_set_of(wp_stack_cache_hash(ip, STACK, PROCESS));

		cached = wp_stack_cache_last(cache, ip, STACK, PROCESS);
		KUNIT_EXPECT_EQ(test, (cached - cache->way) / WP_STACK_CACHE_WAYS, set);
	}
	for (n = 0; n < WP_STACK_CACHE_WAYS; n++) {
		cached = walk_of(like(n, SET), PROCESS, 3, 1 + n);
		KUNIT_EXPECT_PTR_EQ(test, cached, wp_stack_cache_last(cache, CODE, STACK, PROCESS));
	}
	for (n = 0; n < WP_STACK_CACHE_WAYS; n++) {
		cached = wp_stack_cache_find(cache, like(n, SET), STACK, PROCESS);
		KUNIT_EXPECT_PTR_EQ(test, cached, wp_stack_cache_last(cache, CODE, STACK, PROCESS));
		wp_stack_cache_find(cache, like(WP_STACK_CACHE_WAYS, SET), STACK, PROCESS);
		KUNIT_EXPECT_PTR_EQ(test, cached, wp_stack_cache_last(cache, CODE, STACK, PROCESS));
	}
}

/* Forked processes have stacks at the same addresses. */
static void processes(struct kunit *test)
{
	unsigned int n;

	set_up_cache(test);
	for (n = 0; n < 100; n++)
		walk_of(CODE, PROCESS + 64 * n, 3, 1 + n);
	for (n = 0; n < 100; n++)
		KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS + 64 * n), 1 + n);
	KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS + 64 * n), 0);
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* Words are overwritten in their order, also by stacks that are not kept. */
static void overwrites(struct kunit *test)
{
	unsigned int lap = WP_STACK_CACHE_RING / WP_STACK_CACHE_WORDS, n, oldest = 0;

	set_up_cache(test);
	for (n = 0; n < 3 * lap && !suite_failed(test); n++) {
		/* In all sets. */
		walk_of(CODE + n, PROCESS, WP_STACK_CACHE_WORDS, 1 + n);
		oldest = n < lap ? 0 : n - lap + 1;
		KUNIT_EXPECT_EQ(test, id_of(CODE + n, PROCESS), 1 + n);
		KUNIT_EXPECT_EQ(test, id_of(CODE + oldest, PROCESS), 1 + oldest);
		if (oldest)
			KUNIT_EXPECT_EQ(test, id_of(CODE + oldest - 1, PROCESS), 0);
		if (n % 64 == 0)
			cond_resched();
	}
	walk_of(CODE, PROCESS, 1, 0);
	KUNIT_EXPECT_EQ(test, id_of(CODE + oldest, PROCESS), 0);
	for (n = oldest + 1; n < 3 * lap; n++)
		KUNIT_EXPECT_EQ(test, id_of(CODE + n, PROCESS), 1 + n);
	/* A stack that was not kept took no room. */
	walk_of(CODE, PROCESS, WP_STACK_CACHE_WORDS, 1);
	KUNIT_EXPECT_EQ(test, id_of(CODE + oldest + 1, PROCESS), oldest + 2);
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* A stack's words do not wrap at the end of the ring. */
static void in_one_piece(struct kunit *test)
{
	unsigned int lap = WP_STACK_CACHE_RING / WP_STACK_CACHE_WORDS, left, n;

	for (left = WP_STACK_CACHE_WORDS - 6; left < WP_STACK_CACHE_WORDS + 6; left += 2) {
		set_up_cache(test);
		for (n = 1; n < lap; n++)
			walk_of(CODE, PROCESS, WP_STACK_CACHE_WORDS, 1);
		n = WP_STACK_CACHE_RING - left;
		walk_of(CODE, PROCESS, n - cache->head % WP_STACK_CACHE_RING, 1);
		walk_of(CODE + 1, PROCESS, WP_STACK_CACHE_WORDS, 2);
		KUNIT_EXPECT_EQ(test, notes.end,
				(left < WP_STACK_CACHE_WORDS ? 0 : n) + WP_STACK_CACHE_WORDS);
		KUNIT_EXPECT_EQ(test, id_of(CODE, PROCESS), 1);
		KUNIT_EXPECT_EQ(test, id_of(CODE + 1, PROCESS), 2);
		suite_free(test, cache);
	}
}

/* A stack without a caller depends on no word. */
static void no_words(struct kunit *test)
{
	unsigned int n;

	set_up_cache(test);
	for (n = 0; n < 10; n++)
		walk_of(CODE + n, PROCESS, 0, 1 + n);
	for (n = 0; n < 10; n++)
		KUNIT_EXPECT_EQ(test, id_of(CODE + n, PROCESS), 1 + n);
	KUNIT_EXPECT_EQ(test, cache->head, WP_STACK_CACHE_RING);
}

static u8 few(unsigned int n)
{
	/* Most from a few values, so that they come again. */
	return suite_below(suite_below(2) ? n / 4 : n);
}

/* The cache agrees with the reference, whatever happens. */
static void random_model(struct kunit *test)
{
	struct stack_cache_model *m = suite_alloc(test, sizeof(*m));
	unsigned int rounds = SUITE_ROUNDS(100000), round;

	stack_cache_model_set(m);
	for (round = 0; round < rounds && !suite_failed(test); round++) {
		const struct stack_cache_visit visit = {
			.process = suite_below(STACK_CACHE_PROCESSES), .ip = few(STACK_CACHE_IPS),
			.sp = few(STACK_CACHE_SPS), .fp = few(8),
			.nr = 1 + suite_below(suite_below(4) ? 20 : WP_STACK_CACHE_WORDS + 2),
			.step = 1 + suite_below(3), .by_fp = !suite_below(8),
			.spoilt = suite_below(32) ? STACK_CACHE_GOOD : suite_below(4),
		};

		KUNIT_EXPECT_TRUE_MSG(test, stack_cache_model_visit(m, &visit), "round %u",
				      round);
		if (!suite_below(32))
			stack_cache_model_write(m, suite_random(),
						suite_below(512) ? 1 + suite_below(3) : 0);
		if (!suite_below(512))
			stack_cache_model_map(m, suite_below(2 * STACK_CACHE_PROCESSES));
		if (!suite_below(8192))
			m->epoch++;
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, m->held, rounds / 10);
	KUNIT_EXPECT_GT(test, m->tied, rounds / 100);
	KUNIT_EXPECT_GT(test, m->evicted, rounds / 100);
	KUNIT_EXPECT_GT(test, m->overwritten, rounds / 100);
}

static struct kunit_case stack_cache_cases[] = {
	KUNIT_CASE(exact),
	KUNIT_CASE(each_decides),
	KUNIT_CASE(bounded),
	KUNIT_CASE(ways),
	KUNIT_CASE(nothing_first),
	KUNIT_CASE(tags),
	KUNIT_CASE(last_first),
	KUNIT_CASE(processes),
	KUNIT_CASE(overwrites),
	KUNIT_CASE(in_one_piece),
	KUNIT_CASE(no_words),
	KUNIT_CASE(random_model),
	{}
};

static struct kunit_suite stack_cache_suite = {
	.name = "wallprof_stack_cache",
	.init = suite_init,
	.test_cases = stack_cache_cases,
};

kunit_test_suite(stack_cache_suite);
