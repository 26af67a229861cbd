/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreted functions in the stacks of a recording. See interprows.c.
 */
#ifndef WP_LIB_RECORD_INTERPROWS_H
#define WP_LIB_RECORD_INTERPROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/record/interpcodes.h"

/* The name of the file in which the functions have their addresses. */
#define WP_INTERPROWS_PATH	"/[python]"

/* Where functions are: no process has memory there. */
#define WP_INTERPROWS_BASE	(1ULL << 60)

/* Maximum number of functions. */
#define WP_INTERPROWS_MAX	(1 << 18)

struct wp_interprows;

struct wp_interprows *wp_interprows_new(struct wp_interpcodes *codes);
void wp_interprows_free(struct wp_interprows *rows);
bool wp_interprows_in(const __u64 *ips, unsigned int nr);
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, bool *has);
size_t wp_interprows_nr(const struct wp_interprows *rows);
const char *wp_interprows_name(void *rows, size_t i);

#endif /* WP_LIB_RECORD_INTERPROWS_H */
