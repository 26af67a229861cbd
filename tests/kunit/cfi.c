// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/unwind_table.c and module/pure/unwind_cfi.h: which tables the
 * check refuses, which rule an address finds, and known stacks with each kind of rule,
 * against the expected result and against the reference.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "cfi_page.h"
#include "suite.h"

static struct one_page good;		/* to be damaged */

static void check_refuses(struct kunit *test)
{
	reset();
	page.rules[3] = cfa_rule(7, 8);
	page.saves[1] = (struct wallprof_save){ 3, WALLPROF_SAVE_CFA, -2 };
	page.rules[3].saves = 1;
	KUNIT_ASSERT_TRUE(test, !check());
	good = page;

#define REFUSES(field, value, words) do {				\
	page = good;							\
	page.field = value;						\
	KUNIT_EXPECT_EQ_MSG(test, strcmp(check_as(EM_X86_64), words), 0,	\
			    "%s", check_as(EM_X86_64));			\
} while (0)
	REFUSES(head.magic, 0, "it is no table");
	REFUSES(head.version, 2, "it is of another version");
	REFUSES(head.machine, EM_AARCH64, "it is for another machine");
	REFUSES(head.nr_pages, 0, "it holds more or less than a table can");
	REFUSES(head.nr_pages, WALLPROF_TABLE_MAX_PAGES + 1,
		"it holds more or less than a table can");
	REFUSES(head.nr_rows, 0, "it holds more or less than a table can");
	REFUSES(head.nr_rows, ~0U, "it holds more or less than a table can");
	REFUSES(head.nr_rules, 0, "it holds more or less than a table can");
	REFUSES(head.nr_rules, 65537, "it holds more or less than a table can");
	REFUSES(head.nr_saves, 0, "it holds more or less than a table can");
	REFUSES(head.nr_saves, 65537, "it holds more or less than a table can");
	REFUSES(head.nr_rows, MAX_RULES + 1, "its size is not what it holds");
	REFUSES(head.base, BASE + 8, "its base is no page's");
	REFUSES(head.base, -(u64)PAGE / 2, "its base is no page's");
	REFUSES(pages[0], 1, "the first page does not begin with the first row");
	REFUSES(pages[1], 2, "the last page does not end with the last row");
	REFUSES(rows[0].pc, 1, "a page does not begin with a row");
	REFUSES(rows[5].pc, 4 * 16, "the rows of a page do not rise");
	REFUSES(rows[MAX_RULES - 1].pc, 0, "the rows of a page do not rise");
	REFUSES(rows[5].pc, 0xffff, "a row lies beyond its page");
	REFUSES(rows[MAX_RULES - 1].pc, PAGE, "a row lies beyond its page");
	REFUSES(rows[0].rule, 0xffff, "a row names a rule that is not there");
	REFUSES(rows[5].rule, MAX_RULES, "a row names a rule that is not there");
	REFUSES(rows[MAX_RULES - 1].rule, MAX_RULES, "a row names a rule that is not there");
	REFUSES(rules[0].kind, WALLPROF_RULE_END, "its first rule is not the empty one");
	REFUSES(rules[1].kind, WALLPROF_RULE_MAX, "a rule is of no known kind");
	REFUSES(rules[3].flags, 0x80, "a rule is of no known kind");
	REFUSES(rules[1].off, 1, "a rule says more than its kind can");
	REFUSES(rules[3].add, 8, "a rule says more than its kind can");
	REFUSES(rules[1].saves, 1, "a rule says more than its kind can");
	REFUSES(rules[1].flags, WALLPROF_RULE_FP_LOST, "a rule says more than its kind can");
	REFUSES(rules[3].index, 0, "a rule has an index in vain");
	REFUSES(rules[1].kind, WALLPROF_RULE_PLT, "a rule of a stub is of no known kind");
	REFUSES(rules[3].reg, 16, "a rule names a register that is not there");
	REFUSES(rules[3].flags, WALLPROF_RULE_RA_REG,
		"a rule names a register that is not there");
	REFUSES(rules[3].flags, WALLPROF_RULE_RA_REG | WALLPROF_RULE_RA_FP,
		"a rule has the return address in two places");
	REFUSES(rules[3].fp, 1, "a rule has the place of what was not saved");
	REFUSES(rules[3].flags, WALLPROF_RULE_FP_FP,
		"a rule has the place of what was not saved");
	REFUSES(rules[3].flags, WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_LOST,
		"a rule has the frame pointer both saved and lost");
	REFUSES(rules[3].saves, 8, "a rule names a list that is not there");
	REFUSES(saves[0].how, WALLPROF_SAVE_CFA, "the empty list is missing");
	REFUSES(saves[7].how, WALLPROF_SAVE_CFA,
		"the last list of saved registers does not end");
	REFUSES(saves[1].how, 4, "a register is saved in no known way");
	REFUSES(saves[1].reg, 16, "a register was saved that is not there");
	page = good;
	KUNIT_EXPECT_TRUE(test, wp_table_check(&table, &page, sizeof(page) - 1, EM_X86_64));
	KUNIT_EXPECT_TRUE(test, wp_table_check(&table, &page, sizeof(page) + 1, EM_X86_64));
	KUNIT_EXPECT_TRUE(test, wp_table_check(&table, &page, sizeof(page.head) - 1,
					       EM_X86_64));
	KUNIT_EXPECT_TRUE(test, wp_table_check(&table, &page, 0, EM_X86_64));
}

