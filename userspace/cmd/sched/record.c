// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched record: every switch and wakeup, from the module's rings to a perf.data
 * that perf sched reads.
 *
 * The order at the start is that of the record command: the command is forked and waits;
 * the module is configured; the sideband is opened; what already runs is synthesized from
 * /proc; START; the command is released.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/outputnames.h"
#include "cmd/common/signals.h"
#include "cmd/common/workload.h"
#include "cmd/sched/recording.h"
#include "cmd/sched/sched.h"
#include "lib/base/clock.h"
#include "lib/base/cpumask.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/device/device.h"
#include "lib/device/rights.h"
#include "lib/perfdata/compress.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/buffersize.h"
#include "lib/record/ksyms.h"
#include "lib/record/sideband.h"
#include "lib/record/synthesize.h"
#include "lib/record/target.h"
#include "lib/record/timeline.h"
#include "lib/record/trigger.h"
#include "lib/sandbox/swapped.h"

/* Maximum time until recorded data is written. */
#define INTERVAL_NS	(1000 * WP_NSEC_PER_MSEC)

/* With targets: twice the number of threads on the host, and at least this. */
#define MIN_TASKS	16384

/* Maximum number of CPUs with losses that are printed one by one. */
#define MAX_LOSERS	8

/* Options without a letter. */
enum {
	OPT_OVERWRITE = 256,
	OPT_LAST,
	OPT_TRIGGER,
	OPT_SWITCH_OUTPUT,
	OPT_MAX_FILES,
	OPT_WAKEUP,
};

static const char *const usage[] = {
	"[<options>] [<command>]",
	"[<options>] -- <command> [<options>]",
	NULL,
};

static const struct wp_option table[] = {
	{ 'a', "all-cpus", NULL, "record all threads of the host (default)" },
	{ 'p', "pid", "pid", "record these processes' events only" },
	{ 't', "tid", "tid", "record these threads' events only" },
	{ 'C', "cpu", "cpu", "record on these CPUs only: 0-2,5" },
	{ 'o', "output", "file", "output file (default perf.data)" },
	{ 'g', NULL, NULL, "with stacks: as 'wallprof record --timeline\n"
	  "--kernel-callchains -e none', and its sums" },
	{ 'm', "mmap-pages", "pages|size", "ring of one CPU, in pages of 4 KiB or with\n"
	  "unit B, K, M or G; a power of two, or less" },
	{ 'q', "quiet", NULL, "print errors only" },
	{ 'v', "verbose", NULL, "print more" },
	{ OPT_OVERWRITE, "overwrite", NULL, "flight recorder: keep the last events only, and\n"
	  "write them at the end, a trigger, or SIGUSR2" },
	{ OPT_LAST, "last", "time", "of these, the last 10s" },
	{ OPT_TRIGGER, "trigger", "wait", "write them when a thread waits so long:\n"
	  "'blocked>100ms', 'runnable>20ms', behind it\n"
	  ",comm=NAME ,pid=N ,tid=N ,state=D, as many as\n"
	  "it takes; may be repeated" },
	{ OPT_SWITCH_OUTPUT, "switch-output", NULL, "continue after a trigger; file.TIMESTAMP\n"
	  "for each" },
	{ OPT_MAX_FILES, "switch-max-files", "n", "keep the last n files of that kind" },
	{ OPT_WAKEUP, "sched-wakeup", NULL, "write each wakeup as sched_wakeup, too: old\n"
	  "perfs count delays from it only" },
	{ 'z', "compression-level", "n", "compress the file by zstd, 1 to 22, to\n"
	  "about a tenth; 0: not at all (default)" },
	{ 0, NULL, NULL, NULL },
};

