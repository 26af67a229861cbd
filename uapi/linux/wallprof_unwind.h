/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * wallprof: unwind tables, made by the reader from .eh_frame, used by the
 * module.
 *
 * A table describes the code of one ELF file. All its addresses are the file's
 * own (those of its program headers), independent of where the file is mapped. It
 * is one block of memory:
 *
 *	struct wallprof_table	the header
 *	struct wallprof_rule	rules[nr_rules]
 *	__u32			pages[nr_pages + 1]
 *	struct wallprof_row	rows[nr_rows]
 *	struct wallprof_save	saves[nr_saves]
 *
 * To look an address up: page = (address - base) >> WALLPROF_TABLE_SHIFT;
 * among rows[pages[page]] to rows[pages[page + 1] - 1] the last one whose pc is
 * not above the low bits of the address names its rule. Every page begins with
 * a row whose pc is 0, so one is always found, and no lookup leaves its page.
 *
 * All is in the byte order of the machine. Registers have the DWARF numbers of the
 * table's machine.
 */
#ifndef _UAPI_LINUX_WALLPROF_UNWIND_H
#define _UAPI_LINUX_WALLPROF_UNWIND_H

#include <linux/types.h>

#define WALLPROF_TABLE_MAGIC	0x54555057	/* "WPUT" */
#define WALLPROF_TABLE_VERSION	1

/*
 * Bits of an address within a page of a table. Small pages make for few steps
 * of the search: about 25 rows share a page of 1 KiB. Each page costs one word
 * and one more row.
 */
#define WALLPROF_TABLE_SHIFT	10

/* Limits of a table that is accepted. */
#define WALLPROF_TABLE_MAX_PAGES (1U << 22)	/* code that spans 4 GiB */
#define WALLPROF_TABLE_MAX_ROWS	(1U << 25)
#define WALLPROF_TABLE_MAX_RULES (1U << 16)
#define WALLPROF_TABLE_MAX_SAVES (1U << 16)
#define WALLPROF_TABLE_MAX_RUN	32		/* of a list of saves, its end included */

/*
 * Limit relative to the code: rows, and also rules and saves, for each page that is
 * described, on average. With more, an instruction in four bytes would have to change how
 * the caller is found; compiled code has a tenth of that.
 */
#define WALLPROF_TABLE_MAX_DENSITY 256

/**
 * struct wallprof_table - the header of a table
 * @magic: WALLPROF_TABLE_MAGIC
 * @version: WALLPROF_TABLE_VERSION
 * @machine: of the code: EM_X86_64, EM_AARCH64
 * @nr_pages: pages that are described, at least 1
 * @nr_rows: rows of all pages
 * @nr_rules: different rules, at least 1
 * @nr_saves: entries of the lists of saved registers, at least 1: the first is
 *	the end of an empty list
 * @base: address where the first page begins, a multiple of the size of a page
 */
struct wallprof_table {
	__u32 magic;
	__u16 version;
	__u16 machine;
	__u32 nr_pages;
	__u32 nr_rows;
	__u32 nr_rules;
	__u32 nr_saves;
	__aligned_u64 base;
};

/**
 * struct wallprof_row - first address of a rule
 * @pc: the low WALLPROF_TABLE_SHIFT bits of the address; rises within a page,
 *	and is 0 in the first row of each
 * @rule: index of the rule
 */
struct wallprof_row {
	__u16 pc;
	__u16 rule;
};

/**
 * enum wallprof_rule_kind - how a frame's caller is found
 * @WALLPROF_RULE_NONE: nothing is known of this code. Rule 0 is of this kind
 * @WALLPROF_RULE_END: there is no caller: _start, clone
 * @WALLPROF_RULE_UNSUPPORTED: the file describes it in a way that tables cannot
 * @WALLPROF_RULE_CFA: CFA = @reg + @off
 * @WALLPROF_RULE_DEREF: CFA = *(@reg + @off) + @add, or, if there is an @index,
 *	*(@reg + @off + (index << scale)) + @add
 * @WALLPROF_RULE_PLT: a stub that pushes a word in byte @add of its 16 or
 *	before: CFA = sp + 8, and another 8 if ip % 16 >= @add
 * @WALLPROF_RULE_SIGNAL: the signal trampoline: sp points at what the
 *	kernel pushed, and all registers of the caller are there
 * @WALLPROF_RULE_MAX: the number of kinds
 *
 * The CFA (canonical frame address) is the value of sp in the caller.
 */
