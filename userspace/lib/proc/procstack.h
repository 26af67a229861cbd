/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stack of a blocked thread, from /proc. See procstack.c.
 */
#ifndef WP_LIB_PROC_PROCSTACK_H
#define WP_LIB_PROC_PROCSTACK_H

#include <linux/types.h>

/**
 * struct wp_procstack - functions, the innermost first
 * @nr: number of functions
 * @text: buffer that @name points into
 * @name: their names
 */
struct wp_procstack {
	unsigned int nr;
	char *text;
	char *name[];
};

struct wp_procstack *wp_procstack_parse(const char *text);
struct wp_procstack *wp_procstack_read(__u32 pid, __u32 tid);
int wp_procstack_compare(const struct wp_procstack *a, const struct wp_procstack *b);
void wp_procstack_free(struct wp_procstack *s);

#endif /* WP_LIB_PROC_PROCSTACK_H */
