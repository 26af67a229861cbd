// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof top: where the time of all threads goes, live. The session is that of a
 * recording without a file: each interval ends with a flip, and is shown until the next
 * one ends.
 */
#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/common/realtime.h"
#include "cmd/common/signals.h"
#include "cmd/common/target-options.h"
#include "cmd/top/top.h"
#include "lib/base/clock.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/sandbox/worker.h"

#define NSEC_PER_SEC	1000000000ULL
#define DEFAULT_DELAY	(2 * NSEC_PER_SEC)
#define MIN_DELAY	(100 * WP_NSEC_PER_MSEC)
#define MAX_DELAY	(3600 * NSEC_PER_SEC)
/* The first interval is short, so that the user sees something soon. */
#define FIRST_DELAY	(NSEC_PER_SEC / 2)
#define DEFAULT_FREQ	99
#define MAX_COUNT	1000000000

enum {
	OPT_KERNEL_CALLCHAINS = 256,
	OPT_NO_IDLE,
	OPT_IDLE,
	OPT_PYTHON,
	OPT_NO_PYTHON,
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'a', "all-cpus", NULL, "the whole host (default)" },
	{ 'p', "pid", "pid,...", "these processes, all their threads, and what\n"
	  "they fork from now on" },
	{ 't', "tid", "tid,...", "these threads" },
	{ 'u', "uid", "user,...", "all threads of these users, names or numbers" },
	{ WP_TARGET_OPTION_COMM, "comm", "name,...", "all threads of these names" },
	{ 'G', "cgroup", "path,...", "all threads in these control groups (version 2)\n"
	  "and in the groups below" },
	{ 'd', "delay", "seconds", "the length of an interval (default 2)" },
	{ 'n', "count", "number", "number of intervals (default unlimited)" },
	{ 'b', "batch", NULL, "print lines, for a file or a pipe" },
	{ 'H', "threads", NULL, "threads, not processes" },
	{ 's', "sort", "column", "pid, comm, run, runnable, blocked, wait, which\n"
	  "is runnable and blocked (default), or event" },
	{ 'c', "command", NULL, "the command line of each process" },
	{ 'g', "stacks", NULL, "stacks of each row; without -b, of the\n"
	  "selected one" },
	{ OPT_IDLE, "idle", NULL, "idle kernel threads and loops that wait for\n"
	  "their next work, too\n"
	  "(default, except for whole host)" },
	{ OPT_NO_IDLE, "no-idle", NULL, "leave out these, as in accept and epoll_wait\n"
	  "(default for the whole host)" },
	{ OPT_KERNEL_CALLCHAINS, "kernel-callchains", NULL, "kernel stacks too" },
	{ OPT_PYTHON, "python", NULL, "functions of Python in user stacks (default)" },
	{ OPT_NO_PYTHON, "no-python", NULL, "only native functions" },
	{ 'e', "event", "event,...", "on-CPU events (default cycles, or cpu-clock\n"
	  "where there are none), a column each; key e\n"
	  "selects that of the stacks; 'none': no samples" },
	{ 'F', "freq", "freq", "on-CPU samples per second (default 99)" },
	{ 'm', "mmap-pages", "pages|size", "tables of one CPU, in pages of 4 KiB or with\n"
	  "unit B, K, M or G" },
	{ 'r', "realtime", "prio", "read them with this realtime priority\n"
	  "(SCHED_FIFO), 1 to 99" },
	{ 'v', "verbose", NULL, "print what is done, before it begins" },
	{ 0, NULL, NULL, NULL },
};

struct opts {
	struct wp_top *top;
	struct wp_target_options targets;
	bool idle_given;
	bool freq_given;
};

static int parse_delay(const char *arg, __u64 *ns)
{
	int err = wp_duration_parse(arg, NSEC_PER_SEC, ns);
	double seconds;
	char *end;

	/* The format of top: 0.5 */
	if (err) {
		seconds = strtod(arg, &end);
		if (end == arg || *end || !(seconds >= 0 && seconds <= 3600)) {
			wp_err("-d: '%s' is not a number of seconds", arg);
			return -EINVAL;
		}
		*ns = seconds * NSEC_PER_SEC;
	}
	if (*ns >= MIN_DELAY && *ns <= MAX_DELAY)
		return 0;
	wp_err("-d: '%s' is not from 0.1 to 3600 seconds", arg);
	return -EINVAL;
}

