// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the events of a perf.data file: the attributes and ids after its header, their
 * names in the section EVENT_DESC, and the formats of tracepoints in the section
 * TRACING_DATA. Called by perfrecords.c. The layouts are those of
 * tools/perf/Documentation/perf.data-file-format.txt and, for TRACING_DATA,
 * tools/perf/util/trace-event-info.c in the kernel's source.
 *
 * The file is not trusted: all numbers are checked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/perfdata/perfevents.h"

#define MAX_EVENTS	4096
#define MAX_IDS		(1U << 22)

/* Size of an attribute in the first perf. */
#define LEAST_ATTR	PERF_ATTR_SIZE_VER0

static int add_ids(struct wp_perfevents *e, const struct wp_perffile *file,
		   const struct wp_file_section *s, unsigned int event)
{
	size_t nr = s->size / sizeof(__u64), i;
	struct wp_perfevent_id *ids;
	__u64 *values;
	int err;

	if (!nr)
		return 0;
	if (s->offset > file->size || s->size > file->size - s->offset ||
	    nr > MAX_IDS - e->nr_ids)
		return -EPROTO;
	values = malloc(nr * sizeof(*values));
	ids = reallocarray(e->ids, e->nr_ids + nr, sizeof(*ids));
	if (ids)
		e->ids = ids;
	if (!values || !ids) {
		free(values);
		return -ENOMEM;
	}
	err = wp_pread_all(file->fd, values, nr * sizeof(*values), s->offset);
	for (i = 0; i < nr && !err; i++)
		e->ids[e->nr_ids++] = (struct wp_perfevent_id){
			.id = values[i], .event = event,
		};
	free(values);
	return err;
}

static int read_attr(struct wp_perfevents *e, const struct wp_perffile *file, unsigned int nr)
{
	const struct wp_file_header *h = &file->header;
	__u64 at = h->attrs.offset + nr * h->attr_size;
	size_t len = h->attr_size - sizeof(struct wp_file_section);
	struct perf_event_attr *attr = &e->event[nr].attr;
	struct wp_file_section ids;
	int err;

	err = wp_pread_all(file->fd, attr, len < sizeof(*attr) ? len : sizeof(*attr), at);
	if (!err)
		err = wp_pread_all(file->fd, &ids, sizeof(ids), at + len);
	return err ? err : add_ids(e, file, &ids, nr);
}

static int read_attrs(struct wp_perfevents *e, const struct wp_perffile *file)
{
	const struct wp_file_header *h = &file->header;
	const struct wp_file_section *s = &h->attrs;
	unsigned int i;
	int err = 0;

	if (h->attr_size < LEAST_ATTR + sizeof(*s) || h->attr_size > 65536 ||
	    s->offset > file->size || s->size > file->size - s->offset ||
	    s->size < h->attr_size || s->size / h->attr_size > MAX_EVENTS)
		return -EPROTO;
	e->nr = s->size / h->attr_size;
	e->event = calloc(e->nr, sizeof(*e->event));
	if (!e->event)
		return -ENOMEM;
	for (i = 0; i < e->nr && !err; i++)
		err = read_attr(e, file, i);
	return err;
}

/* A string that ends with a 0. */
static const char *take_text(struct wp_bytes *b)
{
	const __u8 *end = memchr(b->p, 0, wp_bytes_left(b));

	if (!end) {
		wp_bytes_fail(b);
		return NULL;
	}
	return (const char *)wp_bytes_take(b, end - b->p + 1);
}

static bool skip_text(struct wp_bytes *b, const char *text)
{
	const char *found = take_text(b);

	return found && !strcmp(found, text);
}

/* A length, and so many bytes. */
static const char *take_block(struct wp_bytes *b, size_t *len)
{
	*len = wp_bytes_uint(b, 8);
	return (const char *)wp_bytes_take(b, *len);
}

