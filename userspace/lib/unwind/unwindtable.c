// SPDX-License-Identifier: GPL-2.0
/*
 * Converts the frames of an ELF file to its unwind table: each row of .eh_frame becomes
 * one of the rules that a table supports. ehframe.c reads the entries, cfaprogram.c
 * executes their instructions, cfaexpr.c evaluates expressions, tablebuild.c builds the
 * table.
 *
 * In addition, signal trampolines are found by their code (trampolines.c), since some C
 * libraries have no unwind information for theirs; and the ends of Go's stacks are found
 * by the names of functions (gofuncs.c).
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unwind/cfaexpr.h"
#include "lib/unwind/cfaprogram.h"
#include "lib/unwind/ehframe.h"
#include "lib/unwind/gofuncs.h"
#include "lib/unwind/tablebuild.h"
#include "lib/unwind/trampolines.h"
#include "lib/unwind/unwindtable.h"

/*
 * Alignment of functions in bytes. The padding before them is never executed, and nothing
 * is called from there. A lookup for a return address, which is of the byte before, ends
 * there only if the address is the first of a function, and was put there by hand: the
 * stack begins there. Coroutines of makecontext() do so.
 *
 * A shorter gap that ends elsewhere is within code: there the rule before it is assumed
 * to continue. glibc's clone3() has one after its syscall, where the parent in
 * posix_spawn() waits.
 */
#define ALIGNMENT	16

/*
 * Bytes from a program's entry point that have no caller, if they have no unwind
 * information: this holds for the dynamic linker and musl's _start.
 */
#define ENTRY		64

/*
 * Limit for a table, independent of the code size. 3899 tables of programs and libraries
 * take 0.05 to 0.25 bytes for each byte of code where there are more than 64 KiB of it;
 * libepoxy, which consists of stubs, takes 0.5, and libLLVM 6.5 MB in all. A library with
 * functions of 16 bytes could take 1.
 */
#define TABLE_LEAST	(64ULL << 10)
#define TABLE_TIMES	2

/*
 * Limit of steps for each byte of .eh_frame and .debug_frame, plus a constant. None of
 * the same files takes more than 2.4.
 */
#define STEPS_TIMES	16
#define STEPS_FREE	(64ULL << 10)

/* A table that is being built. */
struct maker {
	Elf *elf;
	const struct wp_cfa_machine *machine;
	struct wp_tablebuild *build;
	struct wp_unwindtable *table;
	const struct wp_elfcode *codes;
	const struct wp_cie *cie;	/* of the current FDE */
	struct wp_trampolines trampolines;
	struct wp_gofuncs gofuncs;
	__u64 max_steps;
	size_t passed;			/* number of trampolines done */
	__u64 reach;			/* @reach of the last one with rows */
};

/* Convert bytes to words. Returns whether a rule can hold them. */
static bool words(__s64 bytes, __s16 *to)
{
	*to = bytes / 8;
	return !(bytes % 8) && bytes / 8 >= SHRT_MIN && bytes / 8 <= SHRT_MAX;
}

static bool is_reg(const struct wp_cfa_machine *m, __u64 reg)
{
	return reg < (m->machine == EM_AARCH64 ? 32 : 16);
}

static bool set_cfa(struct wallprof_rule *rule, const struct wp_cfa_machine *m,
		    const struct wp_cfa_state *s)
{
	struct wp_formula f = {
		.kind = WP_FORMULA_SUM, .index = WP_CFA_NO_REG, .off = s->cfa.value,
	};

	f.reg = s->cfa_reg < WP_CFA_NO_REG ? s->cfa_reg : WP_CFA_NO_REG;
	if (s->cfa.rule == WP_CFA_EXPR)
		wp_cfa_formula(&f, s->cfa.expr, s->cfa.size);
	else if (s->cfa.rule != WP_CFA_OFFSET)
		return false;
	switch (f.kind) {
	case WP_FORMULA_SUM:
		rule->kind = WALLPROF_RULE_CFA;
		if (f.index != WP_CFA_NO_REG)
			return false;
		break;
	case WP_FORMULA_DEREF:
		rule->kind = WALLPROF_RULE_DEREF;
		if (f.index != WP_CFA_NO_REG) {
			if (!is_reg(m, f.index))
				return false;
			rule->index = WALLPROF_RULE_INDEX(f.index, f.scale);
		}
		rule->add = f.add;
		break;
	case WP_FORMULA_PLT:
		rule->kind = WALLPROF_RULE_PLT;
		rule->add = f.add;
		return m->machine == EM_X86_64;
	default:
		return false;
	}
	rule->reg = f.reg;
	rule->off = f.off;
	return is_reg(m, f.reg) && rule->off == f.off && rule->add == f.add;
}