static int parse_column(const char *arg, enum wp_topcolumn *column)
{
	static const char *const names[WP_TOPCOLUMN_MAX] = {
		[WP_TOPCOLUMN_ID] = "pid",
		[WP_TOPCOLUMN_NAME] = "comm",
		[WP_TOPCOLUMN_RUN] = "run",
		[WP_TOPCOLUMN_RUNNABLE] = "runnable",
		[WP_TOPCOLUMN_BLOCKED] = "blocked",
		[WP_TOPCOLUMN_WAIT] = "wait",
		[WP_TOPCOLUMN_EVENT] = "event",
	};
	unsigned int i;

	for (i = 0; i < WP_TOPCOLUMN_MAX; i++) {
		if (!strcmp(arg, names[i])) {
			*column = i;
			return 0;
		}
	}
	wp_err("-s: unknown column '%s'; known are pid, comm, run, runnable, blocked, wait or event",
	       arg);
	return -EINVAL;
}

/* The first -e replaces the default. */
static int parse_event(struct wp_top *top, const char *arg)
{
	struct wp_event_list *events = &top->live.r.o.events;
	int err;

	if (!top->live.event_given)
		wp_event_list_free(events);
	top->live.event_given = true;
	err = wp_event_list_parse(events, arg);
	if (!err && events->nr > WP_TOP_EVENTS) {
		wp_err("-e %s: top shows %d events at most, these are %u", arg, WP_TOP_EVENTS,
		       events->nr);
		err = -EINVAL;
	}
	return err;
}

static int set(void *ctx, int id, const char *arg)
{
	struct opts *o = ctx;
	struct wp_top *top = o->top;
	int err, value;

	switch (id) {
	case 'd':
		return parse_delay(arg, &top->delay);
	case 'n':
		err = wp_value_int("-n", arg, 1, MAX_COUNT, &value);
		top->count = err ? 0 : value;
		return err;
	case 'b':
		top->batch = true;
		return 0;
	case 'H':
		top->options.threads = true;
		return 0;
	case 's':
		return parse_column(arg, &top->options.column);
	case 'c':
		top->command = true;
		return 0;
	case 'g':
		top->stacks = true;
		return 0;
	case OPT_NO_IDLE:
	case OPT_IDLE:
		o->idle_given = true;
		top->options.no_idle = id == OPT_NO_IDLE;
		return 0;
	case OPT_KERNEL_CALLCHAINS:
		top->live.r.o.kernel = true;
		return 0;
	case OPT_PYTHON:
	case OPT_NO_PYTHON:
		top->live.r.o.python = id == OPT_PYTHON;
		return 0;
	case 'e':
		return parse_event(top, arg);
	case 'F':
		err = wp_value_int("-F", arg, 1, WALLPROF_MAX_FREQ, &value);
		top->live.r.o.freq = err ? 0 : value;
		o->freq_given = true;
		return err;
	case 'm':
		return wp_value_buffer("-m", arg, &top->live.r.o.buffer);
	case 'r':
		return wp_realtime_parse(arg, &top->live.r.o.realtime);
	case 'v':
		wp_set_verbosity(WP_VERBOSE);
		return 0;
	}
	return wp_target_options_set(&o->targets, id, arg);
}

/* As in the record command for a rate above the kernel's limit. */
static void settle_freq(struct wp_record_opts *r)
{
	__u64 max = wp_value_max_freq();

	if (!max || r->freq <= max)
		return;
	wp_warn("-F: %llu Hz are more than kernel.perf_event_max_sample_rate: %llu Hz are used",
		(unsigned long long)r->freq, (unsigned long long)max);
	r->freq = max;
}

/* What the terms of an event leave open, and their limits. Each hit of a tracepoint counts. */
static int settle_event(const struct opts *o, struct wp_event *ev)
{
	const struct wp_record_opts *r = &o->top->live.r.o;
	__u64 max = wp_value_max_freq();

	wp_event_settle(ev, ev->type == PERF_TYPE_TRACEPOINT && !o->freq_given ? 0 : r->freq, 1);
	if (max && ev->freq > max) {
		wp_warn("-e %s: freq=%llu is more than kernel.perf_event_max_sample_rate: %llu Hz are used",
			ev->name, (unsigned long long)ev->freq, (unsigned long long)max);
		ev->freq = max;
	}
	if (ev->max_stack > r->max_stack) {
		wp_err("-e %s: max-stack=%u is more than %u", ev->name, ev->max_stack,
		       r->max_stack);
		return -EINVAL;
	}
	return 0;
}

