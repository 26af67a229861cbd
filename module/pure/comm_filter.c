// SPDX-License-Identifier: GPL-2.0
/*
 * Targets by name: which names of threads a session records.
 *
 * This file owns their order and search. It is pure. Its callers are configure.c at
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
 * wp_names_sort - sort names for wp_names_have()
 * @names: any bytes
 *
 * Context: process.
 * Return: whether each is a name that a thread can have: it ends in 0, and is not empty.
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
 * wp_names_have - search a name
 * @names: sorted
 * @name: WALLPROF_COMM_LEN bytes, or fewer that end in 0
 *
 * Context: any.
 */
bool wp_names_have(const struct wp_names *names, const char *name)
{
	return bsearch(name, names->names, names->nr, sizeof(*names->names),
		       wp_names_compare);
}
