/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An unwind table of three functions, for the tests of WALLPROF_IOC_PUSH and
 * WALLPROF_IOC_MAPS.
 */
#ifndef DEVICE_TABLE_H
#define DEVICE_TABLE_H

#include <elf.h>
#include <stdint.h>
#include <linux/wallprof.h>
#include <linux/wallprof_unwind.h>

#if defined(__aarch64__) || defined(__arm__)
#define TINY_MACHINE	EM_AARCH64
#define TINY_SP		31
#else
#define TINY_MACHINE	EM_X86_64
#define TINY_SP		7
#endif

#define TINY_BASE	0x400U		/* where the code is in its file */
#define TINY_BYTES	0x400U		/* as much code as the table covers */

/* The code: tiny_root calls tiny_outer, which calls tiny_nap. */
#define TINY_NAP	0x000
#define TINY_OUTER	0x100
#define TINY_ROOT	0x200

struct tiny_table {
	struct wallprof_table head;
	struct wallprof_rule rules[4];
	__u32 pages[2];
	struct wallprof_row rows[4];
	struct wallprof_save saves[2];	/* two: then the struct has no tail */
};

static inline struct tiny_table tiny_table(void)
{
	struct wallprof_rule cfa = {
		.kind = WALLPROF_RULE_CFA, .flags = WALLPROF_RULE_FP_SAVED,
		.reg = TINY_SP, .index = WALLPROF_RULE_NO_INDEX,
	};
	struct tiny_table t = {
		.head = {
			.magic = WALLPROF_TABLE_MAGIC,
			.version = WALLPROF_TABLE_VERSION,
			.machine = TINY_MACHINE, .nr_pages = 1, .nr_rows = 4,
			.nr_rules = 4, .nr_saves = 2, .base = TINY_BASE,
		},
		.rules = {
			{ .kind = WALLPROF_RULE_NONE, .index = WALLPROF_RULE_NO_INDEX },
			cfa, cfa,
			{ .kind = WALLPROF_RULE_END, .index = WALLPROF_RULE_NO_INDEX },
		},
		.pages = { 0, 4 },
		.rows = {
			{ TINY_NAP, 1 }, { TINY_OUTER, 2 }, { TINY_ROOT, 3 }, { 0x300, 0 },
		},
		.saves = {
			{ .how = WALLPROF_SAVE_END }, { .how = WALLPROF_SAVE_END },
		},
	};

#if defined(__aarch64__)
	t.rules[1].off = 48;
	t.rules[1].ra = -3;
	t.rules[1].fp = -4;
	t.rules[2].off = 32;
	t.rules[2].ra = -3;
	t.rules[2].fp = -4;
#else
	t.rules[1].off = 40;
	t.rules[1].ra = -1;
	t.rules[1].fp = -2;
	t.rules[2].off = 48;
	t.rules[2].ra = -1;
	t.rules[2].flags = 0;
#endif
	return t;
}

#endif
