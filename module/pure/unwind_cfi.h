/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk of a user stack by tables, and by frame pointers where code has none.
 *
 * Pure, and a header, since it must be inlined: where user memory is open to
 * the kernel (user_access_begin) no function may be called. Its callers are
 * stack.c (irqs off or NMI) and the userspace tests.
 *
 * User memory is hostile, and tables are no more than checked
 * (wp_table_check()). What holds for any contents: the walk ends after @max
 * frames, and a second time at most; it reads aligned words below the limit and
 * nothing else, through @read, which can fail; each frame lies above the last
 * one, but for those that a signal interrupted.
 *
 * Each frame's return address is read. Other registers are not: the walk keeps
 * in mind where they were saved, and reads one when a CFA is found by it. In
 * nearly all walks that is none but the frame pointer. So a walk has two forms:
 * the fast one follows the frame pointer only. When it comes to a frame that
 * is found by another register, the walk begins anew in the slow form, which
 * follows all that functions preserve.
 */
#ifndef WALLPROF_PURE_UNWIND_CFI_H
#define WALLPROF_PURE_UNWIND_CFI_H

#include <linux/elf-em.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "pure/unwind_table.h"

#define WP_CFI_REGS 32	/* of any machine; DWARF numbers */

/**
 * struct wp_cfi_arch - what differs between machines
 * @machine: ELF number
 * @sp: DWARF number of the stack pointer
 * @fp: DWARF number of the frame pointer
 * @saved: mask of the registers that functions preserve, but for @fp
 * @signal: where sp points in the trampoline of signals: offset of each
 *	register, in bytes
 * @signal_ip: offset of the instruction pointer there
 */
struct wp_cfi_arch {
	u16 machine;
	u8 sp;
	u8 fp;
	u32 saved;
	u16 signal[WP_CFI_REGS];
	u16 signal_ip;
};

/* struct ucontext, whose registers are a struct sigcontext. */
static const struct wp_cfi_arch __maybe_unused wp_cfi_x86_64 = {
	.machine = EM_X86_64,
	.sp = 7,
	.fp = 6,
	.saved = 1 << 3 | 0xfU << 12,
	.signal = { 144, 136, 152, 128, 112, 104, 120, 160,
		    40, 48, 56, 64, 72, 80, 88, 96 },
	.signal_ip = 168,
};

/* struct rt_sigframe: a siginfo, then the ucontext. */
static const struct wp_cfi_arch __maybe_unused wp_cfi_arm64 = {
	.machine = EM_AARCH64,
	.sp = 31,
	.fp = 29,
	.saved = 0x3ffU << 19,
	.signal = { 312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392,
		    400, 408, 416, 424, 432, 440, 448, 456, 464, 472, 480,
		    488, 496, 504, 512, 520, 528, 536, 544, 552, 560 },
	.signal_ip = 568,
};

/**
 * struct wp_cfi_ops - what a walk is given
 * @arch: the machine
 * @reg: the value of a register where the walk begins; DWARF number below the
 *	machine's
 * @read: reads the aligned word at a user address below the limit; whether it
 *	could. Must not fault, sleep or, in stack.c, call
 * @strip: what is left of a return address without what the machine signed it
 *	with
 *
 * Constant, so that the compiler sees through it.
 */
struct wp_cfi_ops {
	const struct wp_cfi_arch *arch;
	u64 (*reg)(const void *ctx, unsigned int reg);
	bool (*read)(void *ctx, u64 addr, u64 *value);
	u64 (*strip)(u64 ip);
};

/**
 * struct wp_cfi_result - what a walk tells beside the addresses
 * @why: why it ended: enum wallprof_unwind
 * @by_fp: how many frames were found by the frame pointer
 * @slow: it took the slow form
 */
struct wp_cfi_result {
	u8 why;
	u8 by_fp;
	bool slow;
};

/* Beside enum wallprof_unwind, within the walk. */
#define WP_CFI_ON	0xff	/* go on */
#define WP_CFI_SLOW	0xfe	/* the slow form is needed */

/* Instead of the address where a register was saved. */
#define WP_CFI_KEPT	0	/* it was not: it is as where the walk began */
#define WP_CFI_LOST	1	/* it is gone */

/**
 * struct wp_cfi_frame - a frame, while the walk is in it
 * @ip: instruction pointer, or the address that it returns to
 * @sp: stack pointer
 * @exact: the instruction is the one at @ip, not a call in front of it
 * @inner: nothing was called from here: all registers are known
 * @by_fp: found by the frame pointer
 * @signal: the registers that a signal interrupted, if the walk came through
 *	one: they are the ones to begin from, instead of those of @reg
 * @fp_at: where the frame pointer is saved, or WP_CFI_KEPT, …
 */