static int add_format(struct wp_perfevents *e, struct wp_bytes *b, const char *system)
{
	struct wp_tracepoint *more;
	const char *text, *name;
	char buf[64];
	size_t len;
	int err;

	text = take_block(b, &len);
	if (!text)
		return -EPROTO;
	/* "name: sched_switch\n" */
	name = len > 6 && !memcmp(text, "name: ", 6) ? text + 6 : NULL;
	if (!name || !memchr(name, '\n', len - 6))
		return 0;
	snprintf(buf, sizeof(buf), "%.*s", (int)strcspn(name, "\n"), name);
	more = reallocarray(e->formats, e->nr_formats + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	e->formats = more;
	err = wp_tracepoint_parse(&e->formats[e->nr_formats], system, buf, text, len);
	e->nr_formats += !err;
	/* A format that cannot be parsed is treated as missing. */
	return err == -ENOMEM ? err : 0;
}

static int parse_tracing(struct wp_perfevents *e, struct wp_bytes *b)
{
	static const char magic[] = "\027\010\104tracing";
	const __u8 *m = wp_bytes_take(b, strlen(magic));
	__u32 nr, systems;
	size_t len;
	int err = 0;

	if (!m || memcmp(m, magic, strlen(magic)) || !take_text(b))
		return -EPROTO;
	if (wp_bytes_uint(b, 1))	/* big endian */
		return -EPROTO;
	wp_bytes_take(b, 5);		/* sizes of a long and of a page */
	if (!skip_text(b, "header_page") || !take_block(b, &len) ||
	    !skip_text(b, "header_event") || !take_block(b, &len))
		return -EPROTO;
	for (nr = wp_bytes_uint(b, 4); nr && !b->bad; nr--)
		take_block(b, &len);
	for (systems = wp_bytes_uint(b, 4); systems && !b->bad && !err; systems--) {
		const char *system = take_text(b);

		for (nr = wp_bytes_uint(b, 4); nr && system && !b->bad && !err; nr--)
			err = add_format(e, b, system);
	}
	return err ? err : b->bad ? -EPROTO : 0;
}

static int read_formats(struct wp_perfevents *e, const struct wp_perffile *file)
{
	struct wp_bytes bytes = { 0 };
	struct wp_buf b;
	int err;

	err = wp_perffile_feature(file, WP_FEAT_TRACING_DATA, &b);
	if (err)
		return err == -ENOENT ? 0 : err;
	bytes.p = (const __u8 *)b.data;
	bytes.end = bytes.p + b.len;
	err = parse_tracing(e, &bytes);
	wp_buf_free(&b);
	return err;
}

/* The names in EVENT_DESC, in the order of the attributes. */
static int parse_names(struct wp_perfevents *e, struct wp_bytes *b)
{
	__u32 nr = wp_bytes_uint(b, 4), attr_size = wp_bytes_uint(b, 4), i;

	for (i = 0; i < nr && i < e->nr && !b->bad; i++) {
		const __u8 *attr = wp_bytes_take(b, attr_size);
		__u32 nr_ids = wp_bytes_uint(b, 4), len = wp_bytes_uint(b, 4);
		const char *name = (const char *)wp_bytes_take(b, len);
		struct wp_perfevent *event = &e->event[i];

		wp_bytes_take(b, 8ULL * nr_ids);
		if (b->bad || attr_size < LEAST_ATTR || !memchr(name, 0, len) ||
		    memcmp(attr, &event->attr, sizeof(__u32)))
			return -EPROTO;
		event->name = strdup(name);
		if (!event->name)
			return -ENOMEM;
	}
	return b->bad ? -EPROTO : 0;
}

static int read_names(struct wp_perfevents *e, const struct wp_perffile *file)
{
	struct wp_bytes bytes = { 0 };
	struct wp_buf b;
	int err;

	err = wp_perffile_feature(file, WP_FEAT_EVENT_DESC, &b);
	if (err)
		return err == -ENOENT ? 0 : err;
	bytes.p = (const __u8 *)b.data;
	bytes.end = bytes.p + b.len;
	err = parse_names(e, &bytes);
	wp_buf_free(&b);
	return err;
}

/*
 * Set the format of an event: by its id and, if it has one, by its name. Ids differ
 * between kernels, but the file has its own formats.
 */
static int join(struct wp_perfevent *event, const struct wp_perfevents *e)
{
	char name[160];
	size_t i;

	for (i = 0; i < e->nr_formats && event->attr.type == PERF_TYPE_TRACEPOINT; i++) {
		const struct wp_tracepoint *tp = &e->formats[i];

		if (tp->id == event->attr.config)
			event->tracepoint = tp;
	}
	if (event->name)
		return 0;
	if (event->tracepoint)
		snprintf(name, sizeof(name), "%s:%s", event->tracepoint->system,
			 event->tracepoint->name);
	else
		snprintf(name, sizeof(name), "event %u:%llu", event->attr.type,
			 (unsigned long long)event->attr.config);
	event->name = strdup(name);
	return event->name ? 0 : -ENOMEM;
}

static int compare_ids(const void *a, const void *b)
{
	const struct wp_perfevent_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * If the writer of the file was killed there are no sections after the data, whatever the
 * header says; ignore errors in what is there instead.
 */
static int unless_killed(const struct wp_perffile *file, int err)
{
	return file->header.data.size || err == -ENOMEM ? err : 0;
}

static int read_all(struct wp_perfevents *e, const struct wp_perffile *file)
{
	unsigned int i;
	int err;

	err = read_attrs(e, file);
	if (!err)
		err = unless_killed(file, read_names(e, file));
	if (!err)
		err = unless_killed(file, read_formats(e, file));
	for (i = 0; i < e->nr && !err; i++)
		err = join(&e->event[i], e);
	if (!err && e->nr_ids)
		qsort(e->ids, e->nr_ids, sizeof(*e->ids), compare_ids);
	return err;
}

/**
 * wp_perfevents_read() - read the events of a file
 * @e: filled in; to be freed, unless this fails
 * @file: the file
 * @path: its name, for messages
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_perfevents_read(struct wp_perfevents *e, const struct wp_perffile *file,
		       const char *path)
{
	int err;

	memset(e, 0, sizeof(*e));
	err = read_all(e, file);
	if (!err)
		return 0;
	if (err == -ENOMEM)
		wp_err("out of memory");
	else if (err == -EPROTO)
		wp_err("%s is damaged: its description of events makes no sense", path);
	else
		wp_err("cannot read %s: %s", path, strerror(-err));
	wp_perfevents_free(e);
	return err;
}

/**
 * wp_perfevents_find() - look up the event of an id
 * @e: the events
 * @id: the id
 *
 * Return: its index, or -1.
 */
int wp_perfevents_find(const struct wp_perfevents *e, __u64 id)
{
	const struct wp_perfevent_id key = { .id = id }, *found;

	if (!e->nr_ids)
		return -1;
	found = bsearch(&key, e->ids, e->nr_ids, sizeof(key), compare_ids);
	return found ? (int)found->event : -1;
}

/**
 * wp_perfevents_free() - free the events
 * @e: the events
 */
void wp_perfevents_free(struct wp_perfevents *e)
{
	unsigned int i;
	size_t f;

	for (i = 0; e->event && i < e->nr; i++)
		free(e->event[i].name);
	for (f = 0; f < e->nr_formats; f++)
		wp_tracepoint_free(&e->formats[f]);
	free(e->event);
	free(e->ids);
	free(e->formats);
	memset(e, 0, sizeof(*e));
}
