// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the overview of a recording: its host, time and command, and where the time went,
 * from the ledger that wallprof record put into the file. Called by report.c and
 * report/json.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/common/ledgertext.h"
#include "cmd/common/screen.h"
#include "cmd/report/overview.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* Maximum number of reasons per process, and for all together. */
#define TOP_WAITS		4
#define TOP_WAITS_OF_ALL	8

/* Width of the tables with all columns. */
#define WIDE			180

static double seconds(__u64 ns)
{
	return (double)(__s64)ns / 1e9;
}

/* A string of the file's, sanitized, to be freed; or a replacement if there is none. */
static char *get(char *s, const char *none)
{
	char *shown = wp_text_dup(s ? s : none);

	free(s);
	return shown;
}

/*
 * Without a ledger the header has the times of the first and the last sample, or nothing.
 */
static void print_when(const struct wp_overview *o)
{
	__u64 time[2] = { 0 };
	struct wp_buf b = { 0 };
	bool written;
	struct tm tm;
	char day[32];
	time_t t;

	if (!wp_perffile_feature(&o->file, WP_FEAT_SAMPLE_TIME, &b) && b.len >= sizeof(time))
		memcpy(time, b.data, sizeof(time));
	wp_buf_free(&b);
	if (time[1] < time[0])
		time[0] = 0;
	if (!wp_perffile_day(&o->file, time[0], &t, &written) || !localtime_r(&t, &tm) ||
	    !strftime(day, sizeof(day), "%F %T", &tm))
		return;
	if (written)
		wp_screen_line("# file written %s", day);
	else
		wp_screen_line("# from %s on, for %.6f s", day, seconds(time[1] - time[0]));
}

/* A number of the file's features; 0: it is not there. */
static __u32 feature_u32(const struct wp_overview *o, enum wp_feature nr, size_t at)
{
	struct wp_buf b = { 0 };
	__u32 value = 0;

	if (!wp_perffile_feature(&o->file, nr, &b) && b.len >= at + sizeof(value))
		memcpy(&value, b.data + at, sizeof(value));
	wp_buf_free(&b);
	return value;
}

static void print_string(const char *title, char *s)
{
	char *shown = s ? wp_text_dup(s) : NULL;

	if (shown)
		wp_screen_line("# %s : %s", title, shown);
	free(shown);
	free(s);
}

/**
 * wp_overview_print_header() - print the rest of the header, as perf's --header does
 * @o: the overview
 * @events: its events
 */
void wp_overview_print_header(const struct wp_overview *o, const struct wp_perfevents *events)
{
	unsigned int i;
	__u64 memory = 0;
	struct wp_buf b = { 0 };
	char *name;

	print_string("perf version", wp_perffile_string(&o->file, WP_FEAT_VERSION));
	if (feature_u32(o, WP_FEAT_NRCPUS, 4)) {
		wp_screen_line("# nrcpus online : %u", feature_u32(o, WP_FEAT_NRCPUS, 4));
		wp_screen_line("# nrcpus avail : %u", feature_u32(o, WP_FEAT_NRCPUS, 0));
	}
	print_string("cpudesc", wp_perffile_string(&o->file, WP_FEAT_CPUDESC));
	print_string("cpuid", wp_perffile_string(&o->file, WP_FEAT_CPUID));
	if (!wp_perffile_feature(&o->file, WP_FEAT_TOTAL_MEM, &b) && b.len >= sizeof(memory))
		memcpy(&memory, b.data, sizeof(memory));
	wp_buf_free(&b);
	if (memory)
		wp_screen_line("# total memory : %" PRIu64 " kB", (uint64_t)memory);
	for (i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->event[i].attr;

		name = wp_text_dup(events->event[i].name);
		if (name)
			wp_screen_line("# event : name = %s, type = %u, config = 0x%" PRIx64 ", %s = %"
				       PRIu64, name, attr->type, (uint64_t)attr->config,
				       attr->freq ? "sample_freq" : "sample_period",
				       (uint64_t)attr->sample_period);
		free(name);
	}
}

/**
 * wp_overview_print_file() - print the description of the recording
 * @o: the overview
 */
void wp_overview_print_file(const struct wp_overview *o)
{
	char *host = get(wp_perffile_string(&o->file, WP_FEAT_HOSTNAME), "a host without a name");
	char *release = get(wp_perffile_string(&o->file, WP_FEAT_OSRELEASE), "");
	char *arch = get(wp_perffile_string(&o->file, WP_FEAT_ARCH), "");
	char *command = get(wp_perffile_cmdline(&o->file), "an unknown command");
	char day[48] = "";
	struct tm tm;
	time_t t;
	__u64 tod;

	if (host && release && arch)
		wp_screen_line("# recorded on %s, Linux %s, %s", host, release, arch);
	if (command)
		wp_screen_line("# by %s", command);
	if (!o->has_ledger) {
		print_when(o);
		wp_screen_line("# no ledger: 'wallprof record' makes one at its end, not with --no-off-cpu or");
		wp_screen_line("# --switch-output, nor if it was disabled and enabled again");
	} else {
		if (wp_perffile_time(&o->file, o->head.start, &tod)) {
			t = tod / 1000000000;
			if (localtime_r(&t, &tm))
				strftime(day, sizeof(day), "from %F %T on, ", &tm);
		}
		wp_screen_line("# %sfor %.6f s", day, seconds(o->head.stop - o->head.start));
	}
	free(host);
	free(release);
	free(arch);
	free(command);
}

