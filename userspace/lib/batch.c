// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the records that wait to be written, in the order in which they came,
 * and sorts them by time. Called from cmd/record.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/batch.h"
#include "lib/err.h"

struct entry {
	__u64 time;
	__u64 order;	/* at equal times: see order_of() */
	size_t at;	/* in data */
};

struct wp_batch {
	struct wp_perfdata *pd;
	bool rounds;
	char *data;
	size_t len, room;
	struct entry *entry;
	size_t nr, nr_room;
	__u64 seq;
	/* The latest times of the round before last, of the last, of all. */
	__u64 max[3];
	__u64 late;
	char scratch[1 << 16] __attribute__((aligned(8)));
};

/**
 * wp_batch_new() - make an empty batch
 * @pd: the file to write to
 * @rounds: write FINISHED_ROUND after each flush. Readers then need not keep
 *	the whole file in memory, but they complain about records that come two
 *	rounds late. Say false if such records must be expected, as when off-CPU
 *	samples carry the time at which a long wait began.
 *
 * Return: the batch, or NULL when memory ran out.
 */
struct wp_batch *wp_batch_new(struct wp_perfdata *pd, bool rounds)
{
	struct wp_batch *b = calloc(1, sizeof(*b));

	if (!b) {
		wp_err("out of memory for sorting records");
		return NULL;
	}
	b->pd = pd;
	b->rounds = rounds;
	return b;
}

/**
 * wp_batch_free() - free a batch and the records in it
 * @b: the batch, or NULL
 */
void wp_batch_free(struct wp_batch *b)
{
	if (!b)
		return;
	free(b->data);
	free(b->entry);
	free(b);
}

/*
 * Two things of one nanosecond: a mapping or a name is there before the sample
 * that needs it, and a thread ends after its last sample; else as they came.
 */
static __u64 order_of(__u32 type, __u64 seq)
{
	__u64 rank = type == PERF_RECORD_EXIT ? 2 : type == PERF_RECORD_SAMPLE ? 1 : 0;

	return rank << 62 | seq;
}

/**
 * wp_batch_add_record() - add a record
 * @b: the batch
 * @rec: the record; copied
 * @time: its time; 0 for what is to come before everything else
 *
 * Return: 0 or a negative errno.
 */
int wp_batch_add_record(struct wp_batch *b, const struct perf_event_header *rec, __u64 time)
{
	if (rec->size < sizeof(*rec) || rec->size % sizeof(__u64)) {
		wp_err("a record of type %u has a size of %u bytes", rec->type, rec->size);
		return -EINVAL;
	}
	if (rec->size > b->room - b->len) {
		size_t room = 2 * b->room + (1 << 16);
		char *p = realloc(b->data, room);

		if (!p)
			goto nomem;
		b->data = p;
		b->room = room;
	}
	if (b->nr == b->nr_room) {
		size_t room = 2 * b->nr_room + 1024;
		struct entry *p = realloc(b->entry, room * sizeof(*p));

		if (!p)
			goto nomem;
		b->entry = p;
		b->nr_room = room;
	}
	memcpy(b->data + b->len, rec, rec->size);
	b->entry[b->nr++] = (struct entry){
		.time = time,
		.order = order_of(rec->type, b->seq++),
		.at = b->len,
	};
	b->len += rec->size;
	return 0;
nomem:
	wp_err("out of memory for %zu records that wait to be sorted", b->nr);
	return -ENOMEM;
}

/**
 * wp_batch_add_sample() - add a sample
 * @b: the batch
 * @s: the sample; copied
 *
 * Return: 0 or a negative errno.
 */
int wp_batch_add_sample(struct wp_batch *b, const struct wp_perfdata_sample *s)
{
	if (!wp_perfdata_encode_sample(b->pd, s, b->scratch, sizeof(b->scratch)))
		return -EINVAL;
	return wp_batch_add_record(b, (void *)b->scratch, s->time);
}

static int compare_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static struct perf_event_header *record(const struct wp_batch *b, const struct entry *e)
{
	return (struct perf_event_header *)(b->data + e->at);
}

/* Move the records from @first on to the front; they are few. */
static int keep_rest(struct wp_batch *b, size_t first)
{
	char *data;
	size_t i, len = 0;

	if (first == b->nr) {
		b->nr = 0;
		b->len = 0;
		return 0;
	}
	for (i = first; i < b->nr; i++)
		len += record(b, &b->entry[i])->size;
	data = malloc(len);
	if (!data) {
		/* Nothing is lost: the written ones just stay in memory. */
		memmove(b->entry, b->entry + first, (b->nr - first) * sizeof(*b->entry));
		b->nr -= first;
		return 0;
	}
	len = 0;
	for (i = first; i < b->nr; i++) {
		struct perf_event_header *rec = record(b, &b->entry[i]);

		memcpy(data + len, rec, rec->size);
		b->entry[i - first] = b->entry[i];
		b->entry[i - first].at = len;
		len += rec->size;
	}
	free(b->data);
	b->data = data;
	b->room = len;
	b->len = len;
	b->nr -= first;
	return 0;
}

/**
 * wp_batch_flush() - write what is complete
 * @b: the batch
 * @upto: records of this time and before are written, in order of time;
 *	~0ULL writes all
 *
 * Return: 0 or a negative errno of writing.
 */
int wp_batch_flush(struct wp_batch *b, __u64 upto)
{
	size_t i;
	int ret;

	if (b->nr)
		qsort(b->entry, b->nr, sizeof(*b->entry), compare_entry);
	for (i = 0; i < b->nr && b->entry[i].time <= upto; i++) {
		/* Time 0 is handled at once by readers, wherever it stands. */
		if (b->entry[i].time && b->entry[i].time < b->max[0])
			b->late++;
		ret = wp_perfdata_write_record(b->pd, record(b, &b->entry[i]));
		if (ret)
			return ret;
		if (b->entry[i].time > b->max[2])
			b->max[2] = b->entry[i].time;
	}
	if (i && b->rounds) {
		ret = wp_perfdata_finished_round(b->pd);
		if (ret)
			return ret;
		b->max[0] = b->max[1];
		b->max[1] = b->max[2];
	}
	return keep_rest(b, i);
}

/**
 * wp_batch_pending() - how many records wait
 * @b: the batch
 *
 * Return: their number.
 */
size_t wp_batch_pending(const struct wp_batch *b)
{
	return b->nr;
}

/**
 * wp_batch_late() - how many records came too late to be sorted by readers
 * @b: the batch
 *
 * They are in the file; readers say "out of order events" about them.
 *
 * Return: their number.
 */
__u64 wp_batch_late(const struct wp_batch *b)
{
	return b->late;
}
