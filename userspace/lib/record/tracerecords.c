// SPDX-License-Identifier: GPL-2.0
/*
 * What tracepoints recorded, as raw payloads of samples: record -R.
 *
 * The module keeps a record as the words of a stack; the file has the tracepoint's format,
 * and the record as the kernel passed it, so that readers print its fields. A record that
 * is longer than the module keeps is filled with zeros: a text that was elsewhere in it is
 * shorter then, or empty, and an array ends with zeros. Called by the session's setup and
 * by sessionsamples.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/record/tracerecords.h"

/* Bytes that the module keeps. */
#define MOST	(WALLPROF_MAX_STACK * sizeof(__u64))

static int failed(const char *name, int err)
{
	wp_err("cannot read how this kernel describes %s: %s%s", name, strerror(-err),
	       err == -ENOENT ?
	       ". It is in tracefs: mount -t tracefs nodev /sys/kernel/tracing" :
	       err == -EACCES || err == -EPERM ?
	       ". It is in tracefs, which only root may read: use sudo" : "");
	return err;
}

static int read_format(struct wp_tracepoint *tp, const char *name)
{
	const char *colon = strchr(name, ':');
	char system[64];
	int err;

	if (!colon || (size_t)(colon - name) >= sizeof(system))
		return failed(name, -ENAMETOOLONG);
	memcpy(system, name, colon - name);
	system[colon - name] = 0;
	err = wp_tracepoint_read(tp, NULL, system, colon + 1);
	return err ? failed(name, err) : 0;
}

/**
 * wp_tracerecords_read() - read the formats of the events that are tracepoints
 * @t: filled in; wp_tracerecords_free() frees it, also if this fails
 * @events: the events
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_tracerecords_read(struct wp_tracerecords *t, const struct wp_event_list *events)
{
	unsigned int i;
	int err = 0;

	t->formats = calloc(events->nr ? events->nr : 1, sizeof(*t->formats));
	if (!t->formats)
		return wp_no_memory("formats of tracepoints");
	t->nr = events->nr;
	for (i = 0; i < events->nr && !err; i++) {
		if (events->event[i].tracepoint[0])
			err = read_format(&t->formats[i], events->event[i].tracepoint);
	}
	return err;
}

static const struct wp_tracepoint *format_of(const struct wp_tracerecords *t, unsigned int event)
{
	return event < t->nr && t->formats[event].text ? &t->formats[event] : NULL;
}

/**
 * wp_tracerecords_describe() - give the samples of an event a raw payload
 * @t: the formats; they must stay valid until wp_perfdata_open() returns
 * @event: number of the event; one that is no tracepoint is left as it is
 * @out: its description, of wp_perfdata_event_oncpu()
 */
void wp_tracerecords_describe(const struct wp_tracerecords *t, unsigned int event,
			      struct wp_perfdata_event *out)
{
	const struct wp_tracepoint *tp = format_of(t, event);

	if (!tp)
		return;
	out->tracepoint = tp;
	out->attr.type = PERF_TYPE_TRACEPOINT;
	out->attr.config = tp->id;
	out->attr.sample_type = PERF_SAMPLE_RAW;
}

/* Where the last one of the texts and arrays that are elsewhere ends. */
static size_t placed_end(const struct wp_tracepoint *tp, const char *raw, size_t size)
{
	size_t end = size, at;
	unsigned int i;
	__u32 place;

	for (i = 0; i < tp->nr_fields; i++) {
		const struct wp_tracepoint_field *f = &tp->fields[i];

		if (!f->placed || f->offset > size - sizeof(place))
			continue;
		memcpy(&place, raw + f->offset, sizeof(place));
		at = f->from + (place & 0xffff) + (place >> 16);
		if (at > end)
			end = at;
	}
	return end;
}

/**
 * wp_tracerecords_encode() - the raw payload of a sample
 * @t: the formats
 * @event: number of the event; a sample of one that is no tracepoint gets none
 * @record: what the module kept; NULL: it found no room: all fields are empty
 * @tid: the thread
 * @buf: WP_TRACEPOINT_MAX bytes
 * @sample: its payload is set, to bytes of @buf
 *
 * Return: whether the record was longer than the module keeps.
 */
bool wp_tracerecords_encode(const struct wp_tracerecords *t, unsigned int event,
			    const struct wp_stack *record, __u32 tid, void *buf,
			    struct wp_perfdata_sample *sample)
{
	const struct wp_tracepoint *tp = format_of(t, event);
	size_t size, end;
	bool cut;

	if (!tp)
		return false;
	sample->raw = buf;
	if (!record || !(record->flags & WALLPROF_STACK_IS_RECORD)) {
		wp_tracepoint_begin(tp, buf, tid);
		sample->nr_raw = tp->size;
		return false;
	}
	size = record->nr * sizeof(__u64);
	memcpy(buf, record->ips, size);
	end = size;
	if (size == MOST || size < tp->fields_end)
		end = placed_end(tp, buf, size);
	if (end < tp->fields_end)
		end = tp->fields_end;
	cut = size == MOST && end > size;
	/* With the 4 bytes of its size it fills whole words, as the kernel's does. */
	end = end == size ? size - sizeof(__u32) :
	      ((end + sizeof(__u32) + 7) & ~7UL) - sizeof(__u32);
	if (end > WP_TRACEPOINT_MAX - sizeof(__u32))
		end = WP_TRACEPOINT_MAX - sizeof(__u32);
	if (end > size)
		memset((char *)buf + size, 0, end - size);
	sample->nr_raw = end;
	return cut;
}

/**
 * wp_tracerecords_free() - free the formats
 * @t: the formats; empty afterwards
 */
void wp_tracerecords_free(struct wp_tracerecords *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		wp_tracepoint_free(&t->formats[i]);
	free(t->formats);
	t->formats = NULL;
	t->nr = 0;
}
