// SPDX-License-Identifier: GPL-2.0
/*
 * What tracepoints recorded, as raw payloads of samples: record -R, and of it the field that
 * they are summed by: record --by.
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
#include "lib/perfdata/byfield.h"
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

static int read_event(struct wp_tracerecords_event *e, const struct wp_event *ev,
		      unsigned int nr, bool raw)
{
	int err = 0;

	e->summed = !raw && ev->by.name[0];
	if (e->summed)
		err = wp_byfield_format(&e->format, &ev->by, nr);
	else if (raw && ev->tracepoint[0])
		return read_format(&e->format, ev->tracepoint);
	if (err)
		wp_err("--by %s: %s", ev->by.name, strerror(-err));
	return err;
}

/**
 * wp_tracerecords_read() - read or make the formats of payloads
 * @t: filled in; wp_tracerecords_free() frees it, also if this fails
 * @events: the events
 * @raw: samples of tracepoints have what these recorded; else only what they are summed by
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_tracerecords_read(struct wp_tracerecords *t, const struct wp_event_list *events, bool raw)
{
	unsigned int i;
	int err = 0;

	t->event = calloc(events->nr ? events->nr : 1, sizeof(*t->event));
	if (!t->event)
		return wp_no_memory("formats of tracepoints");
	t->nr = events->nr;
	for (i = 0; i < events->nr && !err; i++) {
		const struct wp_event *ev = &events->event[i];
		struct wp_tracerecords_event *e = &t->event[i];

		err = read_event(e, ev, i, raw);
		if (err || !ev->by.name[0])
			continue;
		e->by = wp_tracepoint_field(&e->format, ev->by.name);
		if (e->summed && strcmp(ev->by.name, WP_BYFIELD_SAMPLES))
			e->samples = wp_tracepoint_field(&e->format, WP_BYFIELD_SAMPLES);
	}
	return err;
}

static const struct wp_tracerecords_event *event_of(const struct wp_tracerecords *t,
						    unsigned int nr)
{
	return nr < t->nr && t->event[nr].format.text ? &t->event[nr] : NULL;
}

/**
 * wp_tracerecords_describe() - give the samples of an event a raw payload
 * @t: the formats; they must stay valid until wp_perfdata_open() returns
 * @event: number of the event; one without payload is left as it is
 * @out: its description, of wp_perfdata_event_oncpu()
 */
void wp_tracerecords_describe(const struct wp_tracerecords *t, unsigned int event,
			      struct wp_perfdata_event *out)
{
	const struct wp_tracerecords_event *e = event_of(t, event);

	if (!e)
		return;
	out->tracepoint = &e->format;
	out->attr.type = PERF_TYPE_TRACEPOINT;
	out->attr.config = e->format.id;
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

/*
 * The payload is as the module kept it, as long as the kernel's. @cut: set to whether the
 * record was longer than the module keeps.
 */
static size_t put_record(const struct wp_tracepoint *tp, const struct wp_stack *record, void *buf,
			 bool *cut)
{
	size_t size = record->nr * sizeof(__u64), end = size;

	memcpy(buf, record->ips, size);
	if (size == MOST || size < tp->fields_end)
		end = placed_end(tp, buf, size);
	if (end < tp->fields_end)
		end = tp->fields_end;
	*cut = size == MOST && end > size;
	/* With the 4 bytes of its size it fills whole words, as the kernel's does. */
	end = end == size ? size - sizeof(__u32) :
	      ((end + sizeof(__u32) + 7) & ~7UL) - sizeof(__u32);
	if (end > WP_TRACEPOINT_MAX - sizeof(__u32))
		end = WP_TRACEPOINT_MAX - sizeof(__u32);
	if (end > size)
		memset((char *)buf + size, 0, end - size);
	return end;
}

/**
 * wp_tracerecords_encode() - the raw payload of a sample
 * @t: the formats
 * @s: the sample; without a record, as it found no room, all fields are empty but the one
 *	that it is summed by
 * @buf: WP_TRACEPOINT_MAX bytes
 * @sample: its payload is set, to bytes of @buf; none if its event has none
 *
 * Return: whether the record was longer than the module keeps.
 */
bool wp_tracerecords_encode(const struct wp_tracerecords *t, const struct wp_sample *s, void *buf,
			    struct wp_perfdata_sample *sample)
{
	const struct wp_tracerecords_event *e = event_of(t, s->event);
	bool cut = false;

	if (!e)
		return false;
	sample->raw = buf;
	if (!e->summed && s->waker && s->waker->flags & WALLPROF_STACK_IS_RECORD) {
		sample->nr_raw = put_record(&e->format, s->waker, buf, &cut);
	} else {
		wp_tracepoint_begin(&e->format, buf, s->tid);
		sample->nr_raw = e->format.size;
	}
	wp_tracepoint_set(e->by, buf, s->cause.arg);
	wp_tracepoint_set(e->samples, buf, s->count);
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
		wp_tracepoint_free(&t->event[i].format);
	free(t->event);
	t->event = NULL;
	t->nr = 0;
}
