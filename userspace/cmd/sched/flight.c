// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched record --overwrite: a flight recorder. The module overwrites the oldest
 * records of its rings, and a file is written only on demand: at the end, at SIGUSR2, or
 * when a thread waits longer than a trigger allows.
 *
 * The rings stay with the kernel: a snapshot copies them while they are written, and the
 * triggers read the records without consuming them. So a reader that gets no CPU can only
 * miss a trigger, which it reports; the recorded data is not affected. Triggers use the
 * records and not the module's sums, since a wait is added to these when it ends, which a
 * hanging thread's does not.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/outputnames.h"
#include "cmd/common/signals.h"
#include "cmd/sched/recording.h"
#include "lib/base/clock.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"
#include "lib/device/ringwalk.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/ksyms.h"
#include "lib/record/sideband.h"
#include "lib/record/sidelog.h"
#include "lib/record/synthesize.h"
#include "lib/record/timeline.h"
#include "lib/record/trigger.h"

#define NSEC_PER_SEC	(1000 * WP_NSEC_PER_MSEC)

/* Interval between reads of the rings, without triggers and with them. */
#define IDLE_NS		NSEC_PER_SEC
#define LOOK_MAX_NS	(100 * WP_NSEC_PER_MSEC)
#define LOOK_MIN_NS	WP_NSEC_PER_MSEC

/* A record gets its timestamp a moment before it becomes visible: younger ones wait. */
#define SETTLE_NS	(2 * WP_NSEC_PER_MSEC)

/* Pause after a trigger that does not end the recording. */
#define PAUSE_NS	NSEC_PER_SEC

/* Interval between searches for threads whose exit record was lost. */
#define REAP_NS		NSEC_PER_SEC

/* Limits for the memory for names; it is as large as the rings, within these. */
#define MIN_LOG		(4U << 20)
#define MAX_LOG		(64U << 20)

/* Number of records sorted at a time. */
#define SLICE		16384

/*
 * Maximum number of attempts at a snapshot, if all that was before it is overwritten
 * meanwhile.
 */
#define MAX_LOOKS	10

/**
 * struct wp_flight - state of a flight recorder
 * @log: names of threads
 * @walk: position of the triggers in the rings
 * @watch: the threads that wait
 * @look: interval between two reads
 * @pause: triggers are ignored before this time
 * @missed: records that the triggers did not see
 * @lost: lost records of the sideband, at the last read
 * @reaped: time of the last search for threads whose exit record was lost
 * @kept: bytes of data in the file that was written last
 * @names: names of the snapshots
 */
struct wp_flight {
	struct wp_sidelog log;
	struct wp_ringwalk walk;
	struct wp_watch watch;
	__u64 look;
	__u64 pause;
	__u64 missed;
	__u64 lost;
	__u64 reaped;
	__u64 kept;
	struct wp_output_names names;
};

/* A file that is being written. */
struct dump {
	struct wp_sched_recording *r;
	__u64 begin;
	__u64 first;
	__u64 last;
	size_t pos;
	unsigned int nr;
	bool live;
	__u64 bytes;
};

static const char *name_of(void *ctx, __u32 tid)
{
	return wp_comms_find(&((struct wp_flight *)ctx)->log.now, tid);
}

/* Names of threads that already run. */
static int read_names(struct wp_sched_recording *r, __u64 time)
{
	struct wp_synth synth = {
		.fn = wp_sidelog_add, .ctx = &r->flight->log, .time = time, .no_maps = true,
	};

	return wp_proc_synthesize_all(&synth);
}

/**
 * wp_flight_prepare() - prepare, before START
 * @r: the recording, configured
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_flight_prepare(struct wp_sched_recording *r)
{
	const struct wp_sideband_options opt = { 0 };
	struct wp_flight *f = calloc(1, sizeof(*f));
	size_t bytes = (size_t)r->dev.conf.nr_records * r->dev.conf.record_bytes;
	int err;

	r->flight = f;
	if (!f)
		return wp_no_memory("the flight recorder");
	err = wp_output_names_init(&f->names, r->o.max_files);
	if (err)
		return err;
	bytes *= r->dev.info.nr_online;
	wp_sidelog_open(&f->log, bytes < MIN_LOG ? MIN_LOG : bytes < MAX_LOG ? bytes : MAX_LOG);
	wp_signals_catch_snapshot();
	/* Report an unusable file now, not when it is needed. */
	err = wp_outfile_check(r->o.output);
	if (!err)
		err = wp_sideband_open(&r->sideband, &opt);
	if (!err)
		err = read_names(r, 0);
	if (!err && r->o.nr_triggers)
		err = wp_watch_open(&f->watch, r->o.triggers, r->o.nr_triggers,
				    r->dev.info.nr_cpus);
	f->watch.name = name_of;
	f->watch.ctx = f;
	f->look = r->o.nr_triggers ? LOOK_MAX_NS : IDLE_NS;
	return err;
}