static void print_lost(const struct wp_ledgerfile_head *h)
{
	if (h->lost)
		wp_screen_line("  LOST the totals of %" PRIu64 " thread%s that ended, with %.3f s of off-CPU time",
			       (uint64_t)h->lost, h->lost == 1 ? "" : "s", seconds(h->lost_ns));
	if (h->untracked)
		wp_screen_line("  LOST %" PRIu64 " interval%s, %.3f s, of threads that have no totals",
			       (uint64_t)h->untracked, h->untracked == 1 ? "" : "s",
			       seconds(h->untracked_ns));
}

static double percent(__u64 part, __u64 all)
{
	return all ? 100.0 * part / all : 0;
}

/*
 * The reasons of a process's blocked time that amount to at least a hundredth of it. The
 * rest has no recorded reason, or many.
 */
static void print_waits(const struct wp_overview *o, const char *before, __u32 tgid,
			__u64 blocked, size_t most)
{
	size_t nr, i, len = 0, printed = 0;
	const struct wp_procwait *w = wp_procwaits_of(&o->waits, tgid, &nr);
	__u64 rest = blocked;
	char name[48], line[1024];

	for (i = 0; i < nr && printed < most && w[i].blocked_ns >= blocked / 100; i++) {
		if (w[i].reason == WALLPROF_REASON_UNKNOWN)
			continue;
		len += snprintf(line + len, sizeof(line) - len, "%s", printed++ ? ", " : "");
		if (o->wide)
			len += snprintf(line + len, sizeof(line) - len, "%.6f s %s (%.1f%%)",
					seconds(w[i].blocked_ns),
					wp_procwait_name(&w[i], o->arch, name, sizeof(name)),
					percent(w[i].blocked_ns, blocked));
		else
			len += snprintf(line + len, sizeof(line) - len, "%.1f%% %s",
					percent(w[i].blocked_ns, blocked),
					wp_procwait_name(&w[i], o->arch, name, sizeof(name)));
		rest -= w[i].blocked_ns < rest ? w[i].blocked_ns : rest;
	}
	if (!printed)
		return;
	if (rest && rest >= blocked / 100 && o->wide)
		snprintf(line + len, sizeof(line) - len, ", %.6f s else", seconds(rest));
	else if (rest && rest >= blocked / 100)
		snprintf(line + len, sizeof(line) - len, ", %.1f%% else", percent(rest, blocked));
	if (o->ledger.keep)
		printf("%sblocked: %s\n", before, line);
	else
		wp_screen_line("%sblocked: %s", before, line);
}

static void print_process(const struct wp_process *e)
{
	int width;

	printf("  %8u ", e->tgid);
	width = wp_text_put(stdout, e->comm);
	printf("%*s %8" PRIu64 " %14.6f %14.6f %14.6f %14.6f %14.6f\n",
	       width < 16 ? 16 - width : 0, "", (uint64_t)e->threads,
	       seconds(e->run_ns), seconds(e->runnable_ns),
	       seconds(e->off_ns - e->runnable_ns), seconds(e->unknown_ns),
	       seconds(e->wall_ns));
}

/* The same in 80 columns. */
static void print_narrow_process(const struct wp_process *e)
{
	__u64 ns[3] = { e->run_ns, e->runnable_ns, e->off_ns - e->runnable_ns };
	char comm[WP_TEXT_GROWS * WP_COMM_LEN + 1], figures[96];
	size_t i, len = 0, width;

	for (i = 0; i < 3; i++)
		len += snprintf(figures + len, sizeof(figures) - len, " %9.*f %5.1f%%",
				ns[i] < 100000000000000 ? 3 : 0, seconds(ns[i]),
				percent(ns[i], e->wall_ns));
	wp_text_show(comm, sizeof(comm), e->comm, false);
	width = wp_text_columns(comm);
	wp_screen_line("%7u %s%*s %4" PRIu64 "%s", e->tgid, comm,
		       width < 15 ? (int)(15 - width) : 0, "", (uint64_t)e->threads, figures);
}

static void print_processes(const struct wp_overview *o, size_t most)
{
	const struct wp_processes *p = &o->processes;
	size_t nr = p->nr, i;

	if (!nr)
		return;
	if (nr > most)
		nr = most;
	if (o->wide)
		printf("  %8s %-16s %8s %14s %14s %14s %14s %14s\n", "pid", "comm", "threads",
		       "run s", "runnable s", "blocked s", "unknown s", "wall s");
	else
		wp_screen_line("%7s %-15s %4s %9s %6s %9s %6s %9s %6s", "pid", "comm", "thr", "run s",
			       "%", "runnable", "%", "blocked", "%");
	for (i = 0; i < nr; i++) {
		const struct wp_process *e = &p->entry[i];

		if (o->wide)
			print_process(e);
		else
			print_narrow_process(e);
		print_waits(o, o->wide ? "           " : "        ", e->tgid,
			    e->off_ns - e->runnable_ns, TOP_WAITS);
	}
	if (nr < p->nr)
		wp_screen_line("  %s and %" PRIu64 " more; -vv shows all", wp_text_ellipsis(),
			       (uint64_t)(p->nr - nr));
	fputc('\n', stdout);
}

