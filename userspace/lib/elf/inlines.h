/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inlined functions by address. See inlines.c.
 *
 *	inlines = wp_inlines_new(&files);
 *	nr = wp_inlines_find(inlines, address, names, room);
 *	wp_inlines_free(inlines);
 */
#ifndef WP_LIB_ELF_INLINES_H
#define WP_LIB_ELF_INLINES_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elffiles.h"

struct wp_inlines;

struct wp_inlines *wp_inlines_new(const struct wp_elffiles *files);
size_t wp_inlines_find(const struct wp_inlines *in, __u64 address, const char **names,
		       size_t room);
void wp_inlines_free(struct wp_inlines *in);

#endif /* WP_LIB_ELF_INLINES_H */
