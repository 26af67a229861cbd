// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/memo.h: a stack is remembered if, and only if, all that its
 * walk depended on is as it was. Stacks come from the random tables and memory
 * that the walk's own suite uses.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "cfi_model.h"
#include "memo.h"
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
static struct wp_memo memo;
static u64 ips[WALLPROF_MAX_STACK], fresh[WALLPROF_MAX_STACK];

/* As cfi_reg() and cfi_read(), and noted. */
static u64 noted_reg(const void *ctx, unsigned int reg)
{
	wp_memo_note_reg(&memo, reg == wp_cfi_x86_64.fp);
	return cfi_reg(ctx, reg);
}

static bool noted_read(void *ctx, u64 addr, u64 *value)
{
	if (!cfi_read(ctx, addr, value)) {
		wp_memo_note_fault(&memo);
		return false;
	}
	wp_memo_note(&memo, addr, *value);
	return true;
}

static const struct wp_cfi_ops noted = {
	.arch = &wp_cfi_x86_64, .reg = noted_reg, .read = noted_read, .strip = cfi_strip,
};

#define GENERATION 7
#define EPOCH	3
#define ID	0x1234

#define PROCESS	0x9990
#define CHANGES	5

/* The probe's short way, for which the mappings need not be looked up. */
static bool holds_short(u64 process, u64 changes, u32 epoch)
{
	return wp_memo_may_hold(&memo, process, changes, epoch, user.ip, user.regs[7],
				user.regs[6]) &&
	       wp_memo_words_hold(&memo, cfi_read, &user, user.regs[7]);
}

static unsigned int walk(struct wp_cfi_told *told)
{
	unsigned int nr;

	wp_memo_begin(&memo, user.ip, user.regs[7], user.regs[6]);
	nr = wp_unwind_cfi(&noted, &user, &user.maps, true, user.ip, user.regs[7],
			   user.limit, ips, WALLPROF_MAX_STACK, told);
	wp_memo_keep(&memo, GENERATION, EPOCH, ID, told->why, 0);
	wp_memo_tie(&memo, PROCESS, CHANGES);
	return nr;
}

static unsigned int disagreed;

/* Both ways, which must agree. */
static bool holds(u64 generation, u32 epoch)
{
	bool held = wp_memo_holds(&memo, cfi_read, &user, generation, epoch, user.ip,
				  user.regs[7], user.regs[6]);

	disagreed += generation == GENERATION && held != holds_short(PROCESS, CHANGES, epoch);
	return held;
}

static u64 in(unsigned int rule)
{
	return CODE + 16 * rule + 4;
}

