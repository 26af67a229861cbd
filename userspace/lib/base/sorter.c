// SPDX-License-Identifier: GPL-2.0
/*
 * Owns waiting records and their order. Called by sideband.c and batch.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/sorter.h"

struct wp_sorter_entry {
	__u64 time;
	__u64 order;	/* at equal times: see order_of() */
	size_t at;	/* offset in @data */
};

/*
 * Order of equal times: a mapping or a name comes before the sample that needs it, and a
 * thread ends after its last sample; else in order of arrival.
 */
static __u64 order_of(__u32 type, __u64 seq)
{
	__u64 rank = type == PERF_RECORD_EXIT ? 2 : type == PERF_RECORD_SAMPLE ? 1 : 0;

	return rank << 62 | seq;
}

/* More memory, for a record of @size bytes, at most 64 KiB. */
static bool grow(struct wp_sorter *s, size_t size)
{
	size_t room = 2 * s->room + (1 << 16), nr_room = 2 * s->nr_room + 1024;
	struct wp_sorter_entry *entry;
	char *data;

	if (size > s->room - s->len) {
		data = realloc(s->data, room);
		if (!data)
			goto nomem;
		s->data = data;
		s->room = room;
	}
	if (s->nr == s->nr_room) {
		entry = realloc(s->entry, nr_room * sizeof(*entry));
		if (!entry)
			goto nomem;
		s->entry = entry;
		s->nr_room = nr_room;
	}
	return true;
nomem:
	wp_err("out of memory for %zu records that wait to be sorted", s->nr);
	return false;
}

static inline bool has_room(const struct wp_sorter *s, size_t size)
{
	return size <= s->room - s->len && s->nr < s->nr_room;
}

static int refuse(const struct perf_event_header *rec)
{
	wp_err("a record of type %u has a size of %u bytes", rec->type, rec->size);
	return -EINVAL;
}

static inline bool is_good(const struct perf_event_header *rec)
{
	return rec->size >= sizeof(*rec) && rec->size % sizeof(__u64) == 0;
}

