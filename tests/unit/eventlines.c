// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of eventlines.c: what the record command says at its end about many events, and
 * about several of one name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/eventlines.h"
#include "lib/perfdata/filter.h"
#include "tap.h"

#define NR	24

static struct wp_event events[NR];
static struct wp_event_stats stats[NR];
static struct wp_filter filter;

static void reset(void)
{
	unsigned int i;

	memset(events, 0, sizeof(events));
	memset(stats, 0, sizeof(stats));
	for (i = 0; i < NR; i++) {
		snprintf(events[i].name, sizeof(events[i].name), "event%u", i);
		stats[i].count.enabled_ns = 1000000000;
		stats[i].count.running_ns = 1000000000;
		stats[i].samples = 100 - i;
	}
}

/* The lines of the first @nr events. */
static const char *lines(unsigned int nr)
{
	const struct wp_record_opts o = { .events = { .event = events, .nr = nr } };
	const struct wp_record_stats s = { .events = stats };
	static char text[16384];
	FILE *out = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t len;

	if (!out || before < 0)
		abort();
	fflush(stderr);
	dup2(fileno(out), STDERR_FILENO);
	wp_record_event_lines(&o, &s);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = 0;
	fclose(out);
	return text;
}

static unsigned int times(const char *text, const char *word)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		nr++;
	return nr;
}

static bool says(const char *text, const char *line)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "[ wallprof record: %s ]\n", line);
	return times(text, whole) == 1;
}

static void test_turns(void)
{
	const char *text;
	unsigned int i;

	reset();
	ok(!times(lines(NR), "counted"), "nothing of those that were counted all the time");
	for (i = 0; i < 10; i++)
		stats[i].count.running_ns = 100000000 * (i + 1) / 2;
	text = lines(NR);
	ok(times(text, "was counted for") == 10 &&
	   says(text, "event3 was counted for 20.0 % of the time: there are fewer counters than events"),
	   "of ten that took turns, each has its line");
	for (i = 10; i < 12; i++)
		stats[i].count.running_ns = 625000000;
	text = lines(NR);
	ok(times(text, "counted for") == 1 &&
	   says(text, "12 events were counted for 5.0 to 62.5 % of the time: there are fewer counters than events"),
	   "more have one");
	stats[12].count.running_ns = 0;
	text = lines(NR);
	ok(says(text, "event12 was not counted at all: others had all counters of the PMU") &&
	   times(text, "counted for") == 1, "besides, one that was not counted at all");
	for (i = 12; i < NR; i++)
		stats[i].count.running_ns = 0;
	text = lines(NR);
	ok(times(text, "not counted") == 1 &&
	   says(text, "12 events were not counted at all: others had all counters of the PMU"),
	   "and many of these");
}

static void test_namesakes(void)
{
	static char small[] = "prio < 5", large[256];
	const char *text;
	unsigned int i;

	reset();
	memset(large, 'x', sizeof(large) - 1);
	for (i = 0; i < 5; i++) {
		strcpy(events[i].name, "sched:sched_switch");
		events[i].filter = &filter;
		stats[i].count.filtered = i;
	}
	events[0].filter_text = small;
	events[1].filter_text = large;
	events[2].exclude_self = true;
	events[3].filter_text = small;
	events[3].exclude_self = true;
	events[4].filter = NULL;
	strcpy(events[5].name, "sched:other");
	events[5].filter_text = small;
	events[5].filter = &filter;
	text = lines(6);
	ok(says(text, "100 samples of sched:sched_switch (prio < 5)") &&
	   says(text, "the filter of sched:sched_switch (prio < 5) left out 0"),
	   "of several events of a name, each has its filter");
	ok(says(text, "the filter of sched:sched_switch (xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...) left out 1"),
	   "the first part of a long one");
	ok(says(text, "the filter of sched:sched_switch (--exclude-perf) left out 2") &&
	   says(text, "the filter of sched:sched_switch (prio < 5, --exclude-perf) left out 3"),
	   "and that wallprof itself is left out");
	ok(says(text, "96 samples of sched:sched_switch"), "nothing, if it has none");
	ok(says(text, "95 samples of sched:other") &&
	   says(text, "the filter of sched:other left out 0"), "one of another name has only that");
}

static void test_records(void)
{
	const char *text;

	reset();
	stats[0].cut = 3;
	stats[1].cut = 1;
	stats[1].count.unfit = 7;
	text = lines(2);
	ok(says(text, "3 records of event0 cut: of each, the first 1016 bytes are kept") &&
	   says(text, "1 record of event1 cut: of each, the first 1016 bytes are kept"),
	   "records that are cut");
	ok(says(text, "7 of event1 could not be tested: a record ends before a field, or the search in its texts took too long"),
	   "records that could not be tested");
}

int main(void)
{
	test_turns();
	test_namesakes();
	test_records();
	return done();
}
