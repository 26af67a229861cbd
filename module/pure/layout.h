/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_LAYOUT_H
#define WALLPROF_PURE_LAYOUT_H

#include <linux/types.h>
#include <linux/wallprof.h>

#include "pure/tables.h"

/* Sizes that a half can have, one after the other. */
#define WP_LEVELS	(WALLPROF_MAX_GROWTH + 1)

/**
 * struct wp_machine - properties of the machine that a layout depends on
 * @page_size: bytes
 * @nr_cpus: CPU numbers are below this
 * @nr_online: CPUs that have memory from the beginning
 * @cache_bytes: bytes of a CPU's caches
 * @cpu_bytes: bytes of struct wp_cpu
 * @growth: times that tables may double at most, up to WALLPROF_MAX_GROWTH
 */
struct wp_machine {
	u64 page_size;
	u64 cpu_bytes;
	u32 nr_cpus;
	u32 nr_online;
	u64 cache_bytes;
	u32 growth;
};

/**
 * struct wp_layout - the layout of a session's mapping
 * @sched: capacities of the scheduler's tables, by how often they have doubled
 * @sampler: capacities of the sampler's tables, likewise
 * @growth: how often they may
 * @tasks_bytes: bytes of the task table, which comes first
 * @cpu_stride: bytes of the tables of each CPU; 0 without any
 * @ring_stride: bytes of the ring of each CPU; 0 without any
 * @tails_bytes: bytes of the tails of all rings
 * @other_bytes: bytes of the ring and the caches of each CPU, whole pages
 * @cpu_memory: bytes that a CPU takes at first, mapped and not, whole pages
 * @nr_cpus: how many CPUs have a part
 *
 * Written at CONFIGURE, constant afterwards.
 */
struct wp_layout {
	struct wp_table_sizes sched[WP_LEVELS];
	struct wp_table_sizes sampler[WP_LEVELS];
	u32 growth;
	u64 tasks_bytes;
	u64 cpu_stride;
	u64 ring_stride;
	u64 tails_bytes;
	u64 other_bytes;
	u64 cpu_memory;
	u32 nr_cpus;
};

/* Parts of the mapping, in this order. */
enum wp_part {
	WP_PART_TASKS,	/* the task table */
	WP_PART_TABLES,	/* a CPU's tables */
	WP_PART_RING,	/* a CPU's ring */
	WP_PART_TAILS,	/* the tails of all rings */
};

/**
 * struct wp_place - a place in the mapping
 * @part: the part that it is in
 * @cpu: the CPU, for tables and rings
 * @rest: bytes from the part's beginning
 */
struct wp_place {
	enum wp_part part;
	u32 cpu;
	u64 rest;
};

bool wp_layout_set(struct wp_layout *layout, struct wallprof_configure *config,
		   const struct wp_machine *machine);
bool wp_layout_find(const struct wp_layout *layout, u64 offset,
		    struct wp_place *place);

#endif /* WALLPROF_PURE_LAYOUT_H */
