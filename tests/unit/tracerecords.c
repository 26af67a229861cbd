// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tracerecords.c: records as the module keeps them, whole and cut short, become
 * payloads as the kernel's are, within the bytes that they have; and what samples are summed
 * by becomes one of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/record/tracerecords.h"
#include "formats.h"
#include "tap.h"

#define MOST	(WALLPROF_MAX_STACK * 8)

static const char exec_6_1[] =
	HEAD("sched_process_exec", "305") COMMON
	FIELD("__data_loc char[] filename", 8, 4, 1)
	FIELD("pid_t pid", 12, 4, 1)
	FIELD("pid_t old_pid", 16, 4, 1)
	PRINT("\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid");

/* As those of dma_map_sg since 6.11, and one whose position counts from its field on. */
static const char arrays[] =
	HEAD("arrays", "306") COMMON
	FIELD("__data_loc u64[] phys_addrs", 8, 4, 0)
	PRINT("\"%s\", __print_array(__get_dynamic_array(phys_addrs), 1, 8)");
static const char relative[] =
	HEAD("relative", "307") COMMON
	FIELD("__rel_data_loc u8[] buf", 8, 4, 0)
	PRINT("\"%s\", __print_hex(__get_rel_dynamic_array(buf), 1)");

static struct wp_tracerecords_event events[4];
static const struct wp_tracerecords records = { events, 4 };

/* A record of some bytes, as the module keeps it; the text is at the end, if there is one. */
static struct wp_stack *kept(size_t bytes, __u32 place)
{
	size_t words = (bytes + 7) / 8 < WALLPROF_MAX_STACK ? (bytes + 7) / 8 : WALLPROF_MAX_STACK;
	struct wp_stack *stack = calloc(1, sizeof(*stack) + words * 8);
	char *raw = (char *)stack->ips;

	stack->flags = WALLPROF_STACK_IS_RECORD;
	stack->nr = words;
	memset(raw, 'x', bytes < words * 8 ? bytes : words * 8);
	if (words >= 3)
		memcpy(raw + 8, &place, 4);
	return stack;
}

static bool cut;	/* what the last one was */

/* The payload of a record, in memory of just that size. */
static size_t payload(unsigned int event, size_t bytes, __u32 place, char **raw)
{
	struct wp_perfdata_sample sample = { 0 };
	char *buf = malloc(WP_TRACEPOINT_MAX);
	struct wp_stack *stack = kept(bytes, place);
	struct wp_sample s = { .event = event, .waker = stack, .tid = 7 };

	memset(buf, 'y', WP_TRACEPOINT_MAX);
	cut = wp_tracerecords_encode(&records, &s, buf, &sample);
	free(stack);
	*raw = buf;
	return sample.nr_raw;
}

static void test_whole(void)
{
	char *raw;
	size_t n;

	n = payload(0, 20 + 16, 20 | 9 << 16, &raw);
	ok(n == 36 && !memcmp(raw + 12, "xxxxxxxxxxxxxxxxxxxxxxxx", 24), "a record as it was: %zu", n);
	free(raw);
	n = payload(0, MOST - 4, 20 | (MOST - 24) << 16, &raw);
	ok(n == MOST - 4 && !cut, "the longest that is whole: %zu", n);
	free(raw);
	payload(0, MOST, 20 | (MOST - 20) << 16, &raw);
	ok(!cut, "one that just fits is not cut");
	free(raw);
	payload(0, MOST + 4, 20 | (MOST - 20 + 1) << 16, &raw);
	ok(cut, "with a byte more it is");
	free(raw);
}

static void test_cut(void)
{
	char *raw;
	size_t n;

	n = payload(0, 3000, 20 | 2000 << 16, &raw);
	ok(cut && n >= 2020 && (n + 4) % 8 == 0 && raw[MOST - 1] == 'x' && !raw[MOST] && !raw[n - 1],
	   "of one that was longer, the rest is 0: %zu", n);
	free(raw);
	n = payload(0, 8000, 0xffffffff, &raw);
	ok(n <= WP_TRACEPOINT_MAX - 4 && (n + 4) % 8 == 0 && !raw[n - 1],
	   "a text that would end beyond what there is: %zu", n);
	free(raw);
	n = payload(0, 4, 0, &raw);
	ok(n == 20 && !raw[19] && !cut, "one that ends before its fields: %zu", n);
	free(raw);
}

/* Readers print all of an array, and do not all look whether the payload has it. */
static void test_cut_arrays(void)
{
	char *raw;
	size_t n;

	n = payload(2, 3000, 12 | 2000 << 16, &raw);
	ok(cut && n >= 2012 && (n + 4) % 8 == 0 && !raw[MOST] && !raw[n - 1],
	   "an array that was longer ends within the payload: %zu", n);
	free(raw);
	n = payload(3, 3000, 8 | 2000 << 16, &raw);
	ok(cut && n >= 12 + 8 + 2000 && (n + 4) % 8 == 0 && !raw[n - 1],
	   "one whose position counts from its field on: %zu", n);
	free(raw);
}

