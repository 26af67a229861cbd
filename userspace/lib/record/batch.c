// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the records that wait to be written, and counts those that came too
 * late. Called from the record command.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/sorter.h"
#include "lib/record/batch.h"

/*
 * A round is at least so long. The kernel takes a record's time before the record
 * can be read, with preemption off in between; a virtual CPU stands still there
 * for as long as its host pleases. Tables that fill up are flushed every few
 * milliseconds, which is far too short for a round.
 */
#define ROUND_NS	1000000000ULL

struct wp_batch {
	struct wp_perfdata *pd;
	bool rounds;
	struct wp_sorter sorter;
	/* The latest times of the round before last, of the last, of all. */
	__u64 max[3];
	__u64 late;
	bool wrote;
	char scratch[1 << 16] __attribute__((aligned(8)));
};

/**
 * wp_batch_new() - make an empty batch
 * @pd: the file to write to
 * @rounds: write FINISHED_ROUND after flushes, once a second at most. Readers
 *	then need not keep the whole file in memory, but they complain about records
 *	that come two rounds late. Say false if such records must be expected, as
 *	when off-CPU samples carry the time at which a long wait began.
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
	wp_sorter_free(&b->sorter);
	free(b);
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
	if (!wp_perfdata_encode_sample(b->pd, s, b->scratch, sizeof(b->scratch)))
		return -EINVAL;
	return wp_batch_add_record(b, (void *)b->scratch, s->time);
}

static int write_one(void *ctx, struct perf_event_header *rec, __u64 time)
{
	struct wp_batch *b = ctx;

	b->wrote = true;
	/* Time 0 is handled at once by readers, wherever it stands. */
	if (time && time < b->max[0])
		b->late++;
	if (time > b->max[2])
		b->max[2] = time;
	return wp_perfdata_write_record(b->pd, rec);
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
	int ret;

	b->wrote = false;
	ret = wp_sorter_flush(&b->sorter, upto, write_one, b);
	if (ret || !b->wrote || !b->rounds || b->max[2] < b->max[1] + ROUND_NS)
		return ret;
	b->max[0] = b->max[1];
	b->max[1] = b->max[2];
	return wp_perfdata_finished_round(b->pd);
}

/**
 * wp_batch_pending() - how many records wait
 * @b: the batch
 *
 * Return: their number.
 */
size_t wp_batch_pending(const struct wp_batch *b)
{
	return b->sorter.nr;
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
