// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics of the agent in a file for the textfile collector of node_exporter, in
 * Prometheus' text format: the sums of sums.c.
 *
 * The file is written after each window under another name, and renamed: readers see one
 * window's or the next one's. Its directory is opened once, and no link in it is followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/device/device.h"

#define NSEC_PER_SEC	1000000000ULL
#define SUFFIX		".prom"

/*
 * Each second bound of the module's: powers of four, from 1 us to 1074 s. A line for each of
 * them, and each service, is a series.
 */
#define STEP		2

/**
 * struct wp_agent_textfile - the file
 * @path: its path, for messages
 * @name: its name in @dir
 * @dir: descriptor of its directory
 * @failed: errno of the last write, or 0
 */
struct wp_agent_textfile {
	const char *path;
	const char *name;
	int dir;
	int failed;
};

static void print_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			putc('\\', f);
		putc(*value, f);
	}
	fputs("\",", f);
}

static void print_head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_seconds(FILE *f, __u64 ns)
{
	fprintf(f, " %llu.%09llu\n", (unsigned long long)(ns / NSEC_PER_SEC),
		(unsigned long long)(ns % NSEC_PER_SEC));
}

/* Labels of a service; none, if it is what has no place. */
static void print_service(FILE *f, const struct wp_agent_sums *sums, size_t nr)
{
	const char *container, *name = wp_agent_sums_name(sums, nr, &container);

	if (!name)
		return;
	print_label(f, "service_name", name);
	print_label(f, "container_id", container);
	print_label(f, "cgroup", wp_agent_sums_group(sums, nr));
}

static void print_threads(FILE *f, const struct wp_agent_sums *sums)
{
	unsigned int i;
	size_t nr;

	print_head(f, "wallprof_thread_seconds_total", "counter",
		   "Time of all threads of a service, by what they did.");
	for (nr = 0; nr < sums->services.nr; nr++) {
		for (i = 0; i < WP_AGENT_STATES; i++) {
			fputs("wallprof_thread_seconds_total{", f);
			print_service(f, sums, nr);
			fprintf(f, "state=\"%s\"}", wp_agent_states[i].name);
			print_seconds(f, sums->sum[nr].ns[wp_agent_states[i].kind]);
		}
	}
}

static void print_point(FILE *f, const struct wp_agent_sums *sums, size_t nr, const char *name,
			const char *what)
{
	fprintf(f, "%s_%s{", name, what);
	print_service(f, sums, nr);
}

static void print_buckets(FILE *f, const struct wp_agent_sums *sums, size_t nr, const char *name,
			  const __u64 *bucket, __u64 ns)
{
	unsigned long long all = 0, us;
	unsigned int i;

	for (i = 0; i < WALLPROF_HIST_BUCKETS - 1; i++) {
		all += bucket[i];
		if (i % STEP)
			continue;
		us = wp_hist_from(i + 1);
		print_point(f, sums, nr, name, "bucket");
		fprintf(f, "le=\"%llu.%06llu\"} %llu\n", us / 1000000, us % 1000000, all);
	}
	all += bucket[i];
	print_point(f, sums, nr, name, "bucket");
	fprintf(f, "le=\"+Inf\"} %llu\n", all);
	print_point(f, sums, nr, name, "sum");
	putc('}', f);
	print_seconds(f, ns);
	print_point(f, sums, nr, name, "count");
	fprintf(f, "} %llu\n", all);
}

static void print_histograms(FILE *f, const struct wp_agent_sums *sums)
{
	static const struct {
		enum wp_otlp_kind kind;
		const char *name;
		const char *help;
	} hists[] = {
		{ WP_OTLP_BLOCKED, "wallprof_blocked_duration_seconds",
		  "Lengths of waits of threads for something else than a CPU." },
		{ WP_OTLP_RUNNABLE, "wallprof_runnable_duration_seconds",
		  "Lengths of waits of threads for a CPU." },
	};
	unsigned int i;
	size_t nr;

	for (i = 0; i < sizeof(hists) / sizeof(hists[0]); i++) {
		print_head(f, hists[i].name, "histogram", hists[i].help);
		for (nr = 0; nr < sums->services.nr; nr++) {
			const struct wp_agent_sum *sum = &sums->sum[nr];
			__u64 ns = sum->hist_ns[hists[i].kind];

			/* A wait counts as soon as it has ended. */
			if (ns)
				print_buckets(f, sums, nr, hists[i].name,
					      hists[i].kind == WP_OTLP_BLOCKED ?
					      sum->hist.blocked : sum->hist.runnable, ns);
		}
	}
}

static void print_delivery(FILE *f, const struct wp_outbox *b)
{
	unsigned int i;

	print_head(f, "wallprof_windows_total", "counter",
		   "Windows of time, by what became of their profiles.");
	for (i = 0; i < WP_OUTBOX_OUTCOMES; i++) {
		/* Not an end: these are counted again. */
		if (i != WP_OUTBOX_SPOOLED)
			fprintf(f, "wallprof_windows_total{outcome=\"%s\"} %llu\n",
				wp_outbox_outcome_name(i), (unsigned long long)b->all[i].windows);
	}
	print_head(f, "wallprof_windows_seconds_total", "counter",
		   "Time of threads in these windows.");
	for (i = 0; i < WP_OUTBOX_OUTCOMES; i++) {
		if (i == WP_OUTBOX_SPOOLED)
			continue;
		fprintf(f, "wallprof_windows_seconds_total{outcome=\"%s\"}",
			wp_outbox_outcome_name(i));
		print_seconds(f, b->all[i].ns);
	}
}

