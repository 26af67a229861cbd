// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the options of the record command: perf's letters with perf's meanings where perf
 * has them. Parses them, checks what can be checked without the module, and resolves
 * options that depend on each other. Called by record.c, once.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/outputnames.h"
#include "cmd/common/perf-options.h"
#include "cmd/common/realtime.h"
#include "cmd/common/target-options.h"
#include "cmd/record/control.h"
#include "cmd/record/delay.h"
#include "cmd/record/options.h"
#include "cmd/record/switchoutput.h"
#include "cmd/record/tablesizes.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/model/cause.h"
#include "lib/perfdata/compress.h"
#include "lib/perfdata/eventfilters.h"

#define DEFAULT_FREQ	4000
#define MAX_INTERVAL_MS	3600000

enum {
	OPT_CALL_GRAPH = 256,
	OPT_KERNEL_CALLCHAINS,
	OPT_MAX_STACK,
	OPT_OFF_CPU,
	OPT_NO_OFF_CPU,
	OPT_STATE,
	OPT_COMM,
	OPT_HIST,
	OPT_NO_REASONS,
	OPT_NO_IDLE,
	OPT_WAKERS,
	OPT_LOCK_OWNER,
	OPT_PYTHON,
	OPT_NO_PYTHON,
	OPT_TIMELINE,
	OPT_MIN,
	OPT_MAX,
	OPT_OFF_CPU_THRESH,
	OPT_STRICT_FREQ,
	OPT_INTERVAL,
	OPT_LEDGER,
	OPT_INTERVALS,
	OPT_TABLES,
	OPT_FILTER,
	OPT_EXCLUDE_PERF,
	OPT_WEIGHT,
	OPT_BY,
	OPT_MAX_SIZE,
	OPT_SWITCH_OUTPUT,
	OPT_SWITCH_MAX_FILES,
	OPT_TIMESTAMP_FILENAME,
	OPT_CONTROL,
};

