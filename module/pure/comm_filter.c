// SPDX-License-Identifier: GPL-2.0
/*
 * The targets as the user named them: names of threads.
 *
 * This file owns how they are searched. It is pure. Its callers are session.c at
 * CONFIGURE (process context), and the probes (irqs off), which only search.
 */
#include <linux/bsearch.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/comm_filter.h"
#include "pure/sort.h"

static int wp_names_compare(const void *a, const void *b)
{
	return strncmp(a, b, WALLPROF_COMM_LEN);
}

/**
 * wp_names_sort - make names ready for wp_names_have()
 * @names: any bytes
 *
 * Context: process.
 * Return: whether each is one that a thread can have: it ends, and is not empty.
 */
bool wp_names_sort(struct wp_names *names)
{
	u32 i;

	for (i = 0; i < names->nr; i++) {
		if (!names->names[i][0] || names->names[i][WALLPROF_COMM_LEN - 1])
			return false;
	}
	wp_sort(names->names, names->nr, sizeof(*names->names), wp_names_compare);
	return true;
}

/**
 * wp_names_have - whether a name is among them
 * @names: sorted
 * @name: WALLPROF_COMM_LEN bytes, or fewer that end with 0
 *
 * Context: any.
 */
bool wp_names_have(const struct wp_names *names, const char *name)
{
	return bsearch(name, names->names, names->nr, sizeof(*names->names),
		       wp_names_compare);
}