/* No two are equal: each has a number of its own. */
static inline bool is_before(const struct wp_sorter_entry *a, const struct wp_sorter_entry *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static inline void add_entry(struct wp_sorter *s, const struct perf_event_header *rec, __u64 time)
{
	struct wp_sorter_entry *entry = &s->entry[s->nr];

	*entry = (struct wp_sorter_entry){
		.time = time,
		.order = order_of(rec->type, s->seq++),
		.at = s->len,
	};
	s->unsorted |= s->nr > s->next && is_before(entry, entry - 1);
	s->nr++;
	s->len += rec->size;
}

/**
 * wp_sorter_place() - memory for a record that is made in place
 * @s: the sorter
 * @size: its maximum size
 *
 * Return: where to put it, aligned to 8 bytes, until the next call; NULL after a message if
 * memory ran out.
 */
void *wp_sorter_place(struct wp_sorter *s, size_t size)
{
	return has_room(s, size) || grow(s, size) ? s->data + s->len : NULL;
}

/**
 * wp_sorter_add_placed() - add the record that is at wp_sorter_place()
 * @s: the sorter
 * @time: its time
 *
 * Return: 0 or a negative errno.
 */
int wp_sorter_add_placed(struct wp_sorter *s, __u64 time)
{
	const struct perf_event_header *rec = (const void *)(s->data + s->len);

	if (!is_good(rec))
		return refuse(rec);
	add_entry(s, rec, time);
	return 0;
}

/**
 * wp_sorter_add() - add a record
 * @s: the sorter
 * @rec: the record; copied
 * @time: its time
 *
 * Return: 0 or a negative errno.
 */
int wp_sorter_add(struct wp_sorter *s, const struct perf_event_header *rec, __u64 time)
{
	if (!is_good(rec))
		return refuse(rec);
	if (!has_room(s, rec->size) && !grow(s, rec->size))
		return -ENOMEM;
	memcpy(s->data + s->len, rec, rec->size);
	add_entry(s, rec, time);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

static struct perf_event_header *record(const struct wp_sorter *s, size_t i)
{
	return (struct perf_event_header *)(s->data + s->entry[i].at);
}

/* Move the records from @first on to the front; they are few. */
static void keep_rest(struct wp_sorter *s, size_t first)
{
	size_t i, len = 0;
	char *data;

	s->next = 0;
	if (!first)
		return;
	for (i = first; i < s->nr; i++)
		len += record(s, i)->size;
	data = len ? malloc(len) : NULL;
	if (len && !data) {
		/*
		 * On failure nothing is lost: what was delivered stays in memory for
		 * now.
		 */
		s->nr -= first;
		memmove(s->entry, s->entry + first, s->nr * sizeof(*s->entry));
		return;
	}
	len = 0;
	for (i = first; i < s->nr; i++) {
		struct perf_event_header *rec = record(s, i);

		memcpy(data + len, rec, rec->size);
		s->entry[i - first] = s->entry[i];
		s->entry[i - first].at = len;
		len += rec->size;
	}
	s->nr -= first;
	if (len) {
		memcpy(s->data, data, len);
		free(data);
	}
	s->len = len;
}

/* The end of the run that begins at @from: entries that are in order. */
static size_t run_end(const struct wp_sorter_entry *entry, size_t from, size_t nr)
{
	for (from++; from < nr && is_before(&entry[from - 1], &entry[from]); from++)
		;
	return from;
}

/* Merge the runs of @from in pairs into @to. Returns whether more than one was left. */
static bool merge_runs(const struct wp_sorter_entry *from, struct wp_sorter_entry *to, size_t nr)
{
	size_t at = 0, runs = 0, a, mid, b, end;

	while (at < nr) {
		a = at;
		mid = run_end(from, at, nr);
		end = mid < nr ? run_end(from, mid, nr) : nr;
		for (b = mid; a < mid && b < end;)
			to[at++] = is_before(&from[a], &from[b]) ? from[a++] : from[b++];
		memcpy(&to[at], &from[a], (mid - a) * sizeof(*to));
		at += mid - a;
		memcpy(&to[at], &from[b], (end - b) * sizeof(*to));
		at += end - b;
		runs++;
	}
	return runs > 1;
}

/*
 * Sort the entries from @next on. What is added comes from a few sources, and is in order
 * within each: a CPU's ring, the samples of an epoch, the rest of the last flush.
 */
static __attribute__((noinline)) void sort_entries(struct wp_sorter *s)
{
	struct wp_sorter_entry *from = s->entry, *to, *swap;
	bool more;

	s->unsorted = false;
	to = s->next ? NULL : malloc(s->nr_room * sizeof(*to));
	if (!to) {
		qsort(s->entry + s->next, s->nr - s->next, sizeof(*s->entry), compare);
		return;
	}
	do {
		more = merge_runs(from, to, s->nr);
		swap = from;
		from = to;
		to = swap;
	} while (more);
	s->entry = from;
	free(to);
}

static inline void sort(struct wp_sorter *s)
{
	if (s->unsorted)
		sort_entries(s);
}

/**
 * wp_sorter_flush() - deliver records in order of time
 * @s: the sorter
 * @upto: records up to and including this time; the later ones stay
 * @fn: called for each
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_sorter_flush(struct wp_sorter *s, __u64 upto, wp_sorter_fn fn, void *ctx)
{
	int ret = 0;
	size_t i;

	sort(s);
	for (i = s->next; i < s->nr && s->entry[i].time <= upto && !ret; i++)
		ret = fn(ctx, record(s, i), s->entry[i].time);
	keep_rest(s, i);
	return ret;
}

/**
 * wp_sorter_pass() - deliver what comes before a sample that is not added
 * @s: the sorter
 * @time: the sample's time
 * @fn: called for each
 * @ctx: passed to @fn
 *
 * Memory is freed by the next wp_sorter_flush(), which follows soon: before more is added
 * than what this one needs.
 *
 * Return: 0, or what @fn returned.
 */
int wp_sorter_pass(struct wp_sorter *s, __u64 time, wp_sorter_fn fn, void *ctx)
{
	const struct wp_sorter_entry sample = {
		.time = time, .order = order_of(PERF_RECORD_SAMPLE, s->seq)
	};
	int ret = 0;

	sort(s);
	while (s->next < s->nr && is_before(&s->entry[s->next], &sample) && !ret) {
		ret = fn(ctx, record(s, s->next), s->entry[s->next].time);
		s->next++;
	}
	return ret;
}

/**
 * wp_sorter_flush_half() - deliver the older half of the records in order of time
 * @s: the sorter
 * @fn: called for each
 * @ctx: passed to @fn
 *
 * Half of their number, whatever their times are, so that the number always falls.
 *
 * Return: 0, or what @fn returned.
 */
int wp_sorter_flush_half(struct wp_sorter *s, wp_sorter_fn fn, void *ctx)
{
	size_t half = s->nr - (s->nr - s->next) / 2, i;
	int ret = 0;

	sort(s);
	for (i = s->next; i < half && !ret; i++)
		ret = fn(ctx, record(s, i), s->entry[i].time);
	keep_rest(s, i);
	return ret;
}

/**
 * wp_sorter_free() - free all records
 * @s: the sorter; empty afterwards
 */
void wp_sorter_free(struct wp_sorter *s)
{
	free(s->data);
	free(s->entry);
	memset(s, 0, sizeof(*s));
}
