/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings of processes, and their unwind tables: types. mappings.c owns the mappings,
 * unwind_store.c the tables.
 */
#ifndef WALLPROF_UNWIND_STATE_H
#define WALLPROF_UNWIND_STATE_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wallprof_interp.h>

#include "compat/xarray.h"
#include "pure/unwind_table.h"

#define WP_PROCESS_BITS	12	/* of the hash of processes */

/**
 * struct wp_code - the code that a process has mapped
 * @refs: processes that share it: several after a fork
 * @interp: description of the process's interpreter, behind @map; NULL: it has none
 * @maps: @map, in the form that the unwinder takes
 * @map: the mappings
 *
 * Not changed once it is published.
 */
struct wp_code {
	refcount_t refs;
	const struct wallprof_interp *interp;
	struct wp_maps maps;
	struct wp_map map[];
};

/**
 * struct wp_mappings - a session's mappings of processes and unwind tables
 * @tables: &struct wp_held by id
 * @nr_tables: how many
 * @last_table: the last id that was given; none is given twice
 * @tables_bytes: bytes of all tables
 * @bytes: bytes of all tables, mappings and entries that the session holds
 * @extra: further bytes that the tables take
 * @pages: pages charged for them
 * @retired: processes that probes may still reach
 * @nr_retired: how many
 * @nr_lived: entries of @by_mm that were left when ended processes were last retired
 * @by_mm: processes by their mm_struct, 1 << WP_PROCESS_BITS lists; NULL until the first
 *	MAPS. Read under RCU, changed under @lock
 * @changes: counts, from 1 on, epochs, and removals from @by_mm, also if something else
 *	took the place. Written under @lock after the removal, with a release store; see
 *	wp_mappings_changes()
 * @lock: orders changes of what follows, of @by_mm and @changes, by MAPS, FLIP and the
 *	fork probe. Raw, since the probe has interrupts off
 * @spare: entries for the fork probe
 * @nr_spare: how many
 * @nr_processes: entries of @by_mm
 * @nr_missed: children that found no spare entry
 *
 * The members before @by_mm are used under the session's lock. All switches read @by_mm
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
 * The count of changes. If it is unchanged since a process's code was found, the code is
 * still the process's: the entry is there, and holds the process's mm_struct. If it is
 * unchanged since before the epoch was read, that epoch is still the current one, or was
 * when this event began.
 *
 * Context: any, NMI included, under RCU; before wp_mappings_find(), and before
 * wp_session_epoch().
 */
static inline u64 wp_mappings_changes(const struct wp_mappings *mappings)
{
	/* Pairs with wp_mappings_change(): a lookup that follows sees the change. */
	return smp_load_acquire(&mappings->changes);
}

#endif /* WALLPROF_UNWIND_STATE_H */