/* A list that never ends would be a loop with interrupts off. */
static void check_bounds_lists(struct kunit *test)
{
	u32 nr = 40, i, end;
	size_t size = sizeof(struct wallprof_table) + sizeof(struct wallprof_rule) + 8 + 4 +
		      nr * 4;
	struct wallprof_table *head = suite_alloc(test, size);
	struct wallprof_rule *rule = (void *)(head + 1);
	u32 *pages = (void *)(rule + 1);
	struct wallprof_save *saves = (void *)(pages + 3);

	reset();
	*head = page.head;
	head->nr_rows = 1;
	head->nr_rules = 1;
	head->nr_saves = nr;
	rule->index = WALLPROF_RULE_NO_INDEX;
	pages[1] = 1;
	for (end = 1; end < nr; end++) {
		for (i = 0; i < nr; i++)
			saves[i].how = WALLPROF_SAVE_CFA;
		saves[0].how = WALLPROF_SAVE_END;
		saves[end].how = WALLPROF_SAVE_END;
		saves[nr - 1].how = WALLPROF_SAVE_END;
		KUNIT_EXPECT_EQ(test, !wp_table_check(&table, head, size, EM_X86_64),
				end <= WALLPROF_TABLE_MAX_RUN &&
				nr - 1 - end <= WALLPROF_TABLE_MAX_RUN);
	}
}

/* Pages with one row to as many as there can be, against a search row by row. */
static void find_agrees(struct kunit *test)
{
	u32 per_page[] = { 1, 2, 3, 5, 17, 64, PAGE, 1 }, nr_pages = ARRAY_SIZE(per_page);
	u32 pages[ARRAY_SIZE(per_page) + 1] = {}, i, k, pc;
	struct wallprof_rule *rules;
	struct wallprof_row *rows;

	for (i = 0; i < nr_pages; i++)
		pages[i + 1] = pages[i] + per_page[i];
	rows = suite_alloc(test, pages[nr_pages] * sizeof(*rows));
	rules = suite_alloc(test, 65536 * sizeof(*rules));
	for (i = 0; i < nr_pages; i++) {
		for (k = 0; k < per_page[i]; k++)
			rows[pages[i] + k] = (struct wallprof_row){ k * (PAGE / per_page[i]),
								    pages[i] + k };
	}
	table = (struct wp_table){
		.base = BASE, .nr_pages = nr_pages, .nr_rules = 65536, .pages = pages,
		.rows = rows, .rules = rules,
	};
	for (pc = 0; pc < nr_pages * PAGE && !suite_failed(test); pc++)
		KUNIT_EXPECT_PTR_EQ_MSG(test, wp_table_find(&table, BASE + pc),
					model_rule(&table, BASE + pc), "at %#x", pc);
	KUNIT_EXPECT_TRUE(test, !wp_table_find(&table, BASE - 1));
	KUNIT_EXPECT_TRUE(test, !wp_table_find(&table, BASE + nr_pages * PAGE));
	KUNIT_EXPECT_TRUE(test, !wp_table_find(&table, 0));
	KUNIT_EXPECT_TRUE(test, !wp_table_find(&table, ~0ULL));
}

