// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the summary of the record command says of each event that was sampled: its
 * samples, what its filter left out, and whether it was counted all the time. Called by
 * summary.c, once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record/eventlines.h"
#include "cmd/record/line.h"
#include "lib/base/text.h"

#define TOP_EVENTS	10
#define FILTER_COLUMNS	60	/* of a filter's text behind a name */
#define NAME_ROOM	(sizeof(((struct wp_event *)0)->name) + FILTER_COLUMNS + 32)

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

static bool has_namesake(const struct wp_record_opts *o, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < o->events.nr; i++) {
		if (i != nr && !strcmp(o->events.event[i].name, o->events.event[nr].name))
			return true;
	}
	return false;
}

/* Of several events of a name, each has its filter behind it. */
static const char *name_of(const struct wp_record_opts *o, unsigned int nr, char *buf, size_t size)
{
	const struct wp_event *ev = &o->events.event[nr];
	const char *text = ev->filter_text ? ev->filter_text : "";
	bool is_long = strlen(text) > FILTER_COLUMNS;
	int len = is_long ? FILTER_COLUMNS - 3 : FILTER_COLUMNS;

	if ((!*text && !ev->exclude_self) || !has_namesake(o, nr))
		return ev->name;
	snprintf(buf, size, "%s (%.*s%s%s%s)", ev->name, len, text, is_long ? "..." : "",
		 *text && ev->exclude_self ? ", " : "", ev->exclude_self ? "--exclude-perf" : "");
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
	char name[NAME_ROOM];
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
			      wp_plural(rows[i].samples),
			      name_of(o, rows[i].nr, name, sizeof(name)));
		else
			others += rows[i].samples;
	}
	if (others)
		print("%" PRIu64 " sample%s of %u others", (uint64_t)others, wp_plural(others),
		      i - TOP_EVENTS);
	if (without)
		print("no sample of %u event%s", without, wp_plural(without));
	free(rows);
}

/* What filters, and the room for records, left of the events. */
static void print_filters(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	char name[NAME_ROOM];
	unsigned int i;

	for (i = 0; i < o->events.nr; i++) {
		const struct wallprof_count *c = &s->events[i].count;

		if (o->events.event[i].filter)
			print("the filter of %s left out %" PRIu64,
			      name_of(o, i, name, sizeof(name)), (uint64_t)c->filtered);
		if (c->unfit)
			print("%" PRIu64 " of %s could not be tested: a record ends before a field, or the search in its texts took too long",
			      (uint64_t)c->unfit, name_of(o, i, name, sizeof(name)));
		if (s->events[i].cut)
			print("%" PRIu64 " record%s of %s cut: of each, the first %zu bytes are kept",
			      (uint64_t)s->events[i].cut, wp_plural(s->events[i].cut),
			      name_of(o, i, name, sizeof(name)),
			      WALLPROF_MAX_STACK * sizeof(__u64));
	}
}

/* Whether an event took turns with others, and its share of the time. */
static bool took_turns(const struct wallprof_count *c, double *percent)
{
	*percent = 100 * seconds(c->running_ns) / seconds(c->enabled_ns);
	return c->running_ns && c->running_ns < c->enabled_ns - c->enabled_ns / 100;
}

static bool was_idle(const struct wallprof_count *c)
{
	return !c->running_ns && c->enabled_ns;
}

/* Each by itself, or how many they are. */
static void print_turns(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	unsigned int i, turns = 0, idle = 0;
	double percent, least = 100, most = 0;

	for (i = 0; i < o->events.nr; i++) {
		idle += was_idle(&s->events[i].count);
		if (!took_turns(&s->events[i].count, &percent))
			continue;
		turns++;
		least = percent < least ? percent : least;
		most = percent > most ? percent : most;
	}
	if (idle > TOP_EVENTS)
		print("%u events were not counted at all: others had all counters of the PMU",
		      idle);
	if (turns > TOP_EVENTS)
		print("%u events were counted for %.1f to %.1f %% of the time: there are fewer counters than events",
		      turns, least, most);
	for (i = 0; i < o->events.nr; i++) {
		if (idle <= TOP_EVENTS && was_idle(&s->events[i].count))
			print("%s was not counted at all: others had all counters of the PMU",
			      o->events.event[i].name);
		if (turns <= TOP_EVENTS && took_turns(&s->events[i].count, &percent))
			print("%s was counted for %.1f %% of the time: there are fewer counters than events",
			      o->events.event[i].name, percent);
	}
}

/**
 * wp_record_event_lines() - print the lines of several events, and of such as took turns
 * @o: the options
 * @s: the statistics
 */
void wp_record_event_lines(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	if (o->events.nr > 1)
		print_samples(o, s);
	print_filters(o, s);
	print_turns(o, s);
}
