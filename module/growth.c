// SPDX-License-Identifier: GPL-2.0
/*
 * The growth of tables: a half that is not in use gets more memory, if the other one was too
 * small.
 *
 * This file owns which half grows, by how much, and how that is counted. Its caller is
 * session.c: process context, session->lock held.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "compat/memcg.h"
#include "cpus.h"
#include "growth.h"
#include "pure/tables.h"
#include "state.h"

/**
 * struct wp_growing - the tables of a CPU and context, which may grow
 * @tables: the tables
 * @areas: their memory
 * @level: how often the capacities of each half have doubled
 * @sizes: capacities by this
 * @offset: where the first half is in the mapping
 */
struct wp_growing {
	struct wp_tables *tables;
	struct wp_area *areas;
	u32 *level;
	const struct wp_table_sizes *sizes;
	u64 offset;
};

/* Pages that a half takes more if its capacities double from @from to @to times. */
static unsigned long wp_growth_pages(const struct wp_growing *growing, u32 from, u32 to)
{
	return (wp_sizes_bytes(&growing->sizes[to], PAGE_SIZE) -
		wp_sizes_bytes(&growing->sizes[from], PAGE_SIZE)) >> PAGE_SHIFT;
}

/* The level that a half grows to: that of need, or the next lower one that is allowed. */
static u32 wp_growth_level(const struct wp_session *session, const struct wp_growing *growing,
			   unsigned int half)
{
	const struct wp_half *now = &growing->tables->half[!half];
	u32 at = growing->level[half], level = growing->level[!half];
	u64 left = (session->config.grow_bytes >> PAGE_SHIFT) -
		   atomic_long_read(&session->grown_pages);

	level = min(level + wp_half_wants(now), session->layout.growth);
	while (level > at && wp_growth_pages(growing, at, level) > left)
		level--;
	return level;
}

/* Lets a half grow. Returns false if there is no memory, or the owner may have no more. */
static bool wp_growth_half(struct wp_session *session, const struct wp_growing *growing,
			   unsigned int half, unsigned int nr)
{
	u32 level = wp_growth_level(session, growing, half), *at = &growing->level[half];
	const struct wp_table_sizes *sizes = &growing->sizes[level];
	struct wp_area *area = &growing->areas[half];
	unsigned long pages;
	void *old;

	if (level <= *at)
		return true;
	pages = wp_growth_pages(growing, *at, level);
	if (!wp_cpus_may_have(session, pages) ||
	    !wp_area_grow(area, sizes, wp_cpus_node(nr), session->empty, &old))
		return false;
	atomic_long_add(pages, &session->grown_pages);
	atomic_long_add(pages, &session->owed_pages);
	wp_half_set(&growing->tables->half[half], sizes, area->memory);
	*at = level;
	session->halves_grown++;
	vunmap(old);
	/* Holes that are mapped; mappings of other sessions at these offsets go, too. */
	unmap_mapping_range(session->mapping, growing->offset + half * sizes->half_stride,
			    sizes->half_stride, 1);
	return true;
}

/* Lets the half of a CPU grow that an epoch is to use, in both contexts. */
static bool wp_growth_cpu(struct wp_session *session, struct wp_cpu *cpu, unsigned int nr,
			  u32 epoch)
{
	const struct wp_layout *layout = &session->layout;
	const struct wallprof_configure *config = &session->config;
	u64 offset = config->cpus_offset + nr * layout->cpu_stride;
	const struct wp_growing sched = {
		.tables = &cpu->sched,
		.areas = cpu->sched_areas,
		.level = cpu->sched_level,
		.sizes = layout->sched,
		.offset = offset,
	};
	const struct wp_growing sampler = {
		.tables = &cpu->sampler,
		.areas = cpu->sampler_areas,
		.level = cpu->sampler_level,
		.sizes = layout->sampler,
		.offset = offset + config->sampler_offset,
	};

	return (!(config->flags & WALLPROF_OFFCPU) ||
		wp_growth_half(session, &sched, epoch & 1, nr)) &&
	       (!(config->flags & WALLPROF_SAMPLER) ||
		wp_growth_half(session, &sampler, epoch & 1, nr));
}

/**
 * wp_growth_give - let tables grow that had no room for something
 * @session: the session, locked
 * @epoch: the epoch that is to begin: its halves have neither writer nor reader
 *
 * The halves that are written now decide: the others can be read by nobody any more, and
 * get the same capacities, or larger ones. If that fails once, it is not tried again.
 *
 * Context: process.
 */
void wp_growth_give(struct wp_session *session, u32 epoch)
{
	struct mem_cgroup *memcg, *old;
	struct wp_cpu *cpu;
	unsigned int nr;

	if (!session->layout.growth || session->grow_failed)
		return;
	memcg = get_mem_cgroup_from_mm(session->mm);
	old = wp_set_active_memcg(memcg);
	for_each_possible_cpu(nr) {
		cpu = wp_session_cpu(session, nr);
		if (cpu && !wp_growth_cpu(session, cpu, nr, epoch)) {
			session->grow_failed = true;
			break;
		}
	}
	wp_set_active_memcg(old);
	mem_cgroup_put(memcg);
	wp_cpus_pay(session);
}
