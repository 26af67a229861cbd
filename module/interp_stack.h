/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_INTERP_STACK_H
#define WALLPROF_INTERP_STACK_H

#include <linux/types.h>

struct pt_regs;
struct wallprof_interp;
struct wp_scratch;

unsigned int wp_interp_stack(const struct wallprof_interp *interp, struct wp_scratch *scratch,
			     unsigned int nr, unsigned int max, struct pt_regs *event, u8 stop,
			     bool by_fp);
unsigned int wp_interp_stack_nmi(const struct wallprof_interp *interp,
				 struct wp_scratch *scratch, unsigned int nr, unsigned int max,
				 struct pt_regs *event, u8 stop, bool by_fp);

#endif /* WALLPROF_INTERP_STACK_H */