static int set_flight(struct wp_sched_options *o, int id, const char *arg)
{
	struct wp_trigger *triggers;

	switch (id) {
	case OPT_OVERWRITE:
		o->overwrite = true;
		return 0;
	case OPT_LAST:
		if (!wp_duration_parse(arg, 1000 * WP_NSEC_PER_MSEC, &o->last) && o->last)
			return 0;
		wp_err("--last: '%s' is not a time, as 10s or 500ms", arg);
		return -EINVAL;
	case OPT_TRIGGER:
		triggers = reallocarray(o->triggers, o->nr_triggers + 1, sizeof(*triggers));
		if (!triggers) {
			wp_err("out of memory");
			return -ENOMEM;
		}
		o->triggers = triggers;
		return wp_trigger_parse(&triggers[o->nr_triggers++], arg);
	case OPT_SWITCH_OUTPUT:
		o->go_on = true;
		return 0;
	case OPT_MAX_FILES:
		return wp_value_int("--switch-max-files", arg, 1, WP_OUTPUT_MAX_FILES,
				    &o->max_files);
	}
	return -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct wp_sched_options *o = ctx;

	switch (id) {
	case 'a':
		return 0;
	case 'p':
		o->pid = arg;
		return 0;
	case 't':
		o->tid = arg;
		return 0;
	case 'C':
		o->has_cpus = true;
		o->cpu_list = arg;
		return wp_value_cpus("-C", arg, &o->cpus);
	case 'g':
		o->stacks = true;
		return 0;
	case 'o':
		return wp_value_output(arg, &o->output);
	case 'm':
		return wp_value_buffer("-m", arg, &o->buffer);
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	case OPT_WAKEUP:
		o->wakeups = true;
		return 0;
	case 'z':
		return wp_value_int("-z", arg, 0, WP_COMPRESS_MAX_LEVEL, &o->level);
	}
	return set_flight(o, id, arg);
}

/* Options that require, or exclude, a flight recorder. */
static int check_flight(const struct wp_sched_options *o)
{
	const char *what = o->last ? "--last" : o->nr_triggers ? "--trigger" :
			   o->go_on ? "--switch-output" :
			   o->max_files ? "--switch-max-files" : NULL;

	if (what && !o->overwrite) {
		wp_err("%s is for a flight recorder: add --overwrite", what);
		return -EINVAL;
	}
	if (o->overwrite && o->stacks) {
		wp_err("-g and --overwrite cannot be combined: a flight recorder keeps no stacks");
		return -EINVAL;
	}
	if (o->wakeups && o->stacks) {
		wp_err("-g and --sched-wakeup: with stacks, wakeups are written as sched_waking only");
		return -EINVAL;
	}
	if (o->nr_triggers && o->has_cpus) {
		wp_err("--trigger and -C: a thread that goes to another CPU would seem to wait for ever");
		return -EINVAL;
	}
	return 0;
}

static int parse(struct wp_sched_options *o, int argc, char **argv)
{
	const struct wp_options options = {
		.command = "wallprof sched record",
		.usage = usage,
		.table = table,
		.set = set,
	};
	int err, rest;

	o->output = "perf.data";
	err = wp_parse_options(&options, argc, argv, o, &rest);
	if (err)
		return err;
	err = check_flight(o);
	if (err)
		return err;
	if (rest < argc)
		o->command = argv + rest;
	if (o->quiet)
		wp_set_verbosity(WP_QUIET);
	else if (o->verbose)
		wp_set_verbosity(WP_VERBOSE);
	if (o->pid && o->tid)
		wp_warn("PID switch overriding TID");
	o->target.kind = WALLPROF_TARGET_ALL;
	if (o->pid)
		err = wp_target_parse(&o->target, WALLPROF_TARGET_PID, o->pid);
	else if (o->tid)
		err = wp_target_parse(&o->target, WALLPROF_TARGET_TID, o->tid);
	return err ? err : wp_target_resolve(&o->target);
}

