// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the iteration over the records of a perf.data file: one by one, decompressed and
 * sorted by time, for files of wallprof and of perf. Called by the commands that read
 * recordings.
 *
 * A file is a merge of the buffers of all CPUs, round by round. At the end of a round
 * (FINISHED_ROUND) no later record is older than the latest record of the round before;
 * so records wait in a sorter until then, as in perf. Memory is bounded: in a file
 * without rounds, the older half of the waiting records is released when there are too
 * many.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/err.h"
#include "lib/base/progress.h"
#include "lib/base/sorter.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/perfdata/perfsample.h"

/* perf's own record types, from tools/lib/perf/include/perf/event.h */
enum {
	RECORD_USER = 64,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

#define MAX_RECORD	0x10000
#define READ_SIZE	(1 << 20)
#define UNPACK_SIZE	(128 << 10)
#define MAX_WAITING	(64 << 20)

/* A buffer that is parsed record by record. */
struct window {
	char *data;
	size_t room;
	size_t len;
};

struct wp_perfrecords {
	const struct wp_perffile *file;
	const char *path;
	bool progress;
	struct wp_perfevents events;
	struct wp_sorter sorter;
	struct wp_perfrecords_stats stats;
	ZSTD_DCtx *zstd;
	struct window plain;
	struct window unpacked;
	__u64 skip;		/* bytes of the file to skip, not records */
	/* Latest times: of the round before, of all, of the records delivered. */
	__u64 round;
	__u64 max;
	__u64 out;
	wp_perfrecord_fn fn;
	void *ctx;
	char scratch[MAX_RECORD] __attribute__((aligned(8)));
};

/**
 * wp_perfrecords_open() - open the records of a file
 * @out: set to the reader, to be freed
 * @file: the file, which stays open until then
 * @path: its name, for messages; must stay valid
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_perfrecords_open(struct wp_perfrecords **out, const struct wp_perffile *file,
			const char *path)
{
	struct wp_perfrecords *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (r) {
		r->file = file;
		r->path = path;
		r->plain.room = READ_SIZE + MAX_RECORD;
		r->unpacked.room = UNPACK_SIZE + MAX_RECORD;
		r->plain.data = malloc(r->plain.room);
		r->unpacked.data = malloc(r->unpacked.room);
		r->zstd = ZSTD_createDCtx();
	}
	if (!r || !r->plain.data || !r->unpacked.data || !r->zstd) {
		wp_perfrecords_free(r);
		wp_err("out of memory");
		return -ENOMEM;
	}
	err = wp_perfevents_read(&r->events, file, path);
	if (err) {
		wp_perfrecords_free(r);
		return err;
	}
	*out = r;
	return 0;
}

/**
 * wp_perfrecords_show_progress() - show the progress of reading on a terminal
 * @r: the reader; nothing else may be printed meanwhile
 */
void wp_perfrecords_show_progress(struct wp_perfrecords *r)
{
	r->progress = true;
}

/**
 * wp_perfrecords_events() - the events of the file
 * @r: the reader
 *
 * Return: the events, valid until the reader is freed.
 */
const struct wp_perfevents *wp_perfrecords_events(const struct wp_perfrecords *r)
{
	return &r->events;
}

static void count_lost(struct wp_perfrecords *r, const struct perf_event_header *header)
{
	const char *base = (const char *)(header + 1);
	size_t at = header->type == PERF_RECORD_LOST ? sizeof(__u64) : 0;
	__u64 lost;

	if (header->size < sizeof(*header) + at + sizeof(lost))
		return;
	memcpy(&lost, base + at, sizeof(lost));
	r->stats.lost += lost;
}

/* Pass a sorted record to the callback. */
static int deliver(void *ctx, struct perf_event_header *header, __u64 time)
{
	struct wp_perfrecords *r = ctx;
	struct wp_perfrecord rec;

	if (!wp_perfsample_parse(&r->events, header, &rec)) {
		r->stats.damaged++;
		return 0;
	}
	r->stats.records++;
	r->stats.unordered += time && time < r->out;
	r->out = time > r->out ? time : r->out;
	if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_LOST_SAMPLES)
		count_lost(r, header);
	return r->fn(r->ctx, &rec);
}

/* Process the end of a round. */
static int finish_round(struct wp_perfrecords *r)
{
	int ret = wp_sorter_flush(&r->sorter, r->round, deliver, r);

	r->round = r->max;
	return ret;
}

/* Queue one of the kernel's records; pass it on at once if it has no time. */
static int take_record(struct wp_perfrecords *r, const char *data, size_t size)
{
	struct perf_event_header *header = (struct perf_event_header *)r->scratch;
	struct wp_perfrecord rec;
	int err;

	/* Records may be unaligned in the buffer. */
	memcpy(r->scratch, data, size);
	if (header->size % sizeof(__u64) || !wp_perfsample_parse(&r->events, header, &rec)) {
		r->stats.damaged++;
		return 0;
	}
	if (!rec.time || rec.time == ~0ULL)
		return deliver(r, header, 0);
	r->max = rec.time > r->max ? rec.time : r->max;
	err = wp_sorter_add(&r->sorter, header, rec.time);
	if (err || r->sorter.len < MAX_WAITING)
		return err;
	return wp_sorter_flush_half(&r->sorter, deliver, r);
}

static int unpack(struct wp_perfrecords *r, const char *data, size_t len);

/*
 * The compressed bytes of one of perf's records. Returns false if the record is too
 * short.
 */
static bool packed(const struct perf_event_header *header, const char **data, size_t *len)
{
	__u64 size;

	*data += sizeof(*header);
	*len = header->size - sizeof(*header);
	if (header->type == RECORD_COMPRESSED)
		return true;
	if (*len < sizeof(size))
		return false;
	memcpy(&size, *data, sizeof(size));
	*data += sizeof(size);
	*len -= sizeof(size);
	if (size > *len)
		return false;
	*len = size;
	return true;
}

