// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the summary of the record command: perf's two lines, losses and what to do about
 * them, and with -v where the time went and what the recording cost. Called by record.c,
 * once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/common/ledgertext.h"
#include "cmd/record/eventlines.h"
#include "cmd/record/interplines.h"
#include "cmd/record/line.h"
#include "cmd/record/summary.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

#define TOP_WAITS	10
#define TOP_OBJECTS	3	/* per reason */
#define OBJECT_COLUMNS	70
#define GRAPH_COLUMNS	38	/* columns of the bar, in a line of 80 */

static void print_captured(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	char samples[384] = "", intervals[128] = "", files[48] = "", name[32];

	if (!o->events.none)
		snprintf(samples, sizeof(samples),
			 "%" PRIu64 " sample%s of %s in %" PRIu64 " stack%s%s",
			 (uint64_t)s->samples, wp_plural(s->samples),
			 wp_record_event_name(o, name, sizeof(name)),
			 (uint64_t)s->stacks[WALLPROF_AGGR_SAMPLE],
			 wp_plural(s->stacks[WALLPROF_AGGR_SAMPLE]), o->offcpu ? ", " : "");
	if (o->offcpu)
		snprintf(intervals, sizeof(intervals),
			 "%" PRIu64 " interval%s of offcpu-time in %" PRIu64 " stack%s",
			 (uint64_t)s->intervals, wp_plural(s->intervals),
			 (uint64_t)s->stacks[WALLPROF_AGGR_OFFCPU],
			 wp_plural(s->stacks[WALLPROF_AGGR_OFFCPU]));
	if (s->files > 1)
		snprintf(files, sizeof(files), "in %" PRIu64 " files, the last is ",
			 (uint64_t)s->files);
	print("Captured and wrote %.3f MB %s%s (%s%s)", (double)s->bytes / 1024 / 1024, files,
	      o->output, samples, intervals);
}

/* Reports at another time or place need the copies. */
static void print_kept_files(const struct wp_keepfiles_stats *k)
{
	if (k->kept)
		print("Copied %" PRIu64 " file%s of containers, or deleted, into ~/.debug: %.1f MB",
		      (uint64_t)k->kept, wp_plural(k->kept), (double)k->bytes / 1024 / 1024);
	if (k->large || k->failed)
		print("%" PRIu64 " file%s of containers, or deleted, not copied: names may be missing later%s",
		      (uint64_t)(k->large + k->failed), wp_plural(k->large + k->failed),
		      k->large ? ", as there is no room" : "");
}

/* Numbers of switches and wakeups, and of those that found no room. */
static void print_timeline(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	const struct wp_timeline_stats *t = &s->timeline;

	if (!o->timeline)
		return;
	print("Timeline: %" PRIu64 " switches, %" PRIu64 " of them with stacks, %" PRIu64
	      " wakeups, %" PRIu64 " migrations",
	      (uint64_t)t->records[WALLPROF_RECORD_SWITCH], (uint64_t)t->stacks,
	      (uint64_t)(t->records[WALLPROF_RECORD_WAKING] +
			 t->records[WALLPROF_RECORD_WAKEUP_NEW]),
	      (uint64_t)t->records[WALLPROF_RECORD_MIGRATE]);
	if (t->lost)
		print("LOST %" PRIu64 " record%s of the timeline, in %" PRIu64
		      " place%s: try --tables records=%" PRIu64,
		      (uint64_t)t->lost, wp_plural(t->lost),
		      (uint64_t)t->records[WALLPROF_RECORD_LOST],
		      wp_plural(t->records[WALLPROF_RECORD_LOST]), 2 * (uint64_t)o->ring);
	if (t->unordered)
		wp_debug("%" PRIu64 " records of the timeline came late and are not in order",
			 (uint64_t)t->unordered);
	if (t->unknown)
		print("%" PRIu64 " unknown stack%s in the timeline", (uint64_t)t->unknown,
		      wp_plural(t->unknown));
}

