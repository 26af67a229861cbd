/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of CPUs, in the form of -C and of the device. See cpumask.c.
 */
#ifndef WP_LIB_BASE_CPUMASK_H
#define WP_LIB_BASE_CPUMASK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define WP_MAX_CPUS	16384

/**
 * struct wp_cpumask - a set of CPUs
 * @bits: bit CPU % 64 of word CPU / 64
 */
struct wp_cpumask {
	__u64 bits[WP_MAX_CPUS / 64];
};

static inline bool wp_cpumask_has(const struct wp_cpumask *mask, unsigned int cpu)
{
	return cpu < WP_MAX_CPUS && mask->bits[cpu / 64] >> cpu % 64 & 1;
}

int wp_cpumask_parse(struct wp_cpumask *mask, const char *list);
int wp_cpumask_read(struct wp_cpumask *mask, const char *file);
unsigned int wp_cpumask_end(const struct wp_cpumask *mask);

#endif /* WP_LIB_BASE_CPUMASK_H */
