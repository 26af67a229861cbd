// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched map: at each switch, the threads that run on all CPUs, as in perf sched
 * map: with short names, which are explained at their first use.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/common/perf-options.h"
#include "cmd/common/schedread.h"
#include "cmd/common/screen.h"
#include "cmd/sched/sched.h"
#include "lib/base/err.h"
#include "lib/base/idmap.h"
#include "lib/base/text.h"

#define ID_COMPACT	0x100
#define ID_CPUS		0x101

/* A letter, and a number in base 36. */
#define SHORT_NAME	10

/* CPUs beyond this are not drawn. */
#define MAX_COLUMNS	4096

struct thread {
	char comm[WP_SCHED_COMM];
	bool is_named;
};

struct cpu {
	char name[SHORT_NAME];
};

struct map {
	struct wp_schedread read;
	bool compact;
	struct wp_idmap tids;
	struct thread *thread;
	size_t thread_room;
	struct wp_idmap order;
	struct cpu *cpu;
	size_t cpu_room;
	__u32 columns;
	bool left_out;
	struct wp_rows rows;
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
	{ ID_COMPACT, "compact", NULL, "a column for each CPU that was seen,\n"
	  "as they come" },
	{ ID_CPUS, "cpus", "cpu", "these CPUs only: 0-2,5" },
	{ WP_SCHEDREAD_TIME, "time", "start,stop", "what was between these times, in seconds\n"
	  "as they are printed" },
	{ 0 }
};

static int set(void *ctx, int id, const char *arg)
{
	struct map *m = ctx;

	if (id == ID_CPUS)
		return wp_schedread_set(&m->read, 'C', arg);
	if (id != ID_COMPACT)
		return wp_schedread_set(&m->read, id, arg);
	m->compact = true;
	return 0;
}

static const struct wp_column columns[] = {
	{ "time_ns", NULL, NULL, WP_COLUMN_SEC, 0, 0 },
	{ "cpu", NULL, NULL, WP_COLUMN_CPU, 0, 0 },
	{ "name", NULL, NULL, WP_COLUMN_NAME, 0, 0 },
	{ "comm", NULL, NULL, WP_COLUMN_NAME, 0, 0 },
	{ "tid", NULL, NULL, WP_COLUMN_ID, 0, 0 },
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* A0, B0, ... Z0, A1, ... Zz, A10: all distinct. */
static void short_name(__u32 nr, char *name)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char reversed[SHORT_NAME];
	size_t len = 0, at = 0;
	__u32 rest = nr / 26;

	do {
		reversed[len++] = digits[rest % 36];
		rest /= 36;
	} while (rest);
	name[at++] = 'A' + nr % 26;
	while (len)
		name[at++] = reversed[--len];
	name[at] = 0;
}

/* Whether the name needs an explanation: it is new, or has changed. */
static int name_thread(struct map *m, const struct wp_schedthread *who, char *name, bool *show)
{
	struct thread *t;
	__u32 nr;
	int ret;

	if (who->tid < 0) {
		strcpy(name, "?");
		*show = false;
		return 0;
	}
	/* The idle thread is the first; its name is a dot. */
	ret = wp_idmap_add(&m->tids, 0, &nr);
	if (ret >= 0)
		ret = wp_idmap_add(&m->tids, who->tid, &nr);
	if (ret >= 0)
		ret = wp_schedread_room(&m->thread, &m->thread_room, nr, sizeof(*t));
	if (ret < 0)
		return ret;
	t = &m->thread[nr];
	if (nr)
		short_name(nr - 1, name);
	else
		strcpy(name, ".");
	*show = !t->is_named || (nr && strcmp(t->comm, who->comm));
	t->is_named = true;
	memcpy(t->comm, who->comm, sizeof(t->comm));
	return 0;
}

/* Number of CPUs of the set below this one. */
static __u32 rank_of(const struct wp_cpumask *mask, __u32 cpu)
{
	__u32 i, rank = 0;

	for (i = 0; i < cpu / 64; i++)
		rank += __builtin_popcountll(mask->bits[i]);
	return rank + __builtin_popcountll(mask->bits[i] & ((1ULL << cpu % 64) - 1));
}