/* The time that is in the file; print_losses() prints what was lost. */
static void print_split(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	if (o->offcpu)
		print("%.3f s of offcpu-time: %.3f s blocked, %.3f s runnable",
		      seconds(s->offcpu_ns), seconds(s->offcpu_ns - s->runnable_ns),
		      seconds(s->runnable_ns));
	if (s->idle)
		print("left out by --no-idle: %.3f s, in which loops waited for their next work, of %"
		      PRIu64 " interval%s",
		      seconds(s->idle_ns), (uint64_t)s->idle, wp_plural(s->idle));
	if (o->wakers)
		print("%.3f s of wakeup-time: blocked until another thread ended it",
		      seconds(s->wakeups_ns));
	if (s->out_of_range)
		print("%.3f s more in %" PRIu64 " interval%s, left out by --min and --max",
		      seconds(s->out_of_range_ns), (uint64_t)s->out_of_range,
		      wp_plural(s->out_of_range));
}

/* The module knows such threads' activity only where it can identify them as targets. */
static void print_threads_lost(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	const struct wallprof_lost *lost = &s->lost[WP_CONTEXT_SCHED][WALLPROF_LOSS_NO_TASK];
	__u64 threads = s->status.tasks_failed;

	if (lost->count)
		print("LOST %" PRIu64 " interval%s, %.3f s, of %" PRIu64 " thread%s beyond the table of %u: try --tables tasks=%u",
		      (uint64_t)lost->count, wp_plural(lost->count), seconds(lost->ns),
		      (uint64_t)threads, wp_plural(threads), o->tasks, o->tasks * 2);
	else if (threads)
		print("LOST all of %" PRIu64 " thread%s beyond the table of %u: try --tables tasks=%u",
		      (uint64_t)threads, wp_plural(threads), o->tasks, o->tasks * 2);
}

static void print_losses(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	const struct wallprof_lost *sched = s->lost[WP_CONTEXT_SCHED];
	const struct wallprof_lost *sampler = s->lost[WP_CONTEXT_SAMPLER];
	const struct wp_tablequeue_stats *tables = &s->mapsync.files.did;
	/* Where many threads want a CPU, the reader has none until the tables are full. */
	const char *more = o->realtime ? "" : ", or -r 1";
	char denied[256], name[32];
	__u64 n;

	n = sched[WALLPROF_LOSS_STACK_FULL].count + sampler[WALLPROF_LOSS_STACK_FULL].count;
	if (n)
		print("%" PRIu64 " stack%s found no room; the time is there, without a stack: try a larger -m%s",
		      (uint64_t)n, wp_plural(n), more);
	n = s->waits_full.count;
	if (n)
		print("%" PRIu64 " long interval%s found no room by %s: the time is there, in sums: try a larger -m%s",
		      (uint64_t)n, wp_plural(n), n == 1 ? "itself" : "themselves", more);
	n = sched[WALLPROF_LOSS_AGGR_FULL].count;
	if (n)
		print("%" PRIu64 " interval%s found no room; %.3f s are in samples without stack and state: try a larger -m%s",
		      (uint64_t)n, wp_plural(n), seconds(sched[WALLPROF_LOSS_AGGR_FULL].ns), more);
	n = sampler[WALLPROF_LOSS_AGGR_FULL].count;
	if (n)
		print("LOST %" PRIu64 " sample%s of %s, for lack of room: try a larger -m%s",
		      (uint64_t)n, wp_plural(n), wp_record_event_name(o, name, sizeof(name)), more);
	n = sched[WALLPROF_LOSS_EXIT_FULL].count;
	if (n)
		print("LOST the totals of %" PRIu64 " thread%s that ended, with %.3f s of off-CPU time, for lack of room: try a larger -m%s",
		      (uint64_t)n, wp_plural(n),
		      seconds(sched[WALLPROF_LOSS_EXIT_FULL].ns), more);
	print_threads_lost(o, s);
	n = sched[WALLPROF_LOSS_NESTED].count;
	if (n)
		print("LOST %" PRIu64 " scheduler event%s that came within another", (uint64_t)n,
		      wp_plural(n));
	n = sampler[WALLPROF_LOSS_NESTED].count;
	if (n)
		print("LOST %" PRIu64 " sample%s that came within another", (uint64_t)n,
		      wp_plural(n));
	n = sampler[WALLPROF_LOSS_THROTTLED].count;
	if (n)
		print("the kernel throttled %s %" PRIu64 " time%s, %.3f s: try a smaller -F",
		      wp_record_event_name(o, name, sizeof(name)), (uint64_t)n, wp_plural(n),
		      seconds(sampler[WALLPROF_LOSS_THROTTLED].ns));
	if (s->status.counters_failed)
		print("%s could not be counted on a CPU that came online, %u time%s",
		      wp_record_event_name(o, name, sizeof(name)), s->status.counters_failed,
		      wp_plural(s->status.counters_failed));
	if (s->status.grow_failed)
		print("the tables could not grow: memory ran out, or the limit of locked memory (ulimit -l)");
	n = s->status.cpus_failed;
	if (n)
		print("a CPU came online and there was no memory for its tables, %" PRIu64 " time%s: what happened there is in what found no room",
		      (uint64_t)n, wp_plural(n));
	if (s->status.records_lost)
		print("LOST %" PRIu64 " switch%s and wakeups there",
		      (uint64_t)s->status.records_lost, s->status.records_lost == 1 ? "" : "es");
	if (s->sideband_lost)
		print("LOST %" PRIu64 " record%s of mappings, names and forks: some symbols will be missing",
		      (uint64_t)s->sideband_lost, wp_plural(s->sideband_lost));
	if (s->sideband_bad)
		print("%" PRIu64 " malformed record%s of mappings, names and forks; later ones may be LOST: please report this",
		      (uint64_t)s->sideband_bad, wp_plural(s->sideband_bad));
	if (s->late)
		print("%" PRIu64 " record%s came too late to be put in order: perf reports out of order events",
		      (uint64_t)s->late, wp_plural(s->late));
	if (s->busy)
		print("%" PRIu64 " process%s kept the memory map locked up to the end: the mappings are missing",
		      (uint64_t)s->busy, s->busy == 1 ? "" : "es");
	if (tables->refused)
		print("the module refused %" PRIu64 " unwind table%s (%s): these files are unwound by frame pointer",
		      (uint64_t)tables->refused, wp_plural(tables->refused),
		      strerror(-tables->error));
	if (tables->bad)
		print("%" PRIu64 " file%s could not be read within the limits of a file: no unwind table",
		      (uint64_t)tables->bad, wp_plural(tables->bad));
	if (wp_mapsync_denied(&s->mapsync, denied, sizeof(denied)))
		print("%s", denied);
	if (s->mapsync.refused)
		print("the module refused the mappings of processes %" PRIu64 " time%s (%s)",
		      (uint64_t)s->mapsync.refused, wp_plural(s->mapsync.refused),
		      strerror(-s->mapsync.error));
	if (s->status.forks_missed)
		print("%" PRIu64 " process%s began without a parent's unwind tables, for lack of room",
		      (uint64_t)s->status.forks_missed, s->status.forks_missed == 1 ? "" : "es");
	if (s->unknown)
		print("%" PRIu64 " stack id%s without a stack: please report this",
		      (uint64_t)s->unknown, wp_plural(s->unknown));
}

