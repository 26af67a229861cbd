// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the conversion of perf's format for pipes to a seekable file. Called by
 * perffile.c.
 *
 * In a pipe the header cannot be updated: events, tracing data, build-ids and features
 * are records among the others. They are moved to their positions in a file. Input in the
 * file format is copied unchanged. The input is not trusted: each size is checked against
 * what is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"
#include "lib/perfdata/pipefile.h"

/* As in tools/lib/perf/include/perf/event.h. */
enum {
	RECORD_HEADER_ATTR = 64,
	RECORD_EVENT_TYPE = 65,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
};

#define PIPE_HEADER	16
#define CHUNK		(1 << 16)
#define MAX_FEATURES	(64U << 20)	/* limit for all features, events and build-ids */
#define MAX_TRACING	(256U << 20)

/* An event, with its ids in @ids. */
struct attr {
	struct wp_buf attr;
	struct wp_buf ids;
};

struct spool {
	FILE *in;
	FILE *out;
	struct wp_file_header header;
	struct attr *attr;
	size_t nr_attrs;
	struct wp_buf feature[WP_FEAT_MAX];
	size_t kept;			/* bytes of attributes and features */
	bool cut;			/* it ended within a record */
	union {
		struct perf_event_header header;
		char bytes[1 << 16];
	} rec;
};

/* Copy bytes, all if @size is ~0; returns the number of bytes copied. */
static __u64 copy(struct spool *s, __u64 size)
{
	static char chunk[CHUNK];
	__u64 at = 0;
	size_t n = 1;

	while (at < size && n) {
		n = fread(chunk, 1, size - at < CHUNK ? size - at : CHUNK, s->in);
		if (fwrite(chunk, 1, n, s->out) != n)
			break;
		at += n;
	}
	return at;
}

static void keep(struct spool *s, struct wp_buf *b, const void *data, size_t size)
{
	s->kept += size;
	if (s->kept <= MAX_FEATURES)
		wp_buf_add(b, data, size);
}

