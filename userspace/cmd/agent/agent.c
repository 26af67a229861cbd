// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof agent: profiles of a host, always on, for an OpenTelemetry receiver. The
 * session is that of a live view, without a file. Each window of time ends with a flip;
 * its times become one message, which another process sends (outbox.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "cmd/agent/headers.h"
#include "cmd/common/option-values.h"
#include "cmd/common/options-file.h"
#include "cmd/common/options.h"
#include "cmd/common/signals.h"
#include "cmd/common/target-options.h"
#include "lib/base/clock.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/worker.h"

#define NSEC_PER_SEC	1000000000ULL
#define DEFAULT_WINDOW	(10 * NSEC_PER_SEC)
#define MIN_WINDOW	NSEC_PER_SEC
#define MAX_WINDOW	(600 * NSEC_PER_SEC)
/* As other profilers that are always on: odd, so as not to beat with timers. */
#define DEFAULT_FREQ	19
#define MAX_COUNT	1000000000
#define DEFAULT_SAMPLES	100000
#define DEFAULT_QUEUE	(16ULL << 20)
#define DEFAULT_SPOOL	(256ULL << 20)
#define DEFAULT_AGE	86400
#define TIMEOUT_MS	30000
/* What is left at the end has so long to be sent. */
#define END_MS		5000

enum {
	OPT_TO = 256,
	OPT_HEADER_FILE,
	OPT_CACERT,
	OPT_QUEUE,
	OPT_SPOOL,
	OPT_SPOOL_SIZE,
	OPT_SPOOL_AGE,
	OPT_METRICS,
	OPT_TEXTFILE,
	OPT_CHECK,
	OPT_CONFIG,
	OPT_KERNEL_CALLCHAINS,
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
	{ OPT_TO, "to", "URL", "where profiles are sent, by OTLP over HTTP\n"
	  "(default http://localhost:4318); without a path,\n"
	  "/v1development/profiles is added" },
	{ 'w', "window", "time", "length of a window, with unit s or ms\n"
	  "(default 10s)" },
	{ 'n', "count", "number", "number of windows (default unlimited)" },
	{ 'a', "all-cpus", NULL, "the whole host (default)" },
	{ 'p', "pid", "pid,...", "these processes, all their threads, and what\n"
	  "they fork from now on" },
	{ 't', "tid", "tid,...", "these threads" },
	{ 'u', "uid", "user,...", "all threads of these users, names or numbers" },
	{ WP_TARGET_OPTION_COMM, "comm", "name,...", "all threads of these names" },
	{ 'G', "cgroup", "path,...", "all threads in these control groups (version 2)\n"
	  "and in the groups below" },
	{ OPT_IDLE, "idle", NULL, "idle kernel threads and loops that wait for\n"
	  "their next work, too\n"
	  "(default, except for whole host)" },
	{ OPT_NO_IDLE, "no-idle", NULL, "leave out these, as in accept and epoll_wait\n"
	  "(default for the whole host)" },
	{ OPT_KERNEL_CALLCHAINS, "kernel-callchains", NULL, "kernel stacks too" },
	{ OPT_PYTHON, "python", NULL, "functions of Python in user stacks (default)" },
	{ OPT_NO_PYTHON, "no-python", NULL, "only native functions" },
	{ 'e', "event", "event", "on-CPU event (default cycles, or cpu-clock where\n"
	  "there are none); 'none': no samples" },
	{ 'F', "freq", "freq", "on-CPU samples per second (default 19)" },
	{ 'm', "mmap-pages", "pages|size", "tables of one CPU, in pages of 4 KiB or with\n"
	  "unit B, K, M or G" },
	{ OPT_HEADER_FILE, "header-file", "file", "headers of requests, a line each, as\n"
	  "'Authorization: Bearer 1234'" },
	{ OPT_CACERT, "cacert", "file", "certificates of authorities that may have signed\n"
	  "that of the receiver (default the system's)" },
	{ OPT_QUEUE, "queue", "size", "memory for profiles that wait to be sent, with\n"
	  "unit B, K, M or G (default 16M)" },
	{ OPT_SPOOL, "spool", "directory", "keep profiles that wait on disk, to be sent\n"
	  "also after a restart" },
	{ OPT_SPOOL_SIZE, "spool-size", "size", "of all of these, with unit B, K, M or G\n"
	  "(default 256M)" },
	{ OPT_SPOOL_AGE, "spool-age", "time", "of the oldest of them, with unit s or ms\n"
	  "(default 86400s)" },
	{ OPT_METRICS, "metrics", NULL, "metrics after each window, to the same receiver,\n"
	  "at /v1/metrics" },
	{ OPT_TEXTFILE, "textfile", "file", "metrics after each window, for the textfile\n"
	  "collector of node_exporter: a name in .prom" },
	{ OPT_CONFIG, "config", "file", "read options from it, too: 'window = 10s'; the\n"
	  "command line has precedence" },
	{ OPT_CHECK, "check", NULL, "check the options and the files that they name,\n"
	  "and record nothing" },
	{ 'q', "quiet", NULL, "no messages, except errors" },
	{ 'v', "verbose", NULL, "a line for each window" },
	{ 0, NULL, NULL, NULL },
};

struct opts {
	struct wp_agent *a;
	struct wp_target_options targets;
	struct wp_agent_headers headers;
	struct wp_agent_headers metrics_headers;
	const char *to;
	const char *textfile;
	const char *config;
	char *config_text;
	bool idle_given;
	bool freq_given;
	bool quiet;
	bool check;
	bool targets_given;
	bool headers_given;
};

/* A file that starts nothing, or another file, is not a configuration. */
static const char *const never_in_file[] = { "config", "check", NULL };

static int parse_window(const char *arg, __u64 *ns)
{
	int err = wp_duration_parse(arg, NSEC_PER_SEC, ns);

	if (!err && *ns >= MIN_WINDOW && *ns <= MAX_WINDOW)
		return 0;
	wp_err("-w: '%s' is not from 1 to 600 seconds", arg);
	return -EINVAL;
}

static int parse_age(const char *arg, __u64 *seconds)
{
	__u64 ns;
	int err = wp_duration_parse(arg, NSEC_PER_SEC, &ns);

	*seconds = err ? 0 : ns / NSEC_PER_SEC;
	if (*seconds)
		return 0;
	wp_err("--spool-age: '%s' is not a time of at least a second", arg);
	return -EINVAL;
}

static int parse_event(struct wp_agent *a, const char *arg)
{
	struct wp_event_list *events = &a->live.r.o.events;
	int err;

	wp_event_list_free(events);
	a->live.event_given = true;
	err = wp_event_list_parse(events, arg);
	if (!err && events->nr > 1) {
		wp_err("-e %s: these are %u events, and the agent samples one", arg, events->nr);
		err = -EINVAL;
	}
	return err;
}

/* Who sends has no rights. */
static int check_authorities(const char *path)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st)) {
		wp_err("--cacert: %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	if (geteuid() || st.st_mode & 0004)
		return 0;
	wp_err("--cacert: %s: user nobody, who sends, cannot read it: chmod a+r it", path);
	return -EINVAL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct opts *o = ctx;
	struct wp_agent *a = o->a;
	int err, value;

	switch (id) {
	case OPT_TO:
		o->to = arg;
		return 0;
	case 'w':
		return parse_window(arg, &a->window);
	case 'n':
		err = wp_value_int("-n", arg, 1, MAX_COUNT, &value);
		a->count = err ? 0 : value;
		return err;
	case OPT_NO_IDLE:
	case OPT_IDLE:
		o->idle_given = true;
		a->no_idle = id == OPT_NO_IDLE;
		return 0;
	case OPT_KERNEL_CALLCHAINS:
		a->live.r.o.kernel = true;
		return 0;
	case OPT_PYTHON:
	case OPT_NO_PYTHON:
		a->live.r.o.python = id == OPT_PYTHON;
		return 0;
	case 'e':
		return parse_event(a, arg);
	case 'F':
		err = wp_value_int("-F", arg, 1, WALLPROF_MAX_FREQ, &value);
		a->live.r.o.freq = err ? 0 : value;
		o->freq_given = true;
		return err;
	case 'm':
		return wp_value_buffer("-m", arg, &a->live.r.o.buffer);
	case OPT_HEADER_FILE:
		return wp_agent_headers_file(&o->headers, arg);
	case OPT_CACERT:
		a->outbox.o.ca = arg;
		return check_authorities(arg);
	case OPT_QUEUE:
		return wp_value_file_size("--queue", arg, &a->outbox.o.queue);
	case OPT_SPOOL:
		a->outbox.o.spool = arg;
		return 0;
	case OPT_SPOOL_SIZE:
		return wp_value_file_size("--spool-size", arg, &a->outbox.o.limits.bytes);
	case OPT_SPOOL_AGE:
		return parse_age(arg, &a->outbox.o.limits.age);
	case OPT_METRICS:
		a->metrics = true;
		return 0;
	case OPT_TEXTFILE:
		o->textfile = arg;
		return wp_agent_textfile_check(arg);
	case OPT_CHECK:
		o->check = true;
		return 0;
	case OPT_CONFIG:
		return 0;
	case 'q':
		o->quiet = true;
		wp_set_verbosity(WP_QUIET);
		return 0;
	case 'v':
		wp_set_verbosity(WP_VERBOSE);
		return 0;
	}
	return wp_target_options_set(&o->targets, id, arg);
}

static int settle_event(const struct opts *o)
{
	struct wp_record_opts *r = &o->a->live.r.o;
	__u64 max = wp_value_max_freq();
	struct wp_event *ev = r->events.event;

	if (!r->events.nr)
		return 0;
	wp_event_settle(ev, ev->type == PERF_TYPE_TRACEPOINT && !o->freq_given ? 0 : r->freq, 1);
	if (max && ev->freq > max) {
		wp_err("-F: %llu Hz are more than kernel.perf_event_max_sample_rate, %llu Hz",
		       (unsigned long long)ev->freq, (unsigned long long)max);
		return -EINVAL;
	}
	return 0;
}

/* Also without metrics: some of an earlier start may be in the spool. */
static int read_metrics_url(struct opts *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	char *url;
	int err = wp_agent_metrics_url(o->to, &url);

	out->metrics_url = url;
	if (!err && !url && o->a->metrics) {
		wp_err("--metrics: '%s' has a path: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, too",
		       o->to);
		err = -EINVAL;
	}
	if (err || !url)
		return err;
	out->metrics_shown = wp_agent_shown(url);
	return out->metrics_shown ? 0 : wp_no_memory("the URL");
}

/* Those of the file are for both; a variable can be for one only, which may be a secret. */
static int read_headers(struct opts *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	int err;

	if (wp_agent_headers_copy(&o->metrics_headers, &o->headers))
		return wp_no_memory("headers");
	err = wp_agent_headers_environment(&o->headers, "OTEL_EXPORTER_OTLP_PROFILES_HEADERS");
	if (!err)
		err = wp_agent_headers_environment(&o->metrics_headers,
						   "OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	out->header[WP_SPOOL_PROFILES] = o->headers.line;
	out->nr_headers[WP_SPOOL_PROFILES] = o->headers.nr;
	out->header[WP_SPOOL_METRICS] = o->metrics_headers.line;
	out->nr_headers[WP_SPOOL_METRICS] = o->metrics_headers.nr;
	return err;
}

static int read_environment(struct opts *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	int err = read_headers(o);

	if (err)
		return err;
	out->url = wp_agent_url(o->to);
	if (!out->url)
		return -EINVAL;
	out->shown = wp_agent_shown(out->url);
	if (!out->shown)
		return wp_no_memory("the URL");
	return read_metrics_url(o);
}

/* Before all others: the file, and what the command line has instead of what is in it. */
static int set_file(void *ctx, int id, const char *arg)
{
	struct opts *o = ctx;

	if (id == OPT_CONFIG)
		o->config = arg;
	else if (id == OPT_HEADER_FILE)
		o->headers_given = true;
	else if (id == WP_TARGET_OPTION_COMM || (id < 256 && strchr("aptuG", id)))
		o->targets_given = true;
	return 0;
}

/* The command line comes last, and so replaces what the file has. */
static int parse(struct opts *o, int argc, char **argv, int *rest)
{
	struct wp_options options = {
		.command = "wallprof agent",
		.usage = usage,
		.table = table,
		.set = set_file,
	};
	int err = wp_parse_options(&options, argc, argv, o, rest), in_file = 0;

	if (err)
		return err;
	options.set = set;
	if (o->config)
		in_file = wp_options_file(&options, o->config, never_in_file, o, &o->config_text);
	if (o->targets_given)
		o->targets = (struct wp_target_options){ 0 };
	if (o->headers_given)
		wp_agent_headers_free(&o->headers);
	err = wp_parse_options(&options, argc, argv, o, rest);
	return in_file ? in_file : err;
}

/* Set the options of an equivalent record command. */
static int read_options(struct opts *o, int argc, char **argv)
{
	struct wp_record_opts *r = &o->a->live.r.o;
	int err, rest;

	r->offcpu = true;
	r->python = true;
	r->max_stack = WALLPROF_MAX_STACK;
	r->freq = DEFAULT_FREQ;
	err = wp_event_list_parse(&r->events, "cycles");
	if (!err)
		err = parse(o, argc, argv, &rest);
	if (err)
		return err;
	if (rest < argc) {
		wp_err("unexpected argument '%s'; use -p PID", argv[rest]);
		return -EINVAL;
	}
	err = settle_event(o);
	if (!err)
		err = read_environment(o);
	if (!err)
		err = wp_target_options_resolve(&o->targets, &r->target);
	if (err)
		return err;
	/* New threads of a process, too; of threads only those that were named. */
	r->inherit = r->target.kind != WALLPROF_TARGET_TID;
	if (!o->idle_given)
		o->a->no_idle = r->target.kind == WALLPROF_TARGET_ALL;
	err = wp_target_resolve(&r->target);
	if (err || !o->check)
		return err;
	if (!o->quiet)
		printf("wallprof agent: the options are valid; sends to %s%s%s\n",
		       o->a->outbox.o.shown, o->a->metrics ? ", and metrics to " : "",
		       o->a->metrics ? o->a->outbox.o.metrics_shown : "");
	return WP_OPTIONS_DONE;
}

/* What names the host in every window. */
static void find_host(struct wp_agent *a)
{
	FILE *f = fopen("/etc/machine-id", "re");

	if (gethostname(a->host, sizeof(a->host) - 1))
		strcpy(a->host, "localhost");
	if (f && fgets(a->host_id, sizeof(a->host_id), f))
		a->host_id[strcspn(a->host_id, "\n")] = 0;
	/* Before the first boot has ended it is "uninitialized". */
	if (strspn(a->host_id, "0123456789abcdef") != 32)
		*a->host_id = 0;
	if (f)
		fclose(f);
}

static void print_window(const struct wp_agent *a, const struct wp_otlp_stats *stats, size_t size)
{
	wp_debug("window %lu: %zu samples of %zu services, on-CPU %.3f s, runnable %.3f s, blocked %.3f s; %zu kB",
		 a->nr_windows, stats->samples, stats->resources, stats->ns[WP_OTLP_CPU] / 1e9,
		 stats->ns[WP_OTLP_RUNNABLE] / 1e9, stats->ns[WP_OTLP_BLOCKED] / 1e9,
		 (size + 999) / 1000);
	if (stats->overflowed)
		wp_warn("window %lu: %llu samples more than the %zu of a window are summed by service",
			a->nr_windows, (unsigned long long)stats->overflowed, a->max_samples);
}

/* The line that a service manager shows. A mistake is there until it is repaired. */
static void notify_status(const struct wp_agent *a)
{
	const char *refused = a->reload.refused ? "; a new configuration was refused" : "";
	const struct wp_outbox *b = &a->outbox;
	const char *state = *b->refused[WP_SPOOL_PROFILES] ? ", which refuses them" :
			    b->waits ? ", which does not answer" : "";

	wp_notify(&a->notify, "STATUS=%lu windows, %llu sent to %s%s%s", a->nr_windows,
		  (unsigned long long)b->all[WP_OUTBOX_SENT].windows, b->o.shown, state, refused);
}

/* Ends a window, and sends it. */
static int turn(struct wp_agent *a)
{
	struct wp_otlp_stats stats;
	struct wp_buf message = { 0 };
	__u64 ns = 0;
	unsigned int i;
	int err;

	err = wp_live_turn(&a->live, true);
	/* What happened to those before, for this one to have it. */
	if (!err)
		wp_outbox_take(&a->outbox);
	if (!err)
		err = wp_agent_window(a, a->live.table.time, &message, &stats);
	if (!err) {
		a->nr_windows++;
		for (i = 0; i < WP_OTLP_KINDS; i++)
			ns += stats.ns[i];
		print_window(a, &stats, message.len);
		/* Before the profiles: of what waits, the oldest is dropped. */
		err = wp_agent_metrics_post(a);
		/* If the process has just died, the next turn starts it again. */
		wp_outbox_post(&a->outbox, WP_SPOOL_PROFILES, message.data, message.len, ns);
		notify_status(a);
		wp_agent_textfile_write(a);
	}
	wp_buf_free(&message);
	return err;
}

/* Whether a new configuration is there, and valid. */
static bool is_new_configuration(struct wp_agent *a)
{
	enum wp_agent_reload_state state = wp_agent_reload_step(&a->reload);

	if (state == WP_AGENT_RELOAD_REFUSED)
		notify_status(a);
	return state == WP_AGENT_RELOAD_READY;
}

/* Ends the last window of this configuration, and keeps what the next program needs. */
static int end_for_reload(struct wp_agent *a)
{
	struct wp_outbox_left left;
	int err;

	wp_notify(&a->notify, "RELOADING=1\nMONOTONIC_USEC=%llu",
		  (unsigned long long)wp_clock_now() / 1000);
	err = turn(a);
	if (err)
		return err;
	wp_outbox_leave(&a->outbox, &left);
	a->carry = wp_agent_carry_write(a, &left);
	if (left.fd >= 0)
		close(left.fd);
	return a->carry < 0 ? a->carry : 0;
}

/* From START on, until the end is requested, no target is left, or there is a new program. */
static int loop(struct wp_agent *a, bool *gone)
{
	__u64 next = a->live.r.s.start + a->window, look;
	int err = 0, wake;

	while (!err && !*gone && !wp_signals_stop() && (!a->count || a->nr_windows < a->count)) {
		wp_notify_alive(&a->notify);
		look = wp_live_look_at(&a->live);
		wake = wp_signals_wait(&a->live.r.dev, a->live.r.sideband,
				       wp_notify_until(&a->notify, look < next ? look : next));
		if (wake < 0)
			return wake;
		*gone = wake == WP_WAKE_GONE;
		if (!*gone && !wp_signals_stop() && is_new_configuration(a))
			return end_for_reload(a);
		if (*gone || wp_signals_stop() || wp_clock_now() >= next) {
			err = turn(a);
			next += a->window;
			/* Skip windows that were missed. */
			if (next < wp_clock_now())
				next = wp_clock_now() + a->window;
		} else if (wake == WP_WAKE_FULL) {
			err = wp_live_drain(&a->live);
		} else if (wp_clock_now() >= look) {
			err = wp_live_look(&a->live);
		}
	}
	return err;
}

static void print_end(const struct wp_agent *a)
{
	const struct wp_outbox_loss *sent = &a->outbox.all[WP_OUTBOX_SENT];

	wp_debug("%lu windows: on-CPU %llu ns, runnable %llu ns, blocked %llu ns; idle %llu ns left out",
		 a->nr_windows, (unsigned long long)a->sum[WP_OTLP_CPU],
		 (unsigned long long)a->sum[WP_OTLP_RUNNABLE],
		 (unsigned long long)a->sum[WP_OTLP_BLOCKED], (unsigned long long)a->idle_ns);
	fprintf(stderr, "[ wallprof agent: Sent %llu windows with %.3f s of time to %s (%.3f MB) ]\n",
		(unsigned long long)sent->windows, sent->ns / 1e9, a->outbox.o.shown,
		a->outbox.bytes / 1e6);
}

/* Goes on with what an earlier program of this process kept. */
static int start(struct wp_agent *a, const struct opts *o, struct wp_agent_carry *carry)
{
	__u64 ended;
	int err = wp_agent_carry_read(carry, a);

	if (err)
		return err;
	ended = a->begun;
	err = wp_live_begin(&a->live);
	if (err)
		return err;
	a->begun = a->live.r.s.start;
	if (!a->sums.start)
		a->sums.start = wp_agent_since_1970(a->begun);
	if (ended && !o->quiet)
		fprintf(stderr, "[ wallprof agent: Read %s again: %.3f s were not recorded ]\n",
			o->config, (a->begun - ended) / 1e9);
	return 0;
}

static int run(struct wp_agent *a, const struct opts *o, struct wp_agent_carry *carry)
{
	bool gone = false;
	int err, late;

	find_host(a);
	/* Without a file there is nothing to read: it ends, as without a terminal. */
	if (o->config)
		wp_signals_want_reload();
	else
		wp_agent_reload_free(&a->reload);
	err = wp_signals_catch();
	if (!err)
		err = wp_agent_labels_init(&a->labels);
	/* Before the session: it has nothing of it. */
	if (!err)
		err = wp_outbox_open(&a->outbox);
	if (!err && o->textfile)
		err = wp_agent_textfile_open(&a->textfile, o->textfile);
	a->live.forget = wp_agent_labels_forget;
	a->live.forget_ctx = &a->labels;
	if (a->metrics) {
		a->live.r.o.hist = true;
		a->live.hist = wp_agent_hists_add;
		a->live.hist_ctx = a;
	}
	a->sums.wanted = a->metrics || a->textfile;
	if (!err)
		err = start(a, o, carry);
	if (err)
		return err;
	wp_livenames_want_ids(a->live.names);
	wp_notify(&a->notify, "READY=1\nSTATUS=recording");
	err = loop(a, &gone);
	if (a->carry >= 0)
		return err;
	wp_notify(&a->notify, "STOPPING=1");
	late = wp_outbox_close(&a->outbox);
	if (!err)
		wp_agent_textfile_write(a);
	if (!o->quiet)
		print_end(a);
	if (gone && !err)
		wp_warn("no target is left");
	/* What ends it by a signal is not interested in the rest. */
	return err || wp_signals_stop() ? err : late;
}

/* Nothing of the session is left: processes, descriptors. Returns if it fails. */
static int execute(struct wp_agent *a)
{
	struct wp_agent_carry lost;
	int err;

	wp_filereader_end();
	wp_worker_end();
	err = wp_agent_reload_exec(&a->reload, WP_AGENT_CARRY, a->carry);
	wp_agent_carry_find(&lost);
	wp_agent_carry_drop(&lost);
	return err;
}

/**
 * cmd_agent() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "agent"
 *
 * Return: its exit status.
 */
int cmd_agent(int argc, char **argv)
{
	struct wp_agent a = {
		.live.r.dev.fd = -1,
		.carry = -1,
		.window = DEFAULT_WINDOW,
		.max_samples = DEFAULT_SAMPLES,
		.outbox.sock = -1,
		.notify.sock = -1,
		.outbox.o = {
			.queue = DEFAULT_QUEUE, .timeout_ms = TIMEOUT_MS, .end_ms = END_MS,
			.limits = { .bytes = DEFAULT_SPOOL, .age = DEFAULT_AGE },
		},
	};
	struct opts o = { .a = &a };
	struct wp_agent_carry carry;
	int err;

	wp_agent_carry_find(&carry);
	err = wp_agent_reload_init(&a.reload, argc, argv);
	if (!err)
		err = read_options(&o, argc, argv);
	if (!err) {
		wp_worker_prepare();
		wp_notify_open(&a.notify);
		err = run(&a, &o, &carry);
		wp_agent_carry_drop(&carry);
		wp_notify_close(&a.notify);
		wp_outbox_close(&a.outbox);
		wp_live_end(&a.live);
		wp_agent_labels_free(&a.labels);
		wp_agent_textfile_free(a.textfile);
		wp_agent_sums_free(&a.sums);
		wp_agent_hists_free(&a.hists);
		if (a.carry >= 0)
			err = execute(&a);
		err = wp_signals_exit_status(err == -EINVAL ? -EIO : err, 0);
	} else {
		wp_agent_carry_drop(&carry);
		wp_target_free(&a.live.r.o.target);
		wp_event_list_free(&a.live.r.o.events);
		err = err == WP_OPTIONS_DONE ? 0 : err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	}
	wp_agent_reload_free(&a.reload);
	wp_agent_headers_free(&o.headers);
	wp_agent_headers_free(&o.metrics_headers);
	free((char *)a.outbox.o.url);
	free((char *)a.outbox.o.shown);
	free((char *)a.outbox.o.metrics_url);
	free((char *)a.outbox.o.metrics_shown);
	free(o.config_text);
	return err;
}