static void print_narrow_ledger(const struct wp_ledger *l)
{
	wp_screen_line("%" PRIu64 " thread%s (%" PRIu64 " ended), %.3f s: %.1f%% run, %.1f%% runnable, %.1f%% blocked%s",
		       (uint64_t)l->threads, l->threads == 1 ? "" : "s", (uint64_t)l->ended,
		       seconds(l->wall_ns), percent(l->run_ns, l->wall_ns),
		       percent(l->runnable_ns, l->wall_ns),
		       percent(l->off_ns - l->runnable_ns, l->wall_ns),
		       l->unknown_ns ? "," : "");
	if (l->unknown_ns)
		wp_screen_line("%.3f s unknown (%.1f%%)", seconds(l->unknown_ns),
			       percent(l->unknown_ns, l->wall_ns));
}

static int add(void *ctx, const struct wp_totals *a)
{
	struct wp_overview *o = ctx;
	int err;

	if (!wp_samples_of(o->of, a->tgid, a->tid, a->comm))
		return 0;
	err = wp_processes_add(&o->processes, a);
	return err ? err : wp_ledger_add(&o->ledger, a, 0);
}

/* Sum up the selected processes. */
static int sum_waits(struct wp_overview *o)
{
	size_t nr = o->waits.nr, i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		struct wp_procwait wait = o->waits.entry[i];

		if (!wp_samples_of(o->of, wait.tgid, -1, NULL))
			continue;
		wait.tgid = WP_OVERVIEW_ALL;
		err = wp_procwaits_add(&o->waits, &wait);
	}
	wp_procwaits_sort(&o->waits);
	return err;
}

static int read_ledger(struct wp_overview *o)
{
	__u64 offset;
	int err;

	err = wp_ledgerfile_open(o->file.fd, &o->head, &offset);
	if (err == -ENOENT)
		return 0;
	o->has_ledger = !err;
	if (!err)
		err = wp_ledgerfile_read(o->file.fd, &o->head, offset, add, o);
	/* The ledger has waits by process, not by thread. */
	if (!err && !o->of->tids.nr && !o->of->comm && !o->of->comms)
		err = wp_ledgerfile_read_waits(o->file.fd, &o->head, offset, &o->waits);
	if (!err)
		err = sum_waits(o);
	if (err == -EPROTO) {
		wp_warn("the ledger in %s is damaged, and left out", o->input);
		o->has_ledger = false;
		return 0;
	}
	if (err)
		wp_err("cannot read the ledger in %s: %s", o->input, strerror(-err));
	return err;
}

/**
 * wp_overview_read() - read the overview
 * @o: filled in, to be freed with wp_overview_free(), also after an error
 * @of: the recording, and the selection
 * @threads: number of threads to list
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_overview_read(struct wp_overview *o, const struct wp_samples_options *of, size_t threads)
{
	int err;

	*o = (struct wp_overview){ .input = of->input, .of = of };
	wp_ledger_init(&o->ledger, threads);
	err = wp_perffile_open(&o->file, of->input);
	if (!err)
		err = read_ledger(o);
	if (!err) {
		wp_processes_sort(&o->processes);
		o->arch = wp_perffile_string(&o->file, WP_FEAT_ARCH);
	}
	return err;
}

/**
 * wp_overview_print() - print the overview
 * @o: the overview
 * @most: maximum number of processes
 */
void wp_overview_print(struct wp_overview *o, size_t most)
{
	const struct wp_samples_options *of = o->of;

	if (!o->has_ledger)
		return;
	wp_screen_fit();
	o->wide = o->ledger.keep || wp_screen_width() >= WIDE;
	putchar('\n');
	if (of->from || of->to != ~0ULL || of->reasons || of->states || of->functions ||
	    of->dsos)
		wp_screen_line("# totals: the filters of time, reason, state and function do not apply here");
	print_processes(o, most);
	if (o->wide)
		wp_print_ledger(stdout, &o->ledger);
	else
		print_narrow_ledger(&o->ledger);
	print_waits(o, "  ", WP_OVERVIEW_ALL, o->ledger.off_ns - o->ledger.runnable_ns,
		    TOP_WAITS_OF_ALL);
	print_lost(&o->head);
	fputc('\n', stdout);
}

/**
 * wp_overview_free() - free the overview
 * @o: the overview; may be all zero
 */
void wp_overview_free(struct wp_overview *o)
{
	if (!o->input)
		return;
	wp_perffile_close(&o->file);
	wp_ledger_free(&o->ledger);
	wp_processes_free(&o->processes);
	wp_procwaits_free(&o->waits);
	free(o->arch);
}
