// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof record: one recording, from its first check to its last line.
 *
 * The order at the start leaves no gap: the command is forked and waits; the module is
 * configured; perf's sideband events are opened; a snapshot of what already runs is
 * taken, and its mappings and unwind tables are published to the module (sessionsetup.c);
 * the session starts; the snapshot is written to the file; the command is released. Then
 * recorded data is written (sessiondrain.c) once an epoch, or when a table or ring fills
 * up.
 *
 * With --delay the session only follows forks at first, and starts when the command has
 * run so long: the names and mappings of what it did until then are in the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/options.h"
#include "cmd/common/realtime.h"
#include "cmd/common/signals.h"
#include "cmd/common/workload.h"
#include "cmd/record/control.h"
#include "cmd/record/options.h"
#include "cmd/record/output.h"
#include "cmd/record/record.h"
#include "cmd/record/summary.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/dump.h"
#include "lib/record/session.h"
#include "lib/sandbox/swapped.h"
#include "lib/sandbox/worker.h"

#define NSEC_PER_MSEC	1000000ULL
#define TOP_THREADS	20

/* Commands that are carried out between two looks at everything else. */
#define MAX_COMMANDS	16

/**
 * struct run - a recording, and what it depends on
 * @r: the recording
 * @workload: its command
 * @output: its files
 * @control: where other processes send commands
 * @over: such a command, or --delay, has asked for the end
 * @disabled: or for the end of what is recorded
 * @answers: such a command waits for the answer that this is done
 * @released: when its command began
 * @turns: how often --delay has enabled or disabled it since
 */
struct run {
	struct wp_recording *r;
	struct wp_workload *workload;
	struct wp_record_output output;
	struct wp_control *control;
	bool over;
	bool disabled;
	bool answers;
	__u64 released;
	unsigned int turns;
};

/* As perf prints it. */
static void say_enabled(const struct wp_recording *r, bool enabled)
{
	if (!r->o.quiet)
		fprintf(stderr, "Events %s\n", enabled ? "enabled" : "disabled");
}

/* Whether the recording goes on: nobody asked for its end, and the command runs. */
static bool goes_on(const struct run *run)
{
	return !run->over && !wp_signals_stop() && !wp_workload_ended(run->workload);
}

/*
 * Carries out commands of --control. Returns true at @until, which the caller carries out,
 * and answers.
 */
static bool obey(struct run *run, enum wp_command until)
{
	struct wp_recording *r = run->r;
	enum wp_command command;
	unsigned int i;

	for (i = 0; i < MAX_COMMANDS && !run->over; i++) {
		command = wp_control_next(run->control, &r->o);
		if (command == WP_COMMAND_NONE)
			return false;
		if (command == until)
			return true;
		if (command == WP_COMMAND_DONE)
			continue;
		if (command == WP_COMMAND_STOP)
			run->over = true;
		else if (command == WP_COMMAND_ENABLE && until != WP_COMMAND_DISABLE)
			wp_warn("--control: failed: %s",
				wp_recording_one_part(&r->o) ?: "no target is left");
		else
			say_enabled(r, command == WP_COMMAND_ENABLE);
		wp_control_ack(run->control);
	}
	return false;
}

/* When --delay enables or disables it the next time; ~0: at no time. */
static __u64 next_turn(const struct run *run)
{
	const struct wp_delay *d = &run->r->o.delay;

	return run->turns < d->nr ? run->released + d->at[run->turns] : ~0ULL;
}

/*
 * What --delay asks for now. As in perf these times are those of the clock, whatever
 * --control has asked for before.
 */
static enum wp_command take_turn(struct run *run)
{
	if (wp_clock_now() < next_turn(run))
		return WP_COMMAND_NONE;
	if (++run->turns % 2)
		return WP_COMMAND_ENABLE;
	if (run->turns < run->r->o.delay.nr)
		return WP_COMMAND_DISABLE;
	say_enabled(run->r, false);
	run->over = true;
	return WP_COMMAND_STOP;
}

/* Whether what is recorded is to end, but not the recording. */
static bool is_disabled(struct run *run)
{
	enum wp_command turn = take_turn(run);

	if (turn == WP_COMMAND_ENABLE)
		say_enabled(run->r, true);
	run->answers = turn != WP_COMMAND_DISABLE && obey(run, WP_COMMAND_DISABLE);
	return turn == WP_COMMAND_DISABLE || run->answers;
}

