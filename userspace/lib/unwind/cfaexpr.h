/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DWARF expressions of unwind information, as formulas. For cfaprogram.c and
 * unwindtable.c.
 */
#ifndef WP_LIB_UNWIND_CFAEXPR_H
#define WP_LIB_UNWIND_CFAEXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define WP_CFA_NO_REG	0xff

/* Longer ones are not evaluated, which bounds the cost of a row. */
#define WP_CFA_EXPR_MAX	64

/**
 * enum wp_formula_kind - shape of an expression
 * @WP_FORMULA_OTHER: none of these
 * @WP_FORMULA_SUM: reg + (index << scale) + off
 * @WP_FORMULA_DEREF: *(reg + (index << scale) + off) + add
 * @WP_FORMULA_PLT: reg + 8 + (ip % 16 >= add ? 8 : 0), reg being sp
 */
enum wp_formula_kind {
	WP_FORMULA_OTHER,
	WP_FORMULA_SUM,
	WP_FORMULA_DEREF,
	WP_FORMULA_PLT,
};

/**
 * struct wp_formula - an expression
 * @kind: enum wp_formula_kind
 * @reg: DWARF number, or WP_CFA_NO_REG
 * @index: DWARF number, or WP_CFA_NO_REG
 * @scale: shift of @index
 * @off: bytes
 * @add: bytes
 */
struct wp_formula {
	__u8 kind;
	__u8 reg;
	__u8 index;
	__u8 scale;
	__s64 off;
	__s64 add;
};

void wp_cfa_formula(struct wp_formula *formula, const __u8 *expr, size_t size);

#endif /* WP_LIB_UNWIND_CFAEXPR_H */
