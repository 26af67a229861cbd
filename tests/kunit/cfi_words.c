// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of words of frames in stacks (WALLPROF_RULE_WORD): which rules the check of
 * module/pure/unwind_table.c refuses, and the stacks that module/pure/unwind_cfi.h finds by
 * those that it takes.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "cfi_page.h"

/* A word of a frame: only with a CFA in memory, and near the frame pointer. */
static void check_bounds_words(struct kunit *test)
{
	static const char too_far[] = "a rule has a word that is too far from its frame pointer";
	unsigned int index;
	int wrong;

	reset();
	page.rules[3] = cfa_rule(7, 8);
	page.rules[3].flags = WALLPROF_RULE_WORD;
	KUNIT_EXPECT_EQ(test, strcmp(check_as(EM_X86_64), "a rule has a word of a frame in vain"),
			0);
	page.rules[3].index = 3;
	KUNIT_EXPECT_EQ(test, strcmp(check_as(EM_X86_64), "a rule has a word of a frame in vain"),
			0);
	page.rules[3].kind = WALLPROF_RULE_PLT;
	KUNIT_EXPECT_TRUE(test, check());
	page.rules[3].kind = WALLPROF_RULE_DEREF;
	for (index = 0; index < 256; index++) {
		page.rules[3].index = index;
		wrong = strcmp(check_as(EM_X86_64), index >= 1 && index <= WALLPROF_RULE_WORDS ?
			       "nothing" : too_far);
		KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "%u", index);
	}
}

#define WORD(word)	(WALLPROF_INTERP_WORD | (word))

/* Two interpreter's frames with a word of each; @index: of the first one's. */
static void set_words(u8 index)
{
	reset();
	page.rules[1] = cfa_rule(6, -8);
	page.rules[1].kind = WALLPROF_RULE_DEREF;
	page.rules[1].flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP |
			      WALLPROF_RULE_WORD;
	page.rules[1].ra = 1;
	page.rules[1].index = index;
	page.rules[2] = page.rules[1];
	page.rules[2].index = 4;
	page.rules[3] = cfa_rule(7, 16);
	page.rules[4].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[6] = STACK + 80;
	stack[7] = 0x1234;
	stack[9] = STACK + 128;			/* sp of the caller: the CFA */
	stack[10] = STACK + 208;		/* fp of the caller */
	stack[11] = in(2);
	stack[22] = WALLPROF_INTERP_ADDRESS_MASK;
	stack[25] = STACK + 240;
	stack[27] = in(3);
	stack[31] = in(4);
}

/* The word that a rule names stands behind its frame's address, whatever it is. */
static void known_words(struct kunit *test)
{
	unsigned int index;

	set_words(3);
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(WALLPROF_INTERP_ADDRESS_MASK),
	      in(3), in(4));
	stack[22] = WALLPROF_INTERP_ADDRESS_MASK + 1;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(0), in(3), in(4));
	stack[22] = ~0ULL;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(0), in(3), in(4));
	stack[22] = WALLPROF_INTERP_CODE | 5;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(0), in(3), in(4));
	/* It is at the stack pointer, and below, where another call may have left it. */
	set_words(3);
	user.regs[7] = STACK + 56;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(WALLPROF_INTERP_ADDRESS_MASK),
	      in(3), in(4));
	user.regs[7] = STACK + 64;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0), in(2), WORD(WALLPROF_INTERP_ADDRESS_MASK),
	      in(3), in(4));
	/* The first frame's, from the nearest on; what lies below the stack cannot be read. */
	for (index = 1; index <= WALLPROF_RULE_WORDS; index++) {
		u64 word = index <= 10 ? 0x5550 + index : 0;

		set_words(index);
		if (index > 1 && word)
			stack[10 - index] = word;
		WALKS(WALLPROF_UNWIND_END, in(1), WORD(index == 1 ? STACK + 128 : word), in(2),
		      WORD(WALLPROF_INTERP_ADDRESS_MASK), in(3), in(4));
	}
}

/* Where a walk ends, the word is there if the frame pointer is known. */
static void words_at_the_end(struct kunit *test)
{
	set_words(3);
	stack[25] = STACK + 241;
	WALKS(WALLPROF_UNWIND_MISALIGNED, in(1), WORD(0x1234), in(2),
	      WORD(WALLPROF_INTERP_ADDRESS_MASK));
	stack[25] = STACK + 240;
	stack[27] = 0;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2),
	      WORD(WALLPROF_INTERP_ADDRESS_MASK));
	/* The word cannot be read, nor can what decides. */
	user.regs[6] = STACK + 84;
	WALKS(WALLPROF_UNWIND_MISALIGNED, in(1), WORD(0));
	user.regs[6] = 0;
	WALKS(WALLPROF_UNWIND_FAULT, in(1), WORD(0));
	user.regs[6] = LIMIT + 8 * 3;
	stack[7] = 0;
	WALKS(WALLPROF_UNWIND_FAULT, in(1), WORD(0));
	set_words(3);
	page.rules[1].flags = WALLPROF_RULE_FP_LOST | WALLPROF_RULE_RA_FP | WALLPROF_RULE_WORD;
	WALKS(WALLPROF_UNWIND_NO_REG, in(1), WORD(0x1234), in(2));
}

/* A word takes one of the stack's, in the order of the walk. */
static void words_take_room(struct kunit *test)
{
	static u64 whole[WALLPROF_MAX_STACK];
	struct wp_cfi_result result;
	unsigned int max, nr;

	set_words(3);
	KUNIT_ASSERT_TRUE(test, !check());
	nr = cfi_walk(&user, whole, WALLPROF_MAX_STACK, &result);
	KUNIT_ASSERT_EQ(test, nr, 6);
	for (max = 1; max <= nr + 1; max++) {
		memset(ips, 0xaa, sizeof(ips));
		KUNIT_EXPECT_EQ(test, cfi_walk(&user, ips, max, &result), min(max, nr));
		KUNIT_EXPECT_EQ(test, result.stop,
				max <= nr ? WALLPROF_UNWIND_DEPTH : WALLPROF_UNWIND_END);
		KUNIT_EXPECT_EQ(test, memcmp(ips, whole, min(max, nr) * sizeof(*ips)), 0);
		KUNIT_EXPECT_EQ(test, ips[min(max, nr)], 0xaaaaaaaaaaaaaaaaULL);
		KUNIT_EXPECT_EQ(test, min(max, nr), cfi_model(&user, model, max, &result));
	}
}

/* In the slow form, which begins anew, each word is there once. */
static void words_once(struct kunit *test)
{
	struct wp_cfi_result result;

	set_words(3);
	page.rules[3] = cfa_rule(3, 16);
	page.rules[3].flags = 0;
	user.regs[3] = STACK + 240;
	WALKS(WALLPROF_UNWIND_END, in(1), WORD(0x1234), in(2), WORD(WALLPROF_INTERP_ADDRESS_MASK),
	      in(3), in(4));
	cfi_walk(&user, ips, 8, &result);
	KUNIT_EXPECT_TRUE(test, result.slow);
}

static struct kunit_case cfi_words_cases[] = {
	KUNIT_CASE(check_bounds_words),
	KUNIT_CASE(known_words),
	KUNIT_CASE(words_at_the_end),
	KUNIT_CASE(words_take_room),
	KUNIT_CASE(words_once),
	{}
};

static struct kunit_suite cfi_words_suite = {
	.name = "wallprof_cfi_words",
	.init = suite_init,
	.test_cases = cfi_words_cases,
};

kunit_test_suite(cfi_words_suite);
