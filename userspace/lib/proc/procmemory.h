/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of running processes. See procmemory.c.
 */
#ifndef WP_LIB_PROC_PROCMEMORY_H
#define WP_LIB_PROC_PROCMEMORY_H

#include <linux/types.h>

/* Size and alignment of what is read at once. */
#define WP_PROCMEMORY_BLOCK	4096

/* Blocks that are read at once. */
#define WP_PROCMEMORY_SOME	64

struct wp_procmemory;

struct wp_procmemory *wp_procmemory_new(void);
void wp_procmemory_free(struct wp_procmemory *p);
int wp_procmemory_some(struct wp_procmemory *p, __u32 pid, __u64 address, unsigned int nr,
		       void *to, int *errs);
int wp_procmemory_read(struct wp_procmemory *p, __u32 pid, __u64 address, void *to);

#endif /* WP_LIB_PROC_PROCMEMORY_H */