static const char *const usage[] = {
	"[<options>] [<command>]",
	"[<options>] -- <command> [<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'a', "all-cpus", NULL, "the whole host (default without a command)" },
	{ 'p', "pid", "pid,...", "these processes, all their threads" },
	{ 't', "tid", "tid,...", "these threads" },
	{ 'u', "uid", "user,...", "all threads of these users, names or numbers" },
	{ OPT_COMM, "comm", "name,...", "all threads of these names" },
	{ 'G', "cgroup", "path,...", "all threads in these control groups (version 2)\n"
	  "and in the groups below" },
	{ 'C', "cpu", "list", "on these CPUs only, as 0-3,5" },
	{ 'D', "delay", "ms|from-to,...", "begin so long after the command, or record from\n"
	  "then to then; -1: do not begin by itself" },
	{ OPT_CONTROL, "control", "where[,ack]", "take commands, as enable and stop, from fd:N or\n"
	  "fifo:FILE, and answer there" },
	{ 'i', "no-inherit", NULL, "do not follow what the targets fork" },
	{ 'e', "event", "event,...", "events to sample, as cycles:u or 'ext4:*' or\n"
	  "cs/period=10,max-stack=8/ (default cycles, or\n"
	  "cpu-clock where there are none); 'none' for\n"
	  "off-CPU time only" },
	{ OPT_FILTER, "filter", "filter", "of the tracepoints of the -e before it record\n"
	  "those only, as 'nr_sector > 8 && rwbs ~ \"*W*\"'" },
	{ OPT_EXCLUDE_PERF, "exclude-perf", NULL, "of the same leave out those of\n"
	  "wallprof itself" },
	{ OPT_WEIGHT, "weight", "field", "of the same sum this field, as bytes, instead of\n"
	  "counting" },
	{ OPT_BY, "by", "field", "of the same sum by this field, too, as ret, dev" },
	{ 'F', "freq", "n|max", "samples per second (default 4000; of a\n"
	  "tracepoint each one)" },
	{ 'c', "count", "n", "events per sample, instead of a frequency" },
	{ OPT_STRICT_FREQ, "strict-freq", NULL, "fail if the kernel does not allow the -F given" },
	{ 'g', NULL, NULL, "user stacks, as --call-graph auto (default)" },
	{ OPT_CALL_GRAPH, "call-graph", "auto|cfi|fp|none", "cfi: by the unwind tables of programs and\n"
	  "libraries; fp: by frame pointer; auto: cfi,\n"
	  "and fp where there is no table; none: only\n"
	  "the innermost address" },
	{ OPT_KERNEL_CALLCHAINS, "kernel-callchains", NULL, "record kernel stacks too" },
	{ OPT_MAX_STACK, "max-stack", "n", "maximum number of frames (default 127)" },
	{ OPT_PYTHON, "python", NULL, "record the functions of Python in user stacks\n"
	  "(default)" },
	{ OPT_NO_PYTHON, "no-python", NULL, "do not record them" },
	{ OPT_OFF_CPU, "off-cpu", NULL, "record off-CPU time (default)" },
	{ OPT_NO_OFF_CPU, "no-off-cpu", NULL, "do not record off-CPU time" },
	{ OPT_STATE, "state", "letters", "off-CPU time in these states only, as S,D; of\n"
	  "R,R+,S,D,T,t,X,P,I,N,? (default all)" },
	{ OPT_HIST, "hist", NULL, "count off-CPU intervals by their lengths" },
	{ OPT_NO_IDLE, "no-idle", NULL, "leave out the time in which loops waited for\n"
	  "their next work, as in accept and epoll_wait" },
	{ OPT_WAKERS, "wakers", NULL, "record the stacks of wakers, too" },
	{ OPT_LOCK_OWNER, "lock-owner", NULL, "record who holds the locks that threads wait for" },
	{ OPT_TIMELINE, "timeline", NULL, "record every switch and wakeup too, with stacks:\n"
	  "for perf sched and perf script" },
	{ OPT_MIN, "min", "time", "minimum length of off-CPU intervals, as 250us;\n"
	  "in ns, us (default), ms or s" },
	{ OPT_MAX, "max", "time", "maximum length of off-CPU intervals" },
	{ OPT_OFF_CPU_THRESH, "off-cpu-thresh", "time", "minimum length of an interval with a sample\n"
	  "of its own; in ns, us, ms (default) or s" },
	{ 'R', "raw-samples", NULL, "causes, wakers and more in samples of off-CPU\n"
	  "time, and the fields of tracepoints, for perf\nscript" },
	{ OPT_NO_REASONS, "no-reasons", NULL, "no system calls or locks in samples of off-CPU\n"
	  "time, for a smaller file" },
	{ 'o', "output", "file", "output file (default perf.data)" },
	{ OPT_MAX_SIZE, "max-size", "size", "end when the file has this size, as 100M; in B,\n"
	  "K, M or G" },
	{ OPT_SWITCH_OUTPUT, "switch-output", "[=when]", "go on in a new file at SIGUSR2 (default), at a\n"
	  "size, as 100M, or each time, as 30s, 5m or 1h;\n"
	  "each is named FILE.TIMESTAMP when it is complete" },
	{ OPT_SWITCH_MAX_FILES, "switch-max-files", "n", "keep the last n files of these" },
	{ OPT_TIMESTAMP_FILENAME, "timestamp-filename", NULL, "name the file FILE.TIMESTAMP" },
	{ 'q', "quiet", NULL, "print errors only" },
	{ 'v', "verbose", NULL, "print more; twice: every thread" },
	{ 'B', "no-buildid", NULL, "do not collect build-ids" },
	{ 'N', "no-buildid-cache", NULL, "do not copy files of containers and deleted\n"
	  "ones into ~/.debug" },
	{ 'm', "mmap-pages", "pages|size", "tables of one CPU, for off-CPU time and\n"
	  "for samples each, in pages of 4 KiB or with\n"
	  "unit B, K, M or G (default: as needed)" },
	{ 'r', "realtime", "prio", "read the tables with this realtime priority\n"
	  "(SCHED_FIFO), 1 to 99" },
	{ 'z', "compression-level", "n", "compress the file by zstd, 1 to 22; 0: not\n"
	  "at all (default)" },
	{ OPT_INTERVAL, "interval", "ms", "interval of reading the tables (default 1000)" },
	{ OPT_LEDGER, "ledger", "file", "write every thread's totals to this file" },
	{ OPT_INTERVALS, "intervals", "file", "write the off-CPU intervals to this file" },
	{ OPT_TABLES, "tables", "name=n,...", "expert: entries of the tables aggrs,\n"
	  "stack-words, exits, waits (one half each),\n"
	  "tasks, and records (of --timeline)" },
	{ 0, NULL, NULL, NULL },
};

