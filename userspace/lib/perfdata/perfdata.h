/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a perf.data file that every perf from 5.10 to 7 reads. Used by the record
 * command; batch.c sorts records by time before they come here.
 *
 *	struct wp_perfdata_event ev[4];
 *	unsigned int nr = 0;
 *
 *	wp_perfdata_event_oncpu(&ev[nr++], &event);
 *	wp_perfdata_event_offcpu(&ev[nr++]);
 *	wp_perfdata_event_runnable(&ev[nr++]);
 *	wp_perfdata_event_sideband(&ev[nr++]);
 *	ret = wp_perfdata_open(&pd, &(struct wp_perfdata_options){
 *		.path = path, .events = ev, .nr_events = nr,
 *		.argc = argc, .argv = argv });
 *	...
 *	wp_perfdata_write_record(), wp_perfdata_write_sample(), or the batch
 *	...
 *	ret = wp_perfdata_close(pd, buildids);
 *
 * An event is identified by its index in @events. The order decides the order in perf
 * report. Leave out the events that are not recorded; keep the sideband.
 *
 * Whatever happens to the process after wp_perfdata_open(), SIGKILL included, the file
 * stays readable up to the last write of the buffer.
 */
#ifndef WP_LIB_PERFDATA_PERFDATA_H
#define WP_LIB_PERFDATA_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfdata/eventattrs.h"
#include "lib/perfdata/samplerecord.h"
#include "lib/symbols/buildids.h"

struct wp_perfdata;

/*
 * The sample type of every event, the dummy included. With another type on the dummy perf
 * sched cannot find threads.
 */
#define WP_PERFDATA_SAMPLE_TYPE						\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
	 PERF_SAMPLE_CALLCHAIN)

/* Readers, ours among them, take no more. */
#define WP_PERFDATA_MAX_EVENTS	4096

/**
 * struct wp_sample_id - trailer of each record that is no sample
 * @pid: process, in the reader's pid namespace
 * @tid: thread
 * @time: ns of CLOCK_MONOTONIC; 0 for the state before the session
 * @cpu: CPU
 * @res: 0
 * @id: the id of (event, CPU)
 *
 * This is what sample_id_all adds for WP_PERFDATA_SAMPLE_TYPE.
 */
struct wp_sample_id {
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u32 cpu;
	__u32 res;
	__u64 id;
};

/**
 * struct wp_perfdata_options - options of a file
 * @path: its name; NULL: perf.data
 * @events: the events, in the order of perf report's output
 * @nr_events: their number, at most WP_PERFDATA_MAX_EVENTS
 * @cpus: CPUs that have ids; NULL: all that are present, which is right except in tests
 * @nr_cpus: their number
 * @argc: arguments of the command, for the header
 * @argv: the same
 * @version: version of the program; NULL: wallprof's own
 * @buffer_size: size of the write buffer; 0: 1 MiB
 * @level: zstd's compression level for records, 0 for none, which all readers read
 * @attr_size: see attrsize.h; 0: wp_attrsize_here()
 */
struct wp_perfdata_options {
	const char *path;
	const struct wp_perfdata_event *events;
	unsigned int nr_events;
	const int *cpus;
	unsigned int nr_cpus;
	int argc;
	char *const *argv;
	const char *version;
	size_t buffer_size;
	int level;
	unsigned int attr_size;
};

bool wp_perfdata_is_regular(const struct wp_perfdata *pd);
__u64 wp_perfdata_dup_close(int fd);
void wp_perfdata_discard(struct wp_perfdata *pd);
int wp_perfdata_open(struct wp_perfdata **out, const struct wp_perfdata_options *opt);
__u64 wp_perfdata_id(const struct wp_perfdata *pd, unsigned int event, int cpu);
size_t wp_perfdata_encode_sample(const struct wp_perfdata *pd,
				 const struct wp_perfdata_sample *s, void *buf, size_t size);
int wp_perfdata_write_sample(struct wp_perfdata *pd, const struct wp_perfdata_sample *s);
int wp_perfdata_write_again(struct wp_perfdata *pd, const struct wp_perfdata_sample *s);
int wp_perfdata_write_record(struct wp_perfdata *pd, const struct perf_event_header *rec);
int wp_perfdata_write_lost(struct wp_perfdata *pd, unsigned int event, __u32 cpu,
			   __u64 time, __u64 lost);
int wp_perfdata_finished_round(struct wp_perfdata *pd);
int wp_perfdata_flush(struct wp_perfdata *pd);
int wp_perfdata_close(struct wp_perfdata *pd, struct wp_buildids *ids);
__u64 wp_perfdata_kept(const struct wp_perfdata *pd);
int wp_perfdata_dup(const struct wp_perfdata *pd);
void wp_perfdata_abort(struct wp_perfdata *pd);

__u64 wp_perfdata_samples(const struct wp_perfdata *pd);

#endif /* WP_LIB_PERFDATA_PERFDATA_H */