static void test_none(void)
{
	struct wp_stack other = { .nr = 0 };
	struct wp_perfdata_sample sample = { 0 };
	struct wp_sample s = { .tid = 7 };
	char buf[WP_TRACEPOINT_MAX];
	__u32 pid;

	wp_tracerecords_encode(&records, &s, buf, &sample);
	memcpy(&pid, buf + 4, 4);
	ok(sample.nr_raw == events[0].format.size && pid == 7,
	   "without a record its fields are empty");
	memset(&sample, 0, sizeof(sample));
	s.waker = &other;
	wp_tracerecords_encode(&records, &s, buf, &sample);
	ok(sample.nr_raw == events[0].format.size, "the same if it is a stack");
	memset(&sample, 0, sizeof(sample));
	s = (struct wp_sample){ .event = 1 };
	wp_tracerecords_encode(&records, &s, buf, &sample);
	ok(!sample.nr_raw && !sample.raw, "an event that is no tracepoint has none");
	s.event = 4;
	wp_tracerecords_encode(&records, &s, buf, &sample);
	ok(!sample.nr_raw && !sample.raw, "nor has one that there is not");
}

/* An event that is summed by its pid, without and with its records. */
static void test_summed(void)
{
	struct wp_event ev[2] = { { .name = "cycles" }, { .name = "sched:sched_process_exec" } };
	struct wp_event_list list = { .event = ev, .nr = 2 };
	struct wp_tracepoint_field by = *wp_tracepoint_field(&events[0].format, "pid");
	struct wp_sample s = { .event = 1, .tid = 7, .count = 3, .cause.arg = (__u64)-5 };
	struct wp_perfdata_sample sample = { 0 };
	struct wp_tracerecords summed = { 0 };
	const struct wp_tracerecords_event *e;
	char buf[WP_TRACEPOINT_MAX];

	strcpy(ev[1].tracepoint, ev[1].name);
	ev[1].by = by;
	ok(!wp_tracerecords_read(&summed, &list, false) && summed.nr == 2 &&
	   !summed.event[0].format.text, "an event that is not summed by a field has no format");
	e = &summed.event[1];
	wp_tracerecords_encode(&summed, &s, buf, &sample);
	ok(sample.nr_raw == e->format.size && wp_tracepoint_get(e->format.pid, buf) == 7 &&
	   wp_tracepoint_get(wp_tracepoint_field(&e->format, "pid"), buf) == -5 &&
	   wp_tracepoint_get(wp_tracepoint_field(&e->format, "samples"), buf) == 3,
	   "one that is has this and the number of samples");
	wp_tracerecords_free(&summed);
	/* Its record found no room: what it is summed by is known. */
	events[0].by = wp_tracepoint_field(&events[0].format, "pid");
	s.event = 0;
	wp_tracerecords_encode(&records, &s, buf, &sample);
	ok(sample.nr_raw == events[0].format.size && wp_tracepoint_get(events[0].by, buf) == -5 &&
	   !wp_tracepoint_get(wp_tracepoint_field(&events[0].format, "old_pid"), buf),
	   "an empty record has it, too");
	events[0].by = NULL;
}

static void test_describe(void)
{
	struct wp_perfdata_event ev[2] = { 0 };

	strcpy(ev[0].name, "a name");
	wp_tracerecords_describe(&records, 0, &ev[0]);
	wp_tracerecords_describe(&records, 1, &ev[1]);
	ok(ev[0].attr.type == PERF_TYPE_TRACEPOINT && ev[0].attr.config == 305 &&
	   ev[0].attr.sample_type & PERF_SAMPLE_RAW && !strcmp(ev[0].name, "a name"),
	   "an event with a format is a tracepoint, with its own name");
	ok(!ev[1].attr.sample_type, "another one is as it was");
}

int main(void)
{
	if (wp_tracepoint_parse(&events[0].format, "sched", "sched_process_exec", exec_6_1,
				strlen(exec_6_1)) ||
	    wp_tracepoint_parse(&events[2].format, "test", "arrays", arrays, strlen(arrays)) ||
	    wp_tracepoint_parse(&events[3].format, "test", "relative", relative, strlen(relative)))
		return 1;
	test_whole();
	test_cut();
	test_cut_arrays();
	test_none();
	test_summed();
	test_describe();
	wp_tracepoint_free(&events[0].format);
	wp_tracepoint_free(&events[2].format);
	wp_tracepoint_free(&events[3].format);
	return done();
}