/* Option values that depend on other options. */
struct raw {
	struct wp_record_opts *o;
	struct wp_control *control;
	struct wp_target_options targets;
	bool strict_freq;
	bool freq_given;
	bool freq_max;
	bool period_given;
	bool python;
};

static int parse_u64(const char *option, const char *arg, __u64 min, __u64 max, __u64 *value)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(arg, &end, 0);
	if (!isdigit((unsigned char)*arg) || errno || *end || n < min || n > max) {
		wp_err("%s: '%s' is not a number from %llu to %llu", option, arg,
		       (unsigned long long)min, (unsigned long long)max);
		return -EINVAL;
	}
	*value = n;
	return 0;
}

static int parse_u32(const char *option, const char *arg, __u32 min, __u32 max, __u32 *value)
{
	__u64 n;
	int err = parse_u64(option, arg, min, max, &n);

	if (!err)
		*value = n;
	return err;
}

static int parse_states(const char *arg, __u32 *states)
{
	char *words = strdup(arg), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;
	unsigned int i;

	*states = 0;
	while (!err && (word = strsep(&rest, ","))) {
		if (!strcmp(word, "Z"))
			word[0] = 'X';
		for (i = 0; i < WALLPROF_STATE_MAX && strcmp(word, wp_state_name(i)); i++)
			;
		if (i == WALLPROF_STATE_MAX) {
			wp_err("--state: unknown state '%s'; known are R, R+, S, D, T, t, X, P, I, N and ?",
			       word);
			err = -EINVAL;
		}
		*states |= 1U << i;
	}
	free(words);
	return err;
}

static int parse_time(const char *option, const char *arg, __u64 unit, __u64 min, __u64 *ns)
{
	int err = wp_duration_parse(arg, unit, ns);

	if (err == -EINVAL)
		wp_err("%s: '%s' is not a time as 250us, in ns, us, ms or s (a number alone is in %s)",
		       option, arg, unit == WP_NSEC_PER_USEC ? "us" : "ms");
	else if (err)
		wp_err("%s: '%s' is too long", option, arg);
	else if (*ns < min)
		wp_err("%s: '%s' is too short: nothing would be left", option, arg);
	return err || *ns < min ? -EINVAL : 0;
}

