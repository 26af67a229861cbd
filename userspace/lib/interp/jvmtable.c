// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the unwind table of a mapping with code that a HotSpot JVM generated. Such code
 * uses the frame pointer for something else, but all frames of a piece of it have the same
 * size, which the JVM itself needs for walking its stacks:
 *
 * - compiled methods and stubs: CFA = sp + size, from where the frame is complete to where
 *   it is removed; the return address and then the caller's frame pointer are below the CFA.
 *   Before, it is known if it is made as compilers do.
 * - the interpreter: the frame pointer is the frame's. The caller's sp is in the frame, as
 *   the interpreter moves it: it makes room for locals behind the arguments. So is the method,
 *   which the module puts into the stack.
 * - where Java returns to the JVM: the frame pointer is the frame's. Other stubs have no
 *   rule: most have a frame pointer.
 *
 * Elsewhere a walk ends, as in code that was compiled since.
 *
 * Java code preserves no register but the frame pointer.
 *
 * Pure.
 */
#include <elf.h>
#include <errno.h>

#include "lib/interp/jvmtable.h"
#include "lib/unwind/tablebuild.h"

/* Limit for a table: a code cache of 256 MiB takes 2 MiB, and some 32 bytes a method. */
#define MAX_TABLE	(4 << 20)

/* Registers of x86-64. */
#define SP	7
#define FP	6
#define MACHINE	EM_X86_64

/* Registers that C code preserves, beside FP. */
static const struct wallprof_save lost[] = {
	{ 3, WALLPROF_SAVE_LOST, 0 }, { 12, WALLPROF_SAVE_LOST, 0 },
	{ 13, WALLPROF_SAVE_LOST, 0 }, { 14, WALLPROF_SAVE_LOST, 0 },
	{ 15, WALLPROF_SAVE_LOST, 0 },
};

/* Where an interpreted method's frame has it: words below the frame pointer. */
#define METHOD	3

/* Bytes around the place where Java returns to the JVM that are in the same frame. */
#define STUB_BEFORE	2
#define STUB_AFTER	4

/*
 * struct maker - a table that is made
 * @b: its rows
 * @stop: number of the rule that ends a walk
 */
struct maker {
	struct wp_tablebuild *b;
	int stop;
};

static int add_rule(struct maker *m, struct wallprof_rule *rule)
{
	return wp_tablebuild_rule(m->b, rule, lost, sizeof(lost) / sizeof(lost[0]));
}

static int add_row(struct maker *m, __u64 pc, struct wallprof_rule *rule)
{
	int number = add_rule(m, rule);

	return number < 0 ? number : wp_tablebuild_row(m->b, pc, number);
}

/*
 * A walk must not go on by frame pointer, which belongs to some frame above: it would leave
 * out those between. No stack has a CFA that is not aligned.
 */
static int add_stop(struct maker *m)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_CFA, .index = WALLPROF_RULE_NO_INDEX, .reg = SP,
		.off = 1, .ra = -1,
	};

	m->stop = add_rule(m, &rule);
	return m->stop < 0 ? m->stop : wp_tablebuild_row(m->b, 0, m->stop);
}

/* From @pc on, the CFA is @bytes above sp; @popped: the frame pointer is the caller's. */
static int add_frame(struct maker *m, __u64 pc, __u32 bytes, bool popped)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_CFA, .index = WALLPROF_RULE_NO_INDEX, .reg = SP,
		.flags = popped ? 0 : WALLPROF_RULE_FP_SAVED, .off = bytes, .ra = -1,
		.fp = popped ? 0 : -2,
	};

	return add_row(m, pc, &rule);
}

static int add_interpreter(struct maker *m, __u64 pc)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_DEREF, .index = METHOD, .reg = FP,
		.flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP |
			 WALLPROF_RULE_WORD,
		.off = -8, .ra = 1, .fp = 0,
	};

	return add_row(m, pc, &rule);
}

