// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/unwind_table.c and module/pure/unwind_cfi.h: table, registers and
 * memory are the input's. With a table that passes the check, a walk must agree with the
 * reference, end within its room and read only what it may.
 *
 * Input: struct input, then the table's parts, then the stack. With REPAIR, the table is
 * made to pass where that is easy, so that more of them do.
 */
#include <stdint.h>
#include <stdlib.h>

#include "cfi_model.h"

#define LIMIT	0x7ffffffff000ULL
#define BASE	0x400000ULL
#define STACK	0x10000ULL
#define PAGE	(1U << WALLPROF_TABLE_SHIFT)

#define ARM64	1
#define REPAIR	2
#define RAW	4	/* the header is the input's, too */
#define NO_FP	8

struct input {
	u8 flags, nr_pages, nr_rules, nr_rows, nr_saves, max, ip, sp;
	u16 regs[16];
};

static void must(bool good)
{
	if (!good)
		abort();
}

static void repair(struct wallprof_table *head)
{
	struct wallprof_rule *rules = (void *)(head + 1);
	u32 *pages = (void *)(rules + head->nr_rules), i, page;
	struct wallprof_row *rows = (void *)(pages + head->nr_pages + 1);
	struct wallprof_save *saves = (void *)(rows + head->nr_rows);
	u32 per_page = head->nr_rows / head->nr_pages;

	for (page = 0; page <= head->nr_pages; page++)
		pages[page] = page < head->nr_pages ? page * per_page : head->nr_rows;
	for (page = 0; page < head->nr_pages; page++) {
		for (i = pages[page]; i < pages[page + 1]; i++) {
			rows[i].pc = (i - pages[page]) * (PAGE / 256);
			rows[i].rule %= head->nr_rules;
		}
	}
	for (i = 0; i < head->nr_saves; i++) {
		saves[i].how %= 4;
		saves[i].reg %= 16;
	}
	saves[0].how = WALLPROF_SAVE_END;
	saves[head->nr_saves - 1].how = WALLPROF_SAVE_END;
	for (i = 0; i < head->nr_rules; i++) {
		struct wallprof_rule r = rules[i];

		r.kind = i ? r.kind % WALLPROF_RULE_MAX : 0;
		if (r.kind == WALLPROF_RULE_PLT) {
			r = (struct wallprof_rule){ .kind = r.kind, .index = 0xff,
						    .add = 1 + (u8)r.add % 15 };
		} else if (r.kind != WALLPROF_RULE_CFA && r.kind != WALLPROF_RULE_DEREF) {
			r = (struct wallprof_rule){ .kind = r.kind, .index = 0xff };
		} else {
			r.flags &= WALLPROF_RULE_FLAGS;
			if (r.flags & WALLPROF_RULE_RA_REG)
				r.flags &= ~WALLPROF_RULE_RA_FP;
			r.reg %= 16;
			r.off %= 256;
			r.ra %= r.flags & WALLPROF_RULE_RA_REG ? 16 : 32;
			r.ra = r.flags & WALLPROF_RULE_RA_REG && r.ra < 0 ? -r.ra : r.ra;
			if (r.flags & WALLPROF_RULE_FP_SAVED)
				r.flags &= ~WALLPROF_RULE_FP_LOST;
			else
				r.flags &= ~WALLPROF_RULE_FP_FP;
			r.fp = r.flags & WALLPROF_RULE_FP_SAVED ? r.fp % 32 : 0;
			r.saves %= head->nr_saves;
			if (r.kind == WALLPROF_RULE_CFA) {
				r.flags &= ~WALLPROF_RULE_WORD;
				r.index = 0xff;
				r.add = 0;
			} else if (r.flags & WALLPROF_RULE_WORD) {
				r.index = 1 + r.index % WALLPROF_RULE_WORDS;
			} else if (WALLPROF_RULE_INDEX_REG(r.index) > 15 ||
				   WALLPROF_RULE_INDEX_SCALE(r.index) > 6) {
				r.index = 0xff;
			}
		}
		rules[i] = r;
	}
}

static struct wp_step_cache steps;

static void walk(const struct input *in, const struct wp_table *table, u16 machine,
		 const u8 *stack, size_t size)
{
	struct wp_map maps[] = {
		{ 0x1000, 0x2000, 0, NULL },
		{ BASE, BASE + 4 * PAGE, 0, table },
		{ BASE + 8 * PAGE, BASE + 12 * PAGE, 8 * PAGE, table },
	};
	struct cfi_user user = {
		.bytes = stack, .base = STACK, .size = size, .limit = LIMIT,
		.ip = BASE + in->ip * 16, .maps = { maps, ARRAY_SIZE(maps) },
		.steps = &steps, .no_fp = in->flags & NO_FP,
		.arch = machine == EM_AARCH64 ? &wp_cfi_arm64 : &wp_cfi_x86_64,
	};
	unsigned int max = in->max % WALLPROF_MAX_STACK + 1, nr, i;
	u64 *ips = malloc(max * sizeof(*ips)), model[WALLPROF_MAX_STACK];
	struct wp_cfi_result result, model_result;

	for (i = 0; i < WP_CFI_REGS; i++)
		user.regs[i] = STACK + in->regs[i % 16];
	user.regs[user.arch->sp] = STACK + in->sp * 8;
	nr = cfi_walk(&user, ips, max, &result);
	must(!user.broken && nr >= 1 && nr <= max && user.reads <= 2 * 6 * max);
	must(nr == cfi_model(&user, model, max, &model_result));
	must(result.stop == model_result.stop && result.by_fp == model_result.by_fp);
	must(result.stop < WALLPROF_UNWIND_MAX && !memcmp(ips, model, nr * sizeof(*ips)));
	free(ips);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wallprof_table head, *block;
	struct wp_table table;
	struct input in;
	size_t bytes;

	if (size < sizeof(in))
		return 0;
	memcpy(&in, data, sizeof(in));
	data += sizeof(in);
	size -= sizeof(in);
	head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = in.flags & ARM64 ? EM_AARCH64 : EM_X86_64,
		.nr_pages = 1 + in.nr_pages % 4, .nr_rules = 1 + in.nr_rules % 32,
		.nr_saves = 1 + in.nr_saves % 48, .base = BASE,
	};
	head.nr_rows = head.nr_pages + in.nr_rows;
	if (in.flags & RAW) {
		if (size < sizeof(head))
			return 0;
		block = malloc(size);
		memcpy(block, data, size);
		if (!wp_table_check(&table, block, size, EM_X86_64))
			walk(&in, &table, EM_X86_64, data, size & ~7UL);
		free(block);
		return 0;
	}
	bytes = wp_table_size(&head);
	if (size < bytes - sizeof(head))
		return 0;
	block = malloc(bytes);
	*block = head;
	memcpy(block + 1, data, bytes - sizeof(head));
	data += bytes - sizeof(head);
	size -= bytes - sizeof(head);
	if (in.flags & REPAIR)
		repair(block);
	if (!wp_table_check(&table, block, bytes, head.machine))
		walk(&in, &table, head.machine, data, size);
	free(block);
	return 0;
}