struct wp_cfi_frame {
	u64 ip;
	u64 sp;
	bool exact;
	bool inner;
	bool by_fp;
	u64 signal;
	u64 fp_at;
};

/* Read the word at @addr; any address. */
static __always_inline u8
wp_cfi_read(const struct wp_cfi_ops *ops, void *ctx, u64 limit, u64 addr, u64 *value)
{
	if (addr & 7)
		return WALLPROF_UNWIND_MISALIGNED;
	if (addr > limit - 8 || !ops->read(ctx, addr, value))
		return WALLPROF_UNWIND_FAULT;
	return WP_CFI_ON;
}

/*
 * The value of a register in a frame. @at tells where those that functions
 * preserve were saved; NULL in the fast form.
 */
static __always_inline u8
wp_cfi_get(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	   const struct wp_cfi_frame *frame, const u64 *at, unsigned int reg,
	   u64 *value)
{
	const struct wp_cfi_arch *arch = ops->arch;
	u64 addr = WP_CFI_KEPT;

	reg &= WP_CFI_REGS - 1;
	if (reg == arch->sp) {
		*value = frame->sp;
		return WP_CFI_ON;
	}
	if (!frame->inner && reg != arch->fp) {
		if (!(arch->saved >> reg & 1))
			return WALLPROF_UNWIND_NO_REG;
		if (!at)
			return WP_CFI_SLOW;
		addr = at[reg];
	} else if (!frame->inner) {
		addr = frame->fp_at;
	}
	if (addr == WP_CFI_LOST)
		return WALLPROF_UNWIND_NO_REG;
	if (addr == WP_CFI_KEPT) {
		if (!frame->signal) {
			*value = ops->reg(ctx, reg);
			return WP_CFI_ON;
		}
		addr = frame->signal + arch->signal[reg];
	}
	return wp_cfi_read(ops, ctx, limit, addr, value);
}

/* Go to the caller, whose address and stack pointer were found. */
static __always_inline u8
wp_cfi_enter(const struct wp_cfi_ops *ops, u64 limit, struct wp_cfi_frame *frame,
	     u64 ip, u64 sp)
{
	ip = ops->strip(ip);
	if (!ip)
		return WALLPROF_UNWIND_END;
	if (ip >= limit)
		return WALLPROF_UNWIND_BAD_IP;
	frame->ip = ip;
	frame->sp = sp;
	return WP_CFI_ON;
}

/*
 * Set all of @at. By a loop that the compiler leaves a loop: memset() would be
 * a call.
 */
static __always_inline void wp_cfi_set_all(u64 *at, u64 value)
{
	unsigned int i;

	for (i = 0; i < WP_CFI_REGS; i++)
		WRITE_ONCE(at[i], value);
}

/* From the trampoline of signals to what was interrupted, on whatever stack. */
static __always_inline u8
wp_cfi_step_signal(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
		   struct wp_cfi_frame *frame, u64 *at)
{
	const struct wp_cfi_arch *arch = ops->arch;
	u64 context = frame->sp, ip, sp;
	u8 why;

	why = wp_cfi_read(ops, ctx, limit, context + arch->signal_ip, &ip);
	if (why == WP_CFI_ON)
		why = wp_cfi_read(ops, ctx, limit, context + arch->signal[arch->sp], &sp);
	if (why == WP_CFI_ON)
		why = wp_cfi_enter(ops, limit, frame, ip, sp);
	if (why != WP_CFI_ON)
		return why;
	frame->exact = true;
	frame->inner = true;
	frame->by_fp = false;
	frame->signal = context;
	frame->fp_at = WP_CFI_KEPT;
	if (at)
		wp_cfi_set_all(at, WP_CFI_KEPT);
	return WP_CFI_ON;
}

