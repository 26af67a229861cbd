/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of a perf.data file, one by one, in order of time; of wallprof's files and
 * those of perf record and perf sched record. See perfrecords.c.
 *
 *	ret = wp_perffile_open(&file, path);
 *	ret = wp_perfrecords_open(&records, &file, path);
 *	events = wp_perfrecords_events(records);	the file's events
 *	ret = wp_perfrecords_read(records, fn, ctx);
 *	wp_perfrecords_free(records);
 */
#ifndef WP_LIB_PERFDATA_PERFRECORDS_H
#define WP_LIB_PERFDATA_PERFRECORDS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfdata/perfevents.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/perfrecord.h"

struct wp_perfrecords;

/**
 * struct wp_perfrecords_stats - statistics
 * @records: records delivered
 * @unordered: of them, those that came after others with a later time
 * @damaged: records that could not be read, or do not match their event
 * @lost: events for which the kernel or wallprof had no room (PERF_RECORD_LOST,
 *	PERF_RECORD_LOST_SAMPLES)
 */
struct wp_perfrecords_stats {
	__u64 records;
	__u64 unordered;
	__u64 damaged;
	__u64 lost;
};

/* A return value other than 0 ends the reading, and is returned. */
typedef int (*wp_perfrecord_fn)(void *ctx, const struct wp_perfrecord *rec);

int wp_perfrecords_open(struct wp_perfrecords **out, const struct wp_perffile *file,
			const char *path);
const struct wp_perfevents *wp_perfrecords_events(const struct wp_perfrecords *r);
void wp_perfrecords_show_progress(struct wp_perfrecords *r);
int wp_perfrecords_read(struct wp_perfrecords *r, wp_perfrecord_fn fn, void *ctx);
void wp_perfrecords_stats(const struct wp_perfrecords *r, struct wp_perfrecords_stats *stats);
void wp_perfrecords_free(struct wp_perfrecords *r);

#endif /* WP_LIB_PERFDATA_PERFRECORDS_H */
