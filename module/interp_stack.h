/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_INTERP_STACK_H
#define WALLPROF_INTERP_STACK_H

#include <linux/types.h>

struct wallprof_interp;
struct wp_scratch;
struct wp_walk;

unsigned int wp_interp_stack(const struct wallprof_interp *interp, struct wp_scratch *scratch,
			     unsigned int nr, unsigned int max, u64 thread, struct wp_walk *walk);
unsigned int wp_interp_stack_nmi(const struct wallprof_interp *interp,
				 struct wp_scratch *scratch, unsigned int nr, unsigned int max,
				 u64 thread, struct wp_walk *walk);

#endif /* WALLPROF_INTERP_STACK_H */
