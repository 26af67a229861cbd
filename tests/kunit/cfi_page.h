/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table of one page, a stack and registers, for walks whose result is known. Used by
 * cfi.c and cfi_words.c, which have each their own.
 */
#ifndef UNIT_CFI_PAGE_H
#define UNIT_CFI_PAGE_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "cfi_model.h"
#include "suite.h"

#define LIMIT	0x7ffffffff000ULL
#define BASE	0x400000ULL	/* of the table, and of the code in the file */
#define BIAS	0x10000000ULL
#define CODE	(BASE + BIAS)
#define PAGE	((u32)BIT(WALLPROF_TABLE_SHIFT))
#define STACK	0x7ffd00000000ULL
#define JIT	0x30000000ULL	/* code that no file is mapped at */

/* A table of one page in which rule n holds from byte 16 * n on. */
#define MAX_RULES	24

struct one_page {
	struct wallprof_table head;
	struct wallprof_rule rules[MAX_RULES];
	u32 pages[2];
	struct wallprof_row rows[MAX_RULES];
	struct wallprof_save saves[8];
};

static struct one_page page;
static struct wp_table table;
static struct wp_map maps[2];
static u64 stack[512];
static struct cfi_user user;
static struct wp_step_cache steps;

/* Results of walks; too large for a kernel stack. */
static u64 ips[WALLPROF_MAX_STACK], model[WALLPROF_MAX_STACK];

static inline struct wallprof_rule cfa_rule(u8 reg, s32 off)
{
	return (struct wallprof_rule){
		.kind = WALLPROF_RULE_CFA, .reg = reg, .index = WALLPROF_RULE_NO_INDEX,
		.off = off, .ra = -1,
	};
}

static inline void reset(void)
{
	u32 i;

	memset(&page, 0, sizeof(page));
	page.head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = EM_X86_64, .nr_pages = 1, .nr_rows = MAX_RULES,
		.nr_rules = MAX_RULES, .nr_saves = 8, .base = BASE,
	};
	for (i = 0; i < MAX_RULES; i++) {
		page.rules[i].index = WALLPROF_RULE_NO_INDEX;
		page.rows[i] = (struct wallprof_row){ 16 * i, i };
	}
	page.pages[1] = MAX_RULES;
	for (i = 0; i < 8; i++)
		page.saves[i].how = WALLPROF_SAVE_END;
	maps[0] = (struct wp_map){ CODE, CODE + PAGE, BIAS, &table };
	maps[1] = (struct wp_map){ JIT, JIT + PAGE, 0, NULL };
	memset(stack, 0, sizeof(stack));
	user = (struct cfi_user){
		.bytes = (u8 *)stack, .base = STACK, .size = sizeof(stack), .limit = LIMIT,
		.maps = { maps, 2 }, .steps = &steps, .arch = &wp_cfi_x86_64,
		.regs = { [7] = STACK },
	};
}

static inline const char *check(void)
{
	return wp_table_check(&table, &page, sizeof(page), page.head.machine);
}

static inline const char *check_as(u16 machine)
{
	const char *said = wp_table_check(&table, &page, sizeof(page), machine);

	return said ? said : "nothing";
}

/* An address in the code of rule @n, and one that a call there returns to. */
static inline u64 in(unsigned int n)
{
	return CODE + 16 * n + 4;
}

/* Walks; compares with the reference and with @stop and the addresses, 0 the last. */
static inline void walks(struct kunit *test, u8 stop, const u64 *wanted)
{
	struct wp_cfi_result result, model_result;
	unsigned int nr, model_nr, i;

	KUNIT_ASSERT_TRUE(test, !check());
	nr = cfi_walk(&user, ips, WALLPROF_MAX_STACK, &result);
	model_nr = cfi_model(&user, model, WALLPROF_MAX_STACK, &model_result);
	KUNIT_EXPECT_TRUE(test, !user.broken);
	KUNIT_EXPECT_EQ(test, nr, model_nr);
	KUNIT_EXPECT_EQ(test, result.stop, model_result.stop);
	KUNIT_EXPECT_EQ(test, result.by_fp, model_result.by_fp);
	KUNIT_EXPECT_EQ(test, result.stop, stop);
	for (i = 0; wanted[i]; i++) {
		KUNIT_ASSERT_TRUE(test, i < nr);
		KUNIT_EXPECT_EQ(test, ips[i], wanted[i]);
		KUNIT_EXPECT_EQ(test, model[i], wanted[i]);
	}
	KUNIT_EXPECT_EQ(test, nr, i);
}

#define WALKS(stop, ...) walks(test, stop, (const u64[]){ __VA_ARGS__, 0 })

#endif /* UNIT_CFI_PAGE_H */
