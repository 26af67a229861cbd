/* SPDX-License-Identifier: GPL-2.0 */
/* arch/{arm64,x86}/include/asm/mmu_context.h: which memory is loaded. */
#ifndef WALLPROF_COMPAT_MMU_CONTEXT_H
#define WALLPROF_COMPAT_MMU_CONTEXT_H

#include <linux/mm_types.h>
#include <linux/sched.h>

#ifdef CONFIG_ARM64
#include <asm/pgtable.h>

#ifndef TTBR_CNP_BIT			/* 4.20 */
#define TTBR_CNP_BIT	0
#endif

/* See below. */
static inline bool wp_user_loaded(void)
{
	u64 ttbr = read_sysreg(ttbr0_el1) & ~(TTBR_CNP_BIT | TTBR_ASID_MASK);

	/* With software PAN, the access loads current's memory itself. */
	return system_uses_ttbr0_pan() ||
	       ttbr == phys_to_ttbr(virt_to_phys(current->mm->pgd));
}
#else
#include <asm/page.h>
#include <asm/processor.h>

/*
 * Whether current's user memory is loaded. An NMI, and the tracepoint of a TLB flush, can
 * come while the scheduler has loaded the next thread's memory, or none, and current is
 * still the last thread; any interrupt can come while an exec has not loaded what is
 * current's memory already; and the kernel loads memory of its own to change its code.
 * Context: any; current has an mm.
 */
static inline bool wp_user_loaded(void)
{
	return __va(read_cr3_pa()) == current->mm->pgd;
}
#endif

#endif /* WALLPROF_COMPAT_MMU_CONTEXT_H */
