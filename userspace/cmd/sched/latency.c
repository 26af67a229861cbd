// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched latency: for each task the times in which it ran, was runnable and was
 * blocked, as in perf sched latency.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/options.h"
#include "cmd/common/perf-options.h"
#include "cmd/common/schedread.h"
#include "cmd/common/screen.h"
#include "cmd/sched/sched.h"
#include "lib/base/err.h"
#include "lib/profile/schedule.h"

#define MAX_KEYS	8

/*
 * struct task - a thread, or all threads with a name
 * @who: its name and ids
 * @threads: number of threads; 0: unused
 * @switches: number of times that it got a CPU
 * @delays: of them, those with a known runnable time before
 * @early: of these, those with a wakeup on its way off its CPU before
 * @blocked: number of times that it was blocked, up to a wakeup
 */
struct task {
	struct wp_schedthread who;
	__u64 threads;
	__u64 run;
	__u64 switches;
	__u64 delays;
	__u64 early;
	__u64 delay;
	__u64 max;
	__u64 max_begin;
	__u64 max_end;
	__u64 blocked;
	__u64 blocked_ns;
	__u64 blocked_max;
};

typedef __u64 (*key_fn)(const struct task *task);

struct latency {
	struct wp_schedread read;
	key_fn key[MAX_KEYS];
	unsigned int nr_keys;
	bool pids;
	struct wp_schedule *schedule;
	struct task *task;
	size_t nr;
	size_t room;
};

static __u64 avg_of(const struct task *task)
{
	return task->delays ? task->delay / task->delays : 0;
}

static __u64 max_of(const struct task *task)
{
	return task->max;
}

static __u64 switches_of(const struct task *task)
{
	return task->switches;
}

static __u64 run_of(const struct task *task)
{
	return task->run;
}

static __u64 blocked_of(const struct task *task)
{
	return task->blocked_ns;
}

static const struct key {
	const char *name;
	key_fn fn;
} keys[] = {
	{ "avg", avg_of },
	{ "max", max_of },
	{ "switch", switches_of },
	{ "runtime", run_of },
	{ "blocked", blocked_of },
};

#define NR_KEYS	(sizeof(keys) / sizeof(keys[0]))

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ WP_SCHEDREAD_JSON, "json", NULL, "print JSON" },
	{ WP_SCHEDREAD_CSV, "csv", NULL, "print CSV" },
	{ 'v', "verbose", NULL, "print more" },
	{ 's', "sort", "key[,key...]", "sort by avg, max, switch, runtime or blocked\n"
	  "(default avg,max,switch,runtime)" },
	{ 'p', "pids", NULL, "a line for each thread, not for each name" },
	{ 'C', "CPU", "cpu", "on these CPUs only: 0-2,5" },
	{ 0 }
};

static key_fn find_key(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR_KEYS; i++) {
		if (strlen(keys[i].name) == len && !strncmp(keys[i].name, name, len))
			return keys[i].fn;
	}
	return NULL;
}

static int set_sort(struct latency *l, const char *arg)
{
	l->nr_keys = 0;
	for (;;) {
		size_t len = strcspn(arg, ",");
		key_fn fn = find_key(arg, len);

		if (!fn || l->nr_keys == MAX_KEYS) {
			wp_err("--sort: unknown key '%.*s'; known are avg, max, switch, runtime and blocked",
			       (int)len, arg);
			return -EINVAL;
		}
		l->key[l->nr_keys++] = fn;
		if (!arg[len])
			return 0;
		arg += len + 1;
	}
}

static int set(void *ctx, int id, const char *arg)
{
	struct latency *l = ctx;

	if (id == 's')
		return set_sort(l, arg);
	if (id != 'p')
		return wp_schedread_set(&l->read, id, arg);
	l->pids = true;
	return 0;
}

static void add_delay(struct task *task, const struct wp_span *span)
{
	__u64 ns = span->end - span->begin;

	if (span->cut_begin || span->cut_end)
		return;
	task->delays++;
	task->early += span->early;
	task->delay += ns;
	if (ns <= task->max)
		return;
	task->max = ns;
	task->max_begin = span->begin;
	task->max_end = span->end;
}