static bool is_alive(__u32 tid)
{
	return !kill(tid, 0) || errno != ESRCH;
}

/* After records of names were lost, read the current names, which are mostly the same. */
static int reread_names(struct wp_sched_recording *r, __u64 now)
{
	struct wp_flight *f = r->flight;
	struct wp_sideband_stats side;
	int err;

	wp_sideband_stats(r->sideband, &side);
	if (side.lost == f->lost || now < f->reaped + REAP_NS)
		return 0;
	f->lost = side.lost;
	f->reaped = now;
	err = read_names(r, now);
	return err ? err : wp_sidelog_reap(&f->log, is_alive, now);
}

/* Read the sideband, and drop what is no longer needed. */
static int take_sideband(struct wp_sched_recording *r, __u64 *upto, bool last)
{
	struct wp_flight *f = r->flight;
	__u64 now = wp_clock_now(), begin;
	int err;

	err = wp_sideband_drain(r->sideband, upto, last, wp_sidelog_add, &f->log);
	if (!err)
		err = reread_names(r, now);
	if (err)
		return err;
	begin = wp_ringwalk_horizon(&r->dev);
	if (r->o.last && now > r->o.last + NSEC_PER_SEC && now - r->o.last - NSEC_PER_SEC > begin)
		begin = now - r->o.last - NSEC_PER_SEC;
	return wp_sidelog_fold(&f->log, begin);
}

/* Set the ids of this file, which did not exist yet when the record came. */
static int give_side(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct wp_sched_recording *r = ctx;
	union {
		struct perf_event_header header;
		struct {
			struct perf_event_header header;
			__u64 id;
		} lost;
		char bytes[512];
	} copy;
	struct wp_sample_id *id;

	/* No record is longer. */
	if (rec->size > sizeof(copy) || rec->size < sizeof(copy.lost) + sizeof(*id))
		return 0;
	memcpy(&copy, rec, rec->size);
	id = (struct wp_sample_id *)(copy.bytes + rec->size - sizeof(*id));
	id->id = wp_perfdata_id(r->pd, r->side, id->cpu);
	if (rec->type == PERF_RECORD_LOST)
		copy.lost.id = id->id;
	return wp_timeline_sideband(r->timeline, &copy.header, time);
}

static int take_sidelog(struct dump *d, __u64 upto)
{
	return wp_sidelog_feed(&d->r->flight->log, &d->pos, upto, give_side, d->r);
}

static int take_record(void *ctx, __u32 cpu, const struct wallprof_record *record)
{
	struct dump *d = ctx;
	int err;

	if (record->time < d->begin)
		return 0;
	if (!d->first)
		d->first = record->time;
	d->last = record->time;
	err = wp_timeline_record(d->r->timeline, cpu, record, NULL);
	if (err || ++d->nr % SLICE)
		return err;
	/* More records of the same nanosecond may follow. */
	err = take_sidelog(d, record->time - 1);
	if (!err)
		err = wp_timeline_flush(d->r->timeline, record->time - 1);
	return err ? err : wp_perfdata_finished_round(d->r->pd);
}

/* Names of the kernel's symbols and of threads, then records. */
static int write_all(struct dump *d, struct wp_ringwalk *walk, __u64 upto)
{
	struct wp_sched_recording *r = d->r;
	struct wp_synth synth = {
		.fn = wp_timeline_sideband,
		.ctx = r->timeline,
		.id = wp_perfdata_id(r->pd, r->side, 0),
	};
	int err;

	err = wp_sched_begin_timeline(r, !d->begin && r->o.target.kind == WALLPROF_TARGET_ALL);
	if (!err)
		err = wp_ksyms_synthesize(&synth, NULL);
	if (!err)
		err = wp_sidelog_fold(&r->flight->log, d->begin);
	if (!err)
		err = wp_sidelog_names(&r->flight->log, give_side, r);
	if (!err)
		err = wp_ringwalk_run(walk, upto, take_record, d);
	if (!err)
		err = take_sidelog(d, upto);
	return err ? err : wp_timeline_flush(r->timeline, ~0ULL);
}

