// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the records that wait to be written, and counts the records that came too late.
 * Called by the record command.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/sorter.h"
#include "lib/perfdata/samplerecord.h"
#include "lib/record/batch.h"

/*
 * Minimum length of a round. The kernel takes a record's timestamp before the record
 * becomes readable, with preemption off in between; a virtual CPU can be stopped there
 * for as long as its host likes. Full tables are flushed every few milliseconds, which is
 * far too short for a round.
 */
#define ROUND_NS	1000000000ULL

struct wp_batch {
	struct wp_perfdata *pd;
	bool rounds;
	struct wp_sorter sorter;
	/* latest times: round before last, last round, all */
	__u64 max[3];
	__u64 late;
	bool wrote;
};

/**
 * wp_batch_new() - allocate an empty batch
 * @pd: the file to write to; NULL: wp_batch_set_file() comes before samples and flushes
 * @rounds: write FINISHED_ROUND after flushes, once a second at most. Readers can then
 *	sort without holding the whole file in memory, but they complain about records
 *	that are two rounds late. Pass false if such records must be expected, as when
 *	off-CPU samples carry the time at which a long wait began.
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
 * wp_batch_set_file() - set the file to write to
 * @b: the batch, which has had none
 * @pd: the file
 */
void wp_batch_set_file(struct wp_batch *b, struct wp_perfdata *pd)
{
	b->pd = pd;
}

/**
 * wp_batch_free() - free a batch and the records in it
 * @b: the batch, or NULL
 */
void wp_batch_free(struct wp_batch *b)
{
	if (!b)
		return;
	wp_sorter_free(&b->sorter);
	free(b);
}

/**
 * wp_batch_add_record() - add a record
 * @b: the batch
 * @rec: the record; copied
 * @time: its time; 0 sorts before everything else
 *
 * Return: 0 or a negative errno.
 */
int wp_batch_add_record(struct wp_batch *b, const struct perf_event_header *rec, __u64 time)
{
	return wp_sorter_add(&b->sorter, rec, time);
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
	void *at = wp_sorter_place(&b->sorter, WP_SAMPLERECORD_MAX);

	if (!at)
		return -ENOMEM;
	if (!wp_perfdata_encode_sample(b->pd, s, at, WP_SAMPLERECORD_MAX))
		return -EINVAL;
	return wp_sorter_add_placed(&b->sorter, s->time);
}

/* A record of this time is written. */
static inline void note(struct wp_batch *b, __u64 time)
{
	b->wrote = true;
	/* Readers process records of time 0 at once, wherever they are in the file. */
	if (time && time < b->max[0])
		b->late++;
	if (time > b->max[2])
		b->max[2] = time;
}

static int write_one(void *ctx, struct perf_event_header *rec, __u64 time)
{
	struct wp_batch *b = ctx;

	note(b, time);
	return wp_perfdata_write_record(b->pd, rec);
}

/**
 * wp_batch_write_sample() - write a sample, and before it what is in front of it
 * @b: the batch
 * @s: the sample, not earlier than the one before; copied
 * @upto: as for the wp_batch_flush() that follows: a later sample is only added
 *
 * A sample that is written at once is neither copied nor sorted.
 *
 * Return: 0 or a negative errno.
 */
int wp_batch_write_sample(struct wp_batch *b, const struct wp_perfdata_sample *s, __u64 upto)
{
	int ret;

	if (s->time > upto)
		return wp_batch_add_sample(b, s);
	ret = wp_sorter_pass(&b->sorter, s->time, write_one, b);
	if (ret)
		return ret;
	note(b, s->time);
	return wp_perfdata_write_sample(b->pd, s);
}

/**
 * wp_batch_write_again() - write the last sample for another event
 * @b: the batch
 * @s: what wp_batch_write_sample() had last, but for its event and its period. Both events
 *	have a raw payload, or none
 * @upto: as for that
 *
 * Return: 0 or a negative errno.
 */
int wp_batch_write_again(struct wp_batch *b, const struct wp_perfdata_sample *s, __u64 upto)
{
	if (s->time > upto)
		return wp_batch_add_sample(b, s);
	note(b, s->time);
	return wp_perfdata_write_again(b->pd, s);
}

/**
 * wp_batch_flush() - write the complete records
 * @b: the batch
 * @upto: write records up to and including this time, in order of time; ~0ULL writes all
 *
 * Return: 0 or a negative errno of writing.
 */
int wp_batch_flush(struct wp_batch *b, __u64 upto)
{
	bool wrote;
	int ret;

	ret = wp_sorter_flush(&b->sorter, upto, write_one, b);
	wrote = b->wrote;
	b->wrote = false;
	if (ret || !wrote || !b->rounds || b->max[2] < b->max[1] + ROUND_NS)
		return ret;
	b->max[0] = b->max[1];
	b->max[1] = b->max[2];
	return wp_perfdata_finished_round(b->pd);
}

/**
 * wp_batch_late() - number of records that are too late for readers to sort
 * @b: the batch
 *
 * They are still written; readers report them as "out of order events".
 *
 * Return: their number.
 */
__u64 wp_batch_late(const struct wp_batch *b)
{
	return b->late;
}
