/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session knows of the code that processes run: types. mappings.c has the mappings,
 * unwind_store.c the tables.
 */
#ifndef WALLPROF_UNWIND_STATE_H
#define WALLPROF_UNWIND_STATE_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "pure/unwind_table.h"

#define WP_PROCESS_BITS	12	/* of the hash of processes */

/**
 * struct wp_code - the code that a process has mapped
 * @refs: processes that have it: several after a fork
 * @generation: unlike that of any other
 * @maps: as the walk wants it: @map
 * @map: the mappings
 *
 * Not changed once it is published.
 */
struct wp_code {
	refcount_t refs;
	u64 generation;
	struct wp_maps maps;
	struct wp_map map[];
};

/**
 * struct wp_mappings - what a session knows of the code that processes run
 * @tables: &struct wp_held by id
 * @nr_tables: how many
 * @last_table: the last id that was given; none is given twice
 * @tables_bytes: of all tables
 * @bytes: of all tables, mappings and entries that the session holds
 * @extra: what the tables take besides
 * @pages: charged for them
 * @retired: processes that readers may still see
 * @nr_retired: how many
 * @nr_lived: entries of @by_mm that were left when the ended ones were last
 *	looked for
 * @by_mm: processes by their mm_struct, 1 << WP_PROCESS_BITS lists; NULL until
 *	the first MAPS. Read under RCU, changed under @lock
 * @changes: counts, from 1 on, epochs, and what was taken out of @by_mm, also if something
 *	else took its place. Written under @lock after that, with a release store;
 *	see wp_mappings_changes()
 * @lock: orders changes of what follows, of @by_mm and @changes: MAPS, FLIP and the fork
 *	probe. Raw, since the probe has interrupts off
 * @spare: entries for the fork probe
 * @nr_spare: how many
 * @nr_processes: entries of @by_mm
 * @nr_missed: children that found no spare entry
 *
 * What stands before @by_mm is used under the session's lock. All switches read @by_mm
 * and @changes, all forks write what follows: on other cache lines.
 */
struct wp_mappings {
	struct xarray tables;
	u32 nr_tables;
	u32 last_table;
	u64 tables_bytes;
	u64 bytes;
	u64 extra;
	unsigned long pages;
	struct list_head retired;
	unsigned int nr_retired;
	unsigned int nr_lived;
	struct hlist_head *by_mm ____cacheline_aligned_in_smp;
	u64 changes;
	/* Orders changes of what follows, and of the two above. */
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	struct hlist_head spare;
	unsigned int nr_spare;
	unsigned int nr_processes;
	u64 nr_missed;
};

/*
 * If this is what it was when a process's code was found, then that is its code
 * still: the entry is there, and holds the process's mm_struct. And if it is what it
 * was before the epoch was looked at, then that is the current one still, or was when
 * this event began.
 *
 * Context: any, NMI included, under RCU; before wp_mappings_find(), and before
 * wp_session_epoch().
 */
static inline u64 wp_mappings_changes(const struct wp_mappings *mappings)
{
	/* Pairs with wp_mappings_change(): what was found after is what is new. */
	return smp_load_acquire(&mappings->changes);
}

#endif /* WALLPROF_UNWIND_STATE_H */