/* @stub: offset of the place where Java returns to the JVM; ~0: it is elsewhere. */
static int add_stubs(struct maker *m, __u64 pc, __u64 stub)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_CFA, .index = WALLPROF_RULE_NO_INDEX, .reg = FP,
		.flags = WALLPROF_RULE_FP_SAVED, .off = 16, .ra = -1, .fp = -2,
	};
	int ret = wp_tablebuild_row(m->b, pc, WP_RULE_NONE);

	if (ret || stub == ~0ULL)
		return ret;
	ret = add_row(m, pc + stub - STUB_BEFORE, &rule);
	return ret ?: wp_tablebuild_row(m->b, pc + stub + STUB_AFTER, WP_RULE_NONE);
}

static int add_compiled(struct maker *m, const struct wp_jvmcodes *codes,
			const struct wp_jvmcode *code, __u64 at)
{
	int ret = 0;
	__u32 i;

	if (code->push != ~0U) {
		ret = add_frame(m, at, 8, true);
		if (!ret)
			ret = add_frame(m, at + code->push + 1, 16, false);
	}
	if (!ret)
		ret = add_frame(m, at + code->complete, code->frame, false);
	for (i = 0; i < code->nr_exits && !ret; i++) {
		const struct wp_jvmexit *e = &codes->exit[code->first_exit + i];

		ret = add_frame(m, at + e->pop, 16, false);
		if (!ret)
			ret = add_frame(m, at + e->pop + 1, 8, true);
		if (!ret && e->after < code->end - code->start)
			ret = add_frame(m, at + e->after, code->frame, false);
	}
	return ret;
}

/* Adds a piece of code, whose first address is @at in the mapping. */
static int add_code(struct maker *m, const struct wp_jvmcodes *codes,
		    const struct wp_jvmcode *code, __u64 at)
{
	__u64 size = code->end - code->start, stub = codes->call_stub - code->start;
	int ret = 0;

	if (code->kind == WP_JVMKIND_FRAME)
		ret = add_compiled(m, codes, code, at);
	else if (code->kind == WP_JVMKIND_LEAF)
		ret = add_frame(m, at, 8, true);
	else if (code->kind == WP_JVMKIND_INTERPRETER)
		ret = add_interpreter(m, at);
	else if (code->kind == WP_JVMKIND_STUBS)
		ret = add_stubs(m, at, stub >= STUB_BEFORE && stub < size &&
				size - stub > STUB_AFTER ? stub : ~0ULL);
	return ret ?: wp_tablebuild_row(m->b, at + size, m->stop);
}

/**
 * wp_jvmtable_make() - make the table of a mapping
 * @codes: the code of the process
 * @start: first address of the mapping, which is 0 in the table
 * @end: its end, exclusive
 * @data: set to the table, to be freed
 * @size: set to its size
 *
 * Return: 0; -ENODATA: there is no code in the mapping; -ENOTSUP: of this machine no
 * frames are known; -EFBIG: there is too much; -ENOMEM.
 */
int wp_jvmtable_make(const struct wp_jvmcodes *codes, __u64 start, __u64 end, void **data,
		     size_t *size)
{
	struct maker m = { 0 };
	size_t i, nr = 0;
	int ret;

#ifndef __x86_64__
	return -ENOTSUP;
#endif
	m.b = wp_tablebuild_new(MAX_TABLE);
	if (!m.b)
		return -ENOMEM;
	ret = add_stop(&m);
	for (i = 0; i < codes->nr && !ret; i++) {
		const struct wp_jvmcode *code = &codes->code[i];

		if (code->start < start || code->end >= end)
			continue;
		ret = add_code(&m, codes, code, code->start - start);
		nr++;
	}
	/* The table is for all of the mapping: what is compiled later has no frame either. */
	if (!ret)
		ret = nr ? wp_tablebuild_row(m.b, end - start - 1, WP_RULE_NONE) : -ENODATA;
	if (!ret)
		ret = wp_tablebuild_finish(m.b, MACHINE, data, size);
	wp_tablebuild_free(m.b);
	return ret;
}