/* Advice for stacks that ended too early, by their most frequent stop reason. */
static const char *advice(const struct wp_record_opts *o, const struct wp_record_stats *s,
			  unsigned int unwind)
{
	static const char or_new[] =
		"code without a table has no frame pointers, or a JVM has just generated it";
	bool tables = o->call_graph == WP_CALL_GRAPH_AUTO || o->call_graph == WP_CALL_GRAPH_CFI;

	switch (unwind) {
	case WALLPROF_UNWIND_DEPTH:
		return o->max_stack < WALLPROF_MAX_STACK ?
		       "try a larger --max-stack" :
		       "they are deeper than the largest --max-stack";
	case WALLPROF_UNWIND_NOT_RESIDENT:
		return "these threads were blocked before, and their stacks are not in memory";
	case WALLPROF_UNWIND_NO_TABLE:
		return s->mapsync.unkept ?
		       "the unwind tables were built meanwhile, and are not on disk: see above" :
		       "the unwind tables are cached now: record again, or for longer";
	case WALLPROF_UNWIND_NO_ROW:
	case WALLPROF_UNWIND_UNSUPPORTED:
	case WALLPROF_UNWIND_NO_REG:
		return "their files do not describe this code: see --call-graph in the manual";
	case WALLPROF_UNWIND_MISALIGNED:
		/* By a rule of their own, walks end so in code of a JVM that is not known yet. */
		if (tables)
			return or_new;
	}
	return tables ? "code without an unwind table was not built with frame pointers" :
			"try it without --call-graph fp";
}

/*
 * Share of the file with complete user stacks. Kernel threads, and threads at their end,
 * have no user stack and do not count.
 */
