/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPython that a running process executes. See livepython.c.
 */
#ifndef WP_LIB_SYMBOLS_LIVEPYTHON_H
#define WP_LIB_SYMBOLS_LIVEPYTHON_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/interp/pyinterp.h"
#include "lib/interp/pylayout.h"
#include "lib/symbols/livenames.h"

/* Parts of the function that executes frames. */
#define WP_LIVEPYTHON_RANGES	2

/* Symbols that are looked up, for wp_livenames_new(). */
extern const char wp_livepython_symbols[];

bool wp_livepython_is(const char *path);
int wp_livepython_find(struct wp_livenames *names, __u32 pid, struct wp_pymemory *m,
		       struct wp_pyruntime *py);
unsigned int wp_livepython_ranges(struct wp_livenames *names, __u32 pid,
				  struct wp_pyrange range[WP_LIVEPYTHON_RANGES]);

#endif /* WP_LIB_SYMBOLS_LIVEPYTHON_H */