static void print_health(FILE *f, const struct wp_live *live)
{
	unsigned int i;

	print_head(f, "wallprof_lost_total", "counter", "What the module could not record.");
	for (i = 0; i < WALLPROF_LOSS_MAX; i++)
		fprintf(f, "wallprof_lost_total{reason=\"%s\"} %llu\n", wp_loss_name(i),
			(unsigned long long)(live->lost[i] + live->status.lost[i].count));
	print_head(f, "wallprof_lost_records_total", "counter",
		   "Records of names, forks and mappings that were lost.");
	fprintf(f, "wallprof_lost_records_total %llu\n", (unsigned long long)live->records_lost);
	print_head(f, "wallprof_tables_bytes", "gauge", "Memory of the module's tables.");
	fprintf(f, "wallprof_tables_bytes %llu\n", (unsigned long long)live->status.tables_bytes);
}

static void print_overflowed(FILE *f, const struct wp_live *live)
{
	unsigned int i;

	print_head(f, "wallprof_attributes_overflowed_total", "counter",
		   "Sums of waits whose attribute is [other], as there are too many names.");
	for (i = 0; i < WP_LIVECAUSES; i++)
		fprintf(f, "wallprof_attributes_overflowed_total{attribute=\"%s\"} %llu\n",
			wp_agent_named[i].label,
			(unsigned long long)wp_livecauses_overflowed(&live->causes, i));
}

static void print(FILE *f, const struct wp_agent *a)
{
	print_threads(f, &a->sums);
	print_histograms(f, &a->sums);
	print_head(f, "wallprof_idle_seconds_total", "counter",
		   "Time of threads that waited for work, and that was left out.");
	fputs("wallprof_idle_seconds_total", f);
	print_seconds(f, a->idle_ns);
	print_head(f, "wallprof_paused_seconds_total", "counter",
		   "Time that was not recorded, as memory of the host was short.");
	fputs("wallprof_paused_seconds_total", f);
	print_seconds(f, a->pressure.paused_ns);
	print_delivery(f, &a->outbox);
	print_health(f, &a->live);
	print_overflowed(f, &a->live);
	print_head(f, "wallprof_overflowed_total", "counter",
		   "Processes of windows, of services that are one without a name.");
	fprintf(f, "wallprof_overflowed_total %llu\n", (unsigned long long)a->sums.overflowed);
	print_head(f, "wallprof_saturated_total", "counter",
		   "Counts of histograms that may stand for more.");
	fprintf(f, "wallprof_saturated_total %llu\n", (unsigned long long)a->sums.saturated);
	print_head(f, "wallprof_start_time_seconds", "gauge",
		   "When the agent started, in seconds since 1970.");
	fprintf(f, "wallprof_start_time_seconds %llu\n",
		(unsigned long long)(a->sums.start / NSEC_PER_SEC));
}

/**
 * wp_agent_textfile_write() - write the file after a window
 * @a: the agent; without such a file, nothing happens
 *
 * If it cannot be written, a message says so once, and the next window tries it again.
 */
void wp_agent_textfile_write(const struct wp_agent *a)
{
	struct wp_agent_textfile *t = a->textfile;
	struct wp_outfile out;
	FILE *f;
	int err;

	if (!t)
		return;
	err = wp_outfile_open_at(&out, t->dir, t->name);
	if (!err) {
		f = wp_outfile_stream(&out);
		if (f)
			print(f, a);
		else
			err = -ENOMEM;
		/* The collector is another user. */
		if (!err && fchmod(out.fd, 0644))
			err = -errno;
		if (err)
			wp_outfile_abandon(&out);
		else
			err = wp_outfile_commit(&out);
	}
	if (err && err != t->failed)
		wp_warn("--textfile: cannot write %s: %s; it is tried again", t->path,
			strerror(-err));
	t->failed = err;
}

/* Its directory, to be freed; NULL: no memory. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
}

/**
 * wp_agent_textfile_look() - whether a file of metrics can be written
 * @path: its path
 *
 * Nothing is made or changed.
 *
 * Return: 0 or a negative errno.
 */
int wp_agent_textfile_look(const char *path)
{
	char *name = directory_of(path);
	int dir = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, err = 0;

	if (dir < 0 || faccessat(dir, ".", W_OK | X_OK, AT_EACCESS))
		err = -errno;
	if (dir >= 0)
		close(dir);
	free(name);
	return err;
}

/**
 * wp_agent_textfile_open() - open a file of metrics
 * @out: set to it
 * @path: its path, which must stay valid
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_agent_textfile_open(struct wp_agent_textfile **out, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct wp_agent_textfile *t;
	char *dir;
	int err = 0;

	t = calloc(1, sizeof(*t));
	dir = directory_of(path);
	if (!t || !dir) {
		free(t);
		free(dir);
		return wp_no_memory("the file of metrics");
	}
	t->path = path;
	t->name = name;
	t->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0) {
		err = -errno;
		wp_err("--textfile: %s: %s", dir, strerror(errno));
		free(t);
		t = NULL;
	}
	free(dir);
	*out = t;
	return err;
}

/**
 * wp_agent_textfile_check() - check the name of a file of metrics
 * @path: its path
 *
 * Return: 0 or -EINVAL; a message was printed.
 */
int wp_agent_textfile_check(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(slash ? slash + 1 : path), suffix = strlen(SUFFIX);

	if (len > suffix && len <= NAME_MAX && !strcmp(path + strlen(path) - suffix, SUFFIX))
		return 0;
	wp_err("--textfile: '%s': node_exporter reads files whose names end in %s", path, SUFFIX);
	return -EINVAL;
}

/**
 * wp_agent_textfile_free() - free what wp_agent_textfile_open() returned
 * @t: it, or NULL; the file stays
 */
void wp_agent_textfile_free(struct wp_agent_textfile *t)
{
	if (!t)
		return;
	close(t->dir);
	free(t);
}
