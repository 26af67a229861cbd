/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of CIEs and FDEs: the rules from each address on. For unwindtable.c.
 */
#ifndef WP_LIB_UNWIND_CFAPROGRAM_H
#define WP_LIB_UNWIND_CFAPROGRAM_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/unwind/ehframe.h"

/**
 * struct wp_cfa_machine - registers of a machine; DWARF numbers
 * @machine: ELF number
 * @sp: the stack pointer
 * @fp: the frame pointer
 * @ra: register of the return address at a function's start, if it is not on the stack
 * @saved: mask of the registers that functions preserve, without @fp
 */
struct wp_cfa_machine {
	__u16 machine;
	__u8 sp;
	__u8 fp;
	__u8 ra;
	__u32 saved;
};

const struct wp_cfa_machine *wp_cfa_machine(__u16 machine);

/**
 * enum wp_cfa_rule - location of a caller's register
 * @WP_CFA_SAME: unchanged, or without a rule
 * @WP_CFA_UNDEFINED: lost
 * @WP_CFA_OFFSET: in memory, at an offset from the CFA
 * @WP_CFA_VALUE: equal to the CFA plus an offset
 * @WP_CFA_REG: in another register
 * @WP_CFA_EXPR: in memory, at the address of an expression
 * @WP_CFA_VALUE_EXPR: equal to the value of an expression
 */
enum wp_cfa_rule {
	WP_CFA_SAME,
	WP_CFA_UNDEFINED,
	WP_CFA_OFFSET,
	WP_CFA_VALUE,
	WP_CFA_REG,
	WP_CFA_EXPR,
	WP_CFA_VALUE_EXPR,
};

/**
 * struct wp_cfa_reg - location of a caller's register
 * @rule: enum wp_cfa_rule
 * @size: size of the expression
 * @value: offset, or number of the other register
 * @expr: the expression
 */
struct wp_cfa_reg {
	__u32 rule;
	__u32 size;
	__s64 value;
	const __u8 *expr;
};

#define WP_CFA_SLOTS	14	/* number of tracked registers */

/**
 * struct wp_cfa_state - the rules at an address
 * @cfa: rule of the CFA: WP_CFA_OFFSET from the register, or WP_CFA_EXPR
 * @cfa_reg: the register
 * @reg: the tracked registers, by wp_cfa_slot()
 */
struct wp_cfa_state {
	struct wp_cfa_reg cfa;
	__u64 cfa_reg;
	struct wp_cfa_reg reg[WP_CFA_SLOTS];
};

int wp_cfa_slot(const struct wp_cfa_machine *machine, __u64 reg, __u64 ra);

/*
 * Called for each row: the rules from @pc on. A return value other than 0 ends the
 * program.
 */
typedef int (*wp_cfa_row_fn)(void *ctx, __u64 pc, const struct wp_cfa_state *state);

bool wp_cfa_initial(struct wp_cfa_state *state, const struct wp_cfa_machine *machine,
		    const struct wp_cie *cie);
int wp_cfa_run(const struct wp_cfa_machine *machine, const struct wp_cie *cie,
	       const struct wp_cfa_state *initial, const struct wp_fde *fde,
	       wp_cfa_row_fn row, void *ctx, __u64 *steps);

#endif /* WP_LIB_UNWIND_CFAPROGRAM_H */