static void maps_are_found(struct kunit *test)
{
	struct wp_map list[] = {
		{ 0x1000, 0x2000, 0, NULL }, { 0x2000, 0x3000, 0, NULL },
		{ 0x5000, 0x6000, 0, NULL },
	};
	u32 nr;
	u64 addr;

	reset();
	user.maps.map = list;
	for (nr = 0; nr <= ARRAY_SIZE(list); nr++) {
		user.maps.nr = nr;
		for (addr = 0xfff; addr < 0x7002; addr += addr % 0x1000 == 1 ? 0xffe : 1)
			KUNIT_EXPECT_PTR_EQ_MSG(test, wp_maps_find(&user.maps, addr),
						model_map(&user, addr),
						"%u maps, %#llx", nr, addr);
	}
}

/* A chain by sp, and one by fp, to a function without a caller. */
static void known_plain(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(7, 16);
	page.rules[2] = cfa_rule(7, 40);
	page.rules[2].flags = WALLPROF_RULE_FP_SAVED;
	page.rules[2].fp = -2;
	page.rules[3] = cfa_rule(6, 16);
	page.rules[3].flags = WALLPROF_RULE_FP_SAVED;
	page.rules[3].fp = -2;
	page.rules[4].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	stack[1] = in(2);			/* CFA 16 */
	stack[5] = STACK + 80;			/* fp of the frame of rule 3 */
	stack[6] = in(3);			/* CFA 56 */
	stack[11] = in(4);			/* CFA 96 */
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4));
	KUNIT_EXPECT_EQ(test, user.reads, 4);
	stack[11] = 0;
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3));
	stack[11] = LIMIT;
	WALKS(WALLPROF_UNWIND_BAD_IP, in(1), in(2), in(3));
	stack[11] = in(4) | 5ULL << 56;		/* marked */
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4));
}

/* Return addresses are looked up at the call, interrupted addresses as they are. */
static void known_edges(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(7, 16);
	page.rules[2] = cfa_rule(7, 24);
	page.rules[3].kind = WALLPROF_RULE_END;
	user.ip = CODE + 2 * 16;		/* the first byte of rule 2 */
	stack[2] = CODE + 2 * 16;		/* CFA 24; that of rule 1 */
	stack[4] = CODE + 4 * 16;		/* CFA 40; that of rule 3 */
	WALKS(WALLPROF_UNWIND_END, CODE + 2 * 16, CODE + 2 * 16, CODE + 4 * 16);
	page.rules[2].flags = WALLPROF_RULE_EXACT;
	stack[2] = CODE + 2 * 16;		/* rule 2 again */
	stack[5] = CODE + 3 * 16;		/* and rule 3 */
	WALKS(WALLPROF_UNWIND_END, CODE + 2 * 16, CODE + 2 * 16, CODE + 3 * 16);
}

static void known_plt(struct kunit *test)
{
	reset();
	page.rules[1].kind = WALLPROF_RULE_PLT;
	page.rules[1].add = 11;
	page.rules[2].kind = WALLPROF_RULE_END;
	stack[0] = in(2);
	stack[1] = in(2) + 1;
	user.ip = CODE + 16 + 10;
	WALKS(WALLPROF_UNWIND_END, user.ip, in(2));
	user.ip = CODE + 16 + 11;
	WALKS(WALLPROF_UNWIND_END, user.ip, in(2) + 1);
}