/* The CFA of a frame. */
static __always_inline u8
wp_cfi_cfa(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	   const struct wp_cfi_frame *frame, const u64 *at,
	   const struct wallprof_rule *rule, u64 *cfa)
{
	u64 addr, value;
	u8 why;

	if (rule->kind == WALLPROF_RULE_PLT) {
		*cfa = frame->sp + ((frame->ip & 15) >= (u64)rule->add ? 16 : 8);
		return WP_CFI_ON;
	}
	why = wp_cfi_get(ops, ctx, limit, frame, at, rule->reg, &addr);
	if (why != WP_CFI_ON)
		return why;
	addr += rule->off;
	if (rule->kind == WALLPROF_RULE_CFA) {
		*cfa = addr;
		return WP_CFI_ON;
	}
	if (rule->index != WALLPROF_RULE_NO_INDEX) {
		why = wp_cfi_get(ops, ctx, limit, frame, at,
				 WALLPROF_RULE_INDEX_REG(rule->index), &value);
		if (why != WP_CFI_ON)
			return why;
		addr += value << WALLPROF_RULE_INDEX_SCALE(rule->index);
	}
	why = wp_cfi_read(ops, ctx, limit, addr, &value);
	*cfa = value + rule->add;
	return why;
}

/* Note where the caller's registers were saved; @fp: the frame's own. */
static __always_inline void
wp_cfi_saves(const struct wp_table *table, const struct wallprof_rule *rule,
	     u64 cfa, u64 fp, u64 *at)
{
	const struct wallprof_save *save = &table->saves[rule->saves];

	/* The check of the table saw to it that the list ends. */
	for (; save->how != WALLPROF_SAVE_END; save++) {
		u64 from = save->how == WALLPROF_SAVE_FP ? fp : cfa;

		at[save->reg & (WP_CFI_REGS - 1)] =
			save->how == WALLPROF_SAVE_LOST ? WP_CFI_LOST :
			from + save->off * 8LL;
	}
}

/* To the caller by a rule of a table: CFA, DEREF or PLT. */
static __always_inline u8
wp_cfi_step_rule(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
		 struct wp_cfi_frame *frame, u64 *at, const struct wp_table *table,
		 const struct wallprof_rule *rule)
{
	u8 flags = rule->flags, why;
	u64 cfa, ip, fp = 0;

	why = wp_cfi_cfa(ops, ctx, limit, frame, at, rule, &cfa);
	/* Where the stack was aligned anew, registers are saved relative to fp. */
	if (why == WP_CFI_ON && flags & WALLPROF_RULE_FP_FP)
		why = wp_cfi_get(ops, ctx, limit, frame, at, ops->arch->fp, &fp);
	if (why != WP_CFI_ON)
		return why;
	if (cfa & 7)
		return WALLPROF_UNWIND_MISALIGNED;
	/* The caller's sp can be the same in a function that calls none. */
	if (cfa < frame->sp ||
	    (cfa == frame->sp && !(flags & WALLPROF_RULE_RA_REG && frame->inner)))
		return WALLPROF_UNWIND_NOT_RISING;
	if (rule->kind == WALLPROF_RULE_PLT)
		why = wp_cfi_read(ops, ctx, limit, cfa - 8, &ip);
	else if (flags & WALLPROF_RULE_RA_REG)
		why = wp_cfi_get(ops, ctx, limit, frame, at, rule->ra, &ip);
	else
		why = wp_cfi_read(ops, ctx, limit, cfa + rule->ra * 8LL, &ip);
	if (why == WP_CFI_ON)
		why = wp_cfi_enter(ops, limit, frame, ip, cfa);
	if (why != WP_CFI_ON)
		return why;
	if (flags & WALLPROF_RULE_FP_SAVED)
		frame->fp_at = (flags & WALLPROF_RULE_FP_FP ? fp : cfa) + rule->fp * 8LL;
	else if (flags & WALLPROF_RULE_FP_LOST)
		frame->fp_at = WP_CFI_LOST;
	if (at)
		wp_cfi_saves(table, rule, cfa, fp, at);
	frame->exact = flags & WALLPROF_RULE_EXACT;
	frame->inner = false;
	frame->by_fp = false;
	return WP_CFI_ON;
}

/*
 * To the caller by the frame pointer. The code may not keep one, so what is
 * found is believed only if it is an address of code. @why: what to tell if
 * it is not.
 */
static __always_inline u8
wp_cfi_step_fp(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	       const struct wp_maps *maps, const struct wp_map **map,
	       struct wp_cfi_frame *frame, u64 *at, u8 why)
{
	u64 fp, ip;

