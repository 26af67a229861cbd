/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel memory of whole pages, contiguous, on a node. See area.c.
 */
#ifndef WALLPROF_AREA_H
#define WALLPROF_AREA_H

#include <linux/types.h>

struct page;
struct wp_table_sizes;

/**
 * struct wp_area - memory of whole pages
 * @memory: where the kernel has mapped it; NULL: there is none
 * @pages: its pages; those that it lacks are the hole's. Entries are written with the
 *	hole's page locked, and read by wp_area_page() in any process context
 * @nr: how many
 */
struct wp_area {
	void *memory;
	struct page **pages;
	unsigned int nr;
};

bool wp_area_make(struct wp_area *area, u64 bytes, const struct wp_table_sizes *sizes,
		  int node, struct page *hole);
bool wp_area_grow(struct wp_area *area, const struct wp_table_sizes *sizes, int node,
		  struct page *hole, void **old);
void wp_area_free(struct wp_area *area, struct page *hole);
struct page *wp_area_page(const struct wp_area *area, unsigned int nr);

#endif /* WALLPROF_AREA_H */
