/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's timeline on its way from the module's rings to a perf.data that
 * perf sched reads. Used by the sched record command:
 *
 *	wp_timeline_new()		reads the tracepoints' formats
 *	wp_timeline_events()		for wp_perfdata_open()
 *	wp_timeline_begin()		it is open, and recording
 *	each round:
 *		wp_timeline_sideband()	for each record of the sideband
 *		wp_timeline_drain()	what the rings hold
 *		wp_timeline_flush()	what is complete goes to the file
 *	wp_timeline_end()		the same, when the session is stopped
 *	wp_timeline_free()
 */
#ifndef WP_LIB_TIMELINE_H
#define WP_LIB_TIMELINE_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/perfdata.h"

struct wp_device;
struct wp_timeline;

/* Events of the file, but for the sideband's. */
#define WP_TIMELINE_EVENTS	5

/**
 * struct wp_timeline_stats - what came
 * @records: by enum wallprof_record_type; of WALLPROF_RECORD_LOST, gaps
 * @lost: records that found no room in their ring
 * @unordered: records that came too late to be put in order
 */
struct wp_timeline_stats {
	__u64 records[WALLPROF_RECORD_MAX];
	__u64 lost;
	__u64 unordered;
};

int wp_timeline_new(struct wp_timeline **out, const char *root);
unsigned int wp_timeline_events(const struct wp_timeline *tl, struct wp_perfdata_event *events);
int wp_timeline_begin(struct wp_timeline *tl, struct wp_perfdata *pd, __u32 nr_cpus,
		      __u64 start, bool all);
int wp_timeline_sideband(void *ctx, const struct perf_event_header *rec, __u64 time);
int wp_timeline_drain(struct wp_timeline *tl, struct wp_device *dev);
int wp_timeline_flush(struct wp_timeline *tl, __u64 upto);
int wp_timeline_end(struct wp_timeline *tl, struct wp_device *dev);
void wp_timeline_stats(const struct wp_timeline *tl, struct wp_timeline_stats *stats);
void wp_timeline_free(struct wp_timeline *tl);

#endif /* WP_LIB_TIMELINE_H */
