// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of a session's mapping, and its memory.
 *
 *   task table | CPU 0's tables | … | CPU 0's ring | … | tails
 *
 * Each CPU's tables are the two halves of the scheduler's and then those of the
 * sampler's, as configured; only tails can be mapped writable. There is room for tables
 * that have grown: what they do not use yet is a page of zeroes. This file owns these
 * numbers. It is pure; its callers are in process context, and the page fault handler.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "pure/layout.h"

/* Capacities of a context's tables that have doubled @level times. */
static void wp_layout_level(struct wp_table_sizes *sizes, const struct wallprof_configure *config,
			    bool sched, u32 level, u64 page_size)
{
	wp_sizes_set(sizes, config->nr_aggrs << level, config->stack_words << level,
		     sched ? config->nr_exits << level : 0,
		     sched ? config->nr_waits << level : 0,
		     sched && config->flags & WALLPROF_HISTOGRAMS, config->watermark,
		     page_size);
}

/*
 * Sets capacities of a context's tables for each level up to @growth; their parts are where
 * they are in the last. Returns bytes of the two halves in the mapping; adds the memory of
 * the first level to @memory.
 */
static u64 wp_layout_tables(struct wp_table_sizes *sizes, const struct wallprof_configure *config,
			    bool sched, u32 growth, u64 page_size, u64 *memory)
{
	u32 level;

	wp_layout_level(&sizes[growth], config, sched, growth, page_size);
	for (level = 0; level < growth; level++) {
		wp_layout_level(&sizes[level], config, sched, level, page_size);
		wp_sizes_place(&sizes[level], &sizes[growth]);
	}
	*memory += 2 * wp_sizes_bytes(&sizes[0], page_size);
	return 2 * sizes[growth].half_stride;
}

/* Whether tables that have doubled @growth times are within the limits of CONFIGURE. */
static bool wp_layout_may_grow(const struct wallprof_configure *config, u32 growth)
{
	return (u64)config->nr_aggrs << growth <= WALLPROF_MAX_AGGRS &&
	       (u64)config->stack_words << growth <= WALLPROF_MAX_STACK_WORDS &&
	       (u64)config->nr_exits << growth <= WALLPROF_MAX_EXITS &&
	       (u64)config->nr_waits << growth <= WALLPROF_MAX_WAITS;
}

/* Bytes of the session's list of targets: names, or 64-bit ids. */
static u64 wp_layout_targets(const struct wallprof_configure *config)
{
	return (u64)config->nr_targets * (config->target == WALLPROF_TARGET_COMM ?
					  WALLPROF_COMM_LEN : sizeof(u64));
}

/* Lays out the rings: a page for the head, and then the records. */
static void wp_layout_rings(struct wp_layout *layout, struct wallprof_configure *config,
			    const struct wp_machine *machine)
{
	config->record_bytes = sizeof(struct wallprof_record);
	config->rings_offset = 0;
	config->ring_stride = 0;
	config->tails_offset = 0;
	if (!(config->flags & WALLPROF_TIMELINE))
		return;
	layout->ring_stride = machine->page_size +
			      ALIGN((u64)config->nr_records * config->record_bytes,
				    machine->page_size);
	layout->tails_bytes = ALIGN(machine->nr_cpus * sizeof(struct wallprof_tail),
				    machine->page_size);
}

/**
 * wp_layout_set - compute the layout of a session's mapping, and its memory
 * @layout: to fill
 * @config: as validated; the out fields are filled
 * @machine: the machine
 *
 * Context: process.
 * Return: false if a CPU's tables are too large.
 */
