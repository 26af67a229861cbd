/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference of a layout, with numbers that cannot wrap. Used by layout.c
 * and by the fuzzer.
 */
#ifndef WALLPROF_KUNIT_LAYOUT_MODEL_H
#define WALLPROF_KUNIT_LAYOUT_MODEL_H

#include <linux/kernel.h>

#include "pure/layout.h"

/* @at lies behind @end, by less than @slack, and is a multiple of @align. */
static inline bool layout_behind(u64 at, __uint128_t end, u64 align, u64 slack)
{
	return at >= end && at < end + slack && !(at & (align - 1));
}

/* The parts of one half: @exits and @waits are 0 in those of the sampler. */
static inline bool layout_half_holds(const struct wallprof_configure *c, u64 stride,
				     u64 exits, u64 waits, bool hists, u64 page)
{
	__uint128_t end = sizeof(struct wallprof_half);
	__uint128_t aggrs = (__uint128_t)c->nr_aggrs << c->growth;
	bool good = layout_behind(c->aggrs_offset, end, 8, 64);

	end = c->aggrs_offset + aggrs * sizeof(struct wallprof_aggr);
	good &= layout_behind(c->stacks_offset, end, 8, 64);
	end = c->stacks_offset + ((__uint128_t)c->stack_words << c->growth) * sizeof(u64);
	if (exits) {
		good &= layout_behind(c->exits_offset, end, 8, 64);
		end = c->exits_offset +
		      ((__uint128_t)exits << c->growth) * sizeof(struct wallprof_task);
	}
	if (waits) {
		good &= layout_behind(c->waits_offset, end, 8, 64);
		end = c->waits_offset +
		      ((__uint128_t)waits << c->growth) * sizeof(struct wallprof_wait);
	}
	if (hists) {
		good &= layout_behind(c->hists_offset, end, 8, 64);
		end = c->hists_offset + aggrs * sizeof(struct wallprof_hist);
	}
	return good && layout_behind(stride, end, page, page + 64);
}

/* Bytes in whole pages. */
static inline __uint128_t layout_pages(__uint128_t bytes, u64 page)
{
	return (bytes + page - 1) & ~(__uint128_t)(page - 1);
}

/* Whether tables may double so often that no capacity is beyond its limit. */
static inline bool layout_grows(const struct wallprof_configure *c, u32 growth)
{
	return growth <= WALLPROF_MAX_GROWTH &&
	       c->nr_aggrs <= (u64)WALLPROF_MAX_AGGRS >> growth &&
	       c->stack_words <= (u64)WALLPROF_MAX_STACK_WORDS >> growth &&
	       c->nr_exits <= (u64)WALLPROF_MAX_EXITS >> growth &&
	       c->nr_waits <= (u64)WALLPROF_MAX_WAITS >> growth;
}

/* Whether each level has twice the capacities of the one before, the parts in their places. */
static inline bool layout_levels_hold(const struct wp_table_sizes *sizes, u32 growth,
				      const struct wallprof_configure *c)
{
	bool good = true;
	u32 i;

	for (i = 0; i <= growth; i++)
		good &= sizes[i].nr_aggrs == c->nr_aggrs << i &&
			sizes[i].stack_words == c->stack_words << i &&
			sizes[i].area_bytes == sizes[growth].area_bytes &&
			sizes[i].half_stride == sizes[growth].half_stride &&
			sizes[i].aggrs_offset == c->aggrs_offset &&
			sizes[i].stacks_offset == c->stacks_offset;
	return good;
}