static int write_file(struct dump *d, const char *path, struct wp_ringwalk *walk, __u64 upto)
{
	struct wp_sched_recording *r = d->r;
	int err, ret, fd;

	r->flight->kept = 0;
	err = wp_sched_open_output(r, path);
	if (err)
		return err;
	err = write_all(d, walk, upto);
	ret = wp_perfdata_flush(r->pd);
	r->flight->kept = wp_perfdata_kept(r->pd);
	wp_signals_set_file(NULL);
	err = err ? err : ret;
	fd = wp_perfdata_dup(r->pd);
	if (err && d->live && !r->flight->kept)
		/* It must not take up the space of the next one. */
		wp_perfdata_discard(r->pd);
	else
		ret = wp_perfdata_close(r->pd, NULL);
	d->bytes = wp_perfdata_dup_close(fd);
	r->pd = NULL;
	return err ? err : ret;
}

static void print_dump(const struct dump *d, const char *path)
{
	struct wp_timeline_stats s;

	if (d->r->o.quiet)
		return;
	wp_timeline_stats(d->r->timeline, &s);
	wp_sched_print("Dump %s: the last %.3f s, %.3f MB (%" PRIu64 " switches, %" PRIu64
		       " wakeups, %" PRIu64 " migrations)",
		       path, (double)(d->last - d->first) / NSEC_PER_SEC,
		       (double)d->bytes / 1024 / 1024,
		       (uint64_t)s.records[WALLPROF_RECORD_SWITCH],
		       (uint64_t)(s.records[WALLPROF_RECORD_WAKING] +
				  s.records[WALLPROF_RECORD_WAKEUP_NEW]),
		       (uint64_t)s.records[WALLPROF_RECORD_MIGRATE]);
}

/* Time from which on all CPUs' records are complete, and all names are known. */
static __u64 begin_of(const struct wp_sched_recording *r, const struct wp_ringwalk *walk,
		      __u64 end)
{
	__u64 begin = wp_ringwalk_begin(walk), last = r->o.last;
	__u64 wanted = last && last < end ? end - last : 0;

	if (r->flight->log.cut >= begin && r->flight->log.cut) {
		begin = r->flight->log.cut + 1;
		wp_warn("the name history overflowed: events older than %.3f s are left out",
			(double)(end - begin) / NSEC_PER_SEC);
	}
	if (wanted > begin)
		return wanted;
	if (last && wanted > r->start && begin)
		wp_warn("the rings reach back %.3f s only: try a larger -m",
			begin < end ? (double)(end - begin) / NSEC_PER_SEC : 0);
	return begin;
}

/* Read the rings, and the sideband up to the same time. */
static int take_rings(struct wp_sched_recording *r, struct wp_ringwalk *walk, __u64 *upto,
		      bool live)
{
	__u64 before = wp_clock_now(), time;
	__u32 epoch;
	int err;

	/* When this returns, all events before it are in the rings. */
	err = wp_device_flip(&r->dev, &epoch, &time);
	if (!err)
		err = wp_ringwalk_freeze(walk, &r->dev, live);
	if (!err)
		err = take_sideband(r, upto, !live);
	if (!live)
		*upto = ~0ULL;
	else if (before < *upto)
		*upto = before;
	return err;
}

/* Write the contents of the rings; a session that runs goes on. */
static int dump(struct wp_sched_recording *r, const char *path, bool live)
{
	struct wp_ringwalk walk = { 0 };
	struct dump d = { .r = r, .live = live };
	unsigned int looks = 0;
	__u64 upto = 0;
	int err;

	/*
	 * If everything is overwritten meanwhile, nothing from before the snapshot is
	 * left.
	 */
	do {
		wp_ringwalk_close(&walk);
		err = take_rings(r, &walk, &upto, live);
	} while (!err && live && ++looks < MAX_LOOKS && wp_ringwalk_begin(&walk) > upto);
	if (!err) {
		d.begin = begin_of(r, &walk, live ? upto : r->stop);
		err = write_file(&d, path, &walk, upto);
	}
	wp_ringwalk_close(&walk);
	if (!err)
		print_dump(&d, path);
	wp_timeline_reset(r->timeline);
	return err;
}

/* A failure does not end the recording: the disk may have room again later. */
static void snapshot(struct wp_sched_recording *r)
{
	char path[PATH_MAX];
	int err;

	if (wp_output_name(r->o.output, path, sizeof(path)))
		return;
	r->flight->kept = 0;
	err = dump(r, path, true);
	if (!err || r->flight->kept)
		wp_output_names_add(&r->flight->names, path);
}

