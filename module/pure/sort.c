// SPDX-License-Identifier: GPL-2.0
/*
 * Sorting of long lists from a user. Pure.
 *
 * The kernel's sort() does not yield: for the longest list of targets, on a kernel
 * without preemption, it keeps the CPU for a good part of a second.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/sort.h"

/* Elements that are moved to their place between two cond_resched(). */
#define WP_SORTED_AT_ONCE	1024

#define WP_SORT_WIDTH	16	/* bytes of the widest element */

static void wp_sort_swap(char *a, char *b, size_t width)
{
	char kept[WP_SORT_WIDTH];

	memcpy(kept, a, width);
	memcpy(a, b, width);
	memcpy(b, kept, width);
}

/* Moves an element of a heap of @nr down until none below it is larger. */
static void wp_sort_sift(char *base, u32 at, u32 nr, size_t width,
			 int (*compare)(const void *a, const void *b))
{
	u32 child;

	for (; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr &&
		    compare(base + child * width, base + (child + 1) * width) < 0)
			child++;
		if (compare(base + at * width, base + child * width) >= 0)
			return;
		wp_sort_swap(base + at * width, base + child * width, width);
	}
}

/**
 * wp_sort - sort a list, with cond_resched()
 * @base: the first element
 * @nr: number of elements, fewer than 2^31
 * @width: bytes of each, at most WP_SORT_WIDTH
 * @compare: negative, 0 or positive if the first is below, equal to or above the second
 *
 * Context: process; may sleep.
 */
void wp_sort(void *base, u32 nr, size_t width, int (*compare)(const void *a, const void *b))
{
	u32 i;

	for (i = nr / 2; i-- > 0; ) {
		wp_sort_sift(base, i, nr, width, compare);
		if (!(i % WP_SORTED_AT_ONCE))
			cond_resched();
	}
	for (i = nr; i-- > 1; ) {
		wp_sort_swap(base, (char *)base + i * width, width);
		wp_sort_sift(base, 0, i, width, compare);
		if (!(i % WP_SORTED_AT_ONCE))
			cond_resched();
	}
}
