// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the options of wallprof agent: its command line, its file, and what the environment
 * has for all that send to OpenTelemetry receivers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "cmd/common/option-values.h"
#include "cmd/common/options-file.h"
#include "cmd/common/options.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"

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
#define DEFAULT_PRESSURE	10
#define TIMEOUT_MS	30000
/* What is left at the end has so long to be sent. */
#define END_MS		5000

enum {
	OPT_TO = 256,
	OPT_FORMAT,
	OPT_HEADER_FILE,
	OPT_CACERT,
	OPT_QUEUE,
	OPT_SPOOL,
	OPT_SPOOL_SIZE,
	OPT_SPOOL_AGE,
	OPT_METRICS,
	OPT_TEXTFILE,
	OPT_MEMORY_PRESSURE,
	OPT_CHECK,
	OPT_CONFIG,
	OPT_KERNEL_CALLCHAINS,
	OPT_OBJECTS,
	OPT_WAKERS,
	OPT_LOCK_OWNER,
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
	{ OPT_TO, "to", "URL", "where profiles are sent, over HTTP\n"
	  "(default http://localhost:4318); without a path,\n"
	  "that of the format is added" },
	{ OPT_FORMAT, "format", "format", "what they are sent as: otlp (default), or pprof\n"
	  "for an engine: pyroscope, parca" },
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
	{ OPT_OBJECTS, "objects", NULL, "what waits were for: kinds of files, and\n"
	  "addresses of services" },
	{ OPT_WAKERS, "wakers", NULL, "names of threads that ended waits" },
	{ OPT_LOCK_OWNER, "lock-owner", NULL, "names of threads that held the locks" },
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
	{ OPT_MEMORY_PRESSURE, "memory-pressure", "percent", "pause while no task of the host can run\n"
	  "for want of memory for so much of the time\n"
	  "(default 10; 0: never)" },
	{ OPT_CONFIG, "config", "file", "read options from it, too: 'window = 10s'; the\n"
	  "command line has precedence" },
	{ OPT_CHECK, "check", NULL, "check the options and the files that they name,\n"
	  "and record nothing" },
	{ 'q', "quiet", NULL, "no messages, except errors" },
	{ 'v', "verbose", NULL, "a line for each window" },
	{ 0, NULL, NULL, NULL },
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

static int parse_format(const char *arg, enum wp_spool_kind *kind)
{
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++) {
		if (wp_outbox_is_profiles(i) && !strcmp(arg, wp_outbox_kinds[i].format)) {
			*kind = i;
			return 0;
		}
	}
	wp_err("--format: '%s' is none of otlp, pyroscope and parca", arg);
	return -EINVAL;
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

static bool is_target(int id)
{
	return id == WP_TARGET_OPTION_COMM || (id < 256 && strchr("aptuG", id));
}

/* Where an option is set, for what turns out to be wrong with it later. */
static void note_place(struct wp_agent_options *o, int id)
{
	const char *where = wp_err_where();
	char **place;

	if (is_target(id))
		place = &o->place[WP_AGENT_AT_TARGET];
	else if (id == OPT_TO)
		place = &o->place[WP_AGENT_AT_TO];
	else if (id == 'e' || id == 'F')
		place = &o->place[WP_AGENT_AT_EVENT];
	else if (id == OPT_SPOOL)
		place = &o->place[WP_AGENT_AT_SPOOL];
	else if (id == OPT_TEXTFILE)
		place = &o->place[WP_AGENT_AT_TEXTFILE];
	else if (id == OPT_METRICS)
		place = &o->place[WP_AGENT_AT_METRICS];
	else
		return;
	free(*place);
	*place = where ? strdup(where) : NULL;
}

static int set(void *ctx, int id, const char *arg)
{
	struct wp_agent_options *o = ctx;
	struct wp_agent *a = o->a;
	int err, value;

	note_place(o, id);
	switch (id) {
	case OPT_TO:
		o->to = arg;
		return 0;
	case OPT_FORMAT:
		return parse_format(arg, &a->outbox.o.profiles);
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
	case OPT_OBJECTS:
		a->live.causes.wanted[WP_LIVECAUSE_OBJECT] = true;
		return 0;
	case OPT_WAKERS:
		a->live.causes.wanted[WP_LIVECAUSE_WAKER] = true;
		return 0;
	case OPT_LOCK_OWNER:
		a->live.causes.wanted[WP_LIVECAUSE_OWNER] = true;
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
	case OPT_MEMORY_PRESSURE:
		err = wp_value_int("--memory-pressure", arg, 0, 100, &value);
		a->pressure.limit = err ? 0 : value;
		return err;
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

static int settle_event(const struct wp_agent_options *o)
{
	struct wp_record_opts *r = &o->a->live.r.o;
	__u64 max = wp_value_max_freq();
	struct wp_event *ev = r->events.event;

	if (!r->events.nr)
		return 0;
	wp_event_settle(ev, ev->type == PERF_TYPE_TRACEPOINT && !o->freq_given ? 0 : r->freq, 1);
	if (max && ev->freq > max) {
		wp_err_place(o->place[WP_AGENT_AT_EVENT]);
		wp_err("-F: %llu Hz are more than kernel.perf_event_max_sample_rate, %llu Hz",
		       (unsigned long long)ev->freq, (unsigned long long)max);
		wp_err_place(NULL);
		return -EINVAL;
	}
	return 0;
}

/* Also without metrics: some of an earlier start may be in the spool. */
static int read_metrics_url(struct wp_agent_options *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	char *url;
	int err = wp_agent_metrics_url(o->to, out->profiles, &url);

	out->metrics_url = url;
	wp_err_place(o->place[WP_AGENT_AT_METRICS]);
	if (!err && !url && o->a->metrics && out->profiles != WP_SPOOL_PROFILES) {
		wp_err("--metrics: a receiver of --format %s takes none: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, too",
		       wp_outbox_kinds[out->profiles].format);
		err = -EINVAL;
	} else if (!err && !url && o->a->metrics) {
		wp_err("--metrics: '%s' has a path: set OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, too",
		       o->to);
		err = -EINVAL;
	}
	wp_err_place(NULL);
	if (err || !url)
		return err;
	out->metrics_shown = wp_agent_shown(url);
	return out->metrics_shown ? 0 : wp_no_memory("the URL");
}

/* Those of the file are for both; a variable can be for one only, which may be a secret. */
static int read_headers(struct wp_agent_options *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	int err = 0;

	if (wp_agent_headers_copy(&o->metrics_headers, &o->headers))
		return wp_no_memory("headers");
	/* Those of the environment are for receivers of OTLP. */
	if (out->profiles == WP_SPOOL_PROFILES)
		err = wp_agent_headers_environment(&o->headers,
						   "OTEL_EXPORTER_OTLP_PROFILES_HEADERS");
	if (!err)
		err = wp_agent_headers_environment(&o->metrics_headers,
						   "OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	out->header[out->profiles] = o->headers.line;
	out->nr_headers[out->profiles] = o->headers.nr;
	out->header[WP_SPOOL_METRICS] = o->metrics_headers.line;
	out->nr_headers[WP_SPOOL_METRICS] = o->metrics_headers.nr;
	return err;
}

static int read_environment(struct wp_agent_options *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	int err = read_headers(o);

	if (err)
		return err;
	wp_err_place(o->place[WP_AGENT_AT_TO]);
	out->url = wp_agent_url(o->to, out->profiles);
	wp_err_place(NULL);
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
	struct wp_agent_options *o = ctx;

	if (id == OPT_CONFIG)
		o->config = arg;
	else if (id == OPT_HEADER_FILE)
		o->headers_given = true;
	else if (is_target(id))
		o->targets_given = true;
	return 0;
}

/* The command line comes last, and so replaces what the file has. */
static int parse(struct wp_agent_options *o, int argc, char **argv, int *rest)
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

/*
 * A directory that cannot be used. Who only checks may be another user, or do so before there
 * is what the service manager makes at the start.
 */
static int refuse(const struct wp_agent_options *o, enum wp_agent_place at, const char *option,
		  const char *path, const char *trouble, int err)
{
	const bool early = o->check && !getenv(WP_AGENT_RELOAD) &&
			   (err == -ENOENT || (err == -EACCES && geteuid()));

	wp_err_place(o->place[at]);
	if (early)
		wp_warn("%s: %s: %s; %s", option, path, trouble, err == -ENOENT ?
			"create its directory before the agent starts" :
			"check it as the user who starts the agent");
	else
		wp_err("%s: %s: %s", option, path, trouble);
	wp_err_place(NULL);
	return early ? 0 : err;
}

/* What the agent would open. */
static int check_directories(const struct wp_agent_options *o)
{
	const char *spool = o->a->outbox.o.spool, *trouble;
	int err = spool ? wp_outbox_check_spool(spool, &trouble) : 0;

	if (err)
		err = refuse(o, WP_AGENT_AT_SPOOL, "--spool", spool, trouble, err);
	if (err || !o->textfile)
		return err;
	err = wp_agent_textfile_look(o->textfile);
	if (err)
		err = refuse(o, WP_AGENT_AT_TEXTFILE, "--textfile", o->textfile, strerror(-err),
			     err);
	return err;
}

/* Returns 0 or a negative errno. */
static int find_targets(struct wp_agent_options *o)
{
	struct wp_record_opts *r = &o->a->live.r.o;
	int err;

	wp_err_place(o->place[WP_AGENT_AT_TARGET]);
	err = wp_target_options_resolve(&o->targets, &r->target);
	if (!err)
		err = wp_target_resolve(&r->target);
	wp_err_place(NULL);
	if (err)
		return err;
	/* New threads of a process, too; of threads only those that were named. */
	r->inherit = r->target.kind != WALLPROF_TARGET_TID;
	if (!o->idle_given)
		o->a->no_idle = r->target.kind == WALLPROF_TARGET_ALL;
	return 0;
}

/**
 * wp_agent_options_read() - read the command line, and the file and the variables of the
 *			     environment that have options, too
 * @o: set; @a names the agent, whose options are set as those of an equivalent record command
 * @argc: arguments
 * @argv: the same; the first one is the command
 *
 * Return: 0, WP_OPTIONS_DONE after --check or --help, or a negative errno after a message.
 */
int wp_agent_options_read(struct wp_agent_options *o, int argc, char **argv)
{
	struct wp_record_opts *r = &o->a->live.r.o;
	int err, rest;

	o->a->window = DEFAULT_WINDOW;
	o->a->max_samples = DEFAULT_SAMPLES;
	o->a->pressure.limit = DEFAULT_PRESSURE;
	o->a->outbox.o = (struct wp_outbox_options){
		.queue = DEFAULT_QUEUE, .timeout_ms = TIMEOUT_MS, .end_ms = END_MS,
		.limits = { .bytes = DEFAULT_SPOOL, .age = DEFAULT_AGE },
	};
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
		err = find_targets(o);
	if (!err)
		err = check_directories(o);
	if (err || !o->check)
		return err;
	if (!o->quiet)
		printf("wallprof agent: the options are valid; sends to %s%s%s\n",
		       o->a->outbox.o.shown, o->a->metrics ? ", and metrics to " : "",
		       o->a->metrics ? o->a->outbox.o.metrics_shown : "");
	return WP_OPTIONS_DONE;
}

/**
 * wp_agent_options_free() - free what wp_agent_options_read() allocated
 * @o: the options; those of the agent that it set are not valid after that
 */
void wp_agent_options_free(struct wp_agent_options *o)
{
	struct wp_outbox_options *out = &o->a->outbox.o;
	unsigned int i;

	wp_agent_headers_free(&o->headers);
	wp_agent_headers_free(&o->metrics_headers);
	free((char *)out->url);
	free((char *)out->shown);
	free((char *)out->metrics_url);
	free((char *)out->metrics_shown);
	free(o->config_text);
	for (i = 0; i < WP_AGENT_PLACES; i++)
		free(o->place[i]);
}
