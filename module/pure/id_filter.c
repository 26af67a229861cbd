// SPDX-License-Identifier: GPL-2.0
/*
 * Targets by number: which processes, threads, users or control groups a session records.
 *
 * This file owns their order and search. It is pure. Its callers are configure.c and
 * targets.c at CONFIGURE (process context), and the probes (irqs off), which only search.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/id_filter.h"
#include "pure/sort.h"

static int wp_ids_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * wp_ids_widen - convert 32-bit ids in place
 * @ids: room for @nr ids, whose second half holds them, of 4 bytes each
 *
 * Context: process.
 */
void wp_ids_widen(struct wp_ids *ids)
{
	const void *narrow = (const u32 *)ids->ids + ids->nr;
	u32 i, id;

	/* An id is written only where all 32-bit ids have been read. */
	for (i = 0; i < ids->nr; i++) {
		memcpy(&id, narrow + i * sizeof(id), sizeof(id));
		ids->ids[i] = id;
	}
}

/**
 * wp_ids_name - check that each id names something
 * @ids: any order
 * @none: the id that stands for all that cannot be named
 *
 * Context: process.
 */
bool wp_ids_name(const struct wp_ids *ids, u64 none)
{
	u32 i;

	for (i = 0; i < ids->nr; i++) {
		if (ids->ids[i] == none)
			return false;
	}
	return true;
}

/**
 * wp_ids_sort - sort ids for wp_ids_have()
 * @ids: any order
 *
 * Context: process.
 */
void wp_ids_sort(struct wp_ids *ids)
{
	wp_sort(ids->ids, ids->nr, sizeof(*ids->ids), wp_ids_compare);
}

/**
 * wp_ids_have - search an id
 * @ids: sorted
 * @id: the id
 *
 * Where targets change, each switch searches one. So no bsearch(), which calls a function
 * for each comparison.
 *
 * Context: any.
 */
bool wp_ids_have(const struct wp_ids *ids, u64 id)
{
	u32 low = 0, high = ids->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ids->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->nr && ids->ids[low] == id;
}
