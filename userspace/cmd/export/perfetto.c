// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof export --perfetto: the scheduler's events and the samples of a recording, as a
 * trace for ui.perfetto.dev and trace_processor.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/missing-symbols.h"
#include "cmd/export/export.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/memmaps.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/perfetto/pfsamples.h"
#include "lib/perfetto/pfsched.h"
#include "lib/perfetto/pftrace.h"
#include "lib/profile/blockedin.h"
#include "lib/profile/profstacks.h"
#include "lib/profile/schedevents.h"

/**
 * struct work - a trace that is being written
 * @file: the recording
 * @records: its records
 * @events: the scheduler's events in them
 * @maps: its processes' mappings
 * @functions: the names of functions
 * @trace: the trace
 * @sched: its events
 * @samples: its samples
 * @timeline: there are switches and wakeups
 * @last: time of the last record so far
 */
struct work {
	struct wp_perffile file;
	struct wp_perfrecords *records;
	struct wp_schedevents *events;
	struct wp_memmaps *maps;
	struct wp_profstacks *functions;
	struct wp_pftrace *trace;
	struct wp_pfsched *sched;
	struct wp_pfsamples *samples;
	bool timeline;
	__u64 last;
};

/*
 * PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES, except losses that are events of the
 * timeline.
 */
static __u64 lost_in(const struct work *w, const struct perf_event_header *rec)
{
	__u64 lost = 0;
	size_t at = sizeof(*rec);

	if (rec->type == PERF_RECORD_LOST)
		at += sizeof(__u64);
	else if (rec->type != PERF_RECORD_LOST_SAMPLES)
		return 0;
	if (w->timeline || rec->size < at + sizeof(lost))
		return 0;
	memcpy(&lost, (const char *)rec + at, sizeof(lost));
	return lost;
}

/* Switches and wakeups are exported already, except for their stacks. */
static bool is_sample(const struct work *w, const struct wp_perfrecord *rec)
{
	const struct wp_perfevents *events = wp_perfrecords_events(w->records);

	if (rec->header->type != PERF_RECORD_SAMPLE)
		return false;
	return events->event[rec->event].attr.type != PERF_TYPE_TRACEPOINT || rec->nr_chain;
}

static int add_sample(struct work *w, const struct wp_perfrecord *rec, __s32 running)
{
	struct wp_perfrecord sample = *rec;
	int err;

	/* An exiting thread has no id any more. */
	if (sample.tid < 0)
		sample.tid = running;
	err = wp_pfsched_sample(w->sched, sample.pid, sample.tid, sample.time);
	return err ? err : wp_pfsamples_add(w->samples, &sample);
}

static int add_event(struct work *w, const struct wp_schedevent *ev)
{
	const char *function;
	bool io;
	int err;

	err = wp_pfsched_event(w->sched, ev);
	function = err ? NULL : wp_blockedin(w->functions, ev, &io);
	return function ? wp_pfsched_blocked(w->sched, ev, function, io) : err;
}

static int add_record(void *ctx, const struct wp_perfrecord *rec)
{
	struct wp_schedevent ev;
	struct work *w = ctx;
	__s32 running;
	int err;

	if (rec->time > w->last)
		w->last = rec->time;
	err = wp_memmaps_record(w->maps, rec->header);
	if (err)
		return err;
	running = wp_pfsched_running(w->sched, rec->cpu);
	err = wp_schedevents_decode(w->events, rec, &ev);
	if (err < 0)
		wp_err("no memory for the scheduler's events");
	if (err > 0)
		err = add_event(w, &ev);
	if (!err && is_sample(w, rec))
		err = add_sample(w, rec, running);
	return err ? err : wp_pfsamples_lost(w->samples, rec, lost_in(w, rec->header));
}

/* The clock of the recording: all its events have the same. */
static int clockid_of(const struct wp_perfrecords *records)
{
	const struct wp_perfevents *events = wp_perfrecords_events(records);
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (events->event[i].attr.use_clockid)
			return events->event[i].attr.clockid;
	}
	return WP_PF_NO_CLOCKID;
}

static int open_functions(struct work *w, const struct wp_export *e)
{
	struct wp_symbols_options options = e->samples.symbols;
	char *release = wp_perffile_string(&w->file, WP_FEAT_OSRELEASE);
	int err;

	options.release = release;
	err = wp_profstacks_new(&w->functions, w->maps, &options);
	free(release);
	return err;
}

