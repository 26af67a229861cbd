// SPDX-License-Identifier: GPL-2.0
/*
 * Lets a session go on in another file, without a gap: what is read of processes while the
 * last records of the first file are written, goes to both. Called by cmd/record/output.c:
 *
 *	wp_recording_begin_switch()	what runs now, for the next file
 *	wp_recording_drain()		up to here it is the first file's
 *	wp_recording_end_file()
 *	the first file is completed and closed
 *	wp_recording_open_next()
 *
 * What a thread did before the switch is in the first file if an epoch ended after it, and
 * the names and mappings for it are in both: a thread that ends meanwhile has them where
 * it has samples. An interval is in the file of the time at which it ends.
 */
#include <errno.h>

#include "lib/record/ksyms.h"
#include "lib/record/session.h"

static int add_to_next(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct wp_recording *r = ctx;

	return wp_batch_add_record(r->next, rec, time);
}

/**
 * wp_recording_begin_switch() - note what runs, for the next file
 * @r: the recording, which is started
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_begin_switch(struct wp_recording *r)
{
	struct wp_synth synth = {
		.fn = add_to_next,
		.ctx = r,
		.id = wp_perfdata_id(r->pd, r->side, 0),
		.ids = r->ids,
		.busy = &r->busy,
		.followed = r->sideband,
	};
	struct wp_snapshot *snap;
	int err;

	r->next = wp_batch_new(NULL, true);
	if (!r->next)
		return -ENOMEM;
	err = wp_ksyms_synthesize(&synth, NULL);
	if (err)
		return err;
	snap = wp_snapshot_read(&r->dev);
	err = snap ? wp_proc_synthesize_snapshot(&synth, snap) : wp_proc_synthesize_all(&synth);
	wp_snapshot_put(snap);
	return err;
}

/**
 * wp_recording_end_file() - write all there is to the first file
 * @r: the recording, drained
 *
 * A drain leaves the youngest records of processes, which may belong to threads whose samples
 * it has written.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_end_file(struct wp_recording *r)
{
	int err = wp_recording_settle_sideband(r);

	return err ? err : wp_batch_flush(r->batch, ~0ULL);
}

/**
 * wp_recording_open_next() - open the next file
 * @r: the recording; the first file is closed
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_recording_open_next(struct wp_recording *r)
{
	int err = wp_recording_open_file(r);

	if (err)
		return err;
	r->s.late += wp_batch_late(r->batch);
	wp_batch_free(r->batch);
	r->batch = r->next;
	r->next = NULL;
	wp_batch_set_file(r->batch, r->pd);
	err = wp_batch_flush(r->batch, 0);
	return err ? err : wp_perfdata_flush(r->pd);
}
