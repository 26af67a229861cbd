/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's timeline: from the module's rings to a perf.data that perf sched reads.
 * Used by the record and sched record commands:
 *
 *	wp_timeline_new()		reads the tracepoints' formats
 *	wp_timeline_events()		for wp_perfdata_open()
 *	wp_timeline_begin()		the file is open, the session records
 *	each round:
 *		wp_timeline_sideband()	for each record of the sideband
 *		wp_timeline_drain()	reads the rings
 *		wp_timeline_flush()	writes the complete records to the file
 *	wp_timeline_end()		the same, when the session is stopped
 *	wp_timeline_free()
 *
 * or, for records from other sources, for one file after another:
 *
 *		wp_timeline_record()	instead of wp_timeline_drain()
 *	wp_timeline_flush(tl, ~0ULL)
 *	wp_timeline_reset()
 */
#ifndef WP_LIB_RECORD_TIMELINE_H
#define WP_LIB_RECORD_TIMELINE_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/perfdata/perfdata.h"

struct wp_device;
struct wp_stacks;
struct wp_timeline;

/* Maximum number of events in the file, without the sideband's. */
#define WP_TIMELINE_EVENTS	6

/**
 * struct wp_timeline_stats - statistics
 * @records: by enum wallprof_record_type; for WALLPROF_RECORD_LOST, gaps
 * @lost: records that found no room in their ring
 * @unordered: records that came too late to be sorted
 * @stacks: switches with stacks
 * @unknown: stacks that are missing: there was no stack for their id
 */
struct wp_timeline_stats {
	__u64 records[WALLPROF_RECORD_MAX];
	__u64 lost;
	__u64 unordered;
	__u64 stacks;
	__u64 unknown;
};

/**
 * struct wp_timeline_options - sources and destination of events
 * @nr_cpus: CPU numbers are below this
 * @start: time from which on all events are recorded
 * @all: all threads are recorded; else events right after @start are missing, when the
 *	targets are not known yet
 * @first: index in the file of the first of wp_timeline_events()
 * @stacks: resolves ids of stacks; NULL: there are none
 * @sample: takes each event, in order of time
 * @record: takes each record of the sideband, in the same order; may be NULL
 * @lost: takes each loss, likewise
 * @ctx: passed to them
 */
struct wp_timeline_options {
	__u32 nr_cpus;
	__u64 start;
	bool all;
	unsigned int first;
	const struct wp_stacks *stacks;
	int (*sample)(void *ctx, const struct wp_perfdata_sample *sample);
	int (*record)(void *ctx, const struct perf_event_header *rec);
	int (*lost)(void *ctx, __u32 cpu, __u64 time, __u64 lost);
	void *ctx;
};

int wp_timeline_new(struct wp_timeline **out, const char *root, bool wakeups);
unsigned int wp_timeline_events(const struct wp_timeline *tl, struct wp_perfdata_event *events);
int wp_timeline_begin(struct wp_timeline *tl, const struct wp_timeline_options *opt);
int wp_timeline_sideband(void *ctx, const struct perf_event_header *rec, __u64 time);
int wp_timeline_record(void *ctx, __u32 cpu, const struct wallprof_record *record,
		       const struct wallprof_record *stacks);
int wp_timeline_drain(struct wp_timeline *tl, struct wp_device *dev, __u64 *upto);
int wp_timeline_flush(struct wp_timeline *tl, __u64 upto);
int wp_timeline_end(struct wp_timeline *tl, struct wp_device *dev);
void wp_timeline_stats(const struct wp_timeline *tl, struct wp_timeline_stats *stats);
__u64 wp_timeline_lost(const struct wp_timeline *tl, __u32 cpu);
void wp_timeline_reset(struct wp_timeline *tl);
void wp_timeline_free(struct wp_timeline *tl);

#endif /* WP_LIB_RECORD_TIMELINE_H */
