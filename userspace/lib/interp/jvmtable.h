/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables of generated code. See jvmtable.c.
 */
#ifndef WP_LIB_INTERP_JVMTABLE_H
#define WP_LIB_INTERP_JVMTABLE_H

#include "lib/interp/jvmcode.h"

int wp_jvmtable_make(const struct wp_jvmcodes *codes, __u64 start, __u64 end, void **data,
		     size_t *size);

#endif /* WP_LIB_INTERP_JVMTABLE_H */