/*
 * Location of a saved register. Returns false if it is unsupported; else *@how is
 * WALLPROF_SAVE_*, or WALLPROF_SAVE_END if it was not saved.
 */
static bool saved_at(const struct wp_cfa_reg *reg, const struct wp_cfa_machine *m,
		     __u8 *how, __s16 *off)
{
	struct wp_formula f;

	*off = 0;
	switch (reg->rule) {
	case WP_CFA_SAME:
		*how = WALLPROF_SAVE_END;
		return true;
	case WP_CFA_OFFSET:
		*how = WALLPROF_SAVE_CFA;
		return words(reg->value, off);
	case WP_CFA_EXPR:
		wp_cfa_formula(&f, reg->expr, reg->size);
		*how = WALLPROF_SAVE_FP;
		return f.kind == WP_FORMULA_SUM && f.reg == m->fp &&
		       f.index == WP_CFA_NO_REG && words(f.off, off);
	case WP_CFA_UNDEFINED:
		*how = WALLPROF_SAVE_LOST;
		return true;
	default:
		return false;
	}
}

static bool set_ra(struct wallprof_rule *rule, const struct wp_cfa_machine *m,
		   const struct wp_cfa_reg *reg)
{
	switch (reg->rule) {
	case WP_CFA_OFFSET:
		return words(reg->value, &rule->ra);
	case WP_CFA_SAME:
		rule->flags |= WALLPROF_RULE_RA_REG;
		rule->ra = m->ra;
		return is_reg(m, m->ra);
	case WP_CFA_REG:
		rule->flags |= WALLPROF_RULE_RA_REG;
		rule->ra = reg->value;
		return is_reg(m, reg->value);
	default:
		return false;
	}
}

/*
 * Location of the saved frame pointer. If it is unsupported the frame pointer counts as
 * lost: few callers need it.
 */
static void set_fp(struct wallprof_rule *rule, const struct wp_cfa_machine *m,
		   const struct wp_cfa_reg *reg)
{
	__u8 how;

	if (!saved_at(reg, m, &how, &rule->fp))
		how = WALLPROF_SAVE_LOST;
	if (how == WALLPROF_SAVE_LOST) {
		rule->flags |= WALLPROF_RULE_FP_LOST;
		rule->fp = 0;
	} else if (how != WALLPROF_SAVE_END) {
		rule->flags |= WALLPROF_RULE_FP_SAVED;
		if (how == WALLPROF_SAVE_FP)
			rule->flags |= WALLPROF_RULE_FP_FP;
	}
}

/* The other saved registers. Returns their number. */
static size_t set_saves(struct wallprof_save *saves, const struct wallprof_rule *rule,
			const struct wp_cfa_machine *m, const struct wp_cfa_state *s)
{
	size_t nr = 0;
	__u32 reg;

	for (reg = 0; reg < 32; reg++) {
		struct wallprof_save save = { .reg = reg };
		int slot;

		if (!(m->saved >> reg & 1))
			continue;
		slot = wp_cfa_slot(m, reg, WP_CFA_NO_REG);
		if (!saved_at(&s->reg[slot], m, &save.how, &save.off)) {
			save.how = WALLPROF_SAVE_LOST;
			save.off = 0;
		}
		/* A walk has the frame pointer only where it was saved so. */
		if (save.how == WALLPROF_SAVE_FP && !(rule->flags & WALLPROF_RULE_FP_FP))
			save = (struct wallprof_save){ reg, WALLPROF_SAVE_LOST, 0 };
		if (save.how != WALLPROF_SAVE_END)
			saves[nr++] = save;
	}
	return nr;
}

