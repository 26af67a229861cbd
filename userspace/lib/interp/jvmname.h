/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of Java methods. See jvmname.c.
 */
#ifndef WP_LIB_INTERP_JVMNAME_H
#define WP_LIB_INTERP_JVMNAME_H

#include "lib/interp/jvmlayout.h"

/* Sufficient size for a name. */
#define WP_JVMNAME_MAX	1024

int wp_jvmname_read(struct wp_pymemory *m, const struct wp_jvmlayout *layout, __u64 method,
		    char name[WP_JVMNAME_MAX]);

#endif /* WP_LIB_INTERP_JVMNAME_H */