/* @header: copied from @data, the record; @nested: it comes from a compressed record. */
static int take(struct wp_perfrecords *r, const struct perf_event_header *header,
		const char *data, bool nested)
{
	size_t len;

	if (header->type < RECORD_USER)
		return take_record(r, data, header->size);
	switch (header->type) {
	case RECORD_FINISHED_ROUND:
		return finish_round(r);
	case RECORD_AUXTRACE:
		if (!nested && header->size >= sizeof(*header) + sizeof(r->skip))
			memcpy(&r->skip, data + sizeof(*header), sizeof(r->skip));
		return 0;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (!nested && packed(header, &data, &len))
			return unpack(r, data, len);
		r->stats.damaged++;
		return 0;
	default:
		return 0;
	}
}

/* Skip the part of non-record data that is in a window. Returns its size. */
static size_t pass_over(struct wp_perfrecords *r, size_t len)
{
	size_t n = r->skip < len ? r->skip : len;

	r->skip -= n;
	return n;
}

/*
 * Process all complete records in a window; the rest, less than a record, moves to its
 * beginning.
 */
static int take_all(struct wp_perfrecords *r, struct window *w, bool nested)
{
	struct perf_event_header header;
	size_t at = 0;
	int ret = 0;

	while (!ret && w->len - at >= sizeof(header)) {
		memcpy(&header, w->data + at, sizeof(header));
		if (header.size < sizeof(header)) {
			/* The start of the next record is unknown. */
			r->stats.damaged++;
			at = w->len;
			ret = nested ? 0 : -EPROTO;
			break;
		}
		if (header.size > w->len - at)
			break;
		ret = take(r, &header, w->data + at, nested);
		at += header.size;
		at += pass_over(r, w->len - at);
	}
	memmove(w->data, w->data + at, w->len - at);
	w->len -= at;
	return ret;
}

static int unpack(struct wp_perfrecords *r, const char *data, size_t len)
{
	ZSTD_inBuffer in = { .src = data, .size = len };
	struct window *w = &r->unpacked;
	int ret = 0;

	for (;;) {
		ZSTD_outBuffer out = { .dst = w->data + w->len, .size = w->room - w->len };
		size_t left = ZSTD_decompressStream(r->zstd, &out, &in);

		if (ZSTD_isError(left)) {
			r->stats.damaged++;
			ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
			w->len = 0;
			return 0;
		}
		w->len += out.pos;
		ret = take_all(r, w, true);
		/* If there was room left, the output is complete. */
		if (ret || (in.pos == in.size && out.pos < out.size))
			return ret;
	}
}

/* Returns the number of bytes read; 0 at the end, or a negative errno. */
static ssize_t fill(struct wp_perfrecords *r, __u64 *at, __u64 end)
{
	struct window *w = &r->plain;
	size_t want;
	ssize_t n;

	*at += r->skip < end - *at ? r->skip : end - *at;
	r->skip = 0;
	want = end - *at < READ_SIZE ? end - *at : READ_SIZE;
	if (!want)
		return 0;
	n = pread(r->file->fd, w->data + w->len, want, *at);
	if (n < 0)
		return -errno;
	w->len += n;
	*at += n;
	return n;
}

static int walk(struct wp_perfrecords *r, struct wp_progress *progress)
{
	const struct wp_file_section *s = &r->file->header.data;
	/* If the writer was killed, read to the end of the file. */
	__u64 at = s->offset, end = s->size ? s->offset + s->size : r->file->size;
	ssize_t n;
	int ret;

	if (at > end)
		return -EPROTO;
	wp_progress_begin(progress, "reading the recording", end - at);
	do {
		n = fill(r, &at, end);
		if (n < 0)
			return n;
		if (r->progress)
			wp_progress_step(progress, at - s->offset);
		ret = take_all(r, &r->plain, false);
		if (ret)
			return ret;
	} while (n);
	r->stats.damaged += !!r->plain.len + !!r->unpacked.len;
	return 0;
}

/**
 * wp_perfrecords_read() - read all records, once
 * @r: the reader
 * @fn: called for each, in order of time; for those without a time at once
 * @ctx: passed to @fn
 *
 * Damaged records are counted, and skipped if their size is known.
 *
 * Return: 0; what @fn returned, if that is not 0; or a negative errno, after a message
 * unless it comes from @fn: the records up to there were delivered.
 */
int wp_perfrecords_read(struct wp_perfrecords *r, wp_perfrecord_fn fn, void *ctx)
{
	struct wp_progress progress = { 0 };
	int ret, rest;

	r->fn = fn;
	r->ctx = ctx;
	ret = walk(r, &progress);
	wp_progress_end(&progress);
	if (ret && ret != -EPROTO)
		return ret;
	rest = wp_sorter_flush(&r->sorter, ~0ULL, deliver, r);
	if (ret == -EPROTO)
		wp_warn("%s is damaged: its records end early", r->path);
	return rest;
}

/**
 * wp_perfrecords_stats() - read the statistics
 * @r: the reader
 * @stats: filled in
 */
void wp_perfrecords_stats(const struct wp_perfrecords *r, struct wp_perfrecords_stats *stats)
{
	*stats = r->stats;
}

/**
 * wp_perfrecords_free() - free the reader
 * @r: the reader, or NULL
 */
void wp_perfrecords_free(struct wp_perfrecords *r)
{
	if (!r)
		return;
	wp_perfevents_free(&r->events);
	wp_sorter_free(&r->sorter);
	ZSTD_freeDCtx(r->zstd);
	free(r->plain.data);
	free(r->unpacked.data);
	free(r);
}
