/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_STACK_H
#define WALLPROF_STACK_H

#include <linux/types.h>

struct pt_regs;
struct wp_scratch;

unsigned int wp_stack_user(struct wp_scratch *scratch, unsigned int max, u8 *why);
unsigned int wp_stack_user_nmi(struct wp_scratch *scratch, struct pt_regs *regs,
			       unsigned int max, u8 *why);
unsigned int wp_stack_kernel(struct wp_scratch *scratch, unsigned int max,
			     unsigned int *skip);
unsigned int wp_stack_kernel_nmi(struct wp_scratch *scratch, struct pt_regs *regs,
				 unsigned int max, unsigned int *skip);
void wp_stack_set_caller(unsigned long from, unsigned long to);

#endif /* WALLPROF_STACK_H */
