/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code objects of Python. See pycode.c.
 */
#ifndef WP_LIB_INTERP_PYCODE_H
#define WP_LIB_INTERP_PYCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof_interp.h>

#include "lib/interp/pylayout.h"
#include "lib/interp/pymemory.h"

/**
 * struct wp_pytable - a table of lines
 * @lines: the table; NULL: it is too long
 * @nr: its size
 * @first: the first line of the code
 */
struct wp_pytable {
	__u8 *lines;
	size_t nr;
	__u32 first;
};

/**
 * struct wp_pycode - a function
 * @function: its name; the qualified one, if the version has that
 * @file: its file, as in co_filename
 * @table: its lines
 * @units: number of its instructions, or of bytes
 * @traceable: the first one of which Python shows a frame
 */
struct wp_pycode {
	char *function;
	char *file;
	struct wp_pytable table;
	__u64 units;
	__u32 traceable;
};

int wp_pycode_table(struct wp_pymemory *m, const struct wp_pyruntime *py, __u64 code,
		    struct wp_pytable *table);
int wp_pycode_read(struct wp_pymemory *m, const struct wp_pyruntime *py,
		   const struct wallprof_interp *interp, __u64 address, __u32 hash,
		   struct wp_pycode *code);
int wp_pycode_line(const struct wp_pyruntime *py, const struct wp_pycode *code, __u32 at,
		   __u32 *line);
void wp_pycode_free(struct wp_pycode *code);

#endif /* WP_LIB_INTERP_PYCODE_H */
