// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files of a recording: the one that is written, and with --switch-output those
 * before it, each of which is renamed when it is complete. Called by record.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/signals.h"
#include "cmd/record/line.h"
#include "cmd/record/output.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/model/ledgerfile.h"
#include "lib/record/session.h"

/*
 * A ledger can only be appended to a regular file. It has the totals of the whole
 * recording, which no file of several is.
 */
static void open_spool(struct wp_recording *r)
{
	if (r->o.offcpu && !r->o.switching.on && wp_perfdata_is_regular(r->pd))
		wp_ledgerspool_open(&r->spool, r->o.output);
}

/**
 * wp_record_output_open() - open the first file
 * @out: the files
 * @r: the recording, configured
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_record_output_open(struct wp_record_output *out, struct wp_recording *r)
{
	int err = wp_output_names_init(&out->names, r->o.switching.max_files);

	out->next = ~0ULL;
	out->has_names_only = true;
	/* As in perf, it does not end a recording that does not wait for it. */
	if (r->o.switching.on_signal)
		wp_signals_catch_snapshot();
	else
		signal(SIGUSR2, SIG_IGN);
	if (!err)
		err = wp_recording_open_output(r);
	wp_signals_set_file(r->pd);
	if (err)
		return err;
	if (r->o.switching.has_names && !wp_perfdata_is_regular(r->pd)) {
		wp_err("%s is not a regular file: it cannot be named after the time",
		       r->o.output);
		return -EINVAL;
	}
	open_spool(r);
	return 0;
}

/**
 * wp_record_output_begin() - the recording begins, or goes on
 * @out: the files
 * @r: the recording
 */
void wp_record_output_begin(struct wp_record_output *out, const struct wp_recording *r)
{
	if (r->o.switching.ns && out->next == ~0ULL)
		out->next = r->s.start + r->o.switching.ns;
	out->has_names_only = false;
}

/**
 * wp_record_output_next() - when the next file begins
 * @out: the files
 *
 * Of a pause no more than one file is completed but by a signal: they would be without
 * samples, and take the places of others by --switch-max-files.
 *
 * Return: the time, of CLOCK_MONOTONIC; ~0: at no time.
 */
__u64 wp_record_output_next(const struct wp_record_output *out)
{
	return out->has_names_only ? ~0ULL : out->next;
}

/**
 * wp_record_output_is_due() - whether it is time for the next file
 * @out: the files
 * @r: the recording
 *
 * Return: true if so, for a signal once.
 */
bool wp_record_output_is_due(const struct wp_record_output *out, const struct wp_recording *r)
{
	if (!r->o.switching.on)
		return false;
	if (r->o.switching.on_signal)
		return wp_signals_snapshot();
	if (r->o.switching.bytes)
		return !out->has_names_only &&
		       wp_perfdata_kept(r->pd) >= r->o.switching.bytes;
	return wp_clock_now() >= wp_record_output_next(out);
}

/**
 * wp_record_output_is_full() - whether the file has the size of --max-size
 * @r: the recording
 *
 * As in perf it is the size of the data; what is in the tables by then is written, too.
 *
 * Return: true if so; a message was printed.
 */
bool wp_record_output_is_full(const struct wp_recording *r)
{
	if (!r->o.max_bytes || wp_perfdata_kept(r->pd) < r->o.max_bytes)
		return false;
	if (!r->o.quiet)
		fprintf(stderr, "[ wallprof record: size limit reached (%llu KB), stopping session ]\n",
			(unsigned long long)wp_perfdata_kept(r->pd) >> 10);
	return true;
}