static void print_wait(const struct wp_sched_recording *r, const struct wp_wait *wait)
{
	const char *known = name_of(r->flight, wait->tid);
	char state[8] = "";

	if (r->o.quiet)
		return;
	if (wait->kind == WP_TRIGGER_BLOCKED)
		snprintf(state, sizeof(state), " (%s)", wp_trigger_state_name(wait->state));
	wp_sched_print("Triggered: thread %u '%s' %s %s%s for %.3f ms, since %.6f, CPU %u",
		       wait->tid, known ? known : "?", wait->over ? "was" : "has been",
		       wait->kind == WP_TRIGGER_BLOCKED ? "blocked" : "runnable", state,
		       (double)wait->ns / WP_NSEC_PER_MSEC, (double)wait->since / NSEC_PER_SEC,
		       wait->cpu);
}

/* Read more often when the rings fill so fast that records might be missed. */
static void adapt(struct wp_flight *f, __u32 nr_records)
{
	if (f->walk.burst > nr_records / 4 && f->look / 2 >= LOOK_MIN_NS)
		f->look /= 2;
	else if (f->walk.burst < nr_records / 16 && 2 * f->look <= LOOK_MAX_NS)
		f->look *= 2;
}

/* Whether a thread has waited too long. */
static int look(struct wp_sched_recording *r, struct wp_wait *wait, bool *found)
{
	struct wp_flight *f = r->flight;
	__u64 upto = wp_clock_now() - SETTLE_NS;
	int err;

	*found = false;
	if (!r->o.nr_triggers)
		return 0;
	wp_ringwalk_refresh(&f->walk);
	err = wp_ringwalk_run(&f->walk, upto, wp_watch_record, &f->watch);
	if (err)
		return err;
	adapt(f, r->dev.conf.nr_records);
	if (f->walk.missed) {
		f->missed += f->walk.missed;
		f->walk.missed = 0;
		wp_watch_forget(&f->watch);
	}
	wp_watch_look(&f->watch, upto);
	*found = wp_watch_take(&f->watch, wait) && upto >= f->pause;
	return 0;
}

static int turn(struct wp_sched_recording *r, bool *over)
{
	struct wp_wait wait;
	bool found;
	__u64 upto;
	int err;

	err = take_sideband(r, &upto, false);
	if (!err)
		err = look(r, &wait, &found);
	if (err)
		return err;
	if (found)
		print_wait(r, &wait);
	if (found && !r->o.go_on) {
		r->pulled = true;
		*over = true;
		return 0;
	}
	if (wp_signals_snapshot() || found)
		snapshot(r);
	if (found)
		r->flight->pause = wp_clock_now() + PAUSE_NS;
	return 0;
}

static int loop(struct wp_sched_recording *r)
{
	__u64 next = r->start;
	bool over = false;
	int err = 0;

	while (!err && !over && !wp_signals_stop() && !wp_workload_ended(&r->workload)) {
		int wake = wp_signals_wait(&r->dev, r->sideband, next);

		if (wake < 0)
			return wake;
		if (wake == WP_WAKE_GONE)
			break;
		err = turn(r, &over);
		next = wp_clock_now() + r->flight->look;
	}
	return err;
}

/**
 * wp_flight_run() - record, from START to STOP, and write the remaining data
 * @r: the recording, prepared
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_flight_run(struct wp_sched_recording *r)
{
	struct wp_flight *f = r->flight;
	int err, last;

	err = r->o.nr_triggers ? wp_ringwalk_open(&f->walk, &r->dev) : 0;
	if (!err)
		err = wp_device_start(&r->dev, &r->start);
	if (err)
		return err;
	wp_debug("recording");
	if (r->o.command)
		err = wp_workload_release(&r->workload);
	r->begun = !err;
	if (!err)
		err = loop(r);
	/* It has been reaped: its pid may have been reused. */
	if (r->workload.ended)
		wp_signals_set_command(0);
	last = wp_device_stop(&r->dev, &r->stop);
	if (!last && r->begun)
		last = dump(r, r->o.output, false);
	if (f->missed)
		wp_warn("%" PRIu64 " records were overwritten before the triggers were checked: some may have been missed; try a larger -m",
			(uint64_t)f->missed);
	return err ? err : last;
}

/**
 * wp_flight_free() - free the data of wp_flight_prepare()
 * @r: the recording
 */
void wp_flight_free(struct wp_sched_recording *r)
{
	struct wp_flight *f = r->flight;

	if (!f)
		return;
	wp_sidelog_close(&f->log);
	wp_ringwalk_close(&f->walk);
	wp_watch_close(&f->watch);
	wp_output_names_free(&f->names);
	free(f);
	r->flight = NULL;
}