/* An attribute, which contains its own size, followed by the ids. */
static int take_attr(struct spool *s)
{
	const char *body = s->rec.bytes + sizeof(s->rec.header);
	size_t room = s->rec.header.size - sizeof(s->rec.header);
	struct perf_event_attr attr;
	struct attr *more;

	if (room < PERF_ATTR_SIZE_VER0)
		return -EPROTO;
	memcpy(&attr, body, PERF_ATTR_SIZE_VER0);
	if (attr.size < PERF_ATTR_SIZE_VER0 || attr.size > room || s->nr_attrs == 65536 ||
	    (s->nr_attrs && attr.size != s->attr[0].attr.len))
		return -EPROTO;
	more = reallocarray(s->attr, s->nr_attrs + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->attr = more;
	more += s->nr_attrs++;
	memset(more, 0, sizeof(*more));
	keep(s, &more->attr, body, attr.size);
	keep(s, &more->ids, body + attr.size, room - attr.size);
	return more->attr.len == attr.size ? 0 : -EPROTO;
}

static int take_feature(struct spool *s)
{
	const char *body = s->rec.bytes + sizeof(s->rec.header);
	size_t room = s->rec.header.size - sizeof(s->rec.header);
	__u64 nr;

	if (room < sizeof(nr))
		return -EPROTO;
	memcpy(&nr, body, sizeof(nr));
	if (nr < WP_FEAT_MAX && !s->feature[nr].len)
		keep(s, &s->feature[nr], body + sizeof(nr), room - sizeof(nr));
	return 0;
}

/* The data follows the record, with the size in it, padded to 8 bytes. */
static int take_tracing(struct spool *s)
{
	struct wp_buf *b = &s->feature[WP_FEAT_TRACING_DATA];
	__u32 size;

	if (s->rec.header.size < sizeof(s->rec.header) + sizeof(size))
		return -EPROTO;
	memcpy(&size, s->rec.bytes + sizeof(s->rec.header), sizeof(size));
	size = (size + 7) & ~7U;
	if (size > MAX_TRACING || b->len)
		return -EPROTO;
	wp_buf_add(b, NULL, size);
	if (b->failed)
		return -ENOMEM;
	return fread(b->data, 1, size, s->in) == size ? 0 : -EPROTO;
}

static int put_record(struct spool *s)
{
	__u64 behind;

	if (fwrite(s->rec.bytes, 1, s->rec.header.size, s->out) != s->rec.header.size)
		return -EIO;
	if (s->rec.header.type != RECORD_AUXTRACE)
		return 0;
	if (s->rec.header.size < sizeof(s->rec.header) + sizeof(behind))
		return -EPROTO;
	memcpy(&behind, s->rec.bytes + sizeof(s->rec.header), sizeof(behind));
	return copy(s, behind) == behind ? 0 : -EPROTO;
}

static int take_record(struct spool *s)
{
	switch (s->rec.header.type) {
	case RECORD_HEADER_ATTR:
		return take_attr(s);
	case RECORD_FEATURE:
		return take_feature(s);
	case RECORD_TRACING_DATA:
		return take_tracing(s);
	case RECORD_BUILD_ID:
		keep(s, &s->feature[WP_FEAT_BUILD_ID], s->rec.bytes, s->rec.header.size);
		return 0;
	case RECORD_EVENT_TYPE:
	case RECORD_EVENT_UPDATE:
		return 0;
	}
	return put_record(s);
}

/* Returns 1 at the end; a truncated record is left out, and noted. */
static int next_record(struct spool *s)
{
	size_t rest, got = fread(s->rec.bytes, 1, sizeof(s->rec.header), s->in);

	s->cut = got && got != sizeof(s->rec.header);
	if (got != sizeof(s->rec.header))
		return ferror(s->in) ? -EIO : 1;
	if (s->rec.header.size < sizeof(s->rec.header))
		return -EPROTO;
	rest = s->rec.header.size - sizeof(s->rec.header);
	s->cut = fread(s->rec.bytes + sizeof(s->rec.header), 1, rest, s->in) != rest;
	if (s->cut)
		return ferror(s->in) ? -EIO : 1;
	return take_record(s);
}

static int put(struct spool *s, const void *data, size_t size)
{
	return !size || fwrite(data, 1, size, s->out) == size ? 0 : -EIO;
}

/* Write the table of features after the data, and their contents. */
static int put_features(struct spool *s)
{
	struct wp_file_section part[WP_FEAT_MAX];
	__u64 at = s->header.data.offset + s->header.data.size;
	unsigned int i, nr = 0;
	int err;

	for (i = 0; i < WP_FEAT_MAX; i++) {
		if (!s->feature[i].len)
			continue;
		s->header.features[i / 64] |= 1ULL << i % 64;
		part[nr++].size = s->feature[i].len;
	}
	at += nr * sizeof(*part);
	for (i = 0; i < nr; i++) {
		part[i].offset = at;
		at += part[i].size;
	}
	err = put(s, part, nr * sizeof(*part));
	for (i = 0; i < WP_FEAT_MAX && !err; i++)
		err = put(s, s->feature[i].data, s->feature[i].len);
	return err;
}

/* Write the ids, then the attributes, each with the position of its ids. */
static int put_attrs(struct spool *s)
{
	size_t i, size = s->attr[0].attr.len;
	struct wp_file_section ids = { .offset = ftello(s->out) };
	int err = 0;

	s->header.attr_size = size + sizeof(ids);
	for (i = 0; i < s->nr_attrs && !err; i++)
		err = put(s, s->attr[i].ids.data, s->attr[i].ids.len);
	s->header.attrs.offset = ftello(s->out);
	s->header.attrs.size = s->nr_attrs * s->header.attr_size;
	for (i = 0; i < s->nr_attrs && !err; i++) {
		ids.size = s->attr[i].ids.len;
		err = put(s, s->attr[i].attr.data, size);
		if (!err)
			err = put(s, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	return err;
}

static int convert(struct spool *s)
{
	int err;

	s->header.size = sizeof(s->header);
	s->header.data.offset = sizeof(s->header);
	err = put(s, &s->header, sizeof(s->header));
	while (!err)
		err = next_record(s);
	if (err < 0)
		return err;
	s->header.data.size = ftello(s->out) - s->header.data.offset;
	if (!s->nr_attrs)
		return -EPROTO;
	err = put_features(s);
	if (!err)
		err = put_attrs(s);
	if (!err && fseeko(s->out, 0, SEEK_SET))
		err = -errno;
	return err ? err : put(s, &s->header, sizeof(s->header));
}

static int spool(struct spool *s)
{
	/* In the format for pipes the header ends here. */
	if (fread(&s->header, 1, PIPE_HEADER, s->in) != PIPE_HEADER)
		return -EPROTO;
	if (s->header.magic == WP_PERF_MAGIC && s->header.size == PIPE_HEADER)
		return convert(s);
	if (put(s, &s->header, PIPE_HEADER))
		return -EIO;
	copy(s, ~0ULL);
	return ferror(s->in) || ferror(s->out) ? -EIO : 0;
}

static void free_all(struct spool *s)
{
	size_t i;

	for (i = 0; i < s->nr_attrs; i++) {
		wp_buf_free(&s->attr[i].attr);
		wp_buf_free(&s->attr[i].ids);
	}
	for (i = 0; i < WP_FEAT_MAX; i++)
		wp_buf_free(&s->feature[i]);
	free(s->attr);
	free(s);
}

/**
 * wp_pipefile_spool() - read a recording to its end, and convert it to a file
 * @from: the input; stays open
 * @path: its name, for messages
 *
 * Return: a descriptor of an unnamed file, or a negative errno; a message was printed.
 */
int wp_pipefile_spool(int from, const char *path)
{
	struct spool *s = calloc(1, sizeof(*s));
	int own = fcntl(from, F_DUPFD_CLOEXEC, 0), fd = -1, err = -ENOMEM;

	if (s && own >= 0) {
		s->in = fdopen(own, "re");
		s->out = tmpfile();
		err = s->in && s->out ? spool(s) : -errno;
		if (!err && fflush(s->out))
			err = -errno;
		if (!err && s->cut)
			wp_warn("%s is cut off within a record: what was recorded later is missing",
				path);
		if (!err)
			fd = fcntl(fileno(s->out), F_DUPFD_CLOEXEC, 0);
		if (!err && fd < 0)
			err = -errno;
		if (s->out)
			fclose(s->out);
	}
	if (s && s->in)
		fclose(s->in);
	else if (own >= 0)
		close(own);
	if (s)
		free_all(s);
	if (err == -EPROTO)
		wp_err("%s is not a perf.data file, or is damaged", path);
	else if (err)
		wp_err("cannot read %s: %s", path, strerror(-err));
	return err ? err : fd;
}
