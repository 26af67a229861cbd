// SPDX-License-Identifier: GPL-2.0
/*
 * Parses a record: the fields of a sample in the order in which the kernel writes them,
 * and the trailer of other records (sample_id_all). The event of a record is found by its
 * id, whose position is the same for all events of a file, as perf requires, too. Called
 * by perfrecords.c. The layout is that of perf_event_open(2).
 *
 * Pure. No number in the record is trusted.
 */
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/perfdata/perfsample.h"

/* Fields in their order: before the id of a sample, and in the trailer. */
#define BEFORE_ID	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
#define AT_THE_END	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |	\
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static unsigned int words(__u64 fields)
{
	return __builtin_popcountll(fields);
}

/*
 * Position of the id in a sample, in words from the beginning of its fields; -1: it has
 * none.
 */
static int id_of_sample(__u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return type & PERF_SAMPLE_ID ? (int)words(type & BEFORE_ID) : -1;
}

/* The same for other records, in words from the end. */
static int id_of_other(__u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return 1 + words(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

/* Find the event of a record; false if it is not in the file. */
static bool find_event(const struct wp_perfevents *e, const struct perf_event_header *header,
		       struct wp_perfrecord *rec)
{
	const __u64 type = e->event[0].attr.sample_type;
	const char *base = (const char *)header;
	size_t nr = header->size / sizeof(__u64), word;
	bool sample = header->type == PERF_RECORD_SAMPLE;
	int at = sample ? id_of_sample(type) : id_of_other(type), event;

	rec->event = 0;
	if (at < 0 || !e->nr_ids)
		return e->nr == 1 || !sample;
	if ((size_t)at + 1 + sample > nr)
		return false;
	word = sample ? 1U + at : nr - at;
	memcpy(&rec->id, base + word * sizeof(__u64), sizeof(rec->id));
	event = wp_perfevents_find(e, rec->id);
	/* The kernel's own records that belong to no event have an id of 0. */
	if (event < 0)
		return !sample && !rec->id;
	rec->event = event;
	return true;
}

static void take_tid(struct wp_bytes *b, struct wp_perfrecord *rec)
{
	rec->pid = wp_bytes_uint(b, 4);
	rec->tid = wp_bytes_uint(b, 4);
}

static void take_cpu(struct wp_bytes *b, struct wp_perfrecord *rec)
{
	rec->cpu = wp_bytes_uint(b, 4);
	wp_bytes_take(b, 4);
}

/* Skip the value of a counter, or of a group of counters. */
static void skip_read(struct wp_bytes *b, __u64 format)
{
	unsigned int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned int each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4));
	__u64 nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = wp_bytes_uint(b, 8);
	if (nr > wp_bytes_left(b))
		wp_bytes_fail(b);
	else
		wp_bytes_take(b, 8 * (times + nr * each));
}

static void take_chain(struct wp_bytes *b, struct wp_perfrecord *rec)
{
	__u64 nr = wp_bytes_uint(b, 8);

	if (nr > wp_bytes_left(b) / 8) {
		wp_bytes_fail(b);
		return;
	}
	rec->nr_chain = nr;
	rec->chain = (const __u64 *)wp_bytes_take(b, 8 * nr);
}

static void parse_sample(struct wp_bytes *b, const struct perf_event_attr *attr,
			 struct wp_perfrecord *rec)
{
	const __u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_IP)
		rec->ip = wp_bytes_uint(b, 8);
	if (type & PERF_SAMPLE_TID)
		take_tid(b, rec);
	if (type & PERF_SAMPLE_TIME)
		rec->time = wp_bytes_uint(b, 8);
	if (type & PERF_SAMPLE_ADDR)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_ID)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(b, rec);
	rec->period = attr->freq ? 1 : attr->sample_period;
	if (type & PERF_SAMPLE_PERIOD)
		rec->period = wp_bytes_uint(b, 8);
	if (type & PERF_SAMPLE_READ)
		skip_read(b, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(b, rec);
	if (type & PERF_SAMPLE_RAW) {
		rec->raw_size = wp_bytes_uint(b, 4);
		rec->raw = wp_bytes_take(b, rec->raw_size);
	}
	rec->sample_type = type;
}

static void parse_other(struct wp_bytes *b, const struct perf_event_attr *attr,
			struct wp_perfrecord *rec)
{
	const __u64 type = attr->sample_type & AT_THE_END;
	size_t len = words(type) * sizeof(__u64);

	if (!attr->sample_id_all || !len)
		return;
	if (len > wp_bytes_left(b)) {
		wp_bytes_fail(b);
		return;
	}
	b->p = b->end - len;
	if (type & PERF_SAMPLE_TID)
		take_tid(b, rec);
	if (type & PERF_SAMPLE_TIME)
		rec->time = wp_bytes_uint(b, 8);
	if (type & PERF_SAMPLE_ID)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		wp_bytes_take(b, 8);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(b, rec);
	rec->sample_type = type;
}

/**
 * wp_perfsample_parse() - parse a record
 * @events: the events of its file
 * @header: the record, complete
 * @rec: filled in; points into the record
 *
 * Return: false if the record does not match its event.
 */
bool wp_perfsample_parse(const struct wp_perfevents *events,
			 const struct perf_event_header *header, struct wp_perfrecord *rec)
{
	const __u8 *base = (const __u8 *)header;
	struct wp_bytes b = {
		.p = base + sizeof(*header),
		.end = base + header->size,
	};
	const struct wp_perfevent *event;

	*rec = (struct wp_perfrecord){ .header = header, .pid = -1, .tid = -1 };
	if (!find_event(events, header, rec))
		return false;
	event = &events->event[rec->event];
	if (header->type != PERF_RECORD_SAMPLE) {
		parse_other(&b, &event->attr, rec);
		return !b.bad;
	}
	parse_sample(&b, &event->attr, rec);
	/* So users of its fields need not check the size. */
	return !b.bad && (!event->tracepoint || rec->raw_size >= event->tracepoint->fields_end);
}