static int on_span(void *ctx, const struct wp_span *span)
{
	struct latency *l = ctx;
	__u64 ns = span->end - span->begin;
	struct task *task;
	int err;

	if (!span->who.tid || !wp_schedread_wants_cpu(&l->read, span->cpu))
		return 0;
	err = wp_schedread_room(&l->task, &l->room, span->serial, sizeof(*task));
	if (err)
		return err;
	if (span->serial >= l->nr)
		l->nr = span->serial + 1;
	task = &l->task[span->serial];
	task->who = span->who;
	task->threads = 1;
	switch (span->kind) {
	case WP_SPAN_RUNNING:
		task->run += ns;
		task->switches += !span->cut_begin;
		break;
	case WP_SPAN_RUNNABLE:
		add_delay(task, span);
		break;
	case WP_SPAN_BLOCKED:
		task->blocked_ns += ns;
		task->blocked += span->woken;
		if (ns > task->blocked_max)
			task->blocked_max = ns;
		break;
	}
	return 0;
}

static int on_event(void *ctx, const struct wp_schedevent *ev)
{
	struct latency *l = ctx;

	return wp_schedule_event(l->schedule, ev);
}

static int by_name(const void *pa, const void *pb)
{
	const struct task *a = pa, *b = pb;
	int order = strcmp(a->who.comm, b->who.comm);

	return order ? order : (a->who.tid > b->who.tid) - (a->who.tid < b->who.tid);
}

static int by_keys(const void *pa, const void *pb, void *ctx)
{
	const struct latency *l = ctx;
	unsigned int i;

	for (i = 0; i < l->nr_keys; i++) {
		__u64 a = l->key[i](pa), b = l->key[i](pb);

		if (a != b)
			return a > b ? -1 : 1;
	}
	return by_name(pa, pb);
}

static void add_task(struct task *to, const struct task *from)
{
	to->threads += from->threads;
	to->run += from->run;
	to->switches += from->switches;
	to->delays += from->delays;
	to->early += from->early;
	to->delay += from->delay;
	to->blocked += from->blocked;
	to->blocked_ns += from->blocked_ns;
	if (from->blocked_max > to->blocked_max)
		to->blocked_max = from->blocked_max;
	if (from->max <= to->max)
		return;
	to->max = from->max;
	to->max_begin = from->max_begin;
	to->max_end = from->max_end;
}

/* Drop unused tasks, and merge tasks with the same name if requested. */
static void merge(struct latency *l)
{
	size_t i, nr = 0;

	for (i = 0; i < l->nr; i++) {
		if (l->task[i].threads)
			l->task[nr++] = l->task[i];
	}
	l->nr = nr;
	if (!nr)
		return;
	qsort(l->task, nr, sizeof(*l->task), by_name);
	for (i = 1, nr = 1; i < l->nr && !l->pids; i++) {
		if (strcmp(l->task[nr - 1].who.comm, l->task[i].who.comm))
			l->task[nr++] = l->task[i];
		else
			add_task(&l->task[nr - 1], &l->task[i]);
	}
	if (!l->pids)
		l->nr = nr;
	qsort_r(l->task, l->nr, sizeof(*l->task), by_keys, l);
}