static int configure(struct wp_sched_recording *r)
{
	bool all = r->o.target.kind == WALLPROF_TARGET_ALL;
	struct wallprof_configure c = {
		.flags = WALLPROF_TIMELINE | (all ? 0 : WALLPROF_INHERIT) |
			 (r->o.overwrite ? WALLPROF_OVERWRITE : 0),
		.max_stack = 1,
		.target = r->o.target.kind,
		.nr_targets = r->o.target.nr,
		.targets = wp_target_list(&r->o.target),
		.nr_aggrs = WALLPROF_MIN_AGGRS,
		.stack_words = WALLPROF_MIN_STACK_WORDS,
		.nr_exits = WALLPROF_MIN_EXITS,
		.nr_tasks = all ? WALLPROF_MIN_TASKS : MIN_TASKS,
		.nr_records = wp_buffersize_ring(r->o.buffer, r->dev.info.nr_online),
	};
	int err;

	while (!all && c.nr_tasks < WALLPROF_MAX_TASKS && c.nr_tasks < 2 * wp_count_threads())
		c.nr_tasks *= 2;
	err = r->o.has_cpus ? wp_target_set_cpus(&c, &r->dev, &r->o.cpus) : 0;
	if (err)
		return err;
	err = wp_device_configure(&r->dev, &c);
	if (err == -ENOMEM)
		wp_rights_no_memory("the rings of %u CPUs", r->dev.info.nr_online);
	else if (err)
		wp_err("could not set the session up: %s", strerror(-err));
	if (err)
		return err;
	wp_debug("rings of %u records for each CPU; %llu bytes in all",
		 r->dev.conf.nr_records, (unsigned long long)r->dev.conf.memory_bytes);
	return wp_device_map(&r->dev);
}

/**
 * wp_sched_open_output() - create a file, and let the second signal complete it
 * @r: the recording; its @pd and @side are set
 * @path: its name
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_sched_open_output(struct wp_sched_recording *r, const char *path)
{
	struct wp_perfdata_event events[WP_TIMELINE_EVENTS + 1];
	struct wp_perfdata_options opt = {
		.path = path,
		.events = events,
		.argc = r->argc,
		.argv = r->argv,
		.level = r->o.level,
	};
	int err;

	r->side = wp_timeline_events(r->timeline, events);
	wp_perfdata_event_sideband(&events[r->side]);
	opt.nr_events = r->side + 1;
	err = wp_perfdata_open(&r->pd, &opt);
	wp_signals_set_file(r->pd);
	return err;
}

static __u64 side_id(void *ctx, int cpu)
{
	struct wp_sched_recording *r = ctx;

	return wp_perfdata_id(r->pd, r->side, cpu);
}

static struct wp_synth synth_of(struct wp_sched_recording *r)
{
	return (struct wp_synth){
		.fn = wp_timeline_sideband,
		.ctx = r->timeline,
		.id = wp_perfdata_id(r->pd, r->side, 0),
		.busy = &r->busy,
	};
}

/* All processes: wakers and next threads may be of any. */
static int open_sideband(struct wp_sched_recording *r)
{
	const struct wp_sideband_options opt = { .file_id = side_id, .ctx = r };
	struct wp_synth synth = synth_of(r);
	int err;

	err = wp_sideband_open(&r->sideband, &opt);
	if (!err)
		err = wp_ksyms_synthesize(&synth, NULL);
	return err ? err : wp_proc_synthesize_all(&synth);
}

static int write_sample(void *ctx, const struct wp_perfdata_sample *sample)
{
	struct wp_sched_recording *r = ctx;

	return wp_perfdata_write_sample(r->pd, sample);
}

static int write_record(void *ctx, const struct perf_event_header *rec)
{
	struct wp_sched_recording *r = ctx;

	return wp_perfdata_write_record(r->pd, rec);
}

static int write_lost(void *ctx, __u32 cpu, __u64 time, __u64 lost)
{
	struct wp_sched_recording *r = ctx;

	return wp_perfdata_write_lost(r->pd, 0, cpu, time, lost);
}

