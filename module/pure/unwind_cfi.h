/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unwinder of user stacks by tables, and by frame pointers where code has no table.
 *
 * Pure, and a header, since it must be inlined: while user memory is open to the kernel
 * (user_access_begin) no function may be called. Its callers are stack.c (irqs off or
 * NMI), remote_stack.c (a worker) and the userspace tests.
 *
 * User memory is hostile, and tables are only checked (wp_table_check()). For any
 * contents, the walk ends after @max frames, and begins anew once at most; it reads
 * aligned words below the limit and nothing else, through @read, which can fail; each
 * frame is above the last one, except those that a signal interrupted.
 *
 * Each frame's return address is read. Other registers are not: the walk notes where they
 * were saved, and reads one when a CFA is based on it. In nearly all walks that is none
 * but the frame pointer. So a walk has two forms: the fast one follows the frame pointer
 * only. When it comes to a frame whose CFA is based on another register, the walk begins
 * anew in the slow form, which follows all registers that functions preserve.
 *
 * With a step cache most steps are not looked up; in the fast form several follow each other
 * without more than the words that they read.
 *
 * A rule can have a word of the frame in the stack (WALLPROF_RULE_WORD). It decides nothing
 * of the walk: where it cannot be read, the walk goes on.
 */
#ifndef WALLPROF_PURE_UNWIND_CFI_H
#define WALLPROF_PURE_UNWIND_CFI_H

#include <linux/elf-em.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/types.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>

#include "pure/step_cache.h"
#include "pure/unwind_table.h"

#define WP_CFI_REGS 32	/* of any machine; DWARF numbers */

/**
 * struct wp_cfi_arch - differences between machines
 * @machine: ELF number
 * @sp: DWARF number of the stack pointer
 * @fp: DWARF number of the frame pointer
 * @saved: mask of the registers that functions preserve, without @fp
 * @signal: offset of each register from sp in the signal trampoline, in bytes
 * @signal_ip: offset of the instruction pointer, likewise
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
 * struct wp_cfi_ops - callbacks of a walk
 * @arch: the machine
 * @reg: returns the value of a register where the walk begins; DWARF number below the
 *	machine's
 * @read: reads the aligned word at a user address below the limit; returns whether it
 *	could. Must not fault, sleep or, in stack.c, call
 * @strip: returns a return address without the machine's signature
 *
 * Constant, so that the compiler can inline the callbacks.
 */
struct wp_cfi_ops {
	const struct wp_cfi_arch *arch;
	u64 (*reg)(const void *ctx, unsigned int reg);
	bool (*read)(void *ctx, u64 addr, u64 *value);
	u64 (*strip)(u64 ip);
};

/**
 * struct wp_cfi_result - result of a walk, beside its words
 * @stop: the stop reason, enum wallprof_unwind
 * @by_fp: number of frames found by frame pointer
 * @slow: the slow form was used
 */
struct wp_cfi_result {
	u8 stop;
	u8 by_fp;
	bool slow;
};

/* Values beside enum wallprof_unwind, within the walk. */
#define WP_CFI_ON	0xff	/* go on */
#define WP_CFI_SLOW	0xfe	/* the slow form is needed */

/* Values instead of the address where a register was saved. */
#define WP_CFI_KEPT	0	/* not saved: the value is that where the walk began */
#define WP_CFI_LOST	1	/* the value is lost */

/**
 * struct wp_cfi_frame - the current frame of a walk
 * @ip: instruction pointer, or return address
 * @sp: stack pointer
 * @exact: @ip is the instruction itself, not one behind a call
 * @inner: no function was called from here: all registers are known
 * @by_fp: found by frame pointer
 * @signal: if the walk came through a signal, sp in its trampoline, from where the
 *	interrupted registers are read instead of by @reg
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

/**
 * struct wp_cfi_code - the code that a walk goes through
 * @maps: the mappings of the process
 * @steps: a step cache that nobody else uses meanwhile; NULL: none. With it, @maps has a
 *	generation
 * @by_fp: follow frame pointers where there is no table
 */
