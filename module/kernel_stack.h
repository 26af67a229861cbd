/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_KERNEL_STACK_H
#define WALLPROF_KERNEL_STACK_H

#include <linux/types.h>

struct pt_regs;
struct wp_scratch;
struct wp_tables;

/* The tracepoints whose probes read kernel stacks. */
#define WP_STACK_CALLERS	2

unsigned int wp_stack_kernel(struct wp_scratch *scratch, unsigned int max,
			     unsigned int *skip);
unsigned int wp_stack_kernel_trim(const struct wp_scratch *scratch, unsigned int nr,
				  unsigned int max, unsigned int *skip);
u64 wp_stack_intern_kernel(struct wp_tables *tables, u32 epoch,
			   struct wp_scratch *scratch, unsigned int skip,
			   unsigned int nr);
unsigned int wp_stack_kernel_nmi(struct wp_scratch *scratch, struct pt_regs *regs,
				 unsigned int max, unsigned int *skip);
void wp_stack_set_caller(unsigned int nr, unsigned long from, unsigned long to);

#endif /* WALLPROF_KERNEL_STACK_H */