/* Set the options of an equivalent record command. */
static int read_options(struct opts *o, int argc, char **argv)
{
	const struct wp_options options = {
		.command = "wallprof top",
		.usage = usage,
		.table = table,
		.set = set,
	};
	struct wp_record_opts *r = &o->top->live.r.o;
	unsigned int i;
	int err, rest;

	r->offcpu = true;
	r->python = true;
	r->max_stack = WALLPROF_MAX_STACK;
	r->freq = DEFAULT_FREQ;
	err = wp_event_list_parse(&r->events, "cycles");
	if (!err)
		err = wp_parse_options(&options, argc, argv, o, &rest);
	if (err)
		return err;
	if (rest < argc) {
		wp_err("unexpected argument '%s'; use -p PID", argv[rest]);
		return -EINVAL;
	}
	settle_freq(r);
	for (i = 0; i < r->events.nr && !err; i++)
		err = settle_event(o, &r->events.event[i]);
	if (err)
		return err;
	err = wp_target_options_resolve(&o->targets, &r->target);
	/* New threads of a process, too; of threads only those that were named. */
	r->inherit = r->target.kind != WALLPROF_TARGET_TID;
	if (!o->idle_given)
		o->top->options.no_idle = r->target.kind == WALLPROF_TARGET_ALL;
	return err ? err : wp_target_resolve(&r->target);
}

/* Process changes of the terminal, and keys. */
static int poll_screen(struct wp_screen *s, bool *quit)
{
	int err;

	if (wp_signals_suspend()) {
		err = wp_screen_suspend(s);
		if (err)
			return err;
	}
	if (wp_signals_resized()) {
		err = wp_screen_resize(s);
		if (err)
			return err;
	}
	return wp_screen_keys(s, quit);
}

static int show(struct wp_top *top, struct wp_screen *s)
{
	return s ? wp_screen_draw(s) : wp_top_print(top);
}

/* End an interval, and show it, unless the view is paused. */
static int turn(struct wp_top *top)
{
	int err = wp_live_turn(&top->live, !top->paused);

	if (err || top->paused)
		return err;
	err = wp_toptable_view(&top->live.table, &top->live.shares, &top->options);
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/* From START on, until the end is requested, or no target is left. */
static int loop(struct wp_top *top, struct wp_screen *s, bool *gone)
{
	__u64 next = top->live.r.s.start + (top->delay < FIRST_DELAY ? top->delay : FIRST_DELAY);
	unsigned long count = 0;
	bool quit = false;
	int err, wake;

	/* Without a screen all intervals have the requested length. */
	if (!s)
		next = top->live.r.s.start + top->delay;
	err = s ? wp_screen_draw(s) : 0;
	while (!err && !quit && !wp_signals_stop() && (!top->count || count < top->count)) {
		__u64 delay = top->delay;

		wake = wp_signals_wait(&top->live.r.dev, top->live.r.sideband, next);
		if (wake < 0)
			return wake;
		if (wp_signals_stop())
			break;
		if (s)
			err = poll_screen(s, &quit);
		if (top->delay != delay)
			next = wp_clock_now() + top->delay;
		if (err || quit)
			break;
		if (wake == WP_WAKE_GONE || wp_clock_now() >= next) {
			err = turn(top);
			if (!err)
				err = show(top, s);
			count++;
			next += top->delay;
			/* Skip intervals that were missed. */
			if (next < wp_clock_now())
				next = wp_clock_now() + top->delay;
		} else if (wake == WP_WAKE_FULL) {
			err = wp_live_drain(&top->live);
		}
		*gone = wake == WP_WAKE_GONE;
		if (*gone)
			break;
	}
	return err;
}

/* Print messages that were stored while there was a screen. */
static void print_kept(int err)
{
	char *message = strdup(wp_last_error());

	wp_err("%s", message && *message ? message : strerror(-err));
	free(message);
}

static int run(struct wp_top *top)
{
	struct wp_screen *s = NULL;
	bool gone = false;
	int err;

	err = top->batch ? 0 : wp_screen_check();
	if (!err)
		err = wp_signals_catch();
	if (!err)
		err = wp_live_begin(&top->live);
	if (!err && !top->batch && !wp_signals_stop())
		err = wp_screen_open(&s, top);
	if (err)
		return err;
	err = loop(top, s, &gone);
	wp_screen_close(s);
	if (err && s)
		print_kept(err);
	else if (gone && !err)
		wp_warn("no target is left");
	return err;
}

/**
 * cmd_top() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "top"
 *
 * Return: its exit status.
 */
int cmd_top(int argc, char **argv)
{
	struct wp_top top = {
		.live.r.dev.fd = -1,
		.delay = DEFAULT_DELAY,
		.options.column = WP_TOPCOLUMN_WAIT,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
	};
	struct opts o = { .top = &top };
	int err;

	err = read_options(&o, argc, argv);
	if (err) {
		wp_target_free(&top.live.r.o.target);
		wp_event_list_free(&top.live.r.o.events);
		return err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	wp_worker_prepare();
	err = run(&top);
	wp_live_end(&top.live);
	return wp_signals_exit_status(err == -EINVAL ? -EIO : err, 0);
}