struct wp_cfi_code {
	const struct wp_maps *maps;
	struct wp_step_cache *steps;
	bool by_fp;
};

/**
 * struct wp_cfi_stack - the stack that a walk finds
 * @ips: addresses, the innermost first, and words of frames
 * @nr: how many
 * @max: room in @ips
 */
struct wp_cfi_stack {
	u64 *ips;
	unsigned int nr;
	unsigned int max;
};

/* Reads the word at @addr, which may be any address. */
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
 * Gets the value of a register in a frame. @at: where the registers that functions
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

/* Goes to the caller, whose address and stack pointer were found. */
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
 * Sets all of @at, in a way that the compiler leaves a loop: memset() would be a call.
 */
static __always_inline void wp_cfi_set_all(u64 *at, u64 value)
{
	unsigned int i;

	for (i = 0; i < WP_CFI_REGS; i++)
		WRITE_ONCE(at[i], value);
}

/* Goes from the signal trampoline to the interrupted frame, on any stack. */
static __always_inline u8
wp_cfi_step_signal(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
		   struct wp_cfi_frame *frame, u64 *at)
{
	const struct wp_cfi_arch *arch = ops->arch;
	u64 context = frame->sp, ip, sp;
	u8 stop;

	stop = wp_cfi_read(ops, ctx, limit, context + arch->signal_ip, &ip);
	if (stop == WP_CFI_ON)
		stop = wp_cfi_read(ops, ctx, limit, context + arch->signal[arch->sp], &sp);
	if (stop == WP_CFI_ON)
		stop = wp_cfi_enter(ops, limit, frame, ip, sp);
	if (stop != WP_CFI_ON)
		return stop;
	frame->exact = true;
	frame->inner = true;
	frame->by_fp = false;
	frame->signal = context;
	frame->fp_at = WP_CFI_KEPT;
	if (at)
		wp_cfi_set_all(at, WP_CFI_KEPT);
	return WP_CFI_ON;
}

/* Computes the CFA of a frame. */
static __always_inline u8
wp_cfi_cfa(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	   const struct wp_cfi_frame *frame, const u64 *at,
	   const struct wallprof_rule *rule, u64 *cfa)
{
	u64 addr, value;
	u8 stop;

	if (rule->kind == WALLPROF_RULE_PLT) {
		*cfa = frame->sp + ((frame->ip & 15) >= (u64)rule->add ? 16 : 8);
		return WP_CFI_ON;
	}
	stop = wp_cfi_get(ops, ctx, limit, frame, at, rule->reg, &addr);
	if (stop != WP_CFI_ON)
		return stop;
	addr += rule->off;
	if (rule->kind == WALLPROF_RULE_CFA) {
		*cfa = addr;
		return WP_CFI_ON;
	}
	if (rule->index != WALLPROF_RULE_NO_INDEX && !(rule->flags & WALLPROF_RULE_WORD)) {
		stop = wp_cfi_get(ops, ctx, limit, frame, at,
				  WALLPROF_RULE_INDEX_REG(rule->index), &value);
		if (stop != WP_CFI_ON)
			return stop;
		addr += value << WALLPROF_RULE_INDEX_SCALE(rule->index);
	}
	stop = wp_cfi_read(ops, ctx, limit, addr, &value);
	*cfa = value + rule->add;
	return stop;
}

/*
 * Puts the word of a frame that its rule names behind its address, where there is room; 0 if
 * it cannot be read, or could be taken for another kind of word. Below the stack pointer, as in
 * the first instructions of a function, it may be what an earlier call left there. @fp: the
 * frame's own.
 */
