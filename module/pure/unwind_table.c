// SPDX-License-Identifier: GPL-2.0
/*
 * The check of an unwind table from userspace. Pure.
 *
 * Once a table has passed, lookups and walks need no other bounds checks than their own:
 * every index in the table is in range. Numbers that are only used to compute addresses
 * are not checked: a walk checks an address before it reads.
 */
#include <linux/bits.h>
#include <linux/elf-em.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/stddef.h>

#include "pure/unwind_table.h"

#define WP_PAGE_BYTES BIT(WALLPROF_TABLE_SHIFT)

/* Pages that are checked between two cond_resched(). */
#define WP_PAGES_AT_ONCE 1024

/**
 * wp_table_size - compute the size of a table
 * @head: its header, not checked
 *
 * Context: any.
 * Return: bytes; 0 if it has more parts, or fewer, than a table can.
 */
u64 wp_table_size(const struct wallprof_table *head)
{
	u64 most = head->nr_pages * (u64)WALLPROF_TABLE_MAX_DENSITY;

	if (head->nr_rows > most || head->nr_rules > most || head->nr_saves > most)
		return 0;
	if (!head->nr_pages || head->nr_pages > WALLPROF_TABLE_MAX_PAGES ||
	    head->nr_rows < head->nr_pages || head->nr_rows > WALLPROF_TABLE_MAX_ROWS ||
	    !head->nr_rules || head->nr_rules > WALLPROF_TABLE_MAX_RULES ||
	    !head->nr_saves || head->nr_saves > WALLPROF_TABLE_MAX_SAVES)
		return 0;
	return sizeof(*head) + head->nr_rules * (u64)sizeof(struct wallprof_rule) +
	       (head->nr_pages + 1) * (u64)sizeof(u32) +
	       head->nr_rows * (u64)sizeof(struct wallprof_row) +
	       head->nr_saves * (u64)sizeof(struct wallprof_save);
}

/*
 * Whether the rows of a page rise, lie within the page, and name rules that are there. Of the
 * signs of differences only the AND is looked at, after the last row: tables have hundreds of
 * thousands of rows, and a recording waits for their check when it starts.
 */
static bool wp_rows_are_good(const struct wallprof_row *row, const struct wallprof_row *end,
			     s32 nr_rules)
{
	s32 below = -1, before = -1;

	for (; row < end; row++) {
		below &= (before - row->pc) & (row->rule - nr_rules);
		before = row->pc;
	}
	return below < 0 && before < (s32)WP_PAGE_BYTES;
}

/* What is wrong with rows that are not good. */
static const char *wp_wrong_row(const struct wallprof_row *row, const struct wallprof_row *end)
{
	s32 before = -1;

	for (; row < end; row++) {
		if (row->pc >= WP_PAGE_BYTES)
			return "a row lies beyond its page";
		if (row->pc <= before)
			return "the rows of a page do not rise";
		before = row->pc;
	}
	return "a row names a rule that is not there";
}

static const char *wp_check_pages(const struct wp_table *table, u32 nr_rows)
{
	const struct wallprof_row *rows = table->rows;
	u32 page;

	if (table->pages[0])
		return "the first page does not begin with the first row";
	if (table->pages[table->nr_pages] != nr_rows)
		return "the last page does not end with the last row";
	for (page = 0; page < table->nr_pages; page++) {
		u32 from = table->pages[page], to = table->pages[page + 1];

		if (!(page % WP_PAGES_AT_ONCE))
			cond_resched();
		/* If each is below the next, all are below the last. */
		if (from >= to || to > nr_rows)
			return "a page has no row";
		if (rows[from].pc)
			return "a page does not begin with a row";
		if (!wp_rows_are_good(rows + from, rows + to, table->nr_rules))
			return wp_wrong_row(rows + from, rows + to);
	}
	return NULL;
}

/* Whether a DWARF number is a register that walks know, by machine. */
static bool wp_is_reg(u16 machine, unsigned int reg)
{
	return reg < (machine == EM_AARCH64 ? 32 : 16);
}

static bool wp_index_is_good(u16 machine, const struct wallprof_rule *rule)
{
	u8 index = rule->index;

	/* It is no register then. */
	if (rule->flags & WALLPROF_RULE_WORD)
		return true;
	return index == WALLPROF_RULE_NO_INDEX ||
	       (WALLPROF_RULE_INDEX_SCALE(index) < 7 &&
		wp_is_reg(machine, WALLPROF_RULE_INDEX_REG(index)));
}

