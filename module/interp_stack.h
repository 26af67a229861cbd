/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_INTERP_STACK_H
#define WALLPROF_INTERP_STACK_H

#include <linux/compiler.h>
#include <linux/types.h>

struct pt_regs;
struct wallprof_interp;
struct wp_scratch;
struct wp_stack_cache;
struct wp_stack_cache_notes;

u64 wp_interp_thread(struct pt_regs *event);
bool wp_interp_stack_far(const struct wp_stack_cache *cache, u16 far, u64 begin,
			 struct pt_regs *event);
unsigned int wp_interp_stack(const struct wallprof_interp *interp, struct wp_scratch *scratch,
			     unsigned int nr, unsigned int max, u64 thread, u8 stop, bool by_fp,
			     struct wp_stack_cache_notes *notes);
unsigned int wp_interp_stack_nmi(const struct wallprof_interp *interp,
				 struct wp_scratch *scratch, unsigned int nr, unsigned int max,
				 struct pt_regs *event, u8 stop, bool by_fp);

/*
 * Whether what decided the interpreted functions of a cached stack is unchanged. @far,
 * @begin: the stack's; @event: as wp_interp_thread() has it. Context: irqs off, not NMI;
 * current's mm is loaded.
 */
static __always_inline bool wp_interp_stack_unchanged(const struct wp_stack_cache *cache, u16 far,
						      u64 begin, struct pt_regs *event)
{
	return likely(!far) || wp_interp_stack_far(cache, far, begin, event);
}

#endif /* WALLPROF_INTERP_STACK_H */
