/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_LAYOUT_H
#define WALLPROF_PURE_LAYOUT_H

#include <linux/types.h>
#include <linux/wallprof.h>

#include "pure/tables.h"

/**
 * struct wp_machine - what a layout depends on, besides the configuration
 * @page_size: bytes
 * @nr_cpus: CPU numbers are below this
 * @nr_online: how many of them have memory from the beginning
 * @cpu_bytes: bytes of struct wp_cpu and of what comes with it
 */
struct wp_machine {
	u64 page_size;
	u64 cpu_bytes;
	u32 nr_cpus;
	u32 nr_online;
};

/**
 * struct wp_layout - where things lie in a session's mapping
 * @sched: capacities of the scheduler's tables
 * @sampler: and of the sampler's
 * @tasks_bytes: bytes of the task table, which comes first
 * @cpu_stride: bytes of the tables of each CPU; 0 without any
 * @ring_stride: bytes of the ring of each CPU; 0 without any
 * @tails_bytes: bytes of the tails of all rings
 * @cpu_memory: bytes that a CPU takes, mapped and not, whole pages
 * @nr_cpus: how many CPUs have a part
 *
 * Written at CONFIGURE, constant afterwards.
 */
struct wp_layout {
	struct wp_table_sizes sched;
	struct wp_table_sizes sampler;
	u64 tasks_bytes;
	u64 cpu_stride;
	u64 ring_stride;
	u64 tails_bytes;
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
 * struct wp_place - what stands somewhere in the mapping
 * @part: what
 * @cpu: whose, of tables and rings
 * @rest: bytes from its beginning
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
