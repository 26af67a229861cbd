// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluates a DWARF expression symbolically. The result is one of the few shapes that a
 * table's rule can have, or "other". Compilers and assembly programmers use no other
 * shapes: .eh_frame of libc, libcrypto, node, cc1, libLLVM and python have only these.
 */
#include <dwarf.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/unwind/cfaexpr.h"

#define STACK_MAX	8

static const struct wp_formula other = {
	.kind = WP_FORMULA_OTHER, .reg = WP_CFA_NO_REG, .index = WP_CFA_NO_REG,
};

static struct wp_formula number(__s64 value)
{
	struct wp_formula f = other;

	f.kind = WP_FORMULA_SUM;
	f.off = value;
	return f;
}

static bool is_number(const struct wp_formula *f)
{
	return f->kind == WP_FORMULA_SUM && f->reg == WP_CFA_NO_REG &&
	       f->index == WP_CFA_NO_REG;
}

static struct wp_formula reg_plus(__u64 reg, __s64 off)
{
	struct wp_formula f = number(off);

	if (reg >= WP_CFA_NO_REG)
		return other;
	f.reg = reg;
	return f;
}

static __s64 wrap_add(__s64 a, __s64 b)
{
	return (__u64)a + b;
}

static struct wp_formula plus(const struct wp_formula *a, const struct wp_formula *b)
{
	struct wp_formula f = *a;

	if (is_number(a) && !is_number(b))
		return plus(b, a);
	if (is_number(b)) {
		if (f.kind == WP_FORMULA_DEREF)
			f.add = wrap_add(f.add, b->off);
		else if (f.kind == WP_FORMULA_SUM)
			f.off = wrap_add(f.off, b->off);
		else
			return other;
		return f;
	}
	if (a->kind != WP_FORMULA_SUM || b->kind != WP_FORMULA_SUM)
		return other;
	if (a->reg == WP_CFA_NO_REG && b->reg != WP_CFA_NO_REG)
		return plus(b, a);
	/* @a has a register; that of @b becomes the index, if there is none yet. */
	if (a->index != WP_CFA_NO_REG)
		return other;
	if (b->index == WP_CFA_NO_REG) {
		f.index = b->reg;
		f.scale = 0;
	} else if (b->reg == WP_CFA_NO_REG) {
		f.index = b->index;
		f.scale = b->scale;
	} else {
		return other;
	}
	f.off = wrap_add(a->off, b->off);
	return f;
}

/* Multiply a register by a power of two. */
static struct wp_formula shift(const struct wp_formula *f, __u64 by)
{
	struct wp_formula r = number(0);

	if (f->kind != WP_FORMULA_SUM || by > 6)
		return other;
	if (is_number(f))
		return number((__u64)f->off << by);
	if (f->index != WP_CFA_NO_REG || f->off)
		return other;
	r.index = f->reg;
	r.scale = by;
	return r;
}

static struct wp_formula times(const struct wp_formula *a, const struct wp_formula *b)
{
	if (is_number(a) && !is_number(b))
		return times(b, a);
	if (!is_number(b) || b->off <= 0 || b->off & (b->off - 1))
		return other;
	return shift(a, __builtin_ctzll(b->off));
}

static struct wp_formula deref(const struct wp_formula *f)
{
	struct wp_formula r = *f;

	if (f->kind != WP_FORMULA_SUM || f->reg == WP_CFA_NO_REG)
		return other;
	r.kind = WP_FORMULA_DEREF;
	return r;
}

/* The expression of linkers for the first entries of a PLT; only a literal varies. */
static bool is_plt(const __u8 *expr, size_t size, struct wp_formula *formula)
{
	static const __u8 plt[] = {
		DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, 0, DW_OP_ge,
		DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	};

	if (size != sizeof(plt) || memcmp(expr, plt, 6) || memcmp(expr + 7, plt + 7, 4) ||
	    expr[6] < DW_OP_lit1 || expr[6] > DW_OP_lit15)
		return false;
	*formula = reg_plus(7, 8);
	formula->kind = WP_FORMULA_PLT;
	formula->add = expr[6] - DW_OP_lit0;
	return true;
}

/* Evaluate one operation; returns the new depth of the stack, or -1. */
static int operate(struct wp_formula *stack, int depth, struct wp_bytes *b)
{
	__u8 op = wp_bytes_uint(b, 1);
	struct wp_formula *top = depth ? &stack[depth - 1] : NULL;
	struct wp_formula f;
	__u64 reg;

	switch (op) {
	case DW_OP_lit0 ... DW_OP_lit31:
		f = number(op - DW_OP_lit0);
		break;
	case DW_OP_breg0 ... DW_OP_breg31:
		f = reg_plus(op - DW_OP_breg0, wp_bytes_sleb(b));
		break;
	case DW_OP_bregx:
		reg = wp_bytes_uleb(b);
		f = reg_plus(reg, wp_bytes_sleb(b));
		break;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		f = number(wp_bytes_uint(b, 1 << (op - DW_OP_const1u) / 2));
		break;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		f = number(wp_bytes_sint(b, 1 << (op - DW_OP_const1s) / 2));
		break;
	case DW_OP_constu:
		f = number(wp_bytes_uleb(b));
		break;
	case DW_OP_consts:
		f = number(wp_bytes_sleb(b));
		break;
	case DW_OP_deref:
		if (!top)
			return -1;
		*top = deref(top);
		return depth;
	case DW_OP_plus_uconst:
		if (!top)
			return -1;
		f = number(wp_bytes_uleb(b));
		*top = plus(top, &f);
		return depth;
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_shl:
		if (depth < 2)
			return -1;
		f = stack[--depth];
		top--;
		if (op == DW_OP_plus) {
			*top = plus(top, &f);
		} else if (op == DW_OP_mul) {
			*top = times(top, &f);
		} else if (!is_number(&f)) {
			return -1;
		} else if (op == DW_OP_minus) {
			f.off = -(__u64)f.off;
			*top = plus(top, &f);
		} else {
			*top = shift(top, f.off);
		}
		return depth;
	case DW_OP_nop:
		return depth;
	default:
		return -1;
	}
	if (depth == STACK_MAX)
		return -1;
	stack[depth] = f;
	return depth + 1;
}

/**
 * wp_cfa_formula() - evaluate an expression
 * @formula: filled in
 * @expr: the operations
 * @size: their size in bytes
 */
void wp_cfa_formula(struct wp_formula *formula, const __u8 *expr, size_t size)
{
	struct wp_bytes b = { expr, expr + size, false };
	struct wp_formula stack[STACK_MAX];
	int depth = 0;

	*formula = other;
	if (size > WP_CFA_EXPR_MAX || is_plt(expr, size, formula))
		return;
	while (depth >= 0 && wp_bytes_left(&b))
		depth = operate(stack, depth, &b);
	if (depth > 0 && !b.bad)
		*formula = stack[depth - 1];
}