static const char *wp_check_rule(const struct wallprof_rule *rule, u16 machine,
				 u32 nr_saves)
{
	bool by_reg = rule->kind == WALLPROF_RULE_CFA || rule->kind == WALLPROF_RULE_DEREF;

	if (rule->kind >= WALLPROF_RULE_MAX || rule->flags & ~WALLPROF_RULE_FLAGS)
		return "a rule is of no known kind";
	if (!by_reg && (rule->flags || rule->reg || rule->off || rule->ra ||
			rule->fp || rule->saves))
		return "a rule says more than its kind can";
	if (rule->flags & WALLPROF_RULE_WORD) {
		if (rule->kind != WALLPROF_RULE_DEREF)
			return "a rule has a word of a frame in vain";
		if (rule->index < 1 || rule->index > WALLPROF_RULE_WORDS)
			return "a rule has a word that is too far from its frame pointer";
	}
	if (rule->kind != WALLPROF_RULE_DEREF && rule->index != WALLPROF_RULE_NO_INDEX)
		return "a rule has an index in vain";
	if (rule->kind == WALLPROF_RULE_PLT) {
		if (rule->add < 1 || rule->add > 15)
			return "a rule of a stub is of no known kind";
	} else if (rule->kind != WALLPROF_RULE_DEREF && rule->add) {
		return "a rule says more than its kind can";
	}
	if (rule->flags & WALLPROF_RULE_RA_REG && rule->flags & WALLPROF_RULE_RA_FP)
		return "a rule has the return address in two places";
	if (!wp_is_reg(machine, rule->reg) || !wp_index_is_good(machine, rule) ||
	    (rule->flags & WALLPROF_RULE_RA_REG &&
	     (rule->ra < 0 || !wp_is_reg(machine, rule->ra))))
		return "a rule names a register that is not there";
	if (!(rule->flags & WALLPROF_RULE_FP_SAVED) &&
	    (rule->fp || rule->flags & WALLPROF_RULE_FP_FP))
		return "a rule has the place of what was not saved";
	if (rule->flags & WALLPROF_RULE_FP_SAVED && rule->flags & WALLPROF_RULE_FP_LOST)
		return "a rule has the frame pointer both saved and lost";
	if (rule->saves >= nr_saves)
		return "a rule names a list that is not there";
	return NULL;
}

static const char *wp_check_saves(const struct wp_table *table, u16 machine, u32 nr)
{
	u32 i, run = 0;

	if (table->saves[0].how != WALLPROF_SAVE_END)
		return "the empty list is missing";
	if (table->saves[nr - 1].how != WALLPROF_SAVE_END)
		return "the last list of saved registers does not end";
	for (i = 0; i < nr; i++) {
		const struct wallprof_save *save = &table->saves[i];

		if (save->how > WALLPROF_SAVE_END)
			return "a register is saved in no known way";
		if (!wp_is_reg(machine, save->reg))
			return "a register was saved that is not there";
		run = save->how == WALLPROF_SAVE_END ? 0 : run + 1;
		if (run >= WALLPROF_TABLE_MAX_RUN)
			return "a list of saved registers is too long";
	}
	return NULL;
}

/**
 * wp_table_check - check a table and find its parts
 * @table: filled in; points into @data
 * @data: the table, aligned to 8 bytes; must not change from now on
 * @size: bytes of @data
 * @machine: the ELF number of the machine that it must be for
 *
 * Context: process: may sleep.
 * Return: NULL if it is good, else what is wrong with it.
 */
const char *wp_table_check(struct wp_table *table, const void *data, u64 size,
			   u16 machine)
{
	const struct wallprof_table *head = data;
	const char *wrong;
	u64 bytes;
	u32 i;

	if (size < sizeof(*head))
		return "it is too short for a table";
	if (head->magic != WALLPROF_TABLE_MAGIC)
		return "it is no table";
	if (head->version != WALLPROF_TABLE_VERSION)
		return "it is of another version";
	if (head->machine != machine || (machine != EM_X86_64 && machine != EM_AARCH64))
		return "it is for another machine";
	bytes = wp_table_size(head);
	if (!bytes)
		return "it holds more or less than a table can";
	if (bytes != size)
		return "its size is not what it holds";
	if (head->base & (WP_PAGE_BYTES - 1) ||
	    head->base + ((u64)head->nr_pages << WALLPROF_TABLE_SHIFT) < head->base)
		return "its base is no page's";
	table->base = head->base;
	table->nr_pages = head->nr_pages;
	table->nr_rules = head->nr_rules;
	table->rules = (const void *)(head + 1);
	table->pages = (const void *)(table->rules + head->nr_rules);
	table->rows = (const void *)(table->pages + head->nr_pages + 1);
	table->saves = (const void *)(table->rows + head->nr_rows);

	if (table->rules[0].kind != WALLPROF_RULE_NONE)
		return "its first rule is not the empty one";
	for (i = 0; i < head->nr_rules; i++) {
		wrong = wp_check_rule(&table->rules[i], machine, head->nr_saves);
		if (wrong)
			return wrong;
	}
	wrong = wp_check_saves(table, machine, head->nr_saves);
	if (wrong)
		return wrong;
	return wp_check_pages(table, head->nr_rows);
}