static void print_whole(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	const char *const names[2] = {
		[WALLPROF_AGGR_OFFCPU] = "offcpu-time",
		[WALLPROF_AGGR_SAMPLE] = "samples",
	};
	unsigned int kind, i, most = WALLPROF_UNWIND_END;
	double share, least = 100, worst = 0;
	char shares[80] = "";
	size_t len;

	for (kind = 0; kind < 2; kind++) {
		const __u64 *ends = s->unwound[kind];
		__u64 all = sum(ends, WALLPROF_UNWIND_MAX) - ends[WALLPROF_UNWIND_NO_USER];

		if (!all)
			continue;
		share = percent(ends[WALLPROF_UNWIND_END], all);
		least = share < least ? share : least;
		len = strlen(shares);
		snprintf(shares + len, sizeof(shares) - len, "%s%.1f %% of %s", len ? ", " : "",
			 share, names[kind]);
		for (i = 0; i < WALLPROF_UNWIND_MAX; i++) {
			if (i == WALLPROF_UNWIND_END || i == WALLPROF_UNWIND_NO_USER ||
			    percent(ends[i], all) <= worst)
				continue;
			worst = percent(ends[i], all);
			most = i;
		}
	}
	if (!*shares)
		return;
	print("Whole user stacks: %s", shares);
	if (least < 99)
		print("Most of the others end by \"%s\": %s", wp_unwind_name(most),
		      advice(o, s, most));
}

/* A bar proportional to @count. */
static void put_bar(__u64 count, __u64 most)
{
	char bar[GRAPH_COLUMNS + 1];
	unsigned int len = (double)count / most * GRAPH_COLUMNS;

	memset(bar, '#', len);
	bar[len] = 0;
	fprintf(stderr, "%-*s |\n", GRAPH_COLUMNS, bar);
}

/* One kind of lengths, in the format of perf ftrace latency. */
static void print_buckets(const char *what, const __u64 *buckets)
{
	unsigned int first = WALLPROF_HIST_BUCKETS, last = 0, i;
	__u64 most = 0;

	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		if (first > i)
			first = i;
		last = i;
		if (buckets[i] > most)
			most = buckets[i];
	}
	fprintf(stderr, "# %-9s DURATION us  |      COUNT | %-*s |\n", what, GRAPH_COLUMNS,
		"GRAPH");
	for (i = first; i <= last && most; i++) {
		fprintf(stderr, " %10" PRIu64 " - ", (uint64_t)wp_hist_from(i));
		if (i < WALLPROF_HIST_BUCKETS - 1)
			fprintf(stderr, "%-10" PRIu64, (uint64_t)wp_hist_from(i + 1));
		else
			fprintf(stderr, "%-10s", "...");
		fprintf(stderr, " | %10" PRIu64 " | ", (uint64_t)buckets[i]);
		put_bar(buckets[i], most);
	}
}

/* --hist */
static void print_hist(const struct wp_record_stats *s)
{
	print_buckets("blocked", s->hist.blocked);
	print_buckets("runnable", s->hist.runnable);
	if (s->hists_left_out)
		print("%" PRIu64 " histogram%s of threads not in the output of --ledger",
		      (uint64_t)s->hists_left_out, wp_plural(s->hists_left_out));
}

/* Walks by stop reason, and their share of the file. */
static void print_unwinds(const struct wp_record_opts *o, const struct wp_record_stats *s)
{
	__u64 all = sum(s->unwinds, WALLPROF_UNWIND_MAX);
	__u64 ns = sum(s->unwound[WALLPROF_AGGR_OFFCPU], WALLPROF_UNWIND_MAX);
	__u64 samples = sum(s->unwound[WALLPROF_AGGR_SAMPLE], WALLPROF_UNWIND_MAX);
	unsigned int i;

	if (!all && !s->walks_asleep && !s->walks_not_resident)
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
			"    %5.1f %%  of processes not found yet, or of 32 bits\n"
			"    %5.1f %%  with frames that no unwind table covers\n"
			"    %5.1f %%  in two rounds\n"
			"    %5.1f %%  remembered\n"
			"  threads blocked when their process was found: %" PRIu64 "\n"
			"  such walks that ended at memory that is not resident: %" PRIu64 "\n",
			percent(s->walks_unknown, all), percent(s->walks_mixed, all),
			percent(s->walks_slow, all), percent(s->walks_remembered, all),
			(uint64_t)s->walks_asleep, (uint64_t)s->walks_not_resident);
}