/* Whether @c and @l are right for a mapping, after wp_layout_set() returned true. */
static inline bool layout_holds(const struct wp_layout *l,
				const struct wallprof_configure *c,
				const struct wp_machine *m)
{
	bool offcpu = c->flags & WALLPROF_OFFCPU, sampler = c->flags & WALLPROF_SAMPLER;
	bool hists = offcpu && c->flags & WALLPROF_HISTOGRAMS;
	u64 page = m->page_size;
	__uint128_t end, ring = 0, tails = 0, stride = 0;
	__uint128_t cpu = layout_pages(m->cpu_bytes, page), memory;
	bool good = c->growth == l->growth && (c->grow_bytes || !c->growth);

	if (!good || (c->growth && !layout_grows(c, c->growth)))
		return false;
	/* As often as it may. */
	good = !c->grow_bytes || c->growth == m->growth || !layout_grows(c, c->growth + 1);
	good &= c->growth <= m->growth;
	cpu += layout_pages(m->cache_bytes, page);
	if (offcpu) {
		good &= layout_half_holds(c, c->half_stride, c->nr_exits, c->nr_waits,
					  hists, page);
		stride += 2 * (__uint128_t)c->half_stride;
		cpu += 2 * wp_sizes_bytes(&l->sched[0], page);
		good &= layout_levels_hold(l->sched, c->growth, c);
	} else {
		good &= !c->half_stride && !c->exits_offset && !c->nr_waits;
	}
	good &= c->nr_waits || !c->waits_offset;
	good &= c->hist_bytes == (hists ? sizeof(struct wallprof_hist) : 0);
	good &= hists || !c->hists_offset;
	good &= c->sampler_offset == stride;
	if (sampler) {
		good &= layout_half_holds(c, c->sampler_half_stride, 0, 0, false, page);
		stride += 2 * (__uint128_t)c->sampler_half_stride;
		cpu += 2 * wp_sizes_bytes(&l->sampler[0], page);
		good &= layout_levels_hold(l->sampler, c->growth, c);
	} else {
		good &= !c->sampler_half_stride;
	}
	good &= c->cpu_stride == stride && stride <= WALLPROF_MAX_CPU_BYTES;
	good &= !c->tasks_offset;
	good &= layout_behind(c->cpus_offset,
			      (__uint128_t)c->nr_tasks * sizeof(struct wallprof_task),
			      page, page);
	end = c->cpus_offset + stride * m->nr_cpus;
	if (c->flags & WALLPROF_TIMELINE) {
		good &= c->rings_offset == end;
		ring = page + layout_pages((__uint128_t)c->nr_records *
					   sizeof(struct wallprof_record), page);
		good &= c->ring_stride == ring && ring <= WALLPROF_MAX_CPU_BYTES;
		end += ring * m->nr_cpus;
		good &= c->tails_offset == end;
		tails = layout_pages((__uint128_t)m->nr_cpus * 64, page);
		end += tails;
	} else {
		good &= !c->rings_offset && !c->ring_stride && !c->tails_offset;
	}
	good &= c->map_bytes == end;
	/*
	 * The slots, their keys, which are longs, and two bitmaps; the targets, by
	 * names of 16 bytes or ids of 8.
	 */
	memory = c->cpus_offset + layout_pages((__uint128_t)c->nr_tasks * 8, page) +
		 2 * layout_pages(c->nr_tasks / 8, page) +
		 layout_pages((__uint128_t)c->nr_targets *
			      (c->target == WALLPROF_TARGET_COMM ? 16 : 8), page);
	/* And the empty page, for CPUs without memory. */
	memory += (cpu + ring) * m->nr_online + tails + page;
	good &= l->cpu_memory == cpu + ring;
	good &= l->other_bytes == layout_pages(m->cache_bytes, page) + ring;
	return good && c->memory_bytes == memory;
}

/* Whether @offset of the mapping is found where the uapi header says that it is. */
static inline bool layout_finds(const struct wp_layout *l,
				const struct wallprof_configure *c, u64 offset)
{
	bool there = offset < c->map_bytes;
	struct wp_place place = { .cpu = ~0U, .rest = ~0ULL };

	if (wp_layout_find(l, offset, &place) != there)
		return false;
	if (!there)
		return true;
	switch (place.part) {
	case WP_PART_TASKS:
		return offset < c->cpus_offset && place.rest == offset;
	case WP_PART_TABLES:
		return place.cpu < l->nr_cpus && place.rest < c->cpu_stride &&
		       offset == c->cpus_offset + place.cpu * c->cpu_stride + place.rest;
	case WP_PART_RING:
		return place.cpu < l->nr_cpus && place.rest < c->ring_stride &&
		       offset == c->rings_offset + place.cpu * c->ring_stride + place.rest;
	default:
		return place.part == WP_PART_TAILS && c->flags & WALLPROF_TIMELINE &&
		       offset == c->tails_offset + place.rest;
	}
}

#endif /* WALLPROF_KUNIT_LAYOUT_MODEL_H */
