/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mappings of processes that began a short time ago, for those that end before their
 * mappings can be read. See endedmaps.c.
 *
 *	wp_endedmaps_record(&e, rec)			each record of the sideband
 *	wp_endedmaps_each(&e, pid, fn, ctx, &parent, &whole)	a process that is gone
 *	wp_endedmaps_clear(&e)				now and then
 *	wp_endedmaps_free(&e)
 */
#ifndef WP_LIB_RECORD_ENDEDMAPS_H
#define WP_LIB_RECORD_ENDEDMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/base/idmap.h"
#include "lib/proc/procmaps.h"

struct wp_endedmap;
struct wp_endedprocess;

/**
 * struct wp_endedmaps - mappings; all zero: none
 * @pids: numbers of processes
 * @process: by number
 * @room: allocated processes
 * @map: mappings of all
 * @nr: their number
 * @map_room: allocated mappings
 */
struct wp_endedmaps {
	struct wp_idmap pids;
	struct wp_endedprocess *process;
	size_t room;
	struct wp_endedmap *map;
	size_t nr;
	size_t map_room;
};

int wp_endedmaps_record(struct wp_endedmaps *e, const struct perf_event_header *rec);
int wp_endedmaps_each(const struct wp_endedmaps *e, __u32 pid, wp_procmap_fn fn, void *ctx,
		      __u32 *parent, bool *whole);
void wp_endedmaps_clear(struct wp_endedmaps *e);
void wp_endedmaps_free(struct wp_endedmaps *e);

#endif /* WP_LIB_RECORD_ENDEDMAPS_H */
