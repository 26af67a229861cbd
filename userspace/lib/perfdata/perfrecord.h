/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record of a perf.data file. perfrecords.c reads them, perfsample.c knows their fields.
 */
#ifndef WP_LIB_PERFDATA_PERFRECORD_H
#define WP_LIB_PERFDATA_PERFRECORD_H

#include <linux/perf_event.h>
#include <linux/types.h>

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

#endif /* WP_LIB_PERFDATA_PERFRECORD_H */
