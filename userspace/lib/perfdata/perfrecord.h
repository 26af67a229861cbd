/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record of a perf.data file. perfrecords.c reads records, perfsample.c parses their
 * fields.
 */
#ifndef WP_LIB_PERFDATA_PERFRECORD_H
#define WP_LIB_PERFDATA_PERFRECORD_H

#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct wp_perfrecord - a record with its parsed fields
 * @header: the complete record; only its size has been checked. PERF_RECORD_SAMPLE,
 *	_COMM, _FORK, _EXIT, _MMAP, _MMAP2, _LOST, _LOST_SAMPLES and all other types of
 *	the kernel; none of perf's own types
 * @event: index of its event
 * @sample_type: the valid ones of the following fields (PERF_SAMPLE_...); the others are
 *	0
 * @pid: process, -1 if unknown
 * @tid: thread
 * @cpu: CPU
 * @time: ns of the file's clock
 * @id: of the event
 * @period: weight of a sample
 * @ip: instruction address
 * @chain: call chain, with PERF_CONTEXT_ words in it, or NULL
 * @nr_chain: its words
 * @raw: payload, or NULL; for a tracepoint of at least the size of its format
 * @raw_size: its size
 *
 * In records other than samples, pid to id are those that sample_id_all appends. All
 * pointers are valid until the callback returns; @chain may be read as words.
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