static __u64 earliest(__u64 a, __u64 b, __u64 c)
{
	__u64 least = a < b ? a : b;

	return least < c ? least : c;
}

static int loop(struct run *run)
{
	struct wp_recording *r = run->r;
	__u64 interval = r->o.interval_ms * NSEC_PER_MSEC;
	__u64 next = r->s.start + interval;
	int err = 0;

	wp_record_output_begin(&run->output, r);
	while (!err && goes_on(run)) {
		int wake = wp_signals_wait(&r->dev, r->sideband,
					   earliest(next, next_turn(run),
						    wp_record_output_next(&run->output)));

		if (wake < 0)
			return wake;
		if (wake == WP_WAKE_GONE)
			break;
		r->s.wakeups++;
		/* A process of a container may end before the next read. */
		if (wake == WP_WAKE_FILES)
			err = wp_recording_drain_sideband(r);
		if (err)
			break;
		run->disabled = is_disabled(run);
		if (run->disabled || run->over)
			break;
		if (wake == WP_WAKE_FULL || wp_clock_now() >= next) {
			err = wp_recording_drain(r, false);
			next = wp_clock_now() + interval;
			if (!err && wp_record_output_is_full(r))
				break;
		}
		if (!err && wp_record_output_is_due(&run->output, r)) {
			err = wp_record_output_switch(&run->output, r);
			next = wp_clock_now() + interval;
		}
	}
	return err;
}

/* What the counters counted, after STOP; with what they did before a pause. */
static int read_counts(struct wp_recording *r)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->o.events.nr && !err; i++) {
		struct wallprof_count *sum = &r->s.events[i].count, count;

		err = wp_device_count(&r->dev, i, &count);
		if (err)
			break;
		sum->value += count.value;
		sum->enabled_ns += count.enabled_ns;
		sum->running_ns += count.running_ns;
		sum->filtered += count.filtered;
		sum->unfit += count.unfit;
	}
	return err;
}

/* The same for the session's status, when its losses have been added up. */
static void add_status(struct wallprof_status *s, const struct wallprof_status *before)
{
	s->tasks_failed += before->tasks_failed;
	s->counters_failed += before->counters_failed;
	s->cpus_failed += before->cpus_failed;
	s->forks_missed += before->forks_missed;
	s->records_lost += before->records_lost;
}

static void read_sideband(struct wp_recording *r)
{
	struct wp_sideband_stats side;

	wp_sideband_stats(r->sideband, &side);
	r->s.sideband_lost = side.lost;
	r->s.sideband_bad = side.bad;
}

/* With what it did before a pause. */
static void end_mapsync(struct wp_recording *r)
{
	const struct wp_mapsync_stats before = r->s.mapsync;
	struct wp_mapsync_stats *s = &r->s.mapsync;

	wp_signals_set_files(-1);
	if (!r->mapsync)
		return;
	wp_mapsync_end(r->mapsync, s);
	r->mapsync = NULL;
	s->published += before.published;
	s->refused += before.refused;
	s->rescans += before.rescans;
	s->ns += before.ns;
	s->error = s->error ? s->error : before.error;
	s->denied = s->denied > before.denied ? s->denied : before.denied;
	s->unkept |= before.unkept;
	s->files.did.refused += before.files.did.refused;
	s->files.did.bad += before.files.did.bad;
	s->files.did.error = s->files.did.error ? s->files.did.error : before.files.did.error;
}

/* STOP, and everything up to it. @pausing: the recording may go on. */
static int finish(struct wp_recording *r, bool pausing)
{
	const struct wallprof_status before = r->s.status;
	int err;

	r->pausing = pausing;
	err = wp_device_stop(&r->dev, &r->s.stop);
	r->s.recorded_ns += r->s.stop - r->s.start;
	end_mapsync(r);
	if (!err && pausing)
		err = wp_recording_list_targets(r);
	/* Without a file the next one could not be opened, which was said. */
	if (err || !r->pd)
		return err;
	err = wp_recording_drain(r, true);
	if (err)
		return err;
	err = wp_device_status(&r->dev, &r->s.status);
	if (err)
		return err;
	err = read_counts(r);
	if (err)
		return err;
	read_sideband(r);
	r->s.busy = r->busy.nr;
	r->s.unknown = r->merge.unknown;
	r->s.hists_left_out = r->thread_hists.left_out + r->thread_hists.nr;
	r->s.idle = r->merge.idle;
	r->s.idle_ns = r->merge.idle_ns;
	err = wp_recording_add_status(r);
	add_status(&r->s.status, &before);
	return err;
}