/* Switches by how they were recorded. */
static void print_switches(const struct wp_record_stats *s)
{
	static const char *const names[WALLPROF_SWITCH_MAX] = {
		[WALLPROF_SWITCH_LEFT_CACHED] = "as before, from the same place with the same stack",
		[WALLPROF_SWITCH_LEFT_FIRST] = "so for the first or second time there",
		[WALLPROF_SWITCH_LEFT_REPLACED] = "after another switch took its place in the cache",
		[WALLPROF_SWITCH_LEFT_CHANGED] = "first after a new epoch, or new mappings",
		[WALLPROF_SWITCH_LEFT_ARGUMENT] = "with another argument of the system call",
		[WALLPROF_SWITCH_LEFT_STACK] = "with other callers",
		[WALLPROF_SWITCH_LEFT_NEVER] = "in a way that is not cached, as preempted in user code",
		[WALLPROF_SWITCH_CAME_CACHED] = "added where the last time was",
		[WALLPROF_SWITCH_CAME_UNKNOWN] = "after they left another CPU, or in a way not cached",
		[WALLPROF_SWITCH_CAME_FIRST] = "for the first time since they left so",
		[WALLPROF_SWITCH_CAME_WAKER] = "woken by another thread than the last time",
		[WALLPROF_SWITCH_CAME_LENGTH] = "after too long or too short a time to be added up",
	};
	const __u64 *came = s->switches + WALLPROF_SWITCH_CAME_CACHED;
	__u64 left_all = sum(s->switches, WALLPROF_SWITCH_CAME_CACHED);
	__u64 came_all = sum(came, WALLPROF_SWITCH_MAX - WALLPROF_SWITCH_CAME_CACHED);
	unsigned int i;

	if (!left_all)
		return;
	fprintf(stderr, "  switch cache: threads left %" PRIu64 " times,\n", (uint64_t)left_all);
	for (i = 0; i < WALLPROF_SWITCH_MAX; i++) {
		if (i == WALLPROF_SWITCH_CAME_CACHED)
			fprintf(stderr, "  and came %" PRIu64 " times,\n", (uint64_t)came_all);
		if (s->switches[i])
			fprintf(stderr, "    %5.1f %%  %s\n",
				percent(s->switches[i],
					i < WALLPROF_SWITCH_CAME_CACHED ? left_all : came_all),
				names[i]);
	}
}

static void print_tables(const struct wp_record_stats *s)
{
	const struct wp_mapsync_stats *p = &s->mapsync;
	const struct wp_tablequeue_stats *f = &p->files.did;

	if (!p->files.files)
		return;
	fprintf(stderr,
		"  unwind tables: %" PRIu64 " of %" PRIu64 " files, %" PRIu64
		" kept from before (of files known from before: %" PRIu64 "), %.1f MB, in %.3f s\n"
		"  mappings of processes passed to the module %" PRIu64 " times, in %.3f s; with the tables, %.1f MB of the module at the end\n",
		(uint64_t)f->tables, (uint64_t)p->files.files, (uint64_t)f->cached,
		(uint64_t)f->known, (double)f->bytes / 1024 / 1024, seconds(f->ns),
		(uint64_t)p->published, seconds(p->ns),
		(double)s->status.tables_bytes / 1024 / 1024);
	if (p->rescans)
		fprintf(stderr, "  all processes were read again %" PRIu64 " time%s, as perf's records were lost\n",
			(uint64_t)p->rescans, wp_plural(p->rescans));
}

/* The entries without a line of their own. */
static void print_rest(const struct wp_wait_table *t, bool blocked)
{
	__u64 total = 0, runnable = 0, count = 0;
	size_t i;

	if (t->nr <= TOP_WAITS)
		return;
	for (i = TOP_WAITS; i < t->nr; i++) {
		total += t->entry[i].total;
		runnable += t->entry[i].runnable;
		count += t->entry[i].count;
	}
	fprintf(stderr, "  %14.6f %14.6f %10" PRIu64 "  %s %zu more\n",
		seconds(blocked ? total - runnable : total), seconds(runnable),
		(uint64_t)count, wp_text_ellipsis(), t->nr - TOP_WAITS);
}

