// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics of the agent in a file for the textfile collector of node_exporter, in
 * Prometheus' text format. Counters are sums since the start of the agent, over all
 * windows, and equal those of the profiles, to the nanosecond.
 *
 * The file is written after each window under another name, and renamed: readers see one
 * window's or the next one's. Its directory is opened once, and no link in it is followed.
 *
 * Names of services are untrusted bytes, and the collector drops a whole file that is not
 * UTF-8, or has two lines of the same labels: services are distinguished by their labels
 * as they are written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"
#include "lib/device/device.h"

#define NSEC_PER_SEC	1000000000ULL
#define SUFFIX		".prom"
/* Further services are one without a name: a file of some MB at most. */
#define MAX_SERVICES	2000

/**
 * struct wp_agent_textfile - the file
 * @path: its path, for messages
 * @name: its name in @dir
 * @dir: descriptor of its directory
 * @start: when the agent started, seconds since 1970
 * @services: labels of services, as they are written
 * @ns: their time, by enum wp_otlp_kind
 * @room: allocated entries of @ns
 * @full: there were more services
 * @failed: errno of the last write, or 0
 */
struct wp_agent_textfile {
	const char *path;
	const char *name;
	int dir;
	__u64 start;
	struct wp_intern services;
	__u64 (*ns)[WP_OTLP_KINDS];
	size_t room;
	bool full;
	int failed;
};

/* Adds a label, with the same bytes of its value as in profiles. */
static void add_label(struct wp_buf *b, const char *name, const char *value)
{
	char text[WP_SERVICE_NAME];
	const char *s;

	snprintf(text, sizeof(text), "%s", value);
	wp_text_clean(text, false);
	wp_buf_add(b, name, strlen(name));
	wp_buf_add(b, "=\"", 2);
	for (s = text; *s; s++) {
		if (*s == '"' || *s == '\\')
			wp_buf_add(b, "\\", 1);
		wp_buf_add(b, s, 1);
	}
	wp_buf_add(b, "\",", 2);
}

/* Number of a service, or 0: no memory. */
static __u32 number_of(struct wp_agent_textfile *t, const struct wp_service *service)
{
	struct wp_buf key = { 0 };
	__u64 (*more)[WP_OTLP_KINDS];
	bool is_new = false;
	__u32 nr = 0;

	add_label(&key, "service_name", service->name);
	add_label(&key, "container_id", service->container);
	if (!key.failed)
		nr = wp_intern_find(&t->services, key.data, key.len);
	if (!key.failed && !nr && t->services.nr >= MAX_SERVICES) {
		if (!t->full)
			wp_warn("%s: more than %u services: the others are one without a name",
				t->path, MAX_SERVICES);
		t->full = true;
		key.len = 0;
	}
	if (!key.failed && !nr)
		nr = wp_intern(&t->services, key.data, key.len, &is_new);
	wp_buf_free(&key);
	if (nr > t->room) {
		more = reallocarray(t->ns, 2 * nr, sizeof(*more));
		if (!more)
			return 0;
		t->ns = more;
		t->room = 2 * nr;
	}
	if (is_new)
		memset(t->ns[nr - 1], 0, sizeof(t->ns[nr - 1]));
	return nr;
}

/**
 * wp_agent_textfile_add() - add time of a process in a window
 * @t: the file, or NULL
 * @service: its service
 * @ns: its time, by enum wp_otlp_kind
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_textfile_add(struct wp_agent_textfile *t, const struct wp_service *service,
			  const __u64 *ns)
{
	unsigned int i;
	__u32 nr;

	if (!t)
		return 0;
	nr = number_of(t, service);
	if (!nr)
		return -ENOMEM;
	for (i = 0; i < WP_OTLP_KINDS; i++)
		t->ns[nr - 1][i] += ns[i];
	return 0;
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

static void print_threads(FILE *f, const struct wp_agent_textfile *t)
{
	static const struct {
		enum wp_otlp_kind kind;
		const char *state;
	} states[] = {
		{ WP_OTLP_CPU, "on-cpu" },
		{ WP_OTLP_RUNNABLE, "runnable" },
		{ WP_OTLP_BLOCKED, "blocked" },
	};
	unsigned int i;
	__u32 nr;

	print_head(f, "wallprof_thread_seconds_total", "counter",
		   "Time of all threads of a service, by what they did.");
	for (nr = 1; nr <= t->services.nr; nr++) {
		size_t len;
		const char *labels = wp_intern_bytes(&t->services, nr, &len);

		for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
			fprintf(f, "wallprof_thread_seconds_total{%.*sstate=\"%s\"}", (int)len,
				labels, states[i].state);
			print_seconds(f, t->ns[nr - 1][states[i].kind]);
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

static void print(FILE *f, const struct wp_agent *a)
{
	print_threads(f, a->textfile);
	print_head(f, "wallprof_idle_seconds_total", "counter",
		   "Time of threads that waited for work, and that was left out.");
	fputs("wallprof_idle_seconds_total", f);
	print_seconds(f, a->idle_ns);
	print_delivery(f, &a->outbox);
	print_health(f, &a->live);
	print_head(f, "wallprof_start_time_seconds", "gauge",
		   "When the agent started, in seconds since 1970.");
	fprintf(f, "wallprof_start_time_seconds %llu\n", (unsigned long long)a->textfile->start);
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
	dir = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	if (!t || !dir) {
		free(t);
		free(dir);
		return wp_no_memory("the file of metrics");
	}
	t->path = path;
	t->name = name;
	t->start = time(NULL);
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
	wp_intern_free(&t->services);
	free(t->ns);
	free(t);
}