/*
 * Replacement for id 0. In the first pid namespace it is the idle thread; in others
 * mostly a thread that is not visible there, which perf shows as -1.
 */
static __u32 id_zero(void)
{
	static const ino_t first_pid_ns = 0xeffffffc;
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != first_pid_ns ? -1U : 0;
}

static bool has_tables(const struct wp_record_opts *o)
{
	return o->call_graph == WP_CALL_GRAPH_AUTO || o->call_graph == WP_CALL_GRAPH_CFI;
}

static int prepare(struct run *run)
{
	struct wp_workload *workload = run->workload;
	struct wp_recording *r = run->r;
	unsigned int by = r->o.wakers ? WP_MERGE_WAKERS : 0, owners;
	int err;

	owners = r->o.lock_owner ? WP_MERGE_OWNERS : 0;

	err = wp_stacks_init(&r->stacks);
	if (!err)
		err = wp_merge_init(&r->merge, by | owners | (r->o.raw ? WP_MERGE_CAUSES : 0) |
						 (r->o.reasons ? WP_MERGE_REASONS : 0));
	if (!err && r->o.intervals)
		err = wp_merge_init(&r->causes, by | owners | WP_MERGE_CAUSES |
				    (by ? WP_MERGE_CHAINS : 0));
	r->ids = r->o.buildids ? wp_buildids_new() : NULL;
	if (r->ids && r->o.keep)
		r->keep = wp_keepfiles_new(NULL);
	if (r->ids)
		wp_buildids_keep(r->ids, r->keep);
	if (r->ids && has_tables(&r->o))
		r->jvms = wp_jvms_new(true);
	if (!err)
		err = wp_recording_open_interps(r, true);
	r->merge.no_idle = r->o.no_idle;
	r->t.waits.no_idle = r->o.no_idle;
	if (wp_recording_wants_causes(&r->o))
		r->t.objects = wp_objects_new(NULL);
	if (r->o.reasons)
		r->locks = wp_objects_new(NULL);
	if (err || (r->o.reasons && !r->locks) || (r->o.buildids && !r->ids) ||
	    (r->ids && has_tables(&r->o) && !r->jvms) ||
	    (wp_recording_wants_causes(&r->o) && !r->t.objects)) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	r->t.waits.comms = &r->t.comms;
	wp_ledger_init(&r->t.ledger, r->o.verbose > 1 ? SIZE_MAX :
				   r->o.verbose ? TOP_THREADS : 0);
	r->id_zero = id_zero();
	wp_swapped_leave();
	err = wp_device_open(&r->dev);
	if (err)
		return err;
	if (r->o.command) {
		err = wp_workload_fork(workload, r->o.command, has_tables(&r->o));
		if (err)
			return err;
		wp_signals_set_command(workload->pid);
	}
	if (r->o.own) {
		err = wp_target_set(&r->o.target, workload->pid);
		if (err)
			return err;
	}
	err = wp_signals_catch();
	if (!err)
		err = wp_realtime_set(r->o.realtime);
	if (!err)
		err = wp_recording_configure(r);
	if (err)
		return err;
	/* Threads that are alive, and those that may have ended in an epoch. */
	wp_hist_table_init(&r->thread_hists,
			   r->o.tasks + 2ULL * r->dev.info.nr_cpus * r->o.exits);
	if (r->o.ledger) {
		r->ledger_file = wp_dump_ledger_open(&r->ledger, r->o.ledger);
		if (!r->ledger_file)
			return -EIO;
	}
	if (r->o.intervals) {
		r->intervals_file = wp_dump_intervals_open(&r->intervals, r->o.intervals);
		if (!r->intervals_file)
			return -EIO;
	}
	err = wp_record_output_open(&run->output, r);
	if (err)
		return err;
	err = wp_recording_open_sideband(r);
	if (err)
		return err;
	err = wp_recording_look(r);
	if (err)
		return err;
	/* From here on the file is readable whatever happens. */
	err = wp_batch_flush(r->batch, 0);
	return err ? err : wp_perfdata_flush(r->pd);
}

/* A mistyped name would wait for ever. A command's threads come later. */
static void warn_of_no_thread(struct wp_recording *r)
{
	const char *awaited = wp_target_awaited(&r->o.target);
	struct wallprof_status status;

	if (awaited && !r->o.command && !wp_device_status(&r->dev, &status) &&
	    !status.nr_live_targets)
		wp_warn("no thread %s exists yet: waiting for one", awaited);
}

