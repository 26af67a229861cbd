/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes a CPython to the module. See pyinterp.c.
 */
#ifndef WP_LIB_INTERP_PYINTERP_H
#define WP_LIB_INTERP_PYINTERP_H

#include <linux/types.h>
#include <linux/wallprof_interp.h>

#include "lib/interp/pylayout.h"
#include "lib/interp/pymemory.h"
#include "lib/interp/pystack.h"

/**
 * struct wp_pyrange - code of the function that executes frames
 * @start: its first address
 * @end: its end, exclusive; @start: there is none
 */
struct wp_pyrange {
	__u64 start;
	__u64 end;
};

int wp_pyinterp_slot(struct wp_pymemory *m, const struct wp_pyruntime *py,
		     const struct wp_pythreads *threads, __s32 *slot);
int wp_pyinterp_describe(const struct wp_pyruntime *py, const struct wp_pyrange *range,
			 unsigned int nr, __s32 slot, struct wallprof_interp *interp);

#endif /* WP_LIB_INTERP_PYINTERP_H */
