// SPDX-License-Identifier: GPL-2.0
/*
 * record --timeline: writes every switch and wakeup to the same file as the sums, with
 * the stacks of the sums. Called by the other files of the record command.
 */
#include <errno.h>

#include "lib/perfdata/perfdata.h"
#include "lib/record/session.h"
#include "lib/record/timeline.h"

/**
 * wp_recording_open_timeline() - describe the events of the timeline
 * @r: the recording
 * @events: filled in; room for WP_TIMELINE_EVENTS
 * @first: index in the file of the first one
 * @nr: set to their number, 0 without --timeline
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_open_timeline(struct wp_recording *r, struct wp_perfdata_event *events,
			       unsigned int first, unsigned int *nr)
{
	int err;

	*nr = 0;
	if (!r->o.timeline)
		return 0;
	err = wp_timeline_new(&r->timeline, NULL, false);
	if (err)
		return err;
	r->switches = first;
	*nr = wp_timeline_events(r->timeline, events);
	return 0;
}

static int add_sample(void *ctx, const struct wp_perfdata_sample *sample)
{
	struct wp_perfdata_sample interpreted = *sample;
	__u64 ips[WALLPROF_MAX_STACK];
	struct wp_recording *r = ctx;
	int err;

	err = wp_recording_interpret(r, &interpreted, ips);
	return err ? err : wp_batch_add_sample(r->batch, &interpreted);
}

static int add_lost(void *ctx, __u32 cpu, __u64 time, __u64 lost)
{
	struct wp_recording *r = ctx;

	return wp_perfdata_write_lost(r->pd, r->switches, cpu, time, lost);
}

/**
 * wp_recording_begin_timeline() - prepare for the timeline's events
 * @r: the recording, started
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_begin_timeline(struct wp_recording *r)
{
	const struct wp_timeline_options opt = {
		.nr_cpus = r->dev.info.nr_cpus,
		.start = r->s.start,
		.all = r->o.target.kind == WALLPROF_TARGET_ALL,
		.first = r->switches,
		.stacks = r->dev.conf.flags & WALLPROF_TIMELINE_STACKS ? &r->stacks : NULL,
		.sample = add_sample,
		.lost = add_lost,
		.ctx = r,
	};

	return r->timeline ? wp_timeline_begin(r->timeline, &opt) : 0;
}

/**
 * wp_recording_drain_timeline() - queue the timeline's events for writing
 * @r: the recording; the stacks of the retired epoch have been read
 * @upto: what happened up to this time is complete; lowered if it is not
 * @last: the session is stopped
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_drain_timeline(struct wp_recording *r, __u64 *upto, bool last)
{
	int err;

	if (!r->timeline)
		return 0;
	if (last) {
		err = wp_timeline_end(r->timeline, &r->dev);
		wp_timeline_stats(r->timeline, &r->s.timeline);
		return err;
	}
	err = wp_timeline_drain(r->timeline, &r->dev, upto);
	return err ? err : wp_timeline_flush(r->timeline, *upto);
}