static void set_up(struct kunit *test)
{
	u32 i;

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
		/* Mostly by sp, now and then by fp, rbx or through memory. */
		r->kind = suite_below(12) ? WALLPROF_RULE_CFA : WALLPROF_RULE_DEREF;
		r->reg = suite_below(4) ? 7 : suite_below(8) ? 6 : 3;
		r->off = 8 * (1 + suite_below(4));
		r->ra = -1;
		if (!suite_below(3)) {
			r->flags = WALLPROF_RULE_FP_SAVED;
			r->fp = -2;
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

/* Whatever changes: what is remembered is what a walk would find. */
static void exact(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(20000), round, i, kept = 0, held = 0;
	struct wp_cfi_told told, now;

	for (round = 0; round < rounds && !suite_failed(test); round++) {
		unsigned int nr;

		set_up(test);
		memset(&memo, 0, sizeof(memo));
		nr = walk(&told);
		KUNIT_EXPECT_EQ(test, holds(GENERATION, EPOCH), memo.whole);
		kept += memo.whole;
		for (i = 0; i < 8; i++) {
			u64 *word = suite_below(4) ? &stack[suite_below(64)] :
				    suite_below(3) ? &user.regs[suite_below(16)] : &user.ip;
			u64 old = *word;

			*word = suite_below(2) ? in(1 + suite_below(RULES - 1)) :
				STACK + 8 * suite_below(ARRAY_SIZE(stack));
			if (holds(GENERATION, EPOCH)) {
				held++;
				KUNIT_EXPECT_EQ(test, nr,
						cfi_walk(&user, fresh, WALLPROF_MAX_STACK,
							 &now));
				KUNIT_EXPECT_EQ(test, told.why, now.why);
				KUNIT_EXPECT_EQ(test, told.by_fp, now.by_fp);
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

/* Each thing that a walk depended on, alone. */
static void each_decides(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(5000), round, words = 0;
	struct wp_cfi_told told;

	for (round = 0; round < rounds && !suite_failed(test); round++) {
		u16 i;

		set_up(test);
		memset(&memo, 0, sizeof(memo));
		KUNIT_EXPECT_FALSE(test, holds(0, 0) && memo.whole);
		walk(&told);
		if (!memo.whole)
			continue;
		KUNIT_EXPECT_TRUE(test, holds(GENERATION, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds(GENERATION + 1, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds(GENERATION, EPOCH + 1));
		KUNIT_EXPECT_TRUE(test, holds_short(PROCESS, CHANGES, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds_short(PROCESS + 1, CHANGES, EPOCH));
		KUNIT_EXPECT_FALSE(test, holds_short(PROCESS, CHANGES + 1, EPOCH));
		user.ip++;
		KUNIT_EXPECT_FALSE(test, holds(GENERATION, EPOCH));
		user.ip--;
		user.regs[7] += 8;
		KUNIT_EXPECT_FALSE(test, holds(GENERATION, EPOCH));
		user.regs[7] -= 8;
		user.regs[6]++;
		KUNIT_EXPECT_EQ(test, holds(GENERATION, EPOCH), !memo.by_fp);
		user.regs[6]--;
		for (i = 0; i < memo.nr; i++) {
			u64 *word = &stack[(memo.sp - STACK) / 8 + memo.at[i]];

			words++;
			*word ^= BIT(suite_below(32));
			KUNIT_EXPECT_FALSE(test, holds(GENERATION, EPOCH));
			*word = memo.word[i];
		}
		/* Its memory is gone. */
		user.size = 0;
		KUNIT_EXPECT_EQ(test, holds(GENERATION, EPOCH), !memo.nr);
	}
	KUNIT_EXPECT_GT(test, words, rounds);
	KUNIT_EXPECT_EQ(test, disagreed, 0);
}

/* What cannot be noted whole is not remembered. */
static void bounded(struct kunit *test)
{
	u16 i;

	memset(&memo, 0, sizeof(memo));
	wp_memo_begin(&memo, CODE, STACK, 0);
	for (i = 0; i < WP_MEMO_WORDS; i++)
		wp_memo_note(&memo, STACK + 8 * i, i);
	wp_memo_keep(&memo, GENERATION, EPOCH, ID, 0, 0);
	KUNIT_EXPECT_EQ(test, memo.generation, GENERATION);
	wp_memo_note(&memo, STACK, 0);
	KUNIT_EXPECT_EQ(test, memo.nr, WP_MEMO_WORDS);
#define NOT_KEPT(sp, does, id) do { \
		wp_memo_begin(&memo, CODE, sp, 0); \
		does; \
		wp_memo_keep(&memo, GENERATION, EPOCH, id, 0, 0); \
		wp_memo_tie(&memo, PROCESS, CHANGES); \
		KUNIT_EXPECT_EQ(test, memo.generation, 0); \
		KUNIT_EXPECT_EQ(test, memo.changes, 0); \
	} while (0)
	wp_memo_keep(&memo, GENERATION + 1, EPOCH, ID, 0, 0);
	KUNIT_EXPECT_EQ(test, memo.generation, GENERATION);
	NOT_KEPT(STACK, wp_memo_note(&memo, STACK - 8, 0), ID);
	NOT_KEPT(STACK, wp_memo_note(&memo, STACK + 8 * 65536, 0), ID);
	NOT_KEPT(STACK, wp_memo_note_fault(&memo), ID);
	NOT_KEPT(STACK, wp_memo_note_reg(&memo, false), ID);
	NOT_KEPT(STACK + 4, (void)0, ID);
	/* Words above the end of all memory are words at its begin. */
	NOT_KEPT(-16ULL, wp_memo_note(&memo, 8, 0), ID);
	NOT_KEPT(STACK, (void)0, 0);
	wp_memo_begin(&memo, CODE, STACK, 0);
	wp_memo_note(&memo, STACK + 8 * 65535, 5);
	wp_memo_note_reg(&memo, true);
	wp_memo_keep(&memo, GENERATION, EPOCH, ID, 0, 0);
	KUNIT_EXPECT_EQ(test, memo.generation, GENERATION);
	KUNIT_EXPECT_TRUE(test, memo.by_fp);
	/* One that goes by twos compares no word that was not noted. */
	KUNIT_EXPECT_EQ(test, memo.nr, 2);
	KUNIT_EXPECT_EQ(test, memo.at[1], 65535);
	KUNIT_EXPECT_EQ(test, memo.word[1], 5);
}

static struct kunit_case memo_cases[] = {
	KUNIT_CASE(exact),
	KUNIT_CASE(each_decides),
	KUNIT_CASE(bounded),
	{}
};

static struct kunit_suite memo_suite = {
	.name = "wallprof_memo",
	.init = suite_init,
	.test_cases = memo_cases,
};

kunit_test_suite(memo_suite);
