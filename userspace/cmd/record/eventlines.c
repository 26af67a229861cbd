// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the summary of the record command says of each event that was sampled: its
 * samples, and whether it was counted all the time. Called by summary.c, once.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/record/eventlines.h"
#include "cmd/record/line.h"

#define TOP_EVENTS	10

/**
 * wp_record_event_name() - the name of the only event, or how many there are
 * @o: the options
 * @buf: room for it
 * @size: of @buf
 *
 * Return: the name, in @buf or elsewhere.
 */
const char *wp_record_event_name(const struct wp_record_opts *o, char *buf, size_t size)
{
	if (o->events.nr == 1)
		return o->events.event[0].name;
	snprintf(buf, size, "%u events", o->events.nr);
	return buf;
}

struct row {
	__u64 samples;
	unsigned int nr;
};

static int by_samples(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->nr < b->nr ? -1 : 1;
}

/* Those with the most samples first. */
static void print_samples(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	struct row *rows = calloc(o->events.nr, sizeof(*rows));
	unsigned int i, without = 0;
	__u64 others = 0;

	for (i = 0; rows && i < o->events.nr; i++) {
		rows[i] = (struct row){ s->events[i].samples, i };
		without += !s->events[i].samples;
	}
	if (rows)
		qsort(rows, o->events.nr, sizeof(*rows), by_samples);
	for (i = 0; rows && i < o->events.nr && rows[i].samples; i++) {
		if (i < TOP_EVENTS)
			print("%" PRIu64 " sample%s of %s", (uint64_t)rows[i].samples,
			      plural(rows[i].samples), o->events.event[rows[i].nr].name);
		else
			others += rows[i].samples;
	}
	if (others)
		print("%" PRIu64 " sample%s of %u others", (uint64_t)others, plural(others),
		      i - TOP_EVENTS);
	if (without)
		print("no sample of %u event%s", without, plural(without));
	free(rows);
}

/**
 * wp_record_event_lines() - print the lines of several events, and of such as took turns
 * @o: the options
 * @s: the statistics
 */
void wp_record_event_lines(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	unsigned int i;

	if (o->events.nr > 1)
		print_samples(o, s);
	for (i = 0; i < o->events.nr; i++) {
		const struct wallprof_count *c = &s->events[i].count;

		if (o->events.event[i].filter)
			print("the filter of %s left out %" PRIu64, o->events.event[i].name,
			      (uint64_t)c->filtered);
		if (c->unfit)
			print("%" PRIu64 " of %s could not be tested: the records end before a field",
			      (uint64_t)c->unfit, o->events.event[i].name);
		if (!c->running_ns && c->enabled_ns)
			print("%s was not counted at all: others had all counters of the PMU",
			      o->events.event[i].name);
		else if (c->running_ns < c->enabled_ns - c->enabled_ns / 100)
			print("%s was counted for %.1f %% of the time: there are fewer counters than events",
			      o->events.event[i].name,
			      100 * seconds(c->running_ns) / seconds(c->enabled_ns));
	}
}