static __always_inline u8
wp_cfi_word(const struct wp_cfi_ops *ops, void *ctx, u64 limit, const struct wp_cfi_frame *frame,
	    const struct wallprof_rule *rule, u64 fp, struct wp_cfi_stack *stack)
{
	u64 at = fp - rule->index * 8ULL, word;

	if (at < frame->sp || wp_cfi_read(ops, ctx, limit, at, &word) != WP_CFI_ON ||
	    word & ~WALLPROF_INTERP_ADDRESS_MASK)
		word = 0;
	stack->ips[stack->nr++] = WALLPROF_INTERP_WORD | word;
	/* As at the end of each step: for the next frame there is no room. */
	return stack->nr == stack->max ? WALLPROF_UNWIND_DEPTH : WP_CFI_ON;
}

/* Notes where the caller's registers were saved; @fp: the frame's own. */
static __always_inline void
wp_cfi_saves(const struct wp_table *table, const struct wallprof_rule *rule,
	     u64 cfa, u64 fp, u64 *at)
{
	const struct wallprof_save *save = &table->saves[rule->saves];

	/* wp_table_check() has checked that the list ends. */
	for (; save->how != WALLPROF_SAVE_END; save++) {
		u64 from = save->how == WALLPROF_SAVE_FP ? fp : cfa;

		at[save->reg & (WP_CFI_REGS - 1)] =
			save->how == WALLPROF_SAVE_LOST ? WP_CFI_LOST :
			from + save->off * 8LL;
	}
}