/* The rule of a row. Returns false if a table cannot express it. */
static bool make_rule(const struct maker *m, const struct wp_cfa_state *s,
		      struct wallprof_rule *rule, struct wallprof_save *saves,
		      size_t *nr_saves)
{
	const struct wp_cfa_reg *ra = &s->reg[0], *sp = &s->reg[1], *fp = &s->reg[2];

	*nr_saves = 0;
	*rule = (struct wallprof_rule){ .index = WALLPROF_RULE_NO_INDEX };
	if (ra->rule == WP_CFA_UNDEFINED) {
		rule->kind = WALLPROF_RULE_END;
		return true;
	}
	if (!set_cfa(rule, m->machine, s))
		return false;
	if (rule->kind == WALLPROF_RULE_PLT)
		return true;
	/* The caller's sp is the CFA, except in code that switches stacks. */
	if (sp->rule != WP_CFA_SAME && (sp->rule != WP_CFA_VALUE || sp->value))
		return false;
	if (!set_ra(rule, m->machine, ra))
		return false;
	set_fp(rule, m->machine, fp);
	*nr_saves = set_saves(saves, rule, m->machine, s);
	if (m->cie->signal)
		rule->flags |= WALLPROF_RULE_EXACT;
	return true;
}

/* Longer expressions are not evaluated. */
static __u64 expression_size(const struct wp_cfa_reg *reg)
{
	return reg->rule == WP_CFA_EXPR && reg->size <= WP_CFA_EXPR_MAX ? reg->size : 0;
}

/* Cost of evaluating the expressions of a row. */
static __u64 expression_steps(const struct wp_cfa_state *s)
{
	__u64 steps = expression_size(&s->cfa);
	size_t i;

	for (i = 0; i < WP_CFA_SLOTS; i++)
		steps += expression_size(&s->reg[i]);
	return steps;
}

/* Whether the file took more work than is plausible. */
static bool is_too_much(const struct maker *m)
{
	return m->table->steps + wp_tablebuild_steps(m->build) > m->max_steps;
}

static int add_row(void *ctx, __u64 pc, const struct wp_cfa_state *state)
{
	struct wallprof_save saves[WP_CFA_SLOTS];
	struct wallprof_rule rule;
	struct maker *m = ctx;
	int number = WP_RULE_UNSUPPORTED;
	size_t nr_saves;

	if (is_too_much(m))
		return -EFBIG;
	if (state)
		m->table->steps += 1 + expression_steps(state);
	if (state && make_rule(m, state, &rule, saves, &nr_saves)) {
		number = wp_tablebuild_rule(m->build, &rule, saves, nr_saves);
		if (number < 0)
			return number;
	}
	m->table->unsupported += number == WP_RULE_UNSUPPORTED;
	return wp_tablebuild_row(m->build, pc, number);
}

/* Add the rows of one trampoline, for addresses @from to @to. */
static int add_trampoline(struct maker *m, __u64 from, __u64 to)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_SIGNAL, .index = WALLPROF_RULE_NO_INDEX,
	};
	int ret = wp_tablebuild_rule(m->build, &rule, NULL, 0);

	if (ret >= 0)
		ret = wp_tablebuild_row(m->build, from, ret);
	return ret ?: wp_tablebuild_row(m->build, to, WP_RULE_NONE);
}

/*
 * Add the signal trampolines between two addresses. A handler returns to a trampoline's
 * first instruction, though nothing called it: the byte before, which is the one that is
 * looked up, belongs to it. So do the addresses up to @reach, limited by @next, where
 * other rows begin.
 *
 * Return: their number, or a negative errno.
 */
