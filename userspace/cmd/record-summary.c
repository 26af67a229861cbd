// SPDX-License-Identifier: GPL-2.0
/*
 * What the record command says at its end: perf's two lines, what was lost and
 * what to do about it, and with -v where the time went and what it cost.
 * Called by record.c, once.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/record.h"

/* A line as perf writes them. */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list args;

	fputs("[ wallprof record: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" ]\n", stderr);
}

static double seconds(__u64 ns)
{
	return (double)(__s64)ns / 1e9;
}

static const char *plural(__u64 n)
{
	return n == 1 ? "" : "s";
}

static void say_captured(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	char samples[384] = "", intervals[128] = "";

	if (!o->event.none)
		snprintf(samples, sizeof(samples),
			 "%" PRIu64 " sample%s of %s in %" PRIu64 " stack%s%s",
			 (uint64_t)s->samples, plural(s->samples), o->event.name,
			 (uint64_t)s->stacks[WALLPROF_AGGR_SAMPLE],
			 plural(s->stacks[WALLPROF_AGGR_SAMPLE]), o->offcpu ? ", " : "");
	if (o->offcpu)
		snprintf(intervals, sizeof(intervals),
			 "%" PRIu64 " interval%s of offcpu-time in %" PRIu64 " stack%s",
			 (uint64_t)s->intervals, plural(s->intervals),
			 (uint64_t)s->stacks[WALLPROF_AGGR_OFFCPU],
			 plural(s->stacks[WALLPROF_AGGR_OFFCPU]));
	say("Captured and wrote %.3f MB %s (%s%s)", (double)s->bytes / 1024 / 1024,
	    o->output, samples, intervals);
}

static void say_lost(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	const struct wallprof_lost *sched = s->lost[WP_CONTEXT_SCHED];
	const struct wallprof_lost *sampler = s->lost[WP_CONTEXT_SAMPLER];
	__u64 n;

	n = sched[WALLPROF_LOSS_STACK_FULL].count + sampler[WALLPROF_LOSS_STACK_FULL].count;
	if (n)
		say("%" PRIu64 " stack%s found no room; the time is there, without a stack: try a larger -m",
		    (uint64_t)n, plural(n));
	n = sched[WALLPROF_LOSS_AGGR_FULL].count;
	if (n)
		say("%" PRIu64 " interval%s found no room; %.3f s are in samples without stack and state: try a larger -m",
		    (uint64_t)n, plural(n), seconds(sched[WALLPROF_LOSS_AGGR_FULL].ns));
	n = sampler[WALLPROF_LOSS_AGGR_FULL].count;
	if (n)
		say("LOST %" PRIu64 " sample%s of %s, for want of room: try a larger -m",
		    (uint64_t)n, plural(n), o->event.name);
	n = sched[WALLPROF_LOSS_EXIT_FULL].count;
	if (n)
		say("LOST the account%s of %" PRIu64 " thread%s that ended, with %.3f s of off-CPU time, for want of room: try a larger -m",
		    plural(n), (uint64_t)n, plural(n),
		    seconds(sched[WALLPROF_LOSS_EXIT_FULL].ns));
	n = sched[WALLPROF_LOSS_NO_TASK].count;
	if (n || s->status.tasks_failed)
		say("LOST %" PRIu64 " interval%s, %.3f s, of threads beyond the table of %u: try --tables tasks=%u",
		    (uint64_t)n, plural(n), seconds(sched[WALLPROF_LOSS_NO_TASK].ns),
		    o->tasks, o->tasks * 2);
	n = sched[WALLPROF_LOSS_NESTED].count;
	if (n)
		say("LOST %" PRIu64 " scheduler event%s that came within another", (uint64_t)n,
		    plural(n));
	n = sampler[WALLPROF_LOSS_NESTED].count;
	if (n)
		say("LOST %" PRIu64 " sample%s that came within another", (uint64_t)n, plural(n));
	n = sampler[WALLPROF_LOSS_THROTTLED].count;
	if (n)
		say("the kernel throttled %s %" PRIu64 " time%s, %.3f s: try a smaller -F",
		    o->event.name, (uint64_t)n, plural(n),
		    seconds(sampler[WALLPROF_LOSS_THROTTLED].ns));
	if (s->status.counters_failed)
		say("%s could not be counted on a CPU that came online, %u time%s",
		    o->event.name, s->status.counters_failed, plural(s->status.counters_failed));
	if (s->sideband_lost)
		say("LOST %" PRIu64 " record%s of mappings, names and forks: some symbols will be missing",
		    (uint64_t)s->sideband_lost, plural(s->sideband_lost));
	if (s->publisher.files.refused)
		say("the module refused %" PRIu64 " unwind table%s (%s): these files are unwound by frame pointer",
		    (uint64_t)s->publisher.files.refused, plural(s->publisher.files.refused),
		    strerror(-s->publisher.files.error));
	if (s->publisher.refused)
		say("the module refused the mappings of processes %" PRIu64 " time%s (%s)",
		    (uint64_t)s->publisher.refused, plural(s->publisher.refused),
		    strerror(-s->publisher.error));
	if (s->status.forks_missed)
		say("%" PRIu64 " process%s began without a parent's unwind tables, for want of room",
		    (uint64_t)s->status.forks_missed, s->status.forks_missed == 1 ? "" : "es");
	if (s->unknown)
		say("%" PRIu64 " stack id%s stood for nothing: please report this",
		    (uint64_t)s->unknown, plural(s->unknown));
}

