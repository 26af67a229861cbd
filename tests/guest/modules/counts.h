/* SPDX-License-Identifier: GPL-2.0 */
/* What test modules count on each CPU. */
#ifndef WALLPROF_TEST_COUNTS_H
#define WALLPROF_TEST_COUNTS_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>

/**
 * wp_counts_get - the sums over all CPUs, in one line
 * @text: what a module's parameter says
 * @counts: a struct of each CPU, of nothing but unsigned longs
 * @size: of the struct
 *
 * Context: any that may loop over all CPUs.
 * Return: the bytes of the line.
 */
static inline int wp_counts_get(char *text, const void __percpu *counts, size_t size)
{
	unsigned int nr;
	size_t at;
	int len = 0;

	for (at = 0; at < size; at += sizeof(unsigned long)) {
		unsigned long sum = 0;

		for_each_possible_cpu(nr)
			sum += READ_ONCE(*(const unsigned long *)
					 (per_cpu_ptr(counts, nr) + at));
		len += scnprintf(text + len, PAGE_SIZE - len, "%s%lu", at ? " " : "", sum);
	}
	return len + scnprintf(text + len, PAGE_SIZE - len, "\n");
}

#endif /* WALLPROF_TEST_COUNTS_H */