static int add_trampolines(struct maker *m, __u64 start, __u64 end, __u64 next)
{
	const struct wp_trampolines *all = &m->trampolines;
	int ret = 0, nr = 0;

	/* Each is visited once: ranges come in the order of addresses. */
	for (; m->passed < all->nr && all->list[m->passed].start < end && !ret; m->passed++) {
		const struct wp_trampoline *t = &all->list[m->passed];
		__u64 from = t->start;

		if (t->start < start || t->end > end)
			continue;
		if (from > start && from > m->reach)
			from--;
		m->reach = t->reach < next ? t->reach : next;
		ret = add_trampoline(m, from, m->reach);
		nr++;
	}
	return ret ?: nr;
}

/* Add code that has no caller. */
static int add_end(struct maker *m, __u64 from)
{
	struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_END, .index = WALLPROF_RULE_NO_INDEX,
	};
	int ret = wp_tablebuild_rule(m->build, &rule, NULL, 0);

	return ret < 0 ? ret : wp_tablebuild_row(m->build, from, ret);
}

/* Add code without unwind information, apart from its trampolines. */
static int add_plain(struct maker *m, __u64 from, __u64 to)
{
	size_t i;
	int ret;

	ret = wp_tablebuild_row(m->build, from, WP_RULE_NONE);
	for (i = 0; i < m->codes->nr && ret >= 0; i++) {
		const struct wp_code *code = &m->codes->code[i];
		__u64 start = code->start > from ? code->start : from;
		__u64 end = code->end < to ? code->end : to;

		if (start < end)
			ret = add_trampolines(m, start, end, end);
	}
	return ret < 0 ? ret : 0;
}

/* Add code without unwind information, apart from Go's functions. */
static int add_unknown(struct maker *m, __u64 from, __u64 to)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < m->gofuncs.nr && !ret; i++) {
		const struct wp_gofunc *f = &m->gofuncs.list[i];

		if (f->start < from || f->end > to)
			continue;
		if (f->start > from)
			ret = add_plain(m, from, f->start);
		if (!ret)
			ret = add_end(m, f->start);
		from = f->end;
	}
	return ret || from == to ? ret : add_plain(m, from, to);
}

/* Add the code between two FDEs. */
static int add_gap(struct maker *m, __u64 from, __u64 to)
{
	__u64 entry = m->codes->entry;
	int ret = 0;

	if (from == to)
		return 0;
	if (to - from < ALIGNMENT)
		return to % ALIGNMENT ? 0 : add_end(m, from);
	if (entry < from || entry >= to || !wp_elfcode_find(m->codes, entry))
		return add_unknown(m, from, to);
	if (from < entry)
		ret = add_unknown(m, from, entry);
	if (!ret)
		ret = add_end(m, entry);
	if (!ret && to - entry > ENTRY)
		ret = add_unknown(m, entry + ENTRY, to);
	return ret;
}

/*
 * Go's linker has frames in .debug_frame, even where a stack ends, but does not mark the
 * end.
 */
static bool is_go_begin(const struct maker *m, const struct wp_fde *fde)
{
	size_t i;

	for (i = 0; i < m->gofuncs.nr; i++) {
		if (fde->start >= m->gofuncs.list[i].start && fde->end <= m->gofuncs.list[i].end)
			return true;
	}
	return false;
}

/* @next: start of the next one. */
static int add_fde(struct maker *m, const struct wp_fde *fde, __u64 next,
		   const struct wp_cfa_state *initial)
{
	int ret = 0;

	if (is_go_begin(m, fde))
		return add_end(m, fde->start);
	if (m->cie->signal)
		ret = add_trampolines(m, fde->start, fde->end, next);
	if (ret)
		return ret < 0 ? ret : 0;
	if (!initial)
		return add_row(m, fde->start, NULL);
	return wp_cfa_run(m->machine, m->cie, initial, fde, add_row, m,
			  &m->table->steps);
}