static int open_work(struct work *w, const struct wp_export *e)
{
	int err;

	err = wp_perffile_open(&w->file, e->samples.input);
	if (!err)
		err = wp_perfrecords_open(&w->records, &w->file, e->samples.input);
	if (!err)
		err = wp_schedevents_new(&w->events, w->records);
	if (err == -ENOMEM)
		wp_err("no memory to read %s", e->samples.input);
	if (err)
		return err;
	w->timeline = wp_schedevents_any(w->events);
	w->maps = wp_memmaps_new(&w->file);
	if (!w->maps)
		return -ENOMEM;
	err = open_functions(w, e);
	if (!err)
		err = wp_pftrace_open(&w->trace, e->output, &w->file, clockid_of(w->records));
	if (!err)
		err = wp_pfsched_new(&w->sched, w->trace, w->timeline);
	if (!err)
		err = wp_pfsamples_new(&w->samples, w->trace, w->maps, w->functions,
				       wp_perfrecords_events(w->records));
	return err;
}

static const char *next_missing(const void *ctx, size_t *at, const char **path)
{
	return wp_profstacks_trouble(ctx, at, path);
}

static void warn(const struct work *w, const char *input)
{
	struct wp_perfrecords_stats records;
	struct wp_pfsamples_stats samples;
	struct wp_pfsched_stats sched;

	wp_perfrecords_stats(w->records, &records);
	wp_pfsamples_stats(w->samples, &samples);
	wp_pfsched_stats(w->sched, &sched);
	if (records.damaged)
		wp_warn("%" PRIu64 " records of %s are damaged and left out",
			(uint64_t)records.damaged, input);
	if (sched.lost + samples.lost)
		wp_warn("%" PRIu64 " events were lost while %s was recorded; Perfetto shows where",
			(uint64_t)(sched.lost + samples.lost), input);
	if (sched.left_out + samples.left_out)
		wp_warn("%" PRIu64 " events of CPUs from %d on are left out: Perfetto takes no more CPUs",
			(uint64_t)(sched.left_out + samples.left_out), WP_PF_CPUS);
	if (!sched.switches)
		wp_warn("%s has no switches, so the trace has no slices: record again, with 'wallprof record --timeline' or 'wallprof sched record'; 'wallprof flame' shows what is in this one",
			input);
	if (wp_memmaps_dropped(w->maps))
		wp_warn("%" PRIu64 " mappings of processes are too many: addresses there have no file",
			(uint64_t)wp_memmaps_dropped(w->maps));
	wp_warn_unread_stacks(input, &w->file, wp_perfrecords_events(w->records));
	wp_warn_missing_symbols(next_missing, w->functions);
}

static void print_summary(const struct work *w, const struct wp_export *e, __u64 bytes)
{
	struct wp_pfsamples_stats samples;
	struct wp_pfsched_stats sched;
	char slices[40] = "";

	wp_pfsamples_stats(w->samples, &samples);
	wp_pfsched_stats(w->sched, &sched);
	if (!strcmp(e->output, "-"))
		return;
	if (sched.switches)
		snprintf(slices, sizeof(slices), "%" PRIu64 " slice%s, ", (uint64_t)sched.switches,
			 sched.switches == 1 ? "" : "s");
	wp_text_print(stderr, "[ wallprof export: Wrote %.3f MB %s (%s%" PRIu64 " sample%s) ]\n",
		      (double)bytes / 1024 / 1024, e->output, slices, (uint64_t)samples.samples,
		      samples.samples == 1 ? "" : "s");
}

static int write_trace(struct work *w, const struct wp_export *e)
{
	struct wp_pftrace *trace;
	__u64 bytes;
	int err;

	wp_perfrecords_show_progress(w->records);
	err = wp_perfrecords_read(w->records, add_record, w);
	if (!err && !wp_pftrace_begun(w->trace)) {
		wp_err("%s has neither switches nor samples: there is nothing to export",
		       e->samples.input);
		err = -ENODATA;
	}
	if (!err)
		err = wp_pfsched_end(w->sched, w->last);
	if (err)
		return err;
	trace = w->trace;
	w->trace = NULL;
	err = wp_pftrace_close(trace, &bytes);
	if (err)
		return err;
	warn(w, e->samples.input);
	print_summary(w, e, bytes);
	return 0;
}

/**
 * wp_export_perfetto() - write a trace for Perfetto
 * @e: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_export_perfetto(const struct wp_export *e)
{
	struct work w = { .file.fd = -1 };
	int err;

	err = open_work(&w, e);
	if (!err)
		err = write_trace(&w, e);
	wp_pfsamples_free(w.samples);
	wp_pfsched_free(w.sched);
	wp_pftrace_abandon(w.trace);
	wp_profstacks_free(w.functions);
	wp_memmaps_free(w.maps);
	if (w.events)
		wp_schedevents_free(w.events);
	if (w.records)
		wp_perfrecords_free(w.records);
	wp_perffile_close(&w.file);
	return err;
}