/* A name that is too long is cut in front: its end is the most specific part. */
static void put_object(const char *text)
{
	size_t columns = wp_text_columns(text);

	if (columns <= OBJECT_COLUMNS) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	for (; columns > OBJECT_COLUMNS - wp_text_columns(wp_text_ellipsis()); columns--) {
		do
			text++;
		while ((*text & 0xc0) == 0x80);
	}
	fprintf(stderr, "%s%s\n", wp_text_ellipsis(), text);
}

/* The objects of waits with one reason. */
static void print_objects(const struct wp_record_tables *t, const struct wp_cause *reason)
{
	__u64 total = 0, runnable = 0, count = 0;
	size_t i, nr = 0;

	for (i = 0; i < t->waits.objects.nr; i++) {
		const struct wp_wait *w = &t->waits.objects.entry[i];

		if (!wp_cause_same(&w->cause, reason))
			continue;
		if (nr++ < TOP_OBJECTS) {
			fprintf(stderr, "  %14.6f %14.6f %10" PRIu64 "    ", seconds(w->total),
				seconds(w->runnable), (uint64_t)w->count);
			put_object(wp_objects_text(t->objects, w->object));
			continue;
		}
		total += w->total;
		runnable += w->runnable;
		count += w->count;
	}
	if (nr > TOP_OBJECTS)
		fprintf(stderr, "  %14.6f %14.6f %10" PRIu64 "    %s %zu more\n", seconds(total),
			seconds(runnable), (uint64_t)count, wp_text_ellipsis(),
			nr - TOP_OBJECTS);
}

/* Statistics of the lookups of objects. */
static void print_looked(const struct wp_record_tables *t)
{
	struct wp_objects_stats s;

	wp_objects_stats(t->objects, &s);
	if (!s.looked)
		return;
	fprintf(stderr, "  descriptors and futexes looked up: %" PRIu64, (uint64_t)s.looked);
	if (s.gone)
		fprintf(stderr, ", %" PRIu64 " too late", (uint64_t)s.gone);
	if (s.denied)
		fprintf(stderr, ", %" PRIu64 " refused by the kernel", (uint64_t)s.denied);
	if (s.skipped)
		fprintf(stderr, "; left out, as there were too many at once: %" PRIu64,
			(uint64_t)s.skipped);
	fputc('\n', stderr);
}

/* Off-CPU time by reason. */
static void print_reasons(const struct wp_record_tables *tables)
{
	const struct wp_wait_table *t = &tables->waits.reasons;
	const struct wp_wait *w = &tables->waits.iowait;
	char name[48];
	size_t i;

	if (!t->nr)
		return;
	fprintf(stderr, "  off-CPU time by reason:\n  %14s %14s %10s  %s\n", "total s", "runnable s",
		"intervals", "in");
	for (i = 0; i < t->nr && i < TOP_WAITS; i++) {
		fprintf(stderr, "  %14.6f %14.6f %10" PRIu64 "  %s\n",
			seconds(t->entry[i].total), seconds(t->entry[i].runnable),
			(uint64_t)t->entry[i].count,
			wp_cause_name(&t->entry[i].cause, name, sizeof(name)));
		print_objects(tables, &t->entry[i].cause);
	}
	print_rest(t, false);
	if (w->count)
		fprintf(stderr, "  of which the kernel calls iowait: %.6f s blocked + %.6f s runnable, %"
			PRIu64 " interval%s\n",
			seconds(w->total - w->runnable), seconds(w->runnable),
			(uint64_t)w->count, wp_plural(w->count));
	print_looked(tables);
}