/* What follows START, when the snapshot is in the file. */
static int begin(struct wp_recording *r)
{
	int err = wp_recording_begin_timeline(r);

	if (err)
		return err;
	wp_debug("recording");
	warn_of_no_thread(r);
	return 0;
}

static int start(struct wp_recording *r)
{
	int err = wp_device_start(&r->dev, &r->s.start);

	if (err == -ENOSPC)
		wp_err("use --tables tasks=N with a larger N");
	if (!err)
		wp_mapsync_started(r->mapsync);
	if (err)
		return err;
	if (r->s.first)
		r->s.pauses++;
	else
		r->s.first = r->s.start;
	return 0;
}

/* The delay is over, or a pause. If the command is, too, nothing starts any more. */
static int start_late(struct wp_recording *r)
{
	int err = start(r);

	if (err)
		return err == -ESRCH && (r->o.command || r->s.first) ? 0 : err;
	say_enabled(r, true);
	return begin(r);
}

/*
 * Until the recording is to begin, or is to end without having begun. Records of processes
 * are written meanwhile.
 */
static int wait_to_start(struct run *run)
{
	struct wp_recording *r = run->r;
	__u64 interval = NSEC_PER_MSEC * (r->o.interval_ms < 1000 ? r->o.interval_ms : 1000);
	__u64 next = wp_clock_now() + interval;
	enum wp_command turn;
	/* It is not asked: it has no data. */
	struct wp_device idle = { .fd = -1, .info = r->dev.info };

	while (goes_on(run)) {
		int wake, err = 0;

		turn = take_turn(run);
		if (turn == WP_COMMAND_ENABLE)
			return start_late(r);
		if (turn == WP_COMMAND_DISABLE)
			say_enabled(r, false);
		if (obey(run, WP_COMMAND_ENABLE)) {
			err = start_late(r);
			wp_control_ack(run->control);
			return err;
		}
		if (run->over)
			break;
		wake = wp_signals_wait(&idle, r->sideband,
				       earliest(next, next_turn(run),
						wp_record_output_next(&run->output)));
		if (wake < 0)
			return wake;
		r->s.wakeups++;
		if (wake == WP_WAKE_FULL || wake == WP_WAKE_FILES || wp_clock_now() >= next) {
			err = wp_recording_drain_names(r, false);
			next = wp_clock_now() + interval;
			if (!err && wp_recording_lost_targets(r))
				break;
		}
		if (!err && wp_record_output_is_due(&run->output, r))
			err = wp_record_output_switch(&run->output, r);
		if (err)
			return err;
	}
	return 0;
}

/* Nothing is recorded any more, but the command may run on. */
static int wait_to_end(struct run *run)
{
	struct wp_device idle = { .fd = -1, .info = run->r->dev.info };
	/* A timeline takes names up to its end only. */
	struct wp_sideband *names = run->r->timeline ? NULL : run->r->sideband;
	int wake = 0, err = 0;
	__u64 next;

	while (wake >= 0 && !err && goes_on(run)) {
		obey(run, WP_COMMAND_NONE);
		take_turn(run);
		if (run->over)
			break;
		next = wp_clock_now() + 1000 * NSEC_PER_MSEC;
		wake = wp_signals_wait(&idle, names, earliest(next, next_turn(run), ~0ULL));
		if (names && wake >= 0)
			err = wp_recording_drain_names(run->r, false);
	}
	return wake < 0 ? wake : err;
}

/* The recording ends before it began. */
static int finish_unstarted(struct wp_recording *r)
{
	int err;

	end_mapsync(r);
	err = wp_recording_drain_names(r, true);
	read_sideband(r);
	return err;
}

/* It was disabled, and may be enabled again. */
static int wait_disabled(struct run *run)
{
	struct wp_recording *r = run->r;
	int err = wp_recording_pause(r);

	if (err == -ESRCH)
		return r->o.command ? wait_to_end(run) : 0;
	if (err)
		return err;
	if (r->keep && r->mapsync)
		wp_signals_set_files(wp_mapsync_files_fd(r->mapsync));
	return wait_to_start(run);
}

/*
 * Until the end, which may come while nothing is recorded. @err: what happened so far.
 */