static double percent(__u64 part, __u64 all)
{
	return all ? 100.0 * part / all : 0;
}

static __u64 sum(const __u64 *n, unsigned int nr)
{
	__u64 all = 0;

	while (nr--)
		all += n[nr];
	return all;
}

/* How many walks ended for which reason, and how much of the file that is. */
static void print_unwinds(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	__u64 all = sum(s->unwinds, WALLPROF_UNWIND_MAX);
	__u64 ns = sum(s->unwound[WALLPROF_AGGR_OFFCPU], WALLPROF_UNWIND_MAX);
	__u64 samples = sum(s->unwound[WALLPROF_AGGR_SAMPLE], WALLPROF_UNWIND_MAX);
	unsigned int i;

	if (!all)
		return;
	fprintf(stderr, "  user stacks walked: %" PRIu64 ", which ended by\n"
		"      walks  off-CPU  samples\n", (uint64_t)all);
	for (i = 0; i < WALLPROF_UNWIND_MAX; i++) {
		if (s->unwinds[i] || s->unwound[WALLPROF_AGGR_OFFCPU][i] ||
		    s->unwound[WALLPROF_AGGR_SAMPLE][i])
			fprintf(stderr, "    %5.1f %%  %5.1f %%  %5.1f %%  %s\n",
				percent(s->unwinds[i], all),
				percent(s->unwound[WALLPROF_AGGR_OFFCPU][i], ns),
				percent(s->unwound[WALLPROF_AGGR_SAMPLE][i], samples),
				wp_unwind_name(i));
	}
	if (o->call_graph == WP_CALL_GRAPH_AUTO || o->call_graph == WP_CALL_GRAPH_CFI)
		fprintf(stderr,
			"    %5.1f %%  of processes that were not known yet\n"
			"    %5.1f %%  with frames that no table tells of\n"
			"    %5.1f %%  in two rounds\n"
			"    %5.1f %%  remembered\n"
			"  threads that slept when their process got known: %" PRIu64 "\n",
			percent(s->walks_unknown, all), percent(s->walks_mixed, all),
			percent(s->walks_slow, all), percent(s->walks_remembered, all),
			(uint64_t)s->walks_asleep);
}

static void print_tables(const struct wp_record_stats *s)
{
	const struct wp_publisher_stats *p = &s->publisher;
	const struct wp_codefiles_stats *f = &p->files;

	if (!f->files)
		return;
	fprintf(stderr,
		"  unwind tables: %" PRIu64 " of %" PRIu64 " files, %" PRIu64
		" kept from before, %.1f MB, in %.3f s\n"
		"  processes told of %" PRIu64 " times, in %.3f s; with the tables, %.1f MB of the module at the end\n",
		(uint64_t)f->tables, (uint64_t)f->files, (uint64_t)f->cached,
		(double)f->bytes / 1024 / 1024, seconds(f->ns), (uint64_t)p->published,
		seconds(p->ns), (double)s->status.tables_bytes / 1024 / 1024);
	if (p->rescans)
		fprintf(stderr, "  all processes were looked at anew %" PRIu64 " time%s, as perf's records were lost\n",
			(uint64_t)p->rescans, plural(p->rescans));
}

