// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched timehist: each slice, with the wait of its thread before it, as in perf
 * sched timehist; and a summary by thread and CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/common/perf-options.h"
#include "cmd/common/schedread.h"
#include "cmd/common/screen.h"
#include "cmd/sched/sched.h"
#include "lib/base/err.h"
#include "lib/profile/schedule.h"

#define ID_STATE	0x100

/* Maximum width of the picture of the CPUs. */
#define MAX_VISUAL	128

/*
 * struct thread - a thread, or a CPU's idle thread
 * @wait: time since its last slice
 * @delay: runnable part of @wait
 * @upto: time up to which its state is known
 * @knows_wait: its state since its last slice is known
 * @knows_delay: the start of its runnable time is known
 * @early: it was woken before its last slice was over
 * @slices: number, sum and extremes of slices with a known length; mean and squares
 *	are for their deviation
 */
struct thread {
	struct wp_schedthread who;
	__u32 cpu;
	__u64 wait;
	__u64 delay;
	__u64 upto;
	bool knows_wait;
	bool knows_delay;
	bool early;
	__u64 slices;
	__u64 run;
	__u64 min;
	__u64 max;
	double mean;
	double squares;
	__u64 migrations;
};

/* Columns of both tables; see their titles. */
enum column {
	TIME, CPU, VISUAL, EVENT, TASK, COMM, TID, PID, WAIT, DELAY, EARLY, RUN, STATE, PREEMPTED,
	OTHER_COMM, OTHER_TID, FROM_CPU, TO_CPU, NOTE,
	NR_COLUMNS
};

struct timehist {
	struct wp_schedread read;
	bool wakeups;
	bool next;
	bool migrations;
	bool visual;
	bool state;
	bool idle;
	bool summary;
	bool lines;
	struct wp_schedule *schedule;
	struct thread *thread;
	size_t nr;
	size_t room;
	struct wp_span slice;
	struct thread before;
	__u64 switches;
	struct wp_rows rows;
	struct wp_column column[NR_COLUMNS];
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ WP_SCHEDREAD_JSON, "json", NULL, "print JSON" },
	{ WP_SCHEDREAD_CSV, "csv", NULL, "print CSV" },
	{ 'v', "verbose", NULL, "print more" },
	{ 'w', "wakeups", NULL, "lines for wakeups, too" },
	{ 'M', "migrations", NULL, "lines for migrations, too" },
	{ 'n', "next", NULL, "show the next thread" },
	{ ID_STATE, "state", NULL, "show the state in which it left the CPU" },
	{ 'V', "cpu-visual", NULL, "a picture of the CPUs: s slice, i idle,\n"
	  "w wakeup, m migration" },
	{ 'I', "idle-hist", NULL, "idle CPUs only" },
	{ 's', "summary", NULL, "a summary by thread and CPU, without the lines" },
	{ 'S', "with-summary", NULL, "both" },
	{ 'p', "pid", "pid[,pid...]", "these processes only" },
	{ 't', "tid", "tid[,tid...]", "these threads only" },
	{ 'C', "cpu", "cpu", "on these CPUs only: 0-2,5" },
	{ WP_SCHEDREAD_TIME, "time", "start,stop", "what was between these times, in seconds\n"
	  "as they are printed" },
	{ 0 }
};

static int set(void *ctx, int id, const char *arg)
{
	struct timehist *t = ctx;

	switch (id) {
	case 'w':
		t->wakeups = true;
		return 0;
	case 'M':
		t->migrations = true;
		return 0;
	case 'n':
		t->next = true;
		return 0;
	case ID_STATE:
		t->state = true;
		return 0;
	case 'V':
		t->visual = true;
		return 0;
	case 'I':
		t->idle = true;
		return 0;
	case 's':
	case 'S':
		t->summary = true;
		t->lines = id == 'S';
		return 0;
	}
	return wp_schedread_set(&t->read, id, arg);
}