static int record_parts(struct run *run, int err)
{
	struct wp_recording *r = run->r;
	int last;

	run->released = wp_clock_now();
	if (!err && r->o.later) {
		say_enabled(r, false);
		err = wait_to_start(run);
	}
	while (r->s.start) {
		run->disabled = false;
		if (!err)
			err = loop(run);
		last = finish(r, run->disabled && !wp_recording_one_part(&r->o));
		err = err ? err : last;
		if (err || !run->disabled)
			return err;
		say_enabled(r, false);
		if (run->answers)
			wp_control_ack(run->control);
		if (wp_recording_one_part(&r->o))
			return wait_to_end(run);
		r->s.start = 0;
		err = wait_disabled(run);
	}
	last = finish_unstarted(r);
	return err ? err : last;
}

/* From START to STOP. Data recorded before an error is kept. */
static int record(struct run *run)
{
	struct wp_workload *workload = run->workload;
	struct wp_recording *r = run->r;
	int err;

	wp_signals_set_control(run->control->fd);
	err = r->o.later ? wp_device_start(&r->dev, NULL) : start(r);
	if (err)
		return err;
	if (r->keep)
		wp_signals_set_files(wp_mapsync_files_fd(r->mapsync));
	err = wp_recording_write_snapshot(r);
	if (!err && !r->o.later)
		err = begin(r);
	if (err)
		return err;
	if (r->o.command)
		err = wp_workload_release(workload);
	r->begun = !err;
	err = record_parts(run, err);
	/* It has been reaped: its pid may have been reused. */
	if (workload->ended)
		wp_signals_set_command(0);
	return err;
}

/* Data recorded before an error is kept. */
static void close_table(const struct wp_recording *r, struct wp_outfile *table, int *err)
{
	int ret = 0;

	if (r->begun || (r->s.start && !*err))
		ret = wp_outfile_commit(table);
	else
		wp_outfile_abandon(table);
	*err = *err ? *err : ret;
}

/**
 * cmd_record() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "record"
 *
 * Return: its exit status.
 */
int cmd_record(int argc, char **argv)
{
	struct wp_recording r = {
		.dev.fd = -1,
		.argc = argc + 1,
		.argv = argv - 1,
		.s.begun = wp_clock_now(),
	};
	struct wp_workload workload = { 0 };
	struct wp_control control;
	struct run run = { .r = &r, .workload = &workload, .control = &control };
	bool started = false;
	int err, status;

	err = wp_record_options(&r.o, &control, argc, argv);
	if (err) {
		wp_control_close(&control);
		wp_target_free(&r.o.target);
		wp_event_list_free(&r.o.events);
		return err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	/* Before any data is in memory that a file reader process must not have. */
	if (has_tables(&r.o))
		wp_worker_prepare();
	err = prepare(&run);
	if (!err && !wp_signals_stop()) {
		err = record(&run);
		started = r.s.stop;
	}
	wp_mapsync_end(r.mapsync, NULL);
	wp_sideband_close(r.sideband);
	wp_record_output_close(&run.output, &r, &err);
	wp_keepfiles_end(r.keep, &r.s.kept);
	close_table(&r, &r.ledger, &err);
	close_table(&r, &r.intervals, &err);
	wp_signals_set_command(0);
	status = wp_workload_finish(&workload);
	wp_device_close(&r.dev);
	wp_control_close(&control);
	if (!started && !err && r.begun && !wp_signals_stop())
		wp_warn("the end came before the recording began: %s is empty", r.o.output);
	else if (!started && !err)
		wp_err("interrupted before the recording began: %s is empty", r.o.output);
	wp_recording_interp_stats(&r);
	if (started && !err)
		wp_record_summary(&r.o, &r.s, &r.t);

	wp_ledgerspool_close(&r.spool);
	wp_snapshot_put(r.snap);
	wp_busy_free(&r.busy);
	wp_batch_free(r.batch);
	wp_batch_free(r.next);
	wp_timeline_free(r.timeline);
	wp_tracerecords_free(&r.records);
	wp_merge_free(&r.merge);
	wp_merge_free(&r.causes);
	wp_stacks_free(&r.stacks);
	wp_recording_close_interps(&r);
	wp_jvms_free(r.jvms);
	wp_blocked_free(&r.blocked);
	wp_ledger_free(&r.t.ledger);
	wp_hist_table_free(&r.thread_hists);
	wp_comms_free(&r.t.comms);
	wp_waits_free(&r.t.waits);
	wp_objects_free(r.t.objects);
	wp_objects_free(r.locks);
	wp_buildids_free(r.ids);
	wp_target_free(&r.o.target);
	wp_event_list_free(&r.o.events);
	free(r.s.events);
	return wp_signals_exit_status(err == -EINVAL ? -EIO : err, status);
}