/* A name can hold anything; a terminal shall not see it. */
static void print_comm(const char *comm)
{
	int width = 0;

	for (; *comm; comm++, width++)
		fputc((unsigned char)*comm < 0x20 || *comm == 0x7f ? '?' : *comm, stderr);
	fprintf(stderr, "%*s", width < 16 ? 16 - width : 0, "");
}

static void print_ledger(const struct wp_record_opts *o, struct wp_ledger *l)
{
	size_t i, nr;

	fprintf(stderr,
		"  %" PRIu64 " threads (%" PRIu64 " ended): %.6f s run + %.6f s off-CPU (%" PRIu64 " intervals) = %.6f s wall",
		(uint64_t)l->threads, (uint64_t)l->ended, seconds(l->run_ns),
		seconds(l->off_ns), (uint64_t)l->nr_off, seconds(l->wall_ns));
	if (l->unbalanced)
		fprintf(stderr, "; %" PRIu64 " thread%s out of balance, by %" PRId64 " ns at most",
			(uint64_t)l->unbalanced, plural(l->unbalanced), (int64_t)l->worst_ns);
	fputc('\n', stderr);
	wp_ledger_sort(l);
	nr = l->nr < l->keep ? l->nr : l->keep;
	if (!nr)
		return;
	fprintf(stderr, "  %8s %8s %-16s %14s %14s %10s %14s %s\n", "tid", "tgid", "comm",
		"run s", "off-CPU s", "intervals", "wall s", "diff ns");
	for (i = 0; i < nr; i++) {
		const struct wp_account *a = &l->lines[i];

		fprintf(stderr, "  %8u %8u ", a->tid, a->tgid);
		print_comm(a->comm);
		fprintf(stderr, " %14.6f %14.6f %10" PRIu64 " %14.6f %" PRId64 "%s\n",
			seconds(a->run_ns), seconds(a->off_ns), (uint64_t)a->nr_off,
			seconds(wp_account_wall(a)), (int64_t)wp_account_diff(a),
			a->ended ? " ended" : "");
	}
	if (nr < l->threads && o->verbose < 2)
		fprintf(stderr, "  … and %" PRIu64 " more; -vv shows all\n",
			(uint64_t)(l->threads - nr));
}

static void print_details(const struct wp_record_opts *o, const struct wp_record_stats *s,
			  struct wp_ledger *ledger)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	fprintf(stderr, "  recorded %.6f s in %" PRIu64 " epochs, as %" PRIu64 " sample records\n",
		seconds(s->stop - s->start), (uint64_t)s->epochs, (uint64_t)s->records);
	fprintf(stderr,
		"  wallprof itself: %ld.%03ld s user, %ld.%03ld s system, %.1f MB of its own, %.1f MB of the module\n",
		(long)self.ru_utime.tv_sec, (long)self.ru_utime.tv_usec / 1000,
		(long)self.ru_stime.tv_sec, (long)self.ru_stime.tv_usec / 1000,
		self.ru_maxrss / 1024.0, (double)s->memory / 1024 / 1024);
	if (o->offcpu) {
		fprintf(stderr, "  off-CPU time in the file: %.6f s\n", seconds(s->offcpu_ns));
		fprintf(stderr, "  intervals open at the start: %" PRIu64 ", at the end: %" PRIu64 "\n",
			(uint64_t)s->since_start, (uint64_t)s->open);
		if (s->filtered)
			fprintf(stderr, "  left out by --state: %.6f s, %" PRIu64 " intervals\n",
				seconds(s->filtered_ns), (uint64_t)s->filtered);
	}
	print_unwinds(o, s);
	print_tables(s);
	if (o->offcpu)
		print_ledger(o, ledger);
}

/**
 * wp_record_summary() - tell what was recorded
 * @o: the options
 * @s: what happened
 * @ledger: all threads
 */
void wp_record_summary(const struct wp_record_opts *o, const struct wp_record_stats *s,
		       struct wp_ledger *ledger)
{
	if (o->quiet)
		return;
	say("Woken up %" PRIu64 " time%s to write data", (uint64_t)s->wakeups,
	    plural(s->wakeups));
	say_captured(o, s);
	say_lost(o, s);
	if (o->verbose)
		print_details(o, s, ledger);
}