static int set(void *ctx, int id, const char *arg)
{
	struct raw *raw = ctx;
	struct wp_record_opts *o = raw->o;
	__u64 n;
	int err;

	switch (id) {
	case 'a':
		raw->targets.all = true;
		return 0;
	case 'p':
		raw->targets.pid = arg;
		return 0;
	case 't':
		raw->targets.tid = arg;
		return 0;
	case 'u':
		raw->targets.uid = arg;
		return 0;
	case OPT_COMM:
		raw->targets.comm = arg;
		return 0;
	case 'G':
		raw->targets.group = arg;
		return 0;
	case 'C':
		o->has_cpus = true;
		return wp_value_cpus("-C", arg, &o->cpus);
	case 'D':
		return wp_delay_parse(arg, o);
	case OPT_CONTROL:
		wp_control_close(raw->control);
		return wp_control_open(raw->control, arg);
	case 'i':
		o->inherit = false;
		return 0;
	case 'e':
		return wp_event_list_parse(&o->events, arg);
	case OPT_FILTER:
		return wp_event_filters_add(&o->events, arg);
	case OPT_EXCLUDE_PERF:
		return wp_event_filters_exclude_self(&o->events);
	case OPT_WEIGHT:
		return wp_event_filters_weigh(&o->events, arg);
	case OPT_BY:
		return wp_event_filters_sum_by(&o->events, arg);
	case 'F':
		raw->freq_given = true;
		raw->freq_max = !strcmp(arg, "max");
		return raw->freq_max ? 0 : parse_u64("-F", arg, 1, INT_MAX, &o->freq);
	case 'c':
		raw->period_given = true;
		return parse_u64("-c", arg, 1, LLONG_MAX, &o->period);
	case OPT_STRICT_FREQ:
		raw->strict_freq = true;
		return 0;
	case 'g':
		o->call_graph = WP_CALL_GRAPH_AUTO;
		return 0;
	case OPT_CALL_GRAPH:
		return wp_call_graph_parse(&o->call_graph, "--call-graph", arg);
	case OPT_KERNEL_CALLCHAINS:
		o->kernel = true;
		return 0;
	case OPT_MAX_STACK:
		return parse_u32("--max-stack", arg, 1, WALLPROF_MAX_STACK, &o->max_stack);
	case OPT_OFF_CPU:
		o->offcpu = true;
		return 0;
	case OPT_NO_OFF_CPU:
		o->offcpu = false;
		return 0;
	case OPT_HIST:
		o->hist = true;
		return 0;
	case OPT_NO_REASONS:
		o->reasons = false;
		return 0;
	case OPT_NO_IDLE:
		o->no_idle = true;
		return 0;
	case 'R':
		o->raw = true;
		return 0;
	case OPT_STATE:
		return parse_states(arg, &o->states);
	case OPT_WAKERS:
		o->wakers = true;
		return 0;
	case OPT_LOCK_OWNER:
		o->lock_owner = true;
		return 0;
	case OPT_PYTHON:
	case OPT_NO_PYTHON:
		o->python = id == OPT_PYTHON;
		raw->python = o->python;
		return 0;
	case OPT_TIMELINE:
		o->timeline = true;
		return 0;
	case 'z':
		return wp_value_int("-z", arg, 0, WP_COMPRESS_MAX_LEVEL, &o->level);
	case OPT_MIN:
		return parse_time("--min", arg, WP_NSEC_PER_USEC, 0, &o->min_ns);
	case OPT_MAX:
		return parse_time("--max", arg, WP_NSEC_PER_USEC, 1, &o->max_ns);
	case OPT_OFF_CPU_THRESH:
		err = parse_time("--off-cpu-thresh", arg, WP_NSEC_PER_MSEC, 0, &n);
		/* The module takes 0 for none. */
		if (!err)
			o->wait_ns = n ? n : 1;
		return err;
	case 'o':
		return wp_value_output(arg, &o->output);
	case OPT_MAX_SIZE:
		return wp_value_file_size("--max-size", arg, &o->max_bytes);
	case OPT_SWITCH_OUTPUT:
		return wp_switch_output_parse(arg, &o->switching);
	case OPT_SWITCH_MAX_FILES:
		return wp_value_int("--switch-max-files", arg, 1, WP_OUTPUT_MAX_FILES,
				    &o->switching.max_files);
	case OPT_TIMESTAMP_FILENAME:
		o->switching.has_names = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	case 'B':
		o->buildids = false;
		return 0;
	case 'N':
		o->keep = false;
		return 0;
	case 'm':
		return wp_value_buffer("-m", arg, &o->buffer);
	case OPT_INTERVAL:
		err = parse_u64("--interval", arg, 1, MAX_INTERVAL_MS, &n);
		o->interval_ms = n;
		return err;
	case OPT_LEDGER:
		o->ledger = arg;
		return 0;
	case OPT_INTERVALS:
		o->intervals = arg;
		return 0;
	case OPT_TABLES:
		return wp_table_sizes_parse(arg, o);
	case 'r':
		return wp_realtime_parse(arg, &o->realtime);
	}
	return -EINVAL;
}

/* If no target is given, the command is the target. */
static int settle_target(struct raw *raw)
{
	struct wp_record_opts *o = raw->o;
	int err = wp_target_options_resolve(&raw->targets, &o->target);

	if (err)
		return err;
	o->own = o->command && o->target.kind == WALLPROF_TARGET_ALL && !raw->targets.all &&
		 !o->has_cpus;
	return wp_target_resolve(&o->target);
}