/**
 * wp_sched_begin_timeline() - start writing events to the file
 * @r: the recording, whose file is open
 * @all: events of all threads are recorded, from the start on
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_sched_begin_timeline(struct wp_sched_recording *r, bool all)
{
	const struct wp_timeline_options opt = {
		.nr_cpus = r->dev.info.nr_cpus,
		.start = r->start,
		.all = all,
		.sample = write_sample,
		.record = write_record,
		.lost = write_lost,
		.ctx = r,
	};

	return wp_timeline_begin(r->timeline, &opt);
}

static int drain(struct wp_sched_recording *r, bool last)
{
	__u64 before = wp_clock_now(), upto, time;
	struct wp_synth synth = synth_of(r);
	__u32 epoch;
	int err;

	/* When this returns, all events before it are in the rings. */
	err = wp_device_flip(&r->dev, &epoch, &time);
	if (!err)
		err = wp_sideband_drain(r->sideband, &upto, last, wp_timeline_sideband,
					r->timeline);
	if (!err && r->busy.nr)
		err = wp_proc_synthesize_busy(&synth);
	if (err)
		return err;
	r->rounds++;
	if (last)
		return wp_timeline_end(r->timeline, &r->dev);
	upto = upto < before ? upto : before;
	err = wp_timeline_drain(r->timeline, &r->dev, &upto);
	if (!err)
		err = wp_timeline_flush(r->timeline, upto);
	if (!err)
		err = wp_perfdata_finished_round(r->pd);
	return err ? err : wp_perfdata_flush(r->pd);
}

static int prepare(struct wp_sched_recording *r)
{
	int err;

	wp_swapped_leave();
	err = wp_device_open(&r->dev);
	if (!err)
		err = wp_timeline_new(&r->timeline, NULL, r->o.wakeups);
	if (!err && r->o.command) {
		err = wp_workload_fork(&r->workload, r->o.command, false);
		if (!err)
			wp_signals_set_command(r->workload.pid);
	}
	if (!err)
		err = wp_signals_catch();
	if (!err)
		err = configure(r);
	if (r->o.overwrite)
		return err ? err : wp_flight_prepare(r);
	if (!err)
		err = wp_sched_open_output(r, r->o.output);
	if (!err)
		err = open_sideband(r);
	return err ? err : wp_perfdata_flush(r->pd);
}

static int loop(struct wp_sched_recording *r)
{
	__u64 next = r->start + INTERVAL_NS;
	int err = 0;

	while (!err && !wp_signals_stop() && !wp_workload_ended(&r->workload)) {
		int wake = wp_signals_wait(&r->dev, r->sideband, next);

		if (wake < 0)
			return wake;
		if (wake == WP_WAKE_GONE)
			break;
		if (wake == WP_WAKE_FULL || wp_clock_now() >= next) {
			err = drain(r, false);
			next = wp_clock_now() + INTERVAL_NS;
		}
	}
	return err;
}

/* From START to STOP. Data recorded before an error is kept. */
static int run(struct wp_sched_recording *r)
{
	int err, last;

	err = wp_device_start(&r->dev, &r->start);
	if (!err)
		err = wp_sched_begin_timeline(r, r->o.target.kind == WALLPROF_TARGET_ALL);
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
	if (!last)
		last = drain(r, true);
	return err ? err : last;
}

/**
 * wp_sched_print() - print a message in perf's style
 * @fmt: as for printf
 */
void wp_sched_print(const char *fmt, ...)
{
	va_list args;

	fputs("[ wallprof sched record: ", stderr);
	va_start(args, fmt);
	wp_text_vprint(stderr, fmt, args);
	va_end(args);
	fputs(" ]\n", stderr);
}

static void warn_of_threads(struct wp_sched_recording *r)
{
	struct wp_sideband_stats side;
	struct wallprof_status status = { 0 };

	wp_sideband_stats(r->sideband, &side);
	if (!wp_device_status(&r->dev, &status) && status.tasks_failed)
		wp_warn("%" PRIu64 " threads found no room in the table of %u: their events are missing",
			(uint64_t)status.tasks_failed, r->dev.conf.nr_tasks);
	if (status.cpus_failed)
		wp_warn("LOST %" PRIu64 " events on CPUs that came online when there was no memory for a ring, %u time%s",
			(uint64_t)status.records_lost, status.cpus_failed,
			status.cpus_failed == 1 ? "" : "s");
	if (side.lost)
		wp_warn("%" PRIu64 " record%s of process events LOST: some names may be old",
			(uint64_t)side.lost, side.lost == 1 ? "" : "s");
	if (side.bad)
		wp_warn("%" PRIu64 " malformed record%s of process events; later ones may be LOST: please report this",
			(uint64_t)side.bad, side.bad == 1 ? "" : "s");
}