static const struct wp_column columns[] = {
	{ NULL, "Task", NULL, WP_COLUMN_NAME, -22, WP_COLUMN_NOT_DATA },
	{ "comm", NULL, NULL, WP_COLUMN_NAME, 0, WP_COLUMN_NOT_TEXT },
	{ "tid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	{ "pid", NULL, NULL, WP_COLUMN_ID, 0, WP_COLUMN_NOT_TEXT },
	{ "threads", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	{ "run_ns", "Runtime", "ms", WP_COLUMN_MSEC, 12, 0 },
	{ "switches", "Switches", NULL, WP_COLUMN_COUNT, 9, 0 },
	{ "delays_unknown", "Unknown", NULL, WP_COLUMN_COUNT, 8, 0 },
	{ "woken_early", NULL, NULL, WP_COLUMN_COUNT, 0, WP_COLUMN_NOT_TEXT },
	{ "delay_ns", NULL, NULL, WP_COLUMN_MSEC, 0, WP_COLUMN_NOT_TEXT },
	{ "delay_avg_ns", "Avg delay", "ms", WP_COLUMN_MSEC, 10, 0 },
	{ "delay_max_ns", "Max delay", "ms", WP_COLUMN_MSEC, 10, 0 },
	{ "delay_max_begin_ns", "Max delay start", "s", WP_COLUMN_SEC, 16, 0 },
	{ "delay_max_end_ns", "Max delay end", "s", WP_COLUMN_SEC, 16, 0 },
	{ "blocked", "Blocks", NULL, WP_COLUMN_COUNT, 8, 0 },
	{ "blocked_ns", "Blocked", "ms", WP_COLUMN_MSEC, 12, 0 },
	{ "blocked_max_ns", "Max blocked", "ms", WP_COLUMN_MSEC, 12, 0 },
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static void put_task(struct wp_rows *rows, const struct task *task, const char *name)
{
	bool one = task->threads == 1, known = task->delays;
	const struct wp_value values[NR_COLUMNS] = {
		wp_value_name(name),
		wp_value_name(task->who.comm),
		wp_value_if(one, task->who.tid),
		wp_value_if(one && task->who.pid != WP_SCHED_NO_PID, task->who.pid),
		wp_value_number(task->threads),
		wp_value_number(task->run),
		wp_value_number(task->switches),
		wp_value_number(task->switches - task->delays),
		wp_value_number(task->early),
		wp_value_number(task->delay),
		wp_value_if(known, avg_of(task)),
		wp_value_if(known, task->max),
		wp_value_if(known && task->max, task->max_begin),
		wp_value_if(known && task->max, task->max_end),
		wp_value_number(task->blocked),
		wp_value_number(task->blocked_ns),
		wp_value_number(task->blocked_max),
	};

	wp_rows_put(rows, values);
}

static void name_of(const struct task *task, char *name, size_t size)
{
	if (task->threads == 1)
		snprintf(name, size, "%s:%d", task->who.comm, task->who.tid);
	else
		snprintf(name, size, "%s:(%" PRIu64 ")", task->who.comm, (uint64_t)task->threads);
}

/*
 * The columns to print: on a terminal that is too narrow for all, not the times of the
 * longest delay, so that those of blocked time are not cut.
 */
static void choose_columns(const struct latency *l, struct wp_column *chosen)
{
	size_t i, width = 0;

	memcpy(chosen, columns, sizeof(columns));
	if (l->read.format != WP_FORMAT_TEXT || !isatty(STDOUT_FILENO))
		return;
	wp_screen_fit();
	for (i = 0; i < NR_COLUMNS; i++)
		width += columns[i].off & WP_COLUMN_NOT_TEXT ? 0 : abs(columns[i].width) + 1;
	for (i = 0; i < NR_COLUMNS && width > wp_screen_width(); i++) {
		if (columns[i].kind == WP_COLUMN_SEC)
			chosen[i].off |= WP_COLUMN_NOT_TEXT;
	}
}

static int print(struct latency *l)
{
	struct wp_column chosen[NR_COLUMNS];
	struct task total = {};
	struct wp_rows rows;
	char name[64];
	size_t i;

	choose_columns(l, chosen);
	wp_rows_begin(&rows, stdout, l->read.format);
	wp_rows_table(&rows, "tasks", chosen, NR_COLUMNS);
	wp_rows_titles(&rows);
	for (i = 0; i < l->nr; i++) {
		name_of(&l->task[i], name, sizeof(name));
		put_task(&rows, &l->task[i], name);
		add_task(&total, &l->task[i]);
	}
	if (l->read.format == WP_FORMAT_TEXT)
		put_task(&rows, &total, "TOTAL");
	wp_rows_table_end(&rows);
	wp_schedread_losses(&l->read, &rows, wp_schedule_missed(l->schedule));
	return wp_rows_end(&rows);
}

/**
 * cmd_sched_latency() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "latency"
 *
 * Return: its exit status.
 */
int cmd_sched_latency(int argc, char **argv)
{
	struct latency l = { .read = WP_SCHEDREAD_INIT };
	const struct wp_options options = {
		.command = "wallprof sched latency",
		.usage = usage,
		.table = table,
		.perf_options = wp_perf_options_latency,
		.set = set,
	};
	int err;

	set_sort(&l, "avg,max,switch,runtime");
	err = wp_schedread_parse(&options, argc, argv, &l);
	if (err) {
		wp_schedread_end(&l.read);
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	}
	err = wp_schedule_new(&l.schedule, on_span, &l);
	if (!err)
		err = wp_schedread(&l.read, on_event, &l);
	if (!err)
		err = wp_schedule_end(l.schedule, 0);
	if (!err) {
		merge(&l);
		err = print(&l);
	}
	wp_schedule_free(l.schedule);
	wp_schedread_end(&l.read);
	free(l.task);
	return err ? WP_EXIT_ERROR : 0;
}