static int settle_freq(struct raw *raw)
{
	struct wp_record_opts *o = raw->o;
	__u64 max = wp_value_max_freq();

	if (raw->period_given) {
		if (raw->freq_given)
			wp_warn("-c overrides -F");
		o->freq = 0;
		return 0;
	}
	if (raw->freq_max) {
		if (!max) {
			wp_err("-F max: couldn't read /proc/sys/kernel/perf_event_max_sample_rate");
			return -ENOENT;
		}
		o->freq = max;
		if (!o->quiet)
			fprintf(stderr, "info: Using a maximum frequency rate of %llu Hz\n",
				(unsigned long long)max);
	}
	if (!max || o->freq <= max)
		return 0;
	if (raw->freq_given && raw->strict_freq) {
		wp_err("error: Maximum frequency rate (%llu Hz) exceeded.\n"
		       "       Please use -F freq option with a lower value or consider\n"
		       "       tweaking /proc/sys/kernel/perf_event_max_sample_rate.",
		       (unsigned long long)max);
		return -EINVAL;
	}
	if (raw->freq_given)
		wp_warn("warning: Maximum frequency rate (%llu Hz) exceeded, throttling from %llu Hz to %llu Hz.\n"
			"         The limit can be raised via /proc/sys/kernel/perf_event_max_sample_rate.\n"
			"         The kernel will lower it when perf's interrupts take too long.\n"
			"         Use --strict-freq to disable this throttling, refusing to record.",
			(unsigned long long)max, (unsigned long long)o->freq,
			(unsigned long long)max);
	else
		wp_warn("Lowering default frequency rate from %llu to %llu.\n"
			"Please consider tweaking /proc/sys/kernel/perf_event_max_sample_rate.",
			(unsigned long long)o->freq, (unsigned long long)max);
	o->freq = max;
	return 0;
}

/* As -F, the term freq= is lowered to what the kernel allows. */
static int limit_freq(const struct raw *raw, struct wp_event *ev)
{
	__u64 max = wp_value_max_freq();

	if (!max || ev->freq <= max)
		return 0;
	if (raw->strict_freq) {
		wp_err("-e %s: freq=%llu is more than kernel.perf_event_max_sample_rate, %llu",
		       ev->name, (unsigned long long)ev->freq, (unsigned long long)max);
		return -EINVAL;
	}
	wp_warn("-e %s: freq=%llu is more than kernel.perf_event_max_sample_rate: %llu Hz are used",
		ev->name, (unsigned long long)ev->freq, (unsigned long long)max);
	ev->freq = max;
	return 0;
}

/* Whether a session that walks stacks in one way can walk them in another one, too. */
static bool walk_is_of(enum wp_call_graph one, enum wp_call_graph session)
{
	return one == session || one == WP_CALL_GRAPH_NONE || session == WP_CALL_GRAPH_AUTO;
}

static bool has_tracepoint(const struct wp_event_list *events)
{
	unsigned int nr;

	for (nr = 0; nr < events->nr; nr++) {
		if (events->event[nr].tracepoint[0])
			return true;
	}
	return false;
}

/*
 * Give each event what its terms leave open. As in perf, -F and -c hold for tracepoints,
 * too; without these, each one that is hit is a sample.
 */
static int settle_events(struct raw *raw)
{
	bool given = raw->freq_given || raw->period_given;
	struct wp_record_opts *o = raw->o;
	unsigned int i;

	for (i = 0; i < o->events.nr; i++) {
		struct wp_event *ev = &o->events.event[i];

		wp_event_settle(ev, ev->type == PERF_TYPE_TRACEPOINT && !given ? 0 : o->freq,
				o->period ? o->period : 1);
		if (limit_freq(raw, ev))
			return -EINVAL;
		/* Of all stacks the innermost address is left. */
		if (o->call_graph == WP_CALL_GRAPH_NONE)
			ev->max_stack = 0;
		if (ev->max_stack > o->max_stack) {
			wp_err("-e %s: max-stack=%u is more than --max-stack %u", ev->name,
			       ev->max_stack, o->max_stack);
			return -EINVAL;
		}
		if (ev->has_call_graph && !walk_is_of(ev->call_graph, o->call_graph)) {
			wp_err("-e %s: its call-graph is none that --call-graph leaves: use --call-graph auto",
			       ev->name);
			return -EINVAL;
		}
	}
	return wp_event_filters_compile(&o->events);
}