	if (wp_cfi_get(ops, ctx, limit, frame, NULL, ops->arch->fp, &fp) != WP_CFI_ON)
		return why;
	/* Where frame pointers are kept, the outermost is 0. */
	if (!fp && frame->by_fp)
		return WALLPROF_UNWIND_END;
	if (fp < frame->sp || fp > limit - 16 ||
	    wp_cfi_read(ops, ctx, limit, fp + 8, &ip) != WP_CFI_ON)
		return why;
	ip = ops->strip(ip);
	if (!ip)
		return frame->by_fp ? WALLPROF_UNWIND_END : why;
	*map = wp_maps_find(maps, ip - 1);
	if (!*map || ip >= limit)
		return why;
	frame->ip = ip;
	frame->sp = fp + 16;
	frame->fp_at = fp;
	frame->exact = false;
	frame->inner = false;
	frame->by_fp = true;
	if (at)
		wp_cfi_set_all(at, WP_CFI_LOST);
	return WP_CFI_ON;
}

/* To the caller of @frame, whose mapping is in @map if it is known already. */
static __always_inline u8
wp_cfi_step(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	    const struct wp_maps *maps, const struct wp_map **map,
	    struct wp_cfi_frame *frame, u64 *at, bool by_fp)
{
	/* A call may be the last of its function's instructions. */
	u64 pc = frame->exact ? frame->ip : frame->ip - 1;
	const struct wallprof_rule *rule = NULL;
	u8 why = WALLPROF_UNWIND_NO_TABLE;

	if (!*map || pc < (*map)->start || pc >= (*map)->end)
		*map = wp_maps_find(maps, pc);
	if (*map && (*map)->table) {
		rule = wp_table_find((*map)->table, pc - (*map)->bias);
		why = WALLPROF_UNWIND_NO_ROW;
	}
	if (rule) {
		switch (rule->kind) {
		case WALLPROF_RULE_END:
			return WALLPROF_UNWIND_END;
		case WALLPROF_RULE_SIGNAL:
			return wp_cfi_step_signal(ops, ctx, limit, frame, at);
		case WALLPROF_RULE_CFA:
		case WALLPROF_RULE_DEREF:
		case WALLPROF_RULE_PLT:
			return wp_cfi_step_rule(ops, ctx, limit, frame, at,
						(*map)->table, rule);
		case WALLPROF_RULE_UNSUPPORTED:
			why = WALLPROF_UNWIND_UNSUPPORTED;
			break;
		default:
			break;
		}
	}
	return by_fp ? wp_cfi_step_fp(ops, ctx, limit, maps, map, frame, at, why) : why;
}

/* One form of the walk; @at: NULL for the fast one. */
static __always_inline unsigned int
wp_cfi_walk(const struct wp_cfi_ops *ops, void *ctx, const struct wp_maps *maps,
	    bool by_fp, u64 ip, u64 sp, u64 limit, u64 *at, u64 *ips,
	    unsigned int max, struct wp_cfi_result *result)
{
	struct wp_cfi_frame frame = { .ip = ip, .sp = sp, .exact = true, .inner = true };
	const struct wp_map *map = NULL;
	unsigned int nr = 1;

	ips[0] = ip;
	result->by_fp = 0;
	result->why = WALLPROF_UNWIND_DEPTH;
	while (nr < max) {
		u8 why = wp_cfi_step(ops, ctx, limit, maps, &map, &frame, at, by_fp);

		if (why != WP_CFI_ON) {
			result->why = why;
			break;
		}
		result->by_fp += frame.by_fp;
		ips[nr++] = frame.ip;
	}
	return nr;
}

/**
 * wp_unwind_cfi - walk a user stack
 * @ops: constant
 * @ctx: handed to those of @ops
 * @maps: the code of the process
 * @by_fp: follow frame pointers where no table tells the way
 * @ip: instruction pointer of the user registers
 * @sp: stack pointer
 * @limit: user addresses are below this
 * @ips: out: addresses, the innermost first
 * @max: room in @ips, at least 1
 * @result: out
 *
 * Context: that of @ops->read.
 * Return: the number of addresses, at least 1.
 */
static __always_inline unsigned int
wp_unwind_cfi(const struct wp_cfi_ops *ops, void *ctx, const struct wp_maps *maps,
	      bool by_fp, u64 ip, u64 sp, u64 limit, u64 *ips, unsigned int max,
	      struct wp_cfi_result *result)
{
	u64 at[WP_CFI_REGS];
	unsigned int nr;

	result->slow = false;
	nr = wp_cfi_walk(ops, ctx, maps, by_fp, ip, sp, limit, NULL, ips, max, result);
	if (likely(result->why != WP_CFI_SLOW))
		return nr;
	wp_cfi_set_all(at, WP_CFI_KEPT);
	result->slow = true;
	return wp_cfi_walk(ops, ctx, maps, by_fp, ip, sp, limit, at, ips, max, result);
}

#endif /* WALLPROF_PURE_UNWIND_CFI_H */