enum wallprof_rule_kind {
	WALLPROF_RULE_NONE,
	WALLPROF_RULE_END,
	WALLPROF_RULE_UNSUPPORTED,
	WALLPROF_RULE_CFA,
	WALLPROF_RULE_DEREF,
	WALLPROF_RULE_PLT,
	WALLPROF_RULE_SIGNAL,
	WALLPROF_RULE_MAX,
};

/* wallprof_rule.flags */
#define WALLPROF_RULE_RA_REG	(1U << 0)	/* @ra is a register's number */
#define WALLPROF_RULE_FP_SAVED	(1U << 1)	/* the caller's fp is at @fp */
#define WALLPROF_RULE_FP_LOST	(1U << 2)	/* the caller's fp is lost */
#define WALLPROF_RULE_FP_FP	(1U << 3)	/* @fp counts from fp, not from the CFA */
#define WALLPROF_RULE_EXACT	(1U << 4)	/* the caller was interrupted; it made no call */
#define WALLPROF_RULE_RA_FP	(1U << 5)	/* @ra counts from fp, not from the CFA. ABI 18 */
#define WALLPROF_RULE_WORD	(1U << 6)	/* DEREF: a word of the frame is in the stack.
						 * ABI 19
						 */
#define WALLPROF_RULE_FLAGS	0x7fU

#define WALLPROF_RULE_WORDS	16	/* of wallprof_rule.index with WALLPROF_RULE_WORD */

/* wallprof_rule.index: a register and how far it is shifted, 0 to 6 */
#define WALLPROF_RULE_INDEX(reg, scale) ((reg) | (scale) << 5)
#define WALLPROF_RULE_INDEX_REG(index) ((index) & 31)
#define WALLPROF_RULE_INDEX_SCALE(index) ((index) >> 5)
#define WALLPROF_RULE_NO_INDEX	0xff	/* there is none */

/**
 * struct wallprof_rule - how the caller is found
 * @kind: enum wallprof_rule_kind
 * @flags: WALLPROF_RULE_RA_REG, …
 * @reg: register that the CFA is based on (CFA, DEREF)
 * @index: WALLPROF_RULE_INDEX(), or WALLPROF_RULE_NO_INDEX (DEREF). With WALLPROF_RULE_WORD
 *	there is no index, and this is where the word is: words of 8 bytes below the frame
 *	pointer, 1 to WALLPROF_RULE_WORDS
 * @off: bytes (CFA, DEREF)
 * @add: bytes (DEREF); 1 to 15 (PLT)
 * @ra: where the return address is: words of 8 bytes from the CFA or from the
 *	frame pointer, or the number of a register
 * @fp: where the caller's frame pointer is: words of 8 bytes from the CFA or
 *	from the frame pointer; 0 without FP_SAVED, and then it is the same
 * @saves: index of the first of the other registers that were saved: a list
 *	that ends with WALLPROF_SAVE_END. 0 is the empty list
 *
 * Fields that a kind does not use are 0, and @index is WALLPROF_RULE_NO_INDEX.
 *
 * With WALLPROF_RULE_WORD the stack has a WALLPROF_INTERP_WORD of wallprof_interp.h behind
 * the frame's address if its frame pointer is known, whether its caller is found or not. It
 * takes one of the words of &struct wallprof_configure.max_stack, in the order of the walk.
 * The last address that there was room for has none. A word that cannot be read ends no walk.
 */
struct wallprof_rule {
	__u8 kind;
	__u8 flags;
	__u8 reg;
	__u8 index;
	__s32 off;
	__s16 add;
	__s16 ra;
	__s16 fp;
	__u16 saves;
};

/* wallprof_save.how */
#define WALLPROF_SAVE_CFA	0	/* it is at @off words from the CFA */
#define WALLPROF_SAVE_FP	1	/* it is at @off words from the frame pointer */
#define WALLPROF_SAVE_LOST	2	/* the caller's value is lost */
#define WALLPROF_SAVE_END	3	/* the end of a list; @reg and @off are 0 */

/**
 * struct wallprof_save - where one of the caller's registers is
 * @reg: a register that functions preserve, other than fp
 * @how: WALLPROF_SAVE_CFA, …
 * @off: words of 8 bytes
 *
 * Few walks need them: only those that come to a CFA which is based on such a
 * register.
 */
struct wallprof_save {
	__u8 reg;
	__u8 how;
	__s16 off;
};

#endif /* _UAPI_LINUX_WALLPROF_UNWIND_H */
