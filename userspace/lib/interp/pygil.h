/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The global interpreter lock of CPython. See pygil.c.
 */
#ifndef WP_LIB_INTERP_PYGIL_H
#define WP_LIB_INTERP_PYGIL_H

#include <linux/types.h>

#include "lib/interp/pylayout.h"
#include "lib/interp/pymemory.h"
#include "lib/interp/pystack.h"

#define WP_PYGILS_MAX	64

/**
 * struct wp_pygils - GILs of a process
 * @address: their addresses
 * @nr: their number; interpreters can share one
 */
struct wp_pygils {
	__u64 address[WP_PYGILS_MAX];
	unsigned int nr;
};

int wp_pygil_list(struct wp_pymemory *m, const struct wp_pyruntime *py, struct wp_pygils *gils);
__u64 wp_pygil_of(const struct wp_pygils *gils, __u64 futex);
int wp_pygil_holder(struct wp_pymemory *m, const struct wp_pyruntime *py,
		    const struct wp_pythreads *threads, __u64 gil, __u32 *tid);

#endif /* WP_LIB_INTERP_PYGIL_H */