static int add_all(struct maker *m, const struct wp_ehframe *f)
{
	struct wp_cfa_state *initial = NULL;
	bool *good = NULL;
	__u64 from = 0;
	int ret = -ENOMEM;
	size_t i;

	initial = calloc(f->nr_cies + 1, sizeof(*initial));
	good = calloc(f->nr_cies + 1, sizeof(*good));
	if (!initial || !good)
		goto out;
	for (i = 0; i < f->nr_cies; i++)
		good[i] = wp_cfa_initial(&initial[i], m->machine, &f->cie[i]);
	for (i = 0; i < f->nr_fdes; i++) {
		const struct wp_fde *fde = &f->fde[i];
		__u64 next = i + 1 < f->nr_fdes ? fde[1].start : ~0ULL;

		ret = add_gap(m, from, fde->start);
		if (ret)
			goto out;
		m->cie = &f->cie[fde->cie];
		ret = add_fde(m, fde, next, good[fde->cie] ? &initial[fde->cie] : NULL);
		if (ret)
			goto out;
		from = m->reach > fde->end ? m->reach : fde->end;
	}
	ret = add_gap(m, from, ~0ULL);
out:
	free(good);
	free(initial);
	return ret;
}

static int make(struct maker *m)
{
	struct wp_ehframe frames;
	int ret;

	ret = wp_ehframe_read(&frames, m->elf, m->codes);
	m->table->nr_fdes = frames.nr_fdes;
	m->table->skipped = frames.skipped;
	m->max_steps = STEPS_FREE + STEPS_TIMES * frames.bytes;
	m->build = wp_tablebuild_new(wp_unwindtable_limit(m->codes));
	if (!m->build)
		ret = -ENOMEM;
	if (!ret)
		ret = add_all(m, &frames);
	if (!ret)
		ret = wp_tablebuild_finish(m->build, m->table->machine, &m->table->data,
					   &m->table->size);
	if (m->build)
		m->table->steps += wp_tablebuild_steps(m->build);
	wp_tablebuild_free(m->build);
	wp_ehframe_free(&frames);
	return ret;
}

/**
 * wp_unwindtable_limit() - maximum size of a table
 * @codes: its code
 *
 * Return: bytes.
 */
__u64 wp_unwindtable_limit(const struct wp_elfcode *codes)
{
	__u64 limit = wp_elfcode_limit(codes, TABLE_LEAST, TABLE_TIMES);

	return limit < WP_UNWINDTABLE_MAX ? limit : WP_UNWINDTABLE_MAX;
}

/**
 * wp_unwindtable_from_elf() - compile a file's unwind table
 * @table: filled in, to be freed by wp_unwindtable_free() in any case
 * @elf: the file; may be changed: sections are decompressed
 * @codes: its code, from wp_elfcode_read()
 *
 * Prints nothing: an error concerns one file of many, and any user can create an invalid
 * one. The file should be read, not mapped: its owner may truncate it meanwhile.
 *
 * Return: 0, -ENOEXEC for an unsupported machine, -ENODATA without unwind information,
 * -EFBIG if its code spans more than a table can, or table or work would be implausibly
 * large for its code, or -ENOMEM.
 */
int wp_unwindtable_from_elf(struct wp_unwindtable *table, Elf *elf,
			    const struct wp_elfcode *codes)
{
	struct maker m = { .elf = elf, .table = table, .codes = codes };
	size_t i;

	memset(table, 0, sizeof(*table));
	table->machine = codes->machine;
	for (i = 0; i < codes->nr; i++)
		table->code_bytes += codes->code[i].end - codes->code[i].start;
	m.machine = wp_cfa_machine(codes->machine);
	if (!m.machine)
		return -ENOEXEC;
	wp_trampolines_find(&m.trampolines, elf, codes);
	wp_gofuncs_find(&m.gofuncs, elf, codes);
	return make(&m);
}

/**
 * wp_unwindtable_free() - free a table
 * @table: the table
 */
void wp_unwindtable_free(struct wp_unwindtable *table)
{
	free(table->data);
	table->data = NULL;
}
