/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of classes that a HotSpot JVM has unloaded. See jvmunloads.c.
 */
#ifndef WP_LIB_INTERP_JVMUNLOADS_H
#define WP_LIB_INTERP_JVMUNLOADS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/interp/jvmlayout.h"

/**
 * struct wp_jvmunloads - the number, and since when it is that
 * @at: its address in the process, a multiple of 8; 0: it is not known
 * @nr: the number; valid if @known
 * @since: a time from which on it has been @nr, ns of CLOCK_MONOTONIC; 0: since before the
 *	first table of the JVM's code was made
 * @known: it was read
 */
struct wp_jvmunloads {
	__u64 at;
	__u64 nr;
	__u64 since;
	bool known;
};

int wp_jvmunloads_find(struct wp_pymemory *m, const struct wp_jvmlayout *layout, __u64 *at);
void wp_jvmunloads_note(struct wp_jvmunloads *u, __u64 nr, __u64 time);

#endif /* WP_LIB_INTERP_JVMUNLOADS_H */