static void known_deref(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(7, 8);
	page.rules[1].kind = WALLPROF_RULE_DEREF;
	page.rules[1].index = WALLPROF_RULE_INDEX(9, 3);
	page.rules[1].add = 8;
	page.rules[2].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[9] = 5;
	stack[6] = STACK + 72;			/* at sp + 8 + 5 * 8 */
	stack[9] = in(2);
	WALKS(WALLPROF_UNWIND_END, in(1), in(2));
	stack[6] = STACK - 16;
	WALKS(WALLPROF_UNWIND_NOT_RISING, in(1));
	stack[6] = STACK + 73;
	WALKS(WALLPROF_UNWIND_MISALIGNED, in(1));
	user.regs[9] = 1ULL << 40;
	WALKS(WALLPROF_UNWIND_FAULT, in(1));
	page.rules[1].off = 9;
	WALKS(WALLPROF_UNWIND_MISALIGNED, in(1));
}

/* A stack that was realigned: all is relative to fp. */
static void known_realigned(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(6, -8);
	page.rules[1].kind = WALLPROF_RULE_DEREF;
	page.rules[1].flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP;
	page.rules[1].saves = 1;
	page.saves[1] = (struct wallprof_save){ 3, WALLPROF_SAVE_FP, -2 };
	page.rules[2] = cfa_rule(6, 16);
	page.rules[3] = cfa_rule(3, 16);
	page.rules[4].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[6] = STACK + 80;
	stack[8] = STACK + 208;			/* rbx of the caller */
	stack[9] = STACK + 128;			/* the CFA */
	stack[10] = STACK + 160;		/* fp of the caller */
	stack[15] = in(2);
	stack[21] = in(3);			/* CFA 176 */
	stack[27] = in(4);			/* CFA 224, by rbx */
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4));
}

/*
 * An interpreter's frame: it has the caller's sp, and locals between that and the return
 * address. The caller's frame is found from its sp, and the next from its frame pointer.
 */
static void known_interpreter(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(6, -8);
	page.rules[1].kind = WALLPROF_RULE_DEREF;
	page.rules[1].flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP;
	page.rules[1].ra = 1;
	page.rules[2] = cfa_rule(7, 32);
	page.rules[3] = cfa_rule(6, 16);
	page.rules[4].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[6] = STACK + 80;
	stack[9] = STACK + 128;			/* sp of the caller: the CFA */
	stack[10] = STACK + 168;		/* fp of the caller */
	stack[11] = in(2);
	stack[15] = in(4);			/* below the CFA: not the return address */
	stack[19] = in(3);			/* CFA 160 */
	stack[22] = in(4);			/* CFA 184 by fp */
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4));
	user.regs[6] = STACK + 84;
	WALKS(WALLPROF_UNWIND_MISALIGNED, in(1));
}

/* The slow form: rbx was saved two frames below, r12 never, r13 is lost. */
static void known_slow(struct kunit *test)
{
	struct wp_cfi_result result;

	reset();
	page.rules[1] = cfa_rule(7, 32);
	page.rules[1].saves = 1;
	page.saves[1] = (struct wallprof_save){ 3, WALLPROF_SAVE_CFA, -3 };
	page.saves[2] = (struct wallprof_save){ 13, WALLPROF_SAVE_LOST, 0 };
	page.rules[2] = cfa_rule(7, 16);
	page.rules[3] = cfa_rule(3, 24);
	page.rules[4] = cfa_rule(12, 8);
	page.rules[5] = cfa_rule(13, 8);
	page.rules[6] = cfa_rule(0, 8);
	page.rules[7].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[3] = 0xbad;
	user.regs[12] = STACK + 112;
	user.regs[13] = STACK + 200;
	stack[1] = STACK + 64;			/* rbx */
	stack[3] = in(2);
	stack[5] = in(3);
	stack[10] = in(4);			/* CFA 88 by rbx */
	stack[14] = in(7);			/* CFA 120 by r12 */
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4), in(7));
	cfi_walk(&user, ips, 8, &result);
	KUNIT_EXPECT_TRUE(test, result.slow);
	stack[14] = in(5);
	WALKS(WALLPROF_UNWIND_NO_REG, in(1), in(2), in(3), in(4), in(5));
	stack[14] = in(6);
	WALKS(WALLPROF_UNWIND_NO_REG, in(1), in(2), in(3), in(4), in(6));
	stack[3] = in(7);
	cfi_walk(&user, ips, 8, &result);
	KUNIT_EXPECT_TRUE(test, !result.slow);
}

