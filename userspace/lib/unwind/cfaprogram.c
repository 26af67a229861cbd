// SPDX-License-Identifier: GPL-2.0
/*
 * Executes the instructions of CIEs and FDEs. Only the registers that a walk may need are
 * tracked: those that functions preserve, the stack pointer and the return address.
 *
 * A CIE's instructions are executed once, not once for each of its FDEs. So the time for
 * a file is proportional to its size, whatever its contents.
 */
#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/unwind/cfaprogram.h"

#define REMEMBER_MAX	16

/* State of execution. */
struct run {
	const struct wp_cfa_machine *machine;
	const struct wp_cie *cie;
	const struct wp_cfa_state *initial;	/* NULL while executing the CIE's own */
	struct wp_cfa_state state;
	struct wp_cfa_state remembered[REMEMBER_MAX];
	unsigned int nr_remembered;
	__u64 pc, end;
};

/* Result of an instruction: unknown, executed, end of a row. */
enum outcome { BAD, DONE, ADVANCED };

/**
 * wp_cfa_machine() - the registers of a machine
 * @machine: ELF number
 *
 * Return: the registers, or NULL for a machine without tables.
 */
const struct wp_cfa_machine *wp_cfa_machine(__u16 machine)
{
	static const struct wp_cfa_machine machines[] = {
		{ EM_X86_64, .sp = 7, .fp = 6, .ra = 16, .saved = 1 << 3 | 0xf << 12 },
		{ EM_AARCH64, .sp = 31, .fp = 29, .ra = 30, .saved = 0x3ff << 19 },
	};
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].machine == machine)
			return &machines[i];
	}
	return NULL;
}

/**
 * wp_cfa_slot() - index of a register in a state
 * @machine: the machine
 * @reg: DWARF number
 * @ra: column of the return address
 *
 * The first three are the return address, the stack and the frame pointer.
 *
 * Return: the index, or -1 if the register is not tracked.
 */
int wp_cfa_slot(const struct wp_cfa_machine *machine, __u64 reg, __u64 ra)
{
	if (reg == ra)
		return 0;
	if (reg == machine->sp)
		return 1;
	if (reg == machine->fp)
		return 2;
	if (reg >= 32 || !(machine->saved >> reg & 1))
		return -1;
	return 3 + __builtin_popcount(machine->saved & ((1U << reg) - 1));
}

static void set(struct run *r, __u64 reg, enum wp_cfa_rule rule, __s64 value)
{
	int slot = wp_cfa_slot(r->machine, reg, r->cie->ra);

	if (slot >= 0)
		r->state.reg[slot] = (struct wp_cfa_reg){ .rule = rule, .value = value };
}

/* @reg: NULL: a register that is not tracked. */
static void set_expr(struct wp_cfa_reg *reg, enum wp_cfa_rule rule, struct wp_bytes *b)
{
	__u64 size = wp_bytes_uleb(b);
	const __u8 *expr = wp_bytes_take(b, size);

	if (expr && reg)
		*reg = (struct wp_cfa_reg){ .rule = rule, .expr = expr, .size = size };
}

static struct wp_cfa_reg *reg_of(struct run *r, __u64 reg)
{
	int slot = wp_cfa_slot(r->machine, reg, r->cie->ra);

	return slot < 0 ? NULL : &r->state.reg[slot];
}

static enum outcome restore(struct run *r, __u64 reg)
{
	int slot = wp_cfa_slot(r->machine, reg, r->cie->ra);

	if (!r->initial)
		return BAD;
	if (slot >= 0)
		r->state.reg[slot] = r->initial->reg[slot];
	return DONE;
}

static enum outcome advance(struct run *r, __u64 delta)
{
	__u64 bytes;

	if (!r->initial || __builtin_mul_overflow(delta, r->cie->code_align, &bytes) ||
	    __builtin_add_overflow(r->pc, bytes, &r->pc))
		return BAD;
	return ADVANCED;
}

static __s64 scaled(const struct run *r, __u64 n)
{
	return n * r->cie->data_align;
}

static void def_cfa(struct run *r, __u64 reg, __s64 off)
{
	r->state.cfa = (struct wp_cfa_reg){ .rule = WP_CFA_OFFSET, .value = off };
	r->state.cfa_reg = reg;
}

