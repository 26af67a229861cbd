/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a perf.data file: attributes, names, ids, and the formats of tracepoints. See
 * perfevents.c.
 */
#ifndef WP_LIB_PERFDATA_PERFEVENTS_H
#define WP_LIB_PERFDATA_PERFEVENTS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfdata/perffile.h"
#include "lib/perfdata/tracepoint.h"

/**
 * struct wp_perfevent - an event of the file
 * @name: its name in the file: "sched:sched_switch", "cpu-clock"
 * @attr: its attributes; fields that an older perf did not write are 0
 * @tracepoint: the format of its payload; NULL if it is no tracepoint, or has no format
 */
struct wp_perfevent {
	char *name;
	struct perf_event_attr attr;
	const struct wp_tracepoint *tracepoint;
};

/**
 * struct wp_perfevent_id - the event of an id
 * @id: the id in samples
 * @event: the event's index
 */
struct wp_perfevent_id {
	__u64 id;
	__u32 event;
};

/**
 * struct wp_perfevents - the events
 * @event: the events
 * @nr: their number, at least 1
 * @ids: their ids, sorted
 * @nr_ids: their number
 * @formats: the formats of the file's tracepoints
 * @nr_formats: their number
 */
struct wp_perfevents {
	struct wp_perfevent *event;
	unsigned int nr;
	struct wp_perfevent_id *ids;
	size_t nr_ids;
	struct wp_tracepoint *formats;
	size_t nr_formats;
};

int wp_perfevents_read(struct wp_perfevents *e, const struct wp_perffile *file,
		       const char *path);
int wp_perfevents_find(const struct wp_perfevents *e, __u64 id);
void wp_perfevents_free(struct wp_perfevents *e);

#endif /* WP_LIB_PERFDATA_PERFEVENTS_H */