/* vfork(): the return address is in rdi, and the stack as the caller's. */
static void known_in_register(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(7, 0);
	page.rules[1].flags = WALLPROF_RULE_RA_REG;
	page.rules[1].ra = 5;
	page.rules[2] = cfa_rule(7, 8);
	page.rules[3].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[5] = in(2);
	stack[0] = in(3);
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3));
	/* The caller's caller cannot have it there. */
	stack[0] = in(1);
	WALKS(WALLPROF_UNWIND_NOT_RISING, in(1), in(2), in(1));
}

/* A signal handler on a stack of its own, below or above; then the interrupted code. */
static void known_signal(struct kunit *test)
{
	reset();
	page.rules[1] = cfa_rule(7, 16);
	page.rules[2].kind = WALLPROF_RULE_SIGNAL;
	page.rules[3] = cfa_rule(0, 8);		/* by rax: all registers are known */
	page.rules[4] = cfa_rule(3, 16);	/* by rbx, as it was there */
	page.rules[5].kind = WALLPROF_RULE_END;
	user.regs[7] = STACK + 2048;
	user.regs[0] = 1;
	user.regs[3] = 1;
	user.ip = in(1);
	stack[257] = in(2);			/* sp 2064 in the trampoline */
	stack[258 + 168 / 8] = CODE + 3 * 16;	/* ip: the first byte of rule 3 */
	stack[258 + 160 / 8] = STACK + 8;	/* sp */
	stack[258 + 144 / 8] = STACK + 24;	/* rax */
	stack[258 + 128 / 8] = STACK + 48;	/* rbx */
	stack[3] = in(4);
	stack[7] = in(5);
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), CODE + 3 * 16, in(4), in(5));
	/* Interrupted in the trampoline itself */
	user.ip = in(2);
	user.regs[7] = STACK + 2064;
	WALKS(WALLPROF_UNWIND_END, in(2), CODE + 3 * 16, in(4), in(5));
	stack[258 + 168 / 8] = 0;
	WALKS(WALLPROF_UNWIND_END, in(2));
	user.regs[7] = STACK + sizeof(stack) - 8;
	WALKS(WALLPROF_UNWIND_FAULT, in(2));
}