/* After all that perf reads. If the process is killed meanwhile, the file has no ledger. */
static void append_ledger(struct wp_recording *r, int fd)
{
	const struct wallprof_lost *lost = r->s.lost[WP_CONTEXT_SCHED];
	const struct wp_ledgerfile_head head = {
		.start = r->s.first,
		.stop = r->s.stop,
		.lost = lost[WALLPROF_LOSS_EXIT_FULL].count,
		.lost_ns = lost[WALLPROF_LOSS_EXIT_FULL].ns,
		.untracked = lost[WALLPROF_LOSS_NO_TASK].count,
		.untracked_ns = lost[WALLPROF_LOSS_NO_TASK].ns,
		.flags = r->o.has_cpus ? WP_LEDGERFILE_SOME_CPUS : 0,
	};

	wp_ledgerspool_append(&r->spool, fd, r->o.output, &head);
}

/* Complete the file, and close it. @bytes: set to its size. */
static int close_file(struct wp_recording *r, int err, __u64 *bytes)
{
	int ret, fd;

	/* From here on a second Ctrl-C leaves the file as it is. */
	ret = wp_perfdata_flush(r->pd);
	wp_signals_set_file(NULL);
	err = err ? err : ret;
	wp_recording_keep_names(r);
	wp_recording_keep_code(r);
	fd = wp_perfdata_dup(r->pd);
	ret = wp_perfdata_close(r->pd, r->ids);
	r->pd = NULL;
	err = err ? err : ret;
	/* A ledger is of one time, from a start to a stop. */
	if (fd >= 0 && !err && r->s.stop && !r->s.pauses)
		append_ledger(r, fd);
	*bytes = wp_perfdata_dup_close(fd);
	r->s.bytes += *bytes;
	return err;
}

/* Give the file, which is closed, its final name. */
static int rename_file(struct wp_record_output *out, struct wp_recording *r)
{
	int err = wp_output_name(r->o.output, out->path, sizeof(out->path));

	if (err)
		return err;
	if (rename(r->o.output, out->path)) {
		err = -errno;
		wp_err("cannot rename %s to %s: %s", r->o.output, out->path, strerror(-err));
		return err;
	}
	wp_output_names_add(&out->names, out->path);
	r->s.files++;
	return 0;
}

/**
 * wp_record_output_switch() - complete the file, and go on in the next one
 * @out: the files
 * @r: the recording, started, or set up to be
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_record_output_switch(struct wp_record_output *out, struct wp_recording *r)
{
	__u64 bytes;
	int err, ret;

	err = wp_recording_begin_switch(r);
	/* The file goes on: its end is written when the recording ends. */
	if (err)
		return err;
	err = r->s.start ? wp_recording_drain(r, false) : wp_recording_drain_names(r, false);
	if (!err)
		err = wp_recording_end_file(r);
	ret = close_file(r, err, &bytes);
	err = err ? err : ret;
	ret = rename_file(out, r);
	err = err ? err : ret;
	if (err)
		return err;
	if (!r->o.quiet)
		print("Dump %s: %.3f MB", out->path, (double)bytes / 1024 / 1024);
	err = wp_recording_open_next(r);
	wp_signals_set_file(r->pd);
	out->has_names_only = !r->s.start;
	while (out->next <= wp_clock_now())
		out->next += r->o.switching.ns;
	return err;
}

/**
 * wp_record_output_close() - complete the last file
 * @out: the files
 * @r: the recording
 * @err: what happened so far, 0 or a negative errno; set to the first error
 *
 * A recording that failed before its start leaves no file.
 */
void wp_record_output_close(struct wp_record_output *out, struct wp_recording *r, int *err)
{
	__u64 bytes;
	int ret;

	if (r->pd && *err && !r->begun) {
		wp_signals_set_file(NULL);
		wp_perfdata_discard(r->pd);
	} else if (r->pd) {
		r->s.late += wp_batch_late(r->batch);
		*err = close_file(r, *err, &bytes);
		if (r->o.switching.has_names) {
			ret = rename_file(out, r);
			*err = *err ? *err : ret;
			if (!ret)
				r->o.output = out->path;
		}
	}
	wp_output_names_free(&out->names);
}