static enum outcome instruction(struct run *r, struct wp_bytes *b)
{
	struct wp_cfa_state *s = &r->state;
	__u8 op = wp_bytes_uint(b, 1);
	__u64 reg;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(r, op & 0x3f);
	case DW_CFA_offset:
		set(r, op & 0x3f, WP_CFA_OFFSET, scaled(r, wp_bytes_uleb(b)));
		return DONE;
	case DW_CFA_restore:
		return restore(r, op & 0x3f);
	}
	switch (op) {
	case DW_CFA_nop:
		return DONE;
	case DW_CFA_advance_loc1:
		return advance(r, wp_bytes_uint(b, 1));
	case DW_CFA_advance_loc2:
		return advance(r, wp_bytes_uint(b, 2));
	case DW_CFA_advance_loc4:
		return advance(r, wp_bytes_uint(b, 4));
	case DW_CFA_offset_extended:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_OFFSET, scaled(r, wp_bytes_uleb(b)));
		return DONE;
	case DW_CFA_offset_extended_sf:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_OFFSET, scaled(r, wp_bytes_sleb(b)));
		return DONE;
	case DW_CFA_GNU_negative_offset_extended:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_OFFSET, -(__u64)scaled(r, wp_bytes_uleb(b)));
		return DONE;
	case DW_CFA_val_offset:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_VALUE, scaled(r, wp_bytes_uleb(b)));
		return DONE;
	case DW_CFA_val_offset_sf:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_VALUE, scaled(r, wp_bytes_sleb(b)));
		return DONE;
	case DW_CFA_restore_extended:
		return restore(r, wp_bytes_uleb(b));
	case DW_CFA_undefined:
		set(r, wp_bytes_uleb(b), WP_CFA_UNDEFINED, 0);
		return DONE;
	case DW_CFA_same_value:
		set(r, wp_bytes_uleb(b), WP_CFA_SAME, 0);
		return DONE;
	case DW_CFA_register:
		reg = wp_bytes_uleb(b);
		set(r, reg, WP_CFA_REG, wp_bytes_uleb(b));
		return DONE;
	case DW_CFA_remember_state:
		if (r->nr_remembered == REMEMBER_MAX)
			return BAD;
		r->remembered[r->nr_remembered++] = *s;
		return DONE;
	case DW_CFA_restore_state:
		if (!r->nr_remembered)
			return BAD;
		*s = r->remembered[--r->nr_remembered];
		return DONE;
	case DW_CFA_def_cfa:
		reg = wp_bytes_uleb(b);
		def_cfa(r, reg, wp_bytes_uleb(b));
		return DONE;
	case DW_CFA_def_cfa_sf:
		reg = wp_bytes_uleb(b);
		def_cfa(r, reg, scaled(r, wp_bytes_sleb(b)));
		return DONE;
	case DW_CFA_def_cfa_register:
		reg = wp_bytes_uleb(b);
		if (s->cfa.rule != WP_CFA_OFFSET)
			return BAD;
		s->cfa_reg = reg;
		return DONE;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		if (s->cfa.rule != WP_CFA_OFFSET)
			return BAD;
		s->cfa.value = op == DW_CFA_def_cfa_offset ? (__s64)wp_bytes_uleb(b) :
			       scaled(r, wp_bytes_sleb(b));
		return DONE;
	case DW_CFA_def_cfa_expression:
		set_expr(&s->cfa, WP_CFA_EXPR, b);
		return DONE;
	case DW_CFA_expression:
		reg = wp_bytes_uleb(b);
		set_expr(reg_of(r, reg), WP_CFA_EXPR, b);
		return DONE;
	case DW_CFA_val_expression:
		reg = wp_bytes_uleb(b);
		set_expr(reg_of(r, reg), WP_CFA_VALUE_EXPR, b);
		return DONE;
	case DW_CFA_GNU_args_size:
		wp_bytes_uleb(b);
		return DONE;
	case DW_CFA_GNU_window_save:
		/* arm64: toggles the signing of return addresses. */
		return r->machine->machine == EM_AARCH64 ? DONE : BAD;
	default:
		return BAD;
	}
}

/**
 * wp_cfa_initial() - execute a CIE's instructions
 * @state: filled in
 * @machine: the machine
 * @cie: the CIE
 *
 * Return: true if all are known.
 */
bool wp_cfa_initial(struct wp_cfa_state *state, const struct wp_cfa_machine *machine,
		    const struct wp_cie *cie)
{
	struct wp_bytes b = { cie->initial, cie->initial_end, false };
	struct run r = { .machine = machine, .cie = cie };

	while (wp_bytes_left(&b)) {
		if (instruction(&r, &b) != DONE || b.bad)
			return false;
	}
	*state = r.state;
	return true;
}

/**
 * wp_cfa_run() - execute an FDE's instructions
 * @machine: the machine
 * @cie: the FDE's CIE
 * @initial: from wp_cfa_initial()
 * @fde: the FDE
 * @row: called for each row, with addresses that rise within the FDE; the first is its
 *	start. Called without a state from the first unknown instruction on
 * @ctx: passed to @row
 * @steps: the number of executed instructions is added
 *
 * Return: 0 or what @row returned.
 */
int wp_cfa_run(const struct wp_cfa_machine *machine, const struct wp_cie *cie,
	       const struct wp_cfa_state *initial, const struct wp_fde *fde,
	       wp_cfa_row_fn row, void *ctx, __u64 *steps)
{
	struct wp_bytes b = { fde->program, fde->program_end, false };
	enum outcome outcome;
	struct run r;
	__u64 last;
	int ret;

	r.machine = machine;
	r.cie = cie;
	r.initial = initial;
	r.state = *initial;
	r.nr_remembered = 0;
	r.pc = fde->start;
	while (wp_bytes_left(&b) && r.pc < fde->end) {
		last = r.pc;
		++*steps;
		outcome = instruction(&r, &b);
		if (outcome == BAD || b.bad)
			return row(ctx, last, NULL);
		if (outcome == DONE || r.pc == last)
			continue;
		ret = row(ctx, last, &r.state);
		if (ret)
			return ret;
	}
	return r.pc < fde->end ? row(ctx, r.pc, &r.state) : 0;
}