/* Code without a table between code with one; chains that end, and wrong ones. */
static void known_by_fp(struct kunit *test)
{
	u64 jit = JIT + 0x40;

	reset();
	page.rules[1] = cfa_rule(7, 16);
	page.rules[2] = cfa_rule(7, 24);
	page.rules[3].kind = WALLPROF_RULE_END;
	page.rules[4].kind = WALLPROF_RULE_UNSUPPORTED;
	page.rules[5] = cfa_rule(6, 16);
	page.rules[6] = cfa_rule(3, 16);
	user.ip = in(1);
	user.regs[6] = STACK + 64;
	stack[1] = jit;
	stack[8] = STACK + 96;
	stack[9] = jit + 8;
	stack[12] = STACK + 160;
	stack[13] = in(5);			/* sp 112, by fp: CFA 176 */
	stack[21] = in(3);
	WALKS(WALLPROF_UNWIND_END, in(1), jit, jit + 8, in(5), in(3));
	user.no_fp = true;			/* unless it is not to */
	WALKS(WALLPROF_UNWIND_NO_TABLE, in(1), jit);
	user.no_fp = false;
	/* The other registers of code without a table are not known. */
	stack[13] = in(6);
	WALKS(WALLPROF_UNWIND_NO_REG, in(1), jit, jit + 8, in(6));
	stack[13] = jit;			/* the outermost frame pointer is 0 */
	stack[20] = 0;
	stack[21] = jit;
	WALKS(WALLPROF_UNWIND_END, in(1), jit, jit + 8, jit, jit);
	stack[13] = 0x1234;			/* no code */
	WALKS(WALLPROF_UNWIND_NO_TABLE, in(1), jit, jit + 8);
	user.regs[6] = 0;			/* none that the table-less code kept */
	WALKS(WALLPROF_UNWIND_NO_TABLE, in(1), jit);
	stack[1] = in(0);
	WALKS(WALLPROF_UNWIND_NO_ROW, in(1), in(0));
	stack[1] = in(4);
	WALKS(WALLPROF_UNWIND_UNSUPPORTED, in(1), in(4));
	user.regs[6] = STACK + 8;		/* below */
	WALKS(WALLPROF_UNWIND_UNSUPPORTED, in(1), in(4));
	user.regs[6] = STACK + 65;		/* not aligned */
	WALKS(WALLPROF_UNWIND_UNSUPPORTED, in(1), in(4));
	user.regs[6] = LIMIT - 8;
	WALKS(WALLPROF_UNWIND_UNSUPPORTED, in(1), in(4));
	user.maps.nr = 0;
	WALKS(WALLPROF_UNWIND_NO_TABLE, in(1));
}