static int column_of(struct map *m, __u32 cpu, __u32 *column)
{
	int ret;

	*column = m->read.has_cpus ? rank_of(&m->read.cpus, cpu) : cpu;
	if (m->compact) {
		ret = wp_idmap_add(&m->order, cpu, column);
		if (ret < 0)
			return ret;
	}
	if (*column >= MAX_COLUMNS)
		return 0;
	ret = wp_schedread_room(&m->cpu, &m->cpu_room, *column, sizeof(*m->cpu));
	if (!ret && *column >= m->columns)
		m->columns = *column + 1;
	return ret;
}

static void put_line(const struct map *m, const struct wp_schedevent *ev, __u32 column, bool show)
{
	uint64_t us = ev->time / 1000;
	__u32 i;

	fputs("  ", stdout);
	for (i = 0; i < m->columns; i++)
		printf("%c%-3s", i == column ? '*' : ' ', m->cpu[i].name);
	printf("%5" PRIu64 ".%06" PRIu64 " secs", us / 1000000, us % 1000000);
	if (show) {
		printf(" %s => ", m->cpu[column].name);
		wp_text_put(stdout, ev->other.tid ? ev->other.comm : "swapper");
		printf(":%d", ev->other.tid);
	}
	putchar('\n');
}

static void put_row(struct map *m, const struct wp_schedevent *ev, const char *name)
{
	const struct wp_value values[NR_COLUMNS] = {
		wp_value_number(ev->time),
		wp_value_number(ev->cpu),
		wp_value_name(name),
		wp_value_name(ev->other.tid ? ev->other.comm : "swapper"),
		wp_value_if(ev->other.tid >= 0, ev->other.tid),
	};

	wp_rows_put(&m->rows, values);
}

static bool is_wanted(const struct map *m, const struct wp_schedevent *ev)
{
	return wp_schedread_wants_cpu(&m->read, ev->cpu) && ev->time >= m->read.from &&
	       ev->time <= m->read.to;
}

static int on_event(void *ctx, const struct wp_schedevent *ev)
{
	struct map *m = ctx;
	char name[SHORT_NAME];
	__u32 column;
	bool show;
	int err;

	/* After a loss, the running thread of a CPU is unknown. */
	if ((ev->type != WP_SCHED_SWITCH && ev->type != WP_SCHED_LOST) || !is_wanted(m, ev))
		return 0;
	err = column_of(m, ev->cpu, &column);
	if (err)
		return err;
	if (column >= MAX_COLUMNS) {
		m->left_out = true;
		return 0;
	}
	if (ev->type == WP_SCHED_LOST) {
		strcpy(m->cpu[column].name, "?");
		return 0;
	}
	err = name_thread(m, &ev->other, name, &show);
	if (err)
		return err;
	memcpy(m->cpu[column].name, name, sizeof(name));
	if (m->read.format == WP_FORMAT_TEXT)
		put_line(m, ev, column, show);
	else
		put_row(m, ev, name);
	return 0;
}

static int run(struct map *m)
{
	int err;

	if (m->read.format == WP_FORMAT_TEXT)
		wp_screen_fit();
	wp_rows_begin(&m->rows, stdout, m->read.format);
	wp_rows_table(&m->rows, "switches", columns, NR_COLUMNS);
	err = wp_schedread(&m->read, on_event, m);
	if (err)
		return err;
	wp_rows_table_end(&m->rows);
	wp_schedread_losses(&m->read, &m->rows, 0);
	if (m->left_out)
		wp_warn("only %u CPUs were drawn: --cpus chooses others", MAX_COLUMNS);
	return wp_rows_end(&m->rows);
}

/**
 * cmd_sched_map() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "map"
 *
 * Return: its exit status.
 */
int cmd_sched_map(int argc, char **argv)
{
	struct map m = { .read = WP_SCHEDREAD_INIT };
	const struct wp_options options = {
		.command = "wallprof sched map",
		.usage = usage,
		.table = table,
		.perf_options = wp_perf_options_map,
		.set = set,
	};
	int err;

	err = wp_schedread_parse(&options, argc, argv, &m);
	if (err) {
		wp_schedread_end(&m.read);
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	}
	err = run(&m);
	wp_schedread_end(&m.read);
	wp_idmap_free(&m.tids);
	wp_idmap_free(&m.order);
	free(m.thread);
	free(m.cpu);
	return err ? WP_EXIT_ERROR : 0;
}
