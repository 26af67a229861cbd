/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of classes that a HotSpot JVM has unloaded and loaded. See jvmunloads.c.
 */
#ifndef WP_LIB_INTERP_JVMUNLOADS_H
#define WP_LIB_INTERP_JVMUNLOADS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/interp/jvmlayout.h"

/**
 * struct wp_jvmunloads - a number that stays as long as each method is where it was
 * @at: address of the number of unloaded classes in the process, a multiple of 8; 0: it is not
 *	known
 * @loads: address of the number of loaded classes, a multiple of 8
 * @redefines: address of the byte that says whether agents may redefine classes; 0: they may, for
 *	all that is known
 * @may_redefine: they might when @nr was read; they may from then on
 * @nr: classes that were unloaded and, if @may_redefine, loaded; valid if @known
 * @since: a time from which on it has been @nr, ns of CLOCK_MONOTONIC; 0: since before the
 *	first table of the JVM's code was made
 * @known: it was read
 */
struct wp_jvmunloads {
	__u64 at;
	__u64 loads;
	__u64 redefines;
	bool may_redefine;
	__u64 nr;
	__u64 since;
	bool known;
};

/**
 * struct wp_jvmcounts - what is read of a process
 * @unloads: classes that were unloaded
 * @loads: classes that were loaded, or redefined
 * @may_redefine: agents may redefine classes, or might before @unloads and @loads were read
 */
struct wp_jvmcounts {
	__u64 unloads;
	__u64 loads;
	bool may_redefine;
};

int wp_jvmunloads_find(struct wp_pymemory *m, const struct wp_jvmlayout *layout,
		       struct wp_jvmunloads *u);
void wp_jvmunloads_note(struct wp_jvmunloads *u, const struct wp_jvmcounts *counts, __u64 time);

#endif /* WP_LIB_INTERP_JVMUNLOADS_H */