/* A waker's name may not have been followed. */
static const char *name_of(const struct wp_wait *w, char *buf, int size)
{
	char path[32];
	FILE *f;

	if (*w->comm)
		return w->comm;
	snprintf(path, sizeof(path), "/proc/%u/comm", w->cause.waker_tid);
	f = fopen(path, "re");
	if (!f || !fgets(buf, size, f))
		strcpy(buf, "?");
	if (f)
		fclose(f);
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

/* Off-CPU time by waker. */
static void print_wakers(const struct wp_wait_table *t)
{
	char name[WP_COMM_LEN];
	size_t i;

	if (!t->nr)
		return;
	fprintf(stderr, "  blocked time by who woke the thread:\n  %14s %14s %10s  %s\n",
		"blocked s", "runnable s", "intervals", "woken by");
	for (i = 0; i < t->nr && i < TOP_WAITS; i++) {
		const struct wp_wait *w = &t->entry[i];
		const struct wp_cause *c = &w->cause;

		fprintf(stderr, "  %14.6f %14.6f %10" PRIu64 "  ", seconds(w->total - w->runnable),
			seconds(w->runnable), (uint64_t)w->count);
		if (c->waker != WALLPROF_WAKER_TASK) {
			fprintf(stderr, "%s\n", wp_waker_name(c->waker));
		} else if (!c->waker_tid) {
			fputs("an idle CPU, or a thread that is not visible here\n", stderr);
		} else if (c->waker_tid == WP_WAKER_OTHERS) {
			fputs("others: there are too many\n", stderr);
		} else {
			wp_text_put(stderr, name_of(w, name, sizeof(name)));
			fprintf(stderr, ":%u\n", c->waker_tid);
		}
	}
	print_rest(t, true);
}

static void print_details(const struct wp_record_opts *o, const struct wp_record_stats *s,
			  struct wp_record_tables *t)
{
	struct rusage self;

	getrusage(RUSAGE_SELF, &self);
	fprintf(stderr,
		"  ready after %.3f s, recorded %.6f s in %" PRIu64 " epochs, as %" PRIu64 " sample records\n",
		seconds(s->first - s->begun), seconds(s->recorded_ns), (uint64_t)s->epochs,
		(uint64_t)s->records);
	fprintf(stderr,
		"  wallprof itself: %ld.%03ld s user, %ld.%03ld s system, %.1f MB of its own, %.1f MB of the module\n",
		(long)self.ru_utime.tv_sec, (long)self.ru_utime.tv_usec / 1000,
		(long)self.ru_stime.tv_sec, (long)self.ru_stime.tv_usec / 1000,
		self.ru_maxrss / 1024.0,
		(double)(s->memory + s->status.grown_bytes) / 1024 / 1024);
	if (s->status.halves_grown)
		fprintf(stderr, "  tables grew %u time%s, by %.1f MB\n", s->status.halves_grown,
			wp_plural(s->status.halves_grown),
			(double)s->status.grown_bytes / 1024 / 1024);
	if (o->offcpu) {
		fprintf(stderr, "  off-CPU time in the file: %.6f s\n", seconds(s->offcpu_ns));
		fprintf(stderr, "  intervals open at the start: %" PRIu64 ", at the end: %" PRIu64 "\n",
			(uint64_t)s->since_start, (uint64_t)s->open);
		if (o->wait_ns)
			fprintf(stderr, "  intervals with a sample of their own: %" PRIu64 "\n",
				(uint64_t)s->single);
		if (s->filtered)
			fprintf(stderr, "  left out by %s: %.6f s, %" PRIu64 " interval%s\n",
				!o->has_cpus ? "--state" : o->states ? "--state and -C" : "-C",
				seconds(s->filtered_ns), (uint64_t)s->filtered,
				wp_plural(s->filtered));
		if (s->out_of_range)
			fprintf(stderr, "  left out by --min and --max: %.6f s, %" PRIu64 " interval%s\n",
				seconds(s->out_of_range_ns), (uint64_t)s->out_of_range,
				wp_plural(s->out_of_range));
	}
	print_unwinds(o, s);
	wp_record_interp_details(s);
	print_switches(s);
	print_tables(s);
	if (!o->offcpu)
		return;
	wp_waits_sort(&t->waits);
	print_reasons(t);
	print_wakers(&t->waits.wakers);
	wp_print_ledger(stderr, &t->ledger);
}

/**
 * wp_record_summary() - print the summary of a recording
 * @o: the options
 * @s: the statistics
 * @t: totals of all threads, and their waits
 */
void wp_record_summary(const struct wp_record_opts *o, const struct wp_record_stats *s,
		       struct wp_record_tables *t)
{
	if (o->quiet)
		return;
	print("Woken up %" PRIu64 " time%s to write data", (uint64_t)s->wakeups,
	      wp_plural(s->wakeups));
	print_captured(o, s);
	wp_record_event_lines(o, s);
	if (o->offcpu && !t->ledger.threads && wp_target_awaited(&o->target))
		print("no thread %s existed: nothing was recorded", wp_target_awaited(&o->target));
	print_split(o, s);
	print_whole(o, s);
	wp_record_interp_lines(s);
	print_losses(o, s);
	print_timeline(o, s);
	print_kept_files(&s->kept);
	if (o->hist)
		print_hist(s);
	if (o->verbose)
		print_details(o, s, t);
}
