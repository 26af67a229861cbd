// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the order of records: beside a sort that compares each with each, for records
 * from one source, from several, and without any order; for those that a flush leaves; and
 * for samples that are not added, but passed, while more are added.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/sorter.h"
#include "tap.h"

#define RECORDS 300

struct record {
	struct perf_event_header header;
	__u64 time, nr;
};

static struct record waiting[2 * RECORDS];
static unsigned int nr_waiting, delivered, bad;
static __u64 next_nr, seed;

static unsigned int draw(unsigned int below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

static int rank(const struct record *rec)
{
	return rec->header.type == PERF_RECORD_EXIT ? 2 :
	       rec->header.type == PERF_RECORD_SAMPLE;
}

static bool is_before(const struct record *a, const struct record *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return rank(a) != rank(b) ? rank(a) < rank(b) : a->nr < b->nr;
}

static void add(struct wp_sorter *s, __u64 time)
{
	static const __u32 types[] = {
		PERF_RECORD_EXIT, PERF_RECORD_SAMPLE, PERF_RECORD_COMM, PERF_RECORD_FORK,
	};
	struct record rec = {
		.header.type = types[draw(4)],
		.header.size = sizeof(rec),
		.time = time,
		.nr = next_nr++,
	};
	void *place;

	if (nr_waiting == 2 * RECORDS) {
		bad++;
		return;
	}
	waiting[nr_waiting++] = rec;
	/* Copied, or made in place. */
	if (draw(2)) {
		bad += wp_sorter_add(s, &rec.header, time) != 0;
		return;
	}
	place = wp_sorter_place(s, 60000);
	memcpy(place, &rec, sizeof(rec));
	bad += wp_sorter_add_placed(s, time) != 0;
}

/* Compare a record with the first one of those that wait, and remove that. */
static int take(void *ctx, struct perf_event_header *header, __u64 time)
{
	unsigned int first = 0, i;
	struct record rec;

	(void)ctx;
	memcpy(&rec, header, sizeof(rec));
	for (i = 1; i < nr_waiting; i++) {
		if (is_before(&waiting[i], &waiting[first]))
			first = i;
	}
	if (!nr_waiting || memcmp(&waiting[first], &rec, sizeof(rec)) || rec.time != time) {
		bad++;
		return 0;
	}
	waiting[first] = waiting[--nr_waiting];
	delivered++;
	return 0;
}

/* What comes before a sample at some times. In between more comes, of any time. */
static void pass(struct wp_sorter *s)
{
	struct record sample = { .header.type = PERF_RECORD_SAMPLE };
	unsigned int i, n;

	for (n = draw(6); n; n--) {
		sample.time += draw(RECORDS / 2);
		sample.nr = next_nr;
		bad += wp_sorter_pass(s, sample.time, take, NULL) != 0;
		for (i = 0; i < nr_waiting; i++)
			bad += is_before(&waiting[i], &sample);
		if (!draw(3) && nr_waiting < 2 * RECORDS - 1)
			add(s, draw(2 * RECORDS));
	}
}

/* Records of @sources, each in order of its own, with some equal times; 0: without order. */
static void run(struct wp_sorter *s, unsigned int sources)
{
	unsigned int i, source, nr = draw(RECORDS);
	__u64 upto = draw(2 * RECORDS), time;

	delivered = 0;
	for (source = 0; source < sources; source++) {
		for (i = 0, time = draw(100); i < nr / sources; i++, time += draw(3))
			add(s, time);
	}
	for (i = 0; !sources && i < nr; i++)
		add(s, draw(2 * RECORDS));
	if (draw(2))
		pass(s);
	bad += wp_sorter_flush(s, upto, take, NULL) != 0;
	for (i = 0; i < nr_waiting; i++)
		bad += waiting[i].time <= upto;
	/* The next run's records come after what this one left. */
	if (nr_waiting < RECORDS && draw(2))
		return;
	bad += wp_sorter_flush(s, ~0ULL, take, NULL) != 0;
	bad += nr_waiting != 0;
}

int main(void)
{
	static const char *const names[] = {
		"without order", "of one source", "of two sources", "of three sources",
	};
	struct wp_sorter s = { 0 };
	unsigned int sources, i;

	for (sources = 0; sources < 4; sources++) {
		seed = sources;
		for (i = 0; i < 200; i++)
			run(&s, sources);
		bad += wp_sorter_flush(&s, ~0ULL, take, NULL) != 0 || nr_waiting;
		ok(!bad, "records %s are delivered in order", names[sources]);
		bad = 0;
	}
	wp_sorter_free(&s);
	return done();
}
