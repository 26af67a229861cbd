/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The step cache: how walks by tables went on from the code addresses that they saw last.
 *
 * A stack that is not in the stack cache consists mostly of frames that other stacks have, too.
 * Half of a step is to find the mapping of its address, and the rule in that mapping's table.
 * Both depend on the address and on the process's mappings alone, of which each version has a
 * number, its generation: an entry has both, and is found by a hash of them. Mappings and tables
 * that are published do not change, and no number is given twice, so that an entry whose
 * generation is that of the current mappings names what is there.
 *
 * Nearly all rules are of few kinds, and an entry has all of those: such a step reads nothing
 * else but the stack.
 *
 * Pure, and a header, since it must be inlined: see unwind_cfi.h. In a session that walks by tables
 * each of a CPU's caches of user stacks has one, for the walks whose stacks it keeps (irqs off, no
 * NMI).
 */
#ifndef WALLPROF_PURE_STEP_CACHE_H
#define WALLPROF_PURE_STEP_CACHE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/types.h>
#include <linux/wallprof_unwind.h>

#define WP_STEP_BITS	9
#define WP_STEPS	BIT(WP_STEP_BITS)

/* wp_step.how */
#define WP_STEP_SIMPLE	BIT(0)	/* the entry has all of the rule */
#define WP_STEP_FP	BIT(1)	/* the CFA is based on the frame pointer, not on sp */
#define WP_STEP_SAVED	BIT(2)	/* the caller's frame pointer is at @fp */

/**
 * struct wp_step - a step from a code address to the caller
 * @pc: the address
 * @generation: of the mappings; 0: this entry is empty
 * @off: if WP_STEP_SIMPLE, as @ra and @fp: bytes from the register to the CFA, above 0
 * @ra: where the return address is: words from the CFA
 * @fp: where the caller's frame pointer is: words from the CFA
 * @map: index of the mapping
 * @rule: index of the rule in its table
 * @how: WP_STEP_SIMPLE, …
 */
struct wp_step {
	u64 pc;
	u64 generation;
	s32 off;
	s16 ra;
	s16 fp;
	u32 map;
	u16 rule;
	u8 how;
};

/**
 * struct wp_step_cache - the step cache of a cache of user stacks
 * @step: by hash
 */
struct wp_step_cache {
	struct wp_step step[WP_STEPS];
};

/**
 * wp_step_at - get the entry of an address
 * @cache: this CPU's
 * @pc: the address
 * @generation: of the mappings
 *
 * Context: irqs off.
 * Return: the entry that the address has, if any: wp_step_is() is to be checked.
 */
static __always_inline struct wp_step *wp_step_at(struct wp_step_cache *cache, u64 pc,
						  u64 generation)
{
	/* A pointer: debug kernels check array bounds by a call. */
	return cache->step + ((pc + generation) * GOLDEN_RATIO_64 >> (64 - WP_STEP_BITS));
}

/**
 * wp_step_is - check whether an entry is of an address
 * @step: wp_step_at()
 * @pc: the address
 * @generation: of the mappings, not 0
 *
 * Context: irqs off.
 */
static __always_inline bool wp_step_is(const struct wp_step *step, u64 pc, u64 generation)
{
	return step->pc == pc && step->generation == generation;
}

/* What an entry can have of a rule. @sp, @fp: numbers of registers. */
static __always_inline u8 wp_step_how(const struct wallprof_rule *rule, u8 sp, u8 fp)
{
	if (rule->kind != WALLPROF_RULE_CFA || rule->flags & ~WALLPROF_RULE_FP_SAVED ||
	    (rule->reg != sp && rule->reg != fp) || rule->off <= 0)
		return 0;
	return WP_STEP_SIMPLE | (rule->reg == fp ? WP_STEP_FP : 0) |
	       (rule->flags & WALLPROF_RULE_FP_SAVED ? WP_STEP_SAVED : 0);
}

/**
 * wp_step_set - cache a step
 * @step: wp_step_at()
 * @pc: the address
 * @generation: of the mappings, not 0
 * @map: index of the mapping
 * @index: of the rule in its table
 * @rule: the rule
 * @sp: number of the stack pointer
 * @fp: number of the frame pointer
 *
 * Context: irqs off.
 */
static __always_inline void wp_step_set(struct wp_step *step, u64 pc, u64 generation, u32 map,
					u16 index, const struct wallprof_rule *rule, u8 sp, u8 fp)
{
	step->pc = pc;
	step->generation = generation;
	step->off = rule->off;
	step->ra = rule->ra;
	step->fp = rule->fp;
	step->map = map;
	step->rule = index;
	step->how = wp_step_how(rule, sp, fp);
}

#endif /* WALLPROF_PURE_STEP_CACHE_H */
