/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a perf.data file, one by one, in order of time; ours and those that
 * perf record and perf sched record write. See perfrecords.c.
 *
 *	ret = wp_perffile_open(&file, path);
 *	ret = wp_perfrecords_open(&records, &file, path);
 *	events = wp_perfrecords_events(records);	which events there are
 *	ret = wp_perfrecords_read(records, fn, ctx);
 *	wp_perfrecords_free(records);
 */
#ifndef WP_LIB_PERFRECORDS_H
#define WP_LIB_PERFRECORDS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfevents.h"
#include "lib/perffile.h"

struct wp_perfrecords;

/**
 * struct wp_perfrecord - a record, and what its samples' fields say
 * @header: the whole record; its size was checked, nothing else of it. PERF_RECORD_SAMPLE,
 *	_COMM, _FORK, _EXIT, _MMAP, _MMAP2, _LOST, _LOST_SAMPLES and whatever else the
 *	kernel writes; of perf's own types none
 * @event: which event it belongs to: its index among them
 * @sample_type: which of the following are there (PERF_SAMPLE_...); the others are 0
 * @pid: process, -1 if not known
 * @tid: thread
 * @cpu: CPU
 * @time: ns of the file's clock
 * @id: of the event
 * @period: weight of a sample
 * @ip: where it was
 * @chain: call chain, with PERF_CONTEXT_ words in it, or NULL
 * @nr_chain: its words
 * @raw: payload, or NULL; for a tracepoint of at least the size that its format says
 * @raw_size: its bytes
 *
 * For records other than samples pid to id are those that sample_id_all appends. All
 * pointers are good until the function returns that was given it; @chain may be read
 * as words.
 */
struct wp_perfrecord {
	const struct perf_event_header *header;
	unsigned int event;
	__u64 sample_type;
	__s32 pid;
	__s32 tid;
	__u32 cpu;
	__u64 time;
	__u64 id;
	__u64 period;
	__u64 ip;
	const __u64 *chain;
	__u64 nr_chain;
	const void *raw;
	__u32 raw_size;
};

/**
 * struct wp_perfrecords_stats - what there was
 * @records: records handed out
 * @unordered: of them, those that came later than others with a later time
 * @damaged: records that could not be read, or were not as their event says
 * @lost: events that the kernel or wallprof had no room for (PERF_RECORD_LOST,
 *	PERF_RECORD_LOST_SAMPLES)
 */
struct wp_perfrecords_stats {
	__u64 records;
	__u64 unordered;
	__u64 damaged;
	__u64 lost;
};

/* A return other than 0 ends the reading, and is returned. */
typedef int (*wp_perfrecord_fn)(void *ctx, const struct wp_perfrecord *rec);

int wp_perfrecords_open(struct wp_perfrecords **out, const struct wp_perffile *file,
			const char *path);
const struct wp_perfevents *wp_perfrecords_events(const struct wp_perfrecords *r);
void wp_perfrecords_show_progress(struct wp_perfrecords *r);
int wp_perfrecords_read(struct wp_perfrecords *r, wp_perfrecord_fn fn, void *ctx);
void wp_perfrecords_stats(const struct wp_perfrecords *r, struct wp_perfrecords_stats *stats);
void wp_perfrecords_free(struct wp_perfrecords *r);

#endif /* WP_LIB_PERFRECORDS_H */