/* Whether two file names, each of which may be NULL, are the same. */
static bool same_file(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/**
 * wp_record_options() - parse the command line
 * @o: filled in
 * @control: likewise; to be closed
 * @argc: arguments of the command
 * @argv: the same; the first one is the command's name
 *
 * Return: 0; WP_OPTIONS_DONE if help was requested; or a negative errno after a message,
 * -EINVAL for an invalid command line.
 */
int wp_record_options(struct wp_record_opts *o, struct wp_control *control, int argc,
		      char **argv)
{
	struct wp_options options = {
		.command = "wallprof record",
		.usage = usage,
		.table = table,
		.perf_options = wp_perf_options_record,
		.set = set,
	};
	struct raw raw = { .o = o, .control = control };
	int err, rest;
	bool tables;

	memset(o, 0, sizeof(*o));
	*control = (struct wp_control){ .fd = -1, .ack = -1 };
	o->inherit = true;
	o->freq = DEFAULT_FREQ;
	o->max_stack = WALLPROF_MAX_STACK;
	o->offcpu = true;
	o->reasons = true;
	o->output = "perf.data";
	o->buildids = true;
	o->keep = true;
	o->python = true;
	o->interval_ms = 1000;

	err = wp_parse_options(&options, argc, argv, &raw, &rest);
	if (err)
		return err;
	if (rest < argc)
		o->command = argv + rest;
	if (o->quiet)
		wp_set_verbosity(WP_QUIET);
	else if (o->verbose)
		wp_set_verbosity(WP_VERBOSE);

	if (!o->events.nr && !o->events.none) {
		err = wp_event_list_parse(&o->events, "cycles");
		if (err)
			return err;
	}
	if (o->events.none && !o->offcpu) {
		wp_err("-e none and --no-off-cpu leave nothing to record");
		return -EINVAL;
	}
	if (o->states && !o->offcpu)
		wp_warn("--state has no effect with --no-off-cpu");
	if (o->raw && !o->offcpu && !has_tracepoint(&o->events))
		wp_warn("-R has no effect with --no-off-cpu, without a tracepoint");
	if (o->raw || !o->offcpu)
		o->reasons = false;
	if (o->hist && !o->offcpu) {
		wp_warn("--hist has no effect with --no-off-cpu");
		o->hist = false;
	}
	if (o->no_idle && !o->offcpu)
		wp_warn("--no-idle has no effect with --no-off-cpu");
	if ((o->min_ns || o->max_ns) && !o->offcpu)
		wp_warn("--min and --max have no effect with --no-off-cpu");
	if (o->wait_ns && !o->offcpu) {
		wp_warn("--off-cpu-thresh has no effect with --no-off-cpu");
		o->wait_ns = 0;
	}
	if (o->max_ns && o->max_ns < o->min_ns) {
		wp_err("--max is shorter than --min: nothing would be left");
		return -EINVAL;
	}
	if ((o->ledger || o->intervals) && !o->offcpu) {
		wp_err("--ledger and --intervals need off-CPU time, which --no-off-cpu leaves out");
		return -EINVAL;
	}
	if (o->wakers && !o->offcpu) {
		wp_err("--wakers needs off-CPU time, which --no-off-cpu leaves out");
		return -EINVAL;
	}
	if (o->lock_owner && (!o->offcpu || !(o->reasons || o->raw))) {
		wp_err("--lock-owner needs the locks, which --no-off-cpu and --no-reasons leave out");
		return -EINVAL;
	}
	if (o->lock_owner && o->wakers) {
		wp_err("--lock-owner cannot be combined with --wakers");
		return -EINVAL;
	}
	tables = o->call_graph == WP_CALL_GRAPH_AUTO || o->call_graph == WP_CALL_GRAPH_CFI;
	if (raw.python && !tables) {
		wp_err("--python needs stacks by unwind tables, which --call-graph leaves out");
		return -EINVAL;
	}
	if (raw.python && !(o->buildids && o->keep)) {
		wp_err("--python keeps names by a build-id in ~/.debug, which %s leaves out",
		       o->buildids ? "-N" : "-B");
		return -EINVAL;
	}
	o->python &= tables && o->buildids && o->keep;
	if ((raw.targets.comm || raw.targets.group) && !o->offcpu) {
		wp_err("--comm and -G need context switches, which --no-off-cpu leaves out");
		return -EINVAL;
	}
	err = wp_switch_output_check(o);
	if (!err)
		err = wp_delay_check(o);
	if (err)
		return err;
	if (same_file(o->output, o->ledger) || same_file(o->output, o->intervals) ||
	    same_file(o->ledger, o->intervals)) {
		wp_err("-o, --ledger and --intervals must name different files");
		return -EINVAL;
	}
	if (o->call_graph == WP_CALL_GRAPH_NONE)
		o->max_stack = 1;
	err = settle_freq(&raw);
	if (!err)
		err = settle_events(&raw);
	if (!err)
		err = settle_target(&raw);
	return err;
}
