// SPDX-License-Identifier: GPL-2.0
/*
 * Describes the events of a perf.data file, each with the attributes by which readers know
 * what its samples are. Called before a file is opened, by the commands that record.
 */
#include <stdio.h>
#include <string.h>

#include "lib/perfdata/eventattrs.h"
#include "lib/perfdata/events.h"
#include "lib/perfdata/rawsample.h"
#include "lib/perfdata/tracepoint.h"

/**
 * wp_perfdata_event_oncpu() - describe an event that is sampled
 * @out: filled in
 * @ev: the event, settled
 *
 * A tracepoint is written as a software event with its name: its samples have no raw data
 * here, and perf refuses a file with a tracepoint but without the formats of its fields.
 */
void wp_perfdata_event_oncpu(struct wp_perfdata_event *out, const struct wp_event *ev)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", ev->name);
	wp_event_to_attr(ev, &out->attr);
	if (ev->type == PERF_TYPE_TRACEPOINT) {
		out->attr.type = PERF_TYPE_SOFTWARE;
		out->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	}
	out->attr.freq = ev->freq != 0;
	if (ev->freq)
		out->attr.sample_freq = ev->freq;
	else
		out->attr.sample_period = ev->period;
}

/*
 * perf record --off-cpu writes a bpf-output event. Without a raw payload perf 5.10 cannot
 * parse its samples, and with one perf 7 takes it for a direct sample in a layout of its
 * own. So these are software events of another kind, context-switches, with their name in
 * EVENT_DESC, which all readers use. The period of a sample is in nanoseconds.
 */
static void event_of_time(struct wp_perfdata_event *out, const char *name)
{
	memset(out, 0, sizeof(*out));
	strcpy(out->name, name);
	out->attr.type = PERF_TYPE_SOFTWARE;
	out->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	out->attr.sample_period = 1;
}

/**
 * wp_perfdata_event_offcpu() - describe the event of the off-CPU samples
 * @out: filled in
 *
 * As in perf record --off-cpu: all off-CPU time, including runnable time.
 */
void wp_perfdata_event_offcpu(struct wp_perfdata_event *out)
{
	event_of_time(out, "offcpu-time");
}

/**
 * wp_perfdata_event_runnable() - describe the event of the runnable times
 * @out: filled in
 *
 * The runnable part of offcpu-time. It is an event of its own, as readers add up the
 * periods of one event.
 */
void wp_perfdata_event_runnable(struct wp_perfdata_event *out)
{
	event_of_time(out, "runnable-time");
}

/**
 * wp_perfdata_event_wakeup() - describe the event of the times ended by wakers
 * @out: filled in
 *
 * Its samples belong to the waker, since readers look up the symbols of a sample's stack
 * in the sample's process; the periods are the blocked times of the woken threads.
 */
void wp_perfdata_event_wakeup(struct wp_perfdata_event *out)
{
	event_of_time(out, "wakeup-time");
}

/**
 * wp_perfdata_event_raw() - give the samples of an event a raw payload
 * @out: the event, of wp_perfdata_event_offcpu() or _runnable()
 * @shows: parts that readers print, the same for all events of a file: see
 *	wp_raw_format()
 *
 * Readers only understand payloads of tracepoints, which the file describes.
 */
void wp_perfdata_event_raw(struct wp_perfdata_event *out, unsigned int shows)
{
	out->raw_shows = shows;
	out->attr.type = PERF_TYPE_TRACEPOINT;
	out->attr.config = WP_RAW_ID;
	out->attr.sample_type = PERF_SAMPLE_RAW;
}

/**
 * wp_perfdata_event_cause() - give the samples of an event the short payload
 * @out: the event, of wp_perfdata_event_offcpu() or _runnable()
 *
 * Other readers still see the same event: see &struct wp_offcpu_raw.
 */
void wp_perfdata_event_cause(struct wp_perfdata_event *out)
{
	out->attr.sample_type = PERF_SAMPLE_RAW;
}

/**
 * wp_perfdata_event_tracepoint() - describe an event of one of the kernel's tracepoints
 * @out: filled in
 * @tp: the tracepoint, which must stay valid until wp_perfdata_open() returns
 *
 * perf sched and others find it by its name, as "sched:sched_switch". The raw payload of
 * each sample has @tp->size bytes in the tracepoint's own format.
 */
void wp_perfdata_event_tracepoint(struct wp_perfdata_event *out,
				  const struct wp_tracepoint *tp)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s:%s", tp->system, tp->name);
	out->tracepoint = tp;
	out->attr.type = PERF_TYPE_TRACEPOINT;
	out->attr.config = tp->id;
	out->attr.sample_period = 1;
	out->attr.sample_type = PERF_SAMPLE_RAW;
}

/**
 * wp_perfdata_event_sideband() - describe the event of mmap, comm, fork, exit
 * @out: filled in
 */
void wp_perfdata_event_sideband(struct wp_perfdata_event *out)
{
	memset(out, 0, sizeof(*out));
	strcpy(out->name, "dummy:HG");
	out->attr.type = PERF_TYPE_SOFTWARE;
	out->attr.config = PERF_COUNT_SW_DUMMY;
	out->attr.sample_period = 1;
	out->attr.mmap = 1;
	out->attr.mmap2 = 1;
	out->attr.comm = 1;
	out->attr.comm_exec = 1;
	out->attr.task = 1;
}