static void depth_is_kept(struct kunit *test)
{
	struct wp_cfi_result result;
	unsigned int max, i;

	reset();
	page.rules[1] = cfa_rule(7, 8);
	KUNIT_EXPECT_TRUE(test, !check());
	user.ip = in(1);
	for (i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = in(1);
	for (max = 1; max <= WALLPROF_MAX_STACK; max++) {
		KUNIT_EXPECT_EQ(test, cfi_walk(&user, ips, max, &result), max);
		KUNIT_EXPECT_EQ(test, result.stop, WALLPROF_UNWIND_DEPTH);
		KUNIT_EXPECT_EQ(test, user.reads, max - 1);
	}
}

/* arm64: a leaf returns through lr, others save it; x19 finds a frame. */
static void known_arm64(struct kunit *test)
{
	reset();
	user.arch = &wp_cfi_arm64;
	page.head.machine = EM_AARCH64;
	page.rules[1] = cfa_rule(31, 0);
	page.rules[1].flags = WALLPROF_RULE_RA_REG;
	page.rules[1].ra = 30;
	page.rules[2] = cfa_rule(31, 32);
	page.rules[2].flags = WALLPROF_RULE_FP_SAVED;
	page.rules[2].fp = -4;
	page.rules[2].ra = -3;
	page.rules[2].saves = 1;
	page.saves[1] = (struct wallprof_save){ 19, WALLPROF_SAVE_CFA, -2 };
	page.rules[3] = cfa_rule(29, 16);
	page.rules[3].ra = -1;
	page.rules[4] = cfa_rule(19, 16);
	page.rules[5].kind = WALLPROF_RULE_SIGNAL;
	page.rules[6].kind = WALLPROF_RULE_END;
	user.ip = in(1);
	user.regs[31] = STACK;
	user.regs[30] = in(2) | 3ULL << 56;	/* signed */
	stack[0] = STACK + 48;			/* fp */
	stack[1] = in(3);
	stack[2] = STACK + 80;			/* x19 */
	stack[7] = in(4);			/* CFA 64 */
	stack[11] = in(5);			/* CFA 96 */
	stack[12 + 568 / 8] = in(6);
	stack[12 + 560 / 8] = STACK + 8;
	WALKS(WALLPROF_UNWIND_END, in(1), in(2), in(3), in(4), in(5), in(6));
}

/* Any table that passes, any stack: the walk agrees with the reference. */
static void random_agrees(struct kunit *test)
{
	unsigned int rounds = SUITE_ROUNDS(20000), round, i, nr, compared = 0, deep = 0;
	struct wp_cfi_result result, model_result;
	unsigned int words = 0;

	for (round = 0; round < rounds && !suite_failed(test); round++) {
		reset();
		for (i = 1; i < MAX_RULES; i++) {
			static const u8 regs[] = { 7, 7, 7, 7, 6, 6, 3, 12, 0 };
			struct wallprof_rule *r = &page.rules[i];

			*r = cfa_rule(regs[suite_below(ARRAY_SIZE(regs))],
				      8 * (1 + suite_below(6)));
			if (!suite_below(20))
				r->kind = WALLPROF_RULE_DEREF;
			r->flags = suite_below(3) ? 0 : WALLPROF_RULE_FP_SAVED;
			if (r->flags)
				r->fp = -(int)suite_below(5);
			if (r->kind == WALLPROF_RULE_DEREF && suite_below(3)) {
				r->flags |= WALLPROF_RULE_WORD;
				r->index = 1 + suite_below(WALLPROF_RULE_WORDS);
			}
			r->saves = suite_below(2) * (1 + suite_below(6));
			if (!suite_below(12))
				*r = (struct wallprof_rule){ suite_below(3), .index = 0xff };
			if (!suite_below(20))
				*r = (struct wallprof_rule){ WALLPROF_RULE_SIGNAL, .index = 0xff };
		}
		for (i = 1; i < 7; i++)
			page.saves[i] = (struct wallprof_save){ suite_below(2) ? 3 : 12,
				suite_below(4) ? WALLPROF_SAVE_CFA : WALLPROF_SAVE_LOST,
				-(int)suite_below(5) };
		for (i = 0; i < ARRAY_SIZE(stack); i++)
			stack[i] = suite_below(3) ? in(suite_below(MAX_RULES)) :
				   STACK + 8 * suite_below(ARRAY_SIZE(stack));
		for (i = 0; i < WP_CFI_REGS; i++)
			user.regs[i] = STACK + 8 * suite_below(64);
		user.ip = in(suite_below(MAX_RULES));
		user.no_fp = !suite_below(4);
		KUNIT_ASSERT_TRUE(test, !check());
		nr = cfi_walk(&user, ips, WALLPROF_MAX_STACK, &result);
		KUNIT_ASSERT_EQ(test, nr, cfi_model(&user, model, WALLPROF_MAX_STACK,
						    &model_result));
		KUNIT_EXPECT_EQ(test, result.stop, model_result.stop);
		KUNIT_EXPECT_FALSE(test, user.broken);
		KUNIT_EXPECT_EQ(test, memcmp(ips, model, nr * sizeof(*ips)), 0);
		compared += nr;
		for (i = 1; i < nr; i++)
			words += WALLPROF_INTERP_IS_WORD(ips[i]) && ips[i] << 3;
		deep += result.slow && nr > 4;
		if (round % 64 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, compared, rounds);
	KUNIT_EXPECT_GT(test, deep, rounds / 400);
	KUNIT_EXPECT_GT(test, words, rounds / 100);
}

static struct kunit_case cfi_cases[] = {
	KUNIT_CASE(check_refuses),
	KUNIT_CASE(check_bounds_lists),
	KUNIT_CASE(find_agrees),
	KUNIT_CASE(maps_are_found),
	KUNIT_CASE(known_plain),
	KUNIT_CASE(known_edges),
	KUNIT_CASE(known_plt),
	KUNIT_CASE(known_deref),
	KUNIT_CASE(known_realigned),
	KUNIT_CASE(known_interpreter),
	KUNIT_CASE(known_slow),
	KUNIT_CASE(known_in_register),
	KUNIT_CASE(known_signal),
	KUNIT_CASE(known_by_fp),
	KUNIT_CASE(depth_is_kept),
	KUNIT_CASE(known_arm64),
	KUNIT_CASE(random_agrees),
	{}
};

static struct kunit_suite cfi_suite = {
	.name = "wallprof_cfi",
	.init = suite_init,
	.test_cases = cfi_cases,
};

kunit_test_suite(cfi_suite);