/* The CPUs whose rings were too small. */
static void print_losses(const struct wp_sched_recording *r, const struct wp_timeline_stats *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	__u32 cpu, nr = 0;

	for (cpu = 0; f && cpu < r->dev.info.nr_cpus; cpu++) {
		__u64 lost = wp_timeline_lost(r->timeline, cpu);

		if (lost && ++nr <= MAX_LOSERS)
			fprintf(f, "%s%" PRIu64 " on CPU %u", nr > 1 ? ", " : "",
				(uint64_t)lost, cpu);
	}
	if (f && nr > MAX_LOSERS)
		fprintf(f, " and others on %u more", nr - MAX_LOSERS);
	if (f && fclose(f))
		f = NULL;
	wp_warn("%" PRIu64 " events found no room in their CPU's ring, in %" PRIu64
		" places of the file: try a larger -m", (uint64_t)s->lost,
		(uint64_t)s->records[WALLPROF_RECORD_LOST]);
	if (f)
		wp_warn("of these %s", text);
	free(text);
}

static void summary(struct wp_sched_recording *r, __u64 bytes)
{
	struct wp_timeline_stats s;

	wp_timeline_stats(r->timeline, &s);
	if (!r->o.quiet) {
		wp_sched_print("Woken up %u times to write data", r->rounds);
		wp_sched_print("Captured and wrote %.3f MB %s (%" PRIu64 " switches, %" PRIu64
			       " wakeups, %" PRIu64 " migrations)",
			       (double)bytes / 1024 / 1024, r->o.output,
			       (uint64_t)s.records[WALLPROF_RECORD_SWITCH],
			       (uint64_t)(s.records[WALLPROF_RECORD_WAKING] +
					  s.records[WALLPROF_RECORD_WAKEUP_NEW]),
			       (uint64_t)s.records[WALLPROF_RECORD_MIGRATE]);
	}
	if (s.lost)
		print_losses(r, &s);
	warn_of_threads(r);
	if (s.unordered)
		wp_debug("%" PRIu64 " records came late and are not in order",
			 (uint64_t)s.unordered);
}

/**
 * cmd_sched_record() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "record"
 *
 * Return: its exit status.
 */
int cmd_sched_record(int argc, char **argv)
{
	struct wp_sched_recording r = {
		.dev.fd = -1,
		.argc = argc + 2,
		.argv = argv - 2,
	};
	int err, ret, status, fd;
	__u64 bytes = 0;

	err = parse(&r.o, argc, argv);
	if (err) {
		wp_target_free(&r.o.target);
		free(r.o.triggers);
		return err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	if (r.o.stacks) {
		wp_target_free(&r.o.target);
		return wp_sched_record_stacks(&r.o);
	}
	err = prepare(&r);
	if (!err && !wp_signals_stop())
		err = r.o.overwrite ? wp_flight_run(&r) : run(&r);
	/* A recording that failed before its start leaves no file. */
	if (r.pd && err && !r.begun) {
		wp_signals_set_file(NULL);
		wp_perfdata_discard(r.pd);
	} else if (r.pd) {
		/* From here on a second Ctrl-C leaves the file as it is. */
		ret = wp_perfdata_flush(r.pd);
		wp_signals_set_file(NULL);
		err = err ? err : ret;
		fd = wp_perfdata_dup(r.pd);
		ret = wp_perfdata_close(r.pd, NULL);
		bytes = wp_perfdata_dup_close(fd);
		err = err ? err : ret;
	}
	wp_signals_set_command(0);
	status = wp_workload_finish(&r.workload);
	/* The recording is complete; the command was ended by us. */
	if (r.pulled && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		status = 0;
	if (!err && !r.stop)
		wp_err("interrupted before the recording began: %s is empty", r.o.output);
	else if (!err && r.o.overwrite)
		warn_of_threads(&r);
	else if (!err)
		summary(&r, bytes);
	wp_flight_free(&r);
	wp_sideband_close(r.sideband);
	wp_device_close(&r.dev);
	wp_timeline_free(r.timeline);
	wp_busy_free(&r.busy);
	wp_target_free(&r.o.target);
	free(r.o.triggers);
	return wp_signals_exit_status(err == -EINVAL ? -EIO : err, status);
}