bool wp_layout_set(struct wp_layout *layout, struct wallprof_configure *config,
		   const struct wp_machine *machine)
{
	const struct wp_table_sizes *sched, *sampler;
	u64 page_size = machine->page_size, memory = 0, tasks;
	u32 growth = 0;

	memset(layout, 0, sizeof(*layout));
	config->half_stride = 0;
	config->sampler_half_stride = 0;
	config->exits_offset = 0;
	config->waits_offset = 0;
	config->hist_bytes = 0;
	config->hists_offset = 0;
	config->cpu_stride = 0;
	config->aggrs_offset = 0;
	config->stacks_offset = 0;
	while (config->grow_bytes && growth < machine->growth &&
	       wp_layout_may_grow(config, growth + 1))
		growth++;
	layout->growth = growth;
	config->growth = growth;
	sched = &layout->sched[growth];
	sampler = &layout->sampler[growth];
	if (config->flags & WALLPROF_OFFCPU) {
		config->cpu_stride += wp_layout_tables(layout->sched, config, true, growth,
						       page_size, &memory);
		config->half_stride = sched->half_stride;
		config->aggrs_offset = sched->aggrs_offset;
		config->stacks_offset = sched->stacks_offset;
		config->exits_offset = sched->exits_offset;
		if (config->nr_waits)
			config->waits_offset = sched->waits_offset;
		if (config->flags & WALLPROF_HISTOGRAMS) {
			config->hist_bytes = sizeof(struct wallprof_hist);
			config->hists_offset = sched->hists_offset;
		}
	}
	config->sampler_offset = config->cpu_stride;
	if (config->flags & WALLPROF_SAMPLER) {
		config->cpu_stride += wp_layout_tables(layout->sampler, config, false, growth,
						       page_size, &memory);
		config->sampler_half_stride = sampler->half_stride;
		config->aggrs_offset = sampler->aggrs_offset;
		config->stacks_offset = sampler->stacks_offset;
	}
	if (config->cpu_stride > WALLPROF_MAX_CPU_BYTES)
		return false;
	wp_layout_rings(layout, config, machine);
	if (layout->ring_stride > WALLPROF_MAX_CPU_BYTES)
		return false;
	layout->other_bytes = ALIGN(machine->cache_bytes, page_size) + layout->ring_stride;
	memory += ALIGN(machine->cpu_bytes, page_size) + layout->other_bytes;
	tasks = ALIGN((u64)config->nr_tasks * sizeof(struct wallprof_task),
		      page_size);
	layout->tasks_bytes = tasks;
	layout->cpu_stride = config->cpu_stride;
	layout->nr_cpus = machine->nr_cpus;
	config->aggr_bytes = sizeof(struct wallprof_aggr);
	config->task_bytes = sizeof(struct wallprof_task);
	config->wait_bytes = sizeof(struct wallprof_wait);
	config->tasks_offset = 0;
	config->cpus_offset = tasks;
	config->map_bytes = tasks + machine->nr_cpus * config->cpu_stride;
	if (layout->ring_stride) {
		config->rings_offset = config->map_bytes;
		config->ring_stride = layout->ring_stride;
		config->tails_offset = config->rings_offset +
				       machine->nr_cpus * layout->ring_stride;
		config->map_bytes = config->tails_offset + layout->tails_bytes;
	}
	/* Keys and two bitmaps come with the slots. */
	tasks += ALIGN((u64)config->nr_tasks * sizeof(long), page_size) +
		 2 * ALIGN((u64)config->nr_tasks / 8, page_size);
	tasks += ALIGN(wp_layout_targets(config), page_size);
	/* One page stands for every page of CPUs without memory. */
	tasks += layout->tails_bytes + page_size;
	layout->cpu_memory = memory;
	config->memory_bytes = tasks + machine->nr_online * memory;
	return true;
}

/*
 * Whether @offset is in one of @nr parts of @stride bytes. If not, it is reduced by them.
 */
static bool wp_layout_in(u64 *offset, u64 stride, u32 nr, struct wp_place *place)
{
	u64 which = stride ? div64_u64(*offset, stride) : nr;

	if (which >= nr) {
		*offset -= stride * nr;
		return false;
	}
	place->cpu = which;
	place->rest = *offset - which * stride;
	return true;
}

/**
 * wp_layout_find - find the part of the mapping at an offset
 * @layout: as set by wp_layout_set()
 * @offset: bytes
 * @place: out: the part
 *
 * Context: any.
 * Return: whether there is one.
 */
bool wp_layout_find(const struct wp_layout *layout, u64 offset, struct wp_place *place)
{
	place->part = WP_PART_TASKS;
	if (wp_layout_in(&offset, layout->tasks_bytes, 1, place))
		return true;
	place->part = WP_PART_TABLES;
	if (wp_layout_in(&offset, layout->cpu_stride, layout->nr_cpus, place))
		return true;
	place->part = WP_PART_RING;
	if (wp_layout_in(&offset, layout->ring_stride, layout->nr_cpus, place))
		return true;
	place->part = WP_PART_TAILS;
	return wp_layout_in(&offset, layout->tails_bytes, 1, place);
}
