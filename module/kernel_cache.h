/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stacks from a cache, of the thread that leaves its CPU: see kernel_cache.c.
 */
#ifndef WALLPROF_KERNEL_CACHE_H
#define WALLPROF_KERNEL_CACHE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "compat/unwind.h"
#include "pure/kernel_cache.h"
#include "pure/switch_cache.h"
#include "state.h"

/*
 * The anchor of the function that this is inlined into, a probe: the address of its frame,
 * where it has saved the frame pointer of its caller, and behind that the address that it
 * returns to.
 */
#define wp_kernel_anchor()	((unsigned long)__builtin_frame_address(0))

/* Where walks of a thread's stack end: at the user's registers. */
#ifdef CONFIG_ARM64
#define wp_kernel_stack_end(p)	((unsigned long)&task_pt_regs(p)->stackframe)
#else
#define wp_kernel_stack_end(p)	((unsigned long)task_pt_regs(p))
#endif

extern atomic64_t wp_kernel_code;

/**
 * struct wp_kernel_walk - a walk of current's kernel stack that may be cached
 * @notes: what decides it, if @changes is set
 * @changes: wp_kernel_changes() before it; 0: it is not to be cached
 * @skip: where the addresses begin in the scratch
 * @nr: how many
 */
struct wp_kernel_walk {
	struct wp_kernel_notes notes;
	u64 changes;
	unsigned int skip;
	unsigned int nr;
};

/*
 * Count of the changes of the kernel's code, from 1 on. A thread that runs, or returns
 * to, code of a module sees that the module has come: so it is with what publishes that
 * code to it. Any context.
 */
static __always_inline u64 wp_kernel_changes(void)
{
	return atomic64_read(&wp_kernel_code);
}

/* The stack of current. @anchor: see above. Context: current, not NMI. */
static __always_inline struct wp_kernel_stack wp_kernel_stack_of(struct task_struct *p,
								 unsigned long anchor)
{
	return (struct wp_kernel_stack){
		.from = (unsigned long)task_stack_page(p),
		.size = THREAD_SIZE,
		.end = wp_kernel_stack_end(p),
		.anchor = anchor,
	};
}

/* A word of current's own stack. Context: current. */
static __always_inline u64 wp_kernel_word(u64 addr)
{
	/* KASAN may have poisoned the place for a variable of a frame that has ended. */
	return READ_ONCE_NOCHECK(*(const unsigned long *)(unsigned long)addr);
}

/* The part of a switch cache's entry that is of its kernel stack. Context: irqs off. */
static __always_inline struct wp_cached_kernel *
wp_kernel_part(const struct wp_cpu *cpu, const struct wp_cached_switch *cached)
{
	return cpu->switch_kernel + (cached - cpu->switch_cache->entries);
}

/* Whether the kernel stack of an entry is current's, @p's. Context: irqs off. */
static __always_inline bool wp_kernel_unchanged(const struct wp_cpu *cpu,
						const struct wp_cached_switch *cached,
						struct task_struct *p, unsigned long anchor)
{
	const struct wp_kernel_stack stack = wp_kernel_stack_of(p, anchor);

	return wp_cached_kernel_holds(wp_kernel_part(cpu, cached), cpu->kernel_cache, &stack,
				      wp_kernel_changes(), wp_kernel_word);
}

const struct wp_cached_stack *wp_kernel_stack_cached(struct wp_cpu *cpu, u32 epoch);
void wp_kernel_walk(struct wp_cpu *cpu, unsigned int max, struct wp_kernel_walk *walk);
int wp_kernel_cache_init(void);
void wp_kernel_cache_exit(void);

#endif /* WALLPROF_KERNEL_CACHE_H */