/* Goes to the caller by a rule of a table: CFA, DEREF or PLT. */
static __always_inline u8
wp_cfi_step_rule(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
		 struct wp_cfi_frame *frame, u64 *at, const struct wp_table *table,
		 const struct wallprof_rule *rule, struct wp_cfi_stack *stack)
{
	u8 flags = rule->flags, stop = WP_CFI_ON;
	u64 cfa, ip, fp = 0;

	/* In a frame that realigns its stack, registers are saved relative to fp. */
	if (unlikely(flags & (WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP | WALLPROF_RULE_WORD))) {
		stop = wp_cfi_get(ops, ctx, limit, frame, at, ops->arch->fp, &fp);
		if (stop == WP_CFI_ON && flags & WALLPROF_RULE_WORD)
			stop = wp_cfi_word(ops, ctx, limit, frame, rule, fp, stack);
	}
	if (stop == WP_CFI_ON)
		stop = wp_cfi_cfa(ops, ctx, limit, frame, at, rule, &cfa);
	if (stop != WP_CFI_ON)
		return stop;
	if (cfa & 7)
		return WALLPROF_UNWIND_MISALIGNED;
	/* The caller's sp can be equal only in a function that calls none. */
	if (cfa < frame->sp ||
	    (cfa == frame->sp && !(flags & WALLPROF_RULE_RA_REG && frame->inner)))
		return WALLPROF_UNWIND_NOT_RISING;
	if (rule->kind == WALLPROF_RULE_PLT)
		stop = wp_cfi_read(ops, ctx, limit, cfa - 8, &ip);
	else if (flags & WALLPROF_RULE_RA_REG)
		stop = wp_cfi_get(ops, ctx, limit, frame, at, rule->ra, &ip);
	else
		stop = wp_cfi_read(ops, ctx, limit, (flags & WALLPROF_RULE_RA_FP ? fp : cfa) +
				   rule->ra * 8LL, &ip);
	if (stop == WP_CFI_ON)
		stop = wp_cfi_enter(ops, limit, frame, ip, cfa);
	if (stop != WP_CFI_ON)
		return stop;
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
 * Goes to the caller by frame pointer. The code may not keep one, so the result is used
 * only if it is an address of code. @stop: the stop reason if it is not.
 */
static __always_inline u8
wp_cfi_step_fp(const struct wp_cfi_ops *ops, void *ctx, u64 limit,
	       const struct wp_maps *maps, const struct wp_map **map,
	       struct wp_cfi_frame *frame, u64 *at, u8 stop)
{
	u64 fp, ip;

	if (wp_cfi_get(ops, ctx, limit, frame, NULL, ops->arch->fp, &fp) != WP_CFI_ON)
		return stop;
	/* In code that keeps frame pointers, the outermost is 0. */
	if (!fp && frame->by_fp)
		return WALLPROF_UNWIND_END;
	if (fp < frame->sp || fp > limit - 16 ||
	    wp_cfi_read(ops, ctx, limit, fp + 8, &ip) != WP_CFI_ON)
		return stop;
	ip = ops->strip(ip);
	if (!ip)
		return frame->by_fp ? WALLPROF_UNWIND_END : stop;
	*map = wp_maps_find(maps, ip - 1);
	if (!*map || ip >= limit)
		return stop;
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

/* The address whose rule leads to the caller: a call may be the last of its function. */
static __always_inline u64 wp_cfi_pc(const struct wp_cfi_frame *frame)
{
	return frame->exact ? frame->ip : frame->ip - 1;
}

/*
 * The rule that a cached step names. A CPU that speculates comes here with another process's
 * step, too: it must not read beyond the arrays.
 */
static __always_inline const struct wallprof_rule *
wp_cfi_cached(const struct wp_maps *maps, const struct wp_step *step, const struct wp_map **map)
{
	const struct wp_table *table;

	*map = maps->map + array_index_nospec((unsigned long)step->map, maps->nr);
	table = (*map)->table;
	return table->rules + array_index_nospec((unsigned long)step->rule, table->nr_rules);
}

/*
 * Finds the rule of an address. @map: in: a mapping that it may be in, or NULL; out: the one
 * that it is in, or NULL. @stop: out: the stop reason if there is no table.
 */
static __always_inline const struct wallprof_rule *
wp_cfi_find(const struct wp_cfi_ops *ops, const struct wp_cfi_code *code, u64 pc,
	    const struct wp_map **map, u8 *stop)
{
	const struct wp_maps *maps = code->maps;
	const struct wallprof_rule *rule;
	const struct wp_table *table;
	struct wp_step *step = NULL;

	if (code->steps) {
		step = wp_step_at(code->steps, pc, maps->generation);
		if (wp_step_is(step, pc, maps->generation))
			return wp_cfi_cached(maps, step, map);
	}
	if (!*map || pc < (*map)->start || pc >= (*map)->end)
		*map = wp_maps_find(maps, pc);
	if (!*map || !(*map)->table) {
		*stop = WALLPROF_UNWIND_NO_TABLE;
		return NULL;
	}
	table = (*map)->table;
	rule = wp_table_find(table, pc - (*map)->bias);
	if (rule && step)
		wp_step_set(step, pc, maps->generation, *map - maps->map, rule - table->rules,
			    rule, ops->arch->sp, ops->arch->fp);
	return rule;
}

/*
 * Goes on by steps that are cached, and simple. In the fast form only. Returns the stop reason if
 * the last caller's address ends the walk. All else is left to wp_cfi_step(), which reads again
 * what was read here of a frame that is wrong.
 */
static __always_inline u8
wp_cfi_run(const struct wp_cfi_ops *ops, void *ctx, u64 limit, const struct wp_cfi_code *code,
	   struct wp_cfi_frame *frame, struct wp_cfi_stack *stack)
{
	u64 generation = code->maps->generation;

	while (stack->nr < stack->max) {
		u64 pc = wp_cfi_pc(frame), cfa = frame->sp, ip;
		const struct wp_step *step = wp_step_at(code->steps, pc, generation);
		u8 stop;

		if (!wp_step_is(step, pc, generation) || !step->how)
			return WP_CFI_ON;
		if (step->how & WP_STEP_FP &&
		    wp_cfi_get(ops, ctx, limit, frame, NULL, ops->arch->fp, &cfa) != WP_CFI_ON)
			return WP_CFI_ON;
		cfa += step->off;
		if (cfa & 7 || cfa <= frame->sp ||
		    wp_cfi_read(ops, ctx, limit, cfa + step->ra * 8LL, &ip) != WP_CFI_ON)
			return WP_CFI_ON;
		stop = wp_cfi_enter(ops, limit, frame, ip, cfa);
		if (stop != WP_CFI_ON)
			return stop;
		if (step->how & WP_STEP_SAVED)
			frame->fp_at = cfa + step->fp * 8LL;
		frame->exact = false;
		frame->inner = false;
		frame->by_fp = false;
		stack->ips[stack->nr++] = frame->ip;
	}
	return WALLPROF_UNWIND_DEPTH;
}

/* Goes to the caller of @frame; @map: its mapping, if that is known already. */
static __always_inline u8
wp_cfi_step(const struct wp_cfi_ops *ops, void *ctx, u64 limit, const struct wp_cfi_code *code,
	    const struct wp_map **map, struct wp_cfi_frame *frame, u64 *at,
	    struct wp_cfi_stack *stack)
{
	u8 stop = WALLPROF_UNWIND_NO_ROW;
	const struct wallprof_rule *rule;

	rule = wp_cfi_find(ops, code, wp_cfi_pc(frame), map, &stop);
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
						(*map)->table, rule, stack);
		case WALLPROF_RULE_UNSUPPORTED:
			stop = WALLPROF_UNWIND_UNSUPPORTED;
			break;
		default:
			break;
		}
	}
	return code->by_fp ?
	       wp_cfi_step_fp(ops, ctx, limit, code->maps, map, frame, at, stop) : stop;
}