static const struct wp_column columns[NR_COLUMNS] = {
	[TIME] = { "time_ns", "time", NULL, WP_COLUMN_SEC, 15, 0 },
	[CPU] = { "cpu", "cpu", NULL, WP_COLUMN_CPU, 6, 0 },
	[VISUAL] = { NULL, "CPUs", NULL, WP_COLUMN_NAME, -4, WP_COLUMN_NOT_DATA },
	[EVENT] = { "event", NULL, NULL, WP_COLUMN_NAME, 0, WP_COLUMN_NOT_TEXT },
	[TASK] = { NULL, "task name", "[tid/pid]", WP_COLUMN_NAME, -30, WP_COLUMN_NOT_DATA },
	[COMM] = { "comm", NULL, NULL, WP_COLUMN_NAME, 0, WP_COLUMN_NOT_TEXT },
	[TID] = { "tid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	[PID] = { "pid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	[WAIT] = { "wait_ns", "wait time", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[DELAY] = { "delay_ns", "sch delay", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[EARLY] = { "woken_early", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	[RUN] = { "run_ns", "run time", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[STATE] = { "state", "state", NULL, WP_COLUMN_NAME, 5, 0 },
	[PREEMPTED] = { "preempted", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	[OTHER_COMM] = { "other_comm", NULL, NULL, WP_COLUMN_NAME, 0, WP_COLUMN_NOT_TEXT },
	[OTHER_TID] = { "other_tid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	[FROM_CPU] = { "from_cpu", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	[TO_CPU] = { "to_cpu", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	[NOTE] = { NULL, "", NULL, WP_COLUMN_NAME, -1, WP_COLUMN_NOT_DATA },
};

static void begin_lines(struct timehist *t)
{
	memcpy(t->column, columns, sizeof(columns));
	if (!t->visual)
		t->column[VISUAL].off |= WP_COLUMN_NOT_TEXT;
	if (!t->state)
		t->column[STATE].off |= WP_COLUMN_NOT_TEXT;
	if (!t->next && !t->wakeups && !t->migrations)
		t->column[NOTE].off |= WP_COLUMN_NOT_TEXT;
	wp_rows_table(&t->rows, "events", t->column, NR_COLUMNS);
	wp_rows_titles(&t->rows);
}

/* As in perf: with the process if its id differs. */
static void name_of(const struct wp_schedthread *who, char *name, size_t size)
{
	if (who->pid <= 0 || who->pid == who->tid)
		snprintf(name, size, "%s[%d]", who->comm, who->tid);
	else
		snprintf(name, size, "%s[%d/%d]", who->comm, who->tid, who->pid);
}

static void set_who(struct wp_value *value, const struct wp_schedthread *who, char *name,
		    size_t size)
{
	if (who->tid)
		name_of(who, name, size);
	else
		snprintf(name, size, "<idle>");
	value[TASK] = wp_value_name(name);
	value[COMM] = wp_value_name(who->tid ? who->comm : "<idle>");
	value[TID] = wp_value_number(who->tid);
	value[PID] = wp_value_if(who->pid != WP_SCHED_NO_PID, who->pid);
}

static void put_line(struct timehist *t, const struct wp_schedevent *ev, struct wp_value *value,
		     char mark)
{
	char visual[MAX_VISUAL + 1] = "";

	if (ev->cpu < MAX_VISUAL) {
		memset(visual, ' ', ev->cpu);
		visual[ev->cpu] = mark;
	}
	value[VISUAL] = wp_value_name(visual);
	value[TIME] = wp_value_number(ev->time);
	value[CPU] = wp_value_number(ev->cpu);
	wp_rows_put(&t->rows, value);
}

/* Only slices have numbers. */
static void put_event(struct timehist *t, const struct wp_schedevent *ev, struct wp_value *value,
		      char mark)
{
	value[WAIT].none = true;
	value[DELAY].none = true;
	value[RUN].none = true;
	put_line(t, ev, value, mark);
}

static void put_other(struct wp_value *value, const struct wp_schedthread *other,
		      const char *before, char *note, size_t size)
{
	char name[64];

	name_of(other, name, sizeof(name));
	snprintf(note, size, "%s: %s", before, name);
	value[OTHER_COMM] = wp_value_name(other->comm);
	value[OTHER_TID] = wp_value_number(other->tid);
	value[NOTE] = wp_value_name(note);
}

static bool is_in_time(const struct timehist *t, __u64 time)
{
	return time >= t->read.from && time <= t->read.to;
}

static bool is_wanted(const struct timehist *t, const struct wp_schedthread *a,
		      const struct wp_schedthread *b)
{
	return !t->idle && (wp_schedread_wants(&t->read, a) ||
			    (b && wp_schedread_wants(&t->read, b)));
}

static void put_wakeup(struct timehist *t, const struct wp_schedevent *ev)
{
	struct wp_value value[NR_COLUMNS] = {};
	char name[64], note[96];

	set_who(value, &ev->other, name, sizeof(name));
	value[EVENT] = wp_value_name(ev->type == WP_SCHED_WAKING ? "wakeup" : "wakeup_new");
	value[TO_CPU] = wp_value_number(ev->to_cpu);
	put_other(value, &ev->who, "awakened", note, sizeof(note));
	put_event(t, ev, value, 'w');
}

static void put_migration(struct timehist *t, const struct wp_schedevent *ev)
{
	struct wp_value value[NR_COLUMNS] = {};
	char note[96];
	size_t at;

	value[EVENT] = wp_value_name("migration");
	value[FROM_CPU] = wp_value_number(ev->from_cpu);
	value[TO_CPU] = wp_value_number(ev->to_cpu);
	put_other(value, &ev->who, "migrated", note, sizeof(note));
	at = strlen(note);
	snprintf(note + at, sizeof(note) - at, " cpu %u => %u", ev->from_cpu, ev->to_cpu);
	put_event(t, ev, value, 'm');
}

/* The part of a slice that is in the selected time range. */
static bool cut_slice(const struct timehist *t, __u64 *ns)
{
	__u64 begin = t->slice.begin, end = t->slice.end;

	if (begin < t->read.from)
		begin = t->read.from;
	if (end > t->read.to)
		end = t->read.to;
	*ns = end > begin ? end - begin : 0;
	return !t->slice.cut_begin;
}

static void put_slice(struct timehist *t, const struct wp_schedevent *ev)
{
	const struct thread *b = &t->before;
	const struct wp_schedthread *who = t->slice.end ? &t->slice.who : &ev->who;
	struct wp_value value[NR_COLUMNS] = {};
	char name[64], note[96], state[] = { ev->state, 0 };
	bool known;
	__u64 run;

	known = t->slice.end && cut_slice(t, &run);
	set_who(value, who, name, sizeof(name));
	value[EVENT] = wp_value_name("switch");
	value[WAIT] = wp_value_if(b->knows_wait, b->wait);
	value[DELAY] = wp_value_if(b->knows_delay, b->delay);
	value[EARLY] = wp_value_number(b->early);
	value[RUN] = wp_value_if(known, known ? run : 0);
	value[STATE] = wp_value_name(who->tid ? state : "I");
	value[PREEMPTED] = wp_value_number(ev->preempted);
	put_other(value, &ev->other, "next", note, sizeof(note));
	if (!t->next)
		value[NOTE].known = false;
	put_line(t, ev, value, who->tid ? 's' : 'i');
}

static void add_run(struct thread *t, __u64 ns)
{
	double delta = (double)ns - t->mean;

	if (!t->slices || ns < t->min)
		t->min = ns;
	if (ns > t->max)
		t->max = ns;
	t->slices++;
	t->run += ns;
	t->mean += delta / (double)t->slices;
	t->squares += delta * ((double)ns - t->mean);
}

static struct thread *thread_of(struct timehist *t, __u32 serial)
{
	if (wp_schedread_room(&t->thread, &t->room, serial, sizeof(*t->thread)))
		return NULL;
	while (t->nr <= serial)
		t->thread[t->nr++].who.tid = -1;
	return &t->thread[serial];
}

static void end_slice(struct timehist *t, struct thread *thread, const struct wp_span *span)
{
	__u64 ns;

	if (!span->cut_end) {
		t->slice = *span;
		t->before = *thread;
	}
	thread->wait = 0;
	thread->delay = 0;
	thread->early = false;
	thread->knows_wait = !span->cut_end && span->who.tid;
	thread->knows_delay = false;
	if (span->cut_end || span->begin > t->read.to || span->end < t->read.from ||
	    !wp_schedread_wants_cpu(&t->read, span->cpu))
		return;
	if (cut_slice(t, &ns))
		add_run(thread, ns);
}

static int on_span(void *ctx, const struct wp_span *span)
{
	struct timehist *t = ctx;
	struct thread *thread = thread_of(t, span->serial);
	bool cut = span->cut_begin || span->cut_end;

	if (!thread)
		return -ENOMEM;
	/* There is no span where the state is unknown. */
	if (span->begin != thread->upto)
		thread->knows_wait = false;
	thread->upto = span->end;
	thread->who = span->who;
	thread->cpu = span->cpu;
	if (span->kind == WP_SPAN_RUNNING) {
		end_slice(t, thread, span);
		return 0;
	}
	thread->wait += span->end - span->begin;
	if (cut)
		thread->knows_wait = false;
	if (span->kind == WP_SPAN_RUNNABLE) {
		thread->delay = span->end - span->begin;
		thread->knows_delay = !cut;
		thread->early = span->early;
	}
	return 0;
}

static int on_migration(struct timehist *t, const struct wp_schedevent *ev)
{
	__u32 serial = wp_schedule_serial(t->schedule, ev->who.tid);
	struct thread *thread;

	if (!is_in_time(t, ev->time))
		return 0;
	if (serial != WP_SCHEDULE_NONE) {
		thread = thread_of(t, serial);
		if (!thread)
			return -ENOMEM;
		thread->migrations++;
	}
	if (t->lines && t->migrations && is_wanted(t, &ev->who, NULL) &&
	    wp_schedread_wants_cpu(&t->read, ev->cpu))
		put_migration(t, ev);
	return 0;
}

/* First event of a thread: its state is known from now on. */
static int first_seen(struct timehist *t, const struct wp_schedevent *ev)
{
	__u32 serial = wp_schedule_serial(t->schedule, ev->who.tid);
	struct thread *thread;

	if (t->slice.end || serial == WP_SCHEDULE_NONE)
		return 0;
	thread = thread_of(t, serial);
	if (!thread)
		return -ENOMEM;
	thread->wait = 0;
	thread->delay = 0;
	thread->upto = ev->time;
	thread->knows_wait = true;
	thread->knows_delay = false;
	return 0;
}

static void on_switch(struct timehist *t, const struct wp_schedevent *ev)
{
	const struct wp_schedthread *who = t->slice.end ? &t->slice.who : &ev->who;
	__u64 begin = t->slice.end ? t->slice.begin : ev->time;

	if (begin > t->read.to || ev->time < t->read.from)
		return;
	t->switches++;
	if (t->lines && (t->idle ? !who->tid : wp_schedread_wants(&t->read, who)) &&
	    wp_schedread_wants_cpu(&t->read, ev->cpu))
		put_slice(t, ev);
}

static int on_event(void *ctx, const struct wp_schedevent *ev)
{
	struct timehist *t = ctx;
	int err;

	memset(&t->slice, 0, sizeof(t->slice));
	memset(&t->before, 0, sizeof(t->before));
	if (ev->type == WP_SCHED_WAKING || ev->type == WP_SCHED_WAKEUP_NEW) {
		if (t->lines && t->wakeups && is_in_time(t, ev->time) &&
		    is_wanted(t, &ev->who, &ev->other) &&
		    wp_schedread_wants_cpu(&t->read, ev->cpu))
			put_wakeup(t, ev);
	}
	err = wp_schedule_event(t->schedule, ev);
	if (err)
		return err;
	if (ev->type == WP_SCHED_MIGRATE)
		return on_migration(t, ev);
	if (ev->type != WP_SCHED_SWITCH)
		return 0;
	on_switch(t, ev);
	return first_seen(t, ev);
}

enum total_column {
	T_TASK, T_COMM, T_TID, T_PID, T_SLICES, T_RUN, T_MIN, T_AVG, T_MAX, T_DEVIATION,
	T_MIGRATIONS,
	NR_TOTAL_COLUMNS
};

static const struct wp_column total_columns[NR_TOTAL_COLUMNS] = {
	[T_TASK] = { NULL, "comm[tid/pid]", NULL, WP_COLUMN_NAME, 30, WP_COLUMN_NOT_DATA },
	[T_COMM] = { "comm", NULL, NULL, WP_COLUMN_NAME, 0, WP_COLUMN_NOT_TEXT },
	[T_TID] = { "tid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	[T_PID] = { "pid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	[T_SLICES] = { "slices", "slices", "(count)", WP_COLUMN_COUNT, 8, 0 },
	[T_RUN] = { "run_ns", "run-time", "(msec)", WP_COLUMN_MSEC, 12, 0 },
	[T_MIN] = { "run_min_ns", "min-run", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[T_AVG] = { "run_avg_ns", "avg-run", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[T_MAX] = { "run_max_ns", "max-run", "(msec)", WP_COLUMN_MSEC, 10, 0 },
	[T_DEVIATION] = { "run_stddev_percent", "stddev", "%", WP_COLUMN_PERCENT, 7, 0 },
	[T_MIGRATIONS] = { "migrations", "migrations", NULL, WP_COLUMN_COUNT, 10, 0 },
};

enum cpu_column { C_CPU, C_IDLE, C_PERCENT, NR_CPU_COLUMNS };

static const struct wp_column cpu_columns[NR_CPU_COLUMNS] = {
	[C_CPU] = { "cpu", "CPU", NULL, WP_COLUMN_CPU, 6, 0 },
	[C_IDLE] = { "idle_ns", "idle", "(msec)", WP_COLUMN_MSEC, 12, 0 },
	[C_PERCENT] = { "idle_percent", "share", "%", WP_COLUMN_PERCENT, 7, 0 },
};

/* Standard deviation of the mean, as in perf. */
static __u64 deviation(const struct thread *t)
{
	double variance;

	if (t->slices < 2 || t->mean <= 0)
		return 0;
	variance = t->squares / (double)(t->slices - 1) / (double)t->slices;
	return (__u64)(sqrt(variance) * 10000 / t->mean + 0.5);
}

static void put_total(struct timehist *t, const struct thread *thread)
{
	struct wp_value value[NR_TOTAL_COLUMNS] = {};
	char name[64];

	name_of(&thread->who, name, sizeof(name));
	value[T_TASK] = wp_value_name(name);
	value[T_COMM] = wp_value_name(thread->who.comm);
	value[T_TID] = wp_value_number(thread->who.tid);
	value[T_PID] = wp_value_if(thread->who.pid != WP_SCHED_NO_PID, thread->who.pid);
	value[T_SLICES] = wp_value_number(thread->slices);
	value[T_RUN] = wp_value_number(thread->run);
	value[T_MIN] = wp_value_number(thread->min);
	value[T_AVG] = wp_value_number(thread->run / thread->slices);
	value[T_MAX] = wp_value_number(thread->max);
	value[T_DEVIATION] = wp_value_number(deviation(thread));
	value[T_MIGRATIONS] = wp_value_number(thread->migrations);
	wp_rows_put(&t->rows, value);
}

static int by_tid(const void *pa, const void *pb)
{
	const struct thread *a = pa, *b = pb;

	if (a->who.tid != b->who.tid)
		return a->who.tid < b->who.tid ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static __u64 window(const struct timehist *t)
{
	__u64 begin = wp_schedule_start(t->schedule), end = wp_schedule_now(t->schedule);

	/* There was no event of a CPU. */
	if (!begin)
		return 0;
	if (begin < t->read.from)
		begin = t->read.from;
	if (end > t->read.to)
		end = t->read.to;
	return end > begin ? end - begin : 0;
}

static void put_cpus(struct timehist *t, __u64 all)
{
	size_t i;

	wp_rows_table(&t->rows, "cpus", cpu_columns, NR_CPU_COLUMNS);
	wp_rows_titles(&t->rows);
	for (i = 0; i < t->nr && t->thread[i].who.tid <= 0; i++) {
		const struct thread *idle = &t->thread[i];
		const struct wp_value value[NR_CPU_COLUMNS] = {
			wp_value_number(idle->cpu),
			wp_value_number(idle->run),
			wp_value_if(all, all ? (__u64)(10000.0 * idle->run / all + 0.5) : 0),
		};

		if (!idle->who.tid && wp_schedread_wants_cpu(&t->read, idle->cpu))
			wp_rows_put(&t->rows, value);
	}
	wp_rows_table_end(&t->rows);
}

static void put_sums(struct timehist *t, __u64 tasks, __u64 run, __u64 all)
{
	if (t->rows.format == WP_FORMAT_JSON) {
		wp_json_number(&t->rows.json, "threads", tasks);
		wp_json_number(&t->rows.json, "switches", t->switches);
		wp_json_number(&t->rows.json, "run_ns", run);
		wp_json_number(&t->rows.json, "wall_ns", all);
	}
	if (t->rows.format != WP_FORMAT_TEXT)
		return;
	printf("\n %" PRIu64 " threads, %" PRIu64 " switches, %" PRIu64 ".%03" PRIu64
	       " ms of run time in %" PRIu64 ".%03" PRIu64 " ms\n", (uint64_t)tasks,
	       (uint64_t)t->switches, (uint64_t)run / 1000000, (uint64_t)run / 1000 % 1000,
	       (uint64_t)all / 1000000, (uint64_t)all / 1000 % 1000);
}

static void put_summary(struct timehist *t)
{
	__u64 all = window(t), tasks = 0, run = 0;
	size_t i;

	if (t->nr)
		qsort(t->thread, t->nr, sizeof(*t->thread), by_tid);
	if (t->lines && t->rows.format == WP_FORMAT_TEXT)
		putchar('\n');
	wp_rows_table(&t->rows, "summary", total_columns, NR_TOTAL_COLUMNS);
	wp_rows_titles(&t->rows);
	for (i = 0; i < t->nr; i++) {
		const struct thread *thread = &t->thread[i];

		if (!thread->slices || thread->who.tid <= 0 || t->idle ||
		    !wp_schedread_wants(&t->read, &thread->who))
			continue;
		put_total(t, thread);
		tasks++;
		run += thread->run;
	}
	wp_rows_table_end(&t->rows);
	/* CSV output is a single table. */
	if (t->rows.format == WP_FORMAT_CSV)
		return;
	if (t->rows.format == WP_FORMAT_TEXT)
		putchar('\n');
	put_cpus(t, all);
	put_sums(t, tasks, run, all);
}

static int run(struct timehist *t)
{
	int err;

	if (t->read.format == WP_FORMAT_TEXT)
		wp_screen_fit();
	wp_rows_begin(&t->rows, stdout, t->read.format);
	if (t->lines)
		begin_lines(t);
	err = wp_schedule_new(&t->schedule, on_span, t);
	if (!err)
		err = wp_schedread(&t->read, on_event, t);
	if (!err)
		err = wp_schedule_end(t->schedule, 0);
	if (err)
		return err;
	if (t->lines)
		wp_rows_table_end(&t->rows);
	if (t->summary)
		put_summary(t);
	wp_schedread_losses(&t->read, &t->rows, wp_schedule_missed(t->schedule));
	return wp_rows_end(&t->rows);
}

/**
 * cmd_sched_timehist() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "timehist"
 *
 * Return: its exit status.
 */
int cmd_sched_timehist(int argc, char **argv)
{
	struct timehist t = { .read = WP_SCHEDREAD_INIT, .lines = true };
	const struct wp_options options = {
		.command = "wallprof sched timehist",
		.usage = usage,
		.table = table,
		.perf_options = wp_perf_options_timehist,
		.set = set,
	};
	int err;

	err = wp_schedread_parse(&options, argc, argv, &t);
	if (!err && t.read.format == WP_FORMAT_CSV && t.summary && t.lines) {
		wp_err("CSV has room for one table: give -s, or neither -s nor -S");
		err = -EINVAL;
	}
	if (err) {
		wp_schedread_end(&t.read);
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	}
	err = run(&t);
	wp_schedule_free(t.schedule);
	wp_schedread_end(&t.read);
	free(t.thread);
	return err ? WP_EXIT_ERROR : 0;
}