/* Walks in one form; @at: NULL in the fast one. */
static __always_inline unsigned int
wp_cfi_walk(const struct wp_cfi_ops *ops, void *ctx, const struct wp_cfi_code *code, u64 ip,
	    u64 sp, u64 limit, u64 *at, u64 *ips, unsigned int max,
	    struct wp_cfi_result *result)
{
	struct wp_cfi_frame frame = { .ip = ip, .sp = sp, .exact = true, .inner = true };
	struct wp_cfi_stack stack = { .ips = ips, .nr = 1, .max = max };
	const struct wp_map *map = NULL;

	ips[0] = ip;
	result->by_fp = 0;
	result->stop = WALLPROF_UNWIND_DEPTH;
	while (stack.nr < max) {
		u8 stop = WP_CFI_ON;

		if (code->steps && !at)
			stop = wp_cfi_run(ops, ctx, limit, code, &frame, &stack);
		if (stop == WP_CFI_ON)
			stop = wp_cfi_step(ops, ctx, limit, code, &map, &frame, at, &stack);
		if (stop != WP_CFI_ON) {
			result->stop = stop;
			break;
		}
		result->by_fp += frame.by_fp;
		ips[stack.nr++] = frame.ip;
	}
	return stack.nr;
}

/**
 * wp_unwind_cfi - walk a user stack
 * @ops: constant
 * @ctx: passed to the callbacks of @ops
 * @code: the code of the process, which its generation stands for
 * @ip: instruction pointer of the user registers
 * @sp: stack pointer
 * @limit: user addresses are below this
 * @ips: out: addresses, the innermost first, and words of frames, each behind its address
 * @max: room in @ips, at least 1
 * @result: out
 *
 * Context: that of @ops->read.
 * Return: the number of words in @ips, at least 1.
 */
static __always_inline unsigned int
wp_unwind_cfi(const struct wp_cfi_ops *ops, void *ctx, const struct wp_cfi_code *code, u64 ip,
	      u64 sp, u64 limit, u64 *ips, unsigned int max, struct wp_cfi_result *result)
{
	u64 at[WP_CFI_REGS];
	unsigned int nr;

	result->slow = false;
	nr = wp_cfi_walk(ops, ctx, code, ip, sp, limit, NULL, ips, max, result);
	if (likely(result->stop != WP_CFI_SLOW))
		return nr;
	wp_cfi_set_all(at, WP_CFI_KEPT);
	result->slow = true;
	return wp_cfi_walk(ops, ctx, code, ip, sp, limit, at, ips, max, result);
}

#endif /* WALLPROF_PURE_UNWIND_CFI_H */
