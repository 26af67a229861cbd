// SPDX-License-Identifier: GPL-2.0
/*
 * The words of wallprof top: its head, its columns and its rows, as lines that are
 * harmless to a terminal; and all of it as text. Called by top.c and top-screen.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "cmd/top.h"
#include "lib/err.h"
#include "lib/text.h"

/* Columns of a line, each but the last with a space behind it. */
#define ID_WIDTH	7
#define NAME_WIDTH	15
#define RUN_WIDTH	6
#define RUNNABLE_WIDTH	9
#define BLOCKED_WIDTH	8
#define FIXED_WIDTH	(ID_WIDTH + NAME_WIDTH + RUN_WIDTH + RUNNABLE_WIDTH + BLOCKED_WIDTH + 4)
/* Without these, a terminal is narrow. */
#define LEAST_REASON	10
#define MOST_REASON	24
#define NARROW_WIDTH	6

/* Where lines of text end that no terminal does. */
#define TEXT_WIDTH	132

/* By enum wp_topcolumn. */
const char *const wp_top_columns[WP_TOPCOLUMN_MAX] = {
	[WP_TOPCOLUMN_ID] = "PID",
	[WP_TOPCOLUMN_NAME] = "COMM",
	[WP_TOPCOLUMN_RUN] = "RUN%",
	[WP_TOPCOLUMN_RUNNABLE] = "RUNNABLE%",
	[WP_TOPCOLUMN_BLOCKED] = "BLOCKED%",
};

/* How a line is divided. */
struct layout {
	size_t name;
	size_t run;
	size_t runnable;
	size_t blocked;
	size_t reason;
	size_t where;
};

static struct layout layout_of(size_t width)
{
	struct layout l = { NAME_WIDTH, RUN_WIDTH, RUNNABLE_WIDTH, BLOCKED_WIDTH, 0, 0 };
	size_t rest;

	if (width < FIXED_WIDTH) {
		l.runnable = NARROW_WIDTH;
		l.blocked = NARROW_WIDTH;
		rest = ID_WIDTH + 4 + 3 * NARROW_WIDTH;
		l.name = width > rest ? width - rest : 1;
		if (l.name > NAME_WIDTH)
			l.name = NAME_WIDTH;
		return l;
	}
	rest = width - FIXED_WIDTH;
	if (rest <= LEAST_REASON)
		return l;
	l.reason = (rest - 2) / 2;
	if (l.reason < LEAST_REASON)
		l.reason = rest - 1;
	if (l.reason > MOST_REASON)
		l.reason = MOST_REASON;
	if (rest > l.reason + 2)
		l.where = rest - l.reason - 2;
	return l;
}

static size_t width_of(unsigned int c)
{
	int width = wcwidth(c);

	return width < 0 ? 1 : width;
}

/**
 * wp_top_cell() - put a text into so many columns
 * @top: the view
 * @line: where to
 * @size: bytes there
 * @text: the text, of whomever
 * @width: the columns; what the text does not fill is spaces
 *
 * Return: bytes put there, less the 0 behind them.
 */
size_t wp_top_cell(const struct wp_top *top, char *line, size_t size, const char *text,
		   size_t width)
{
	char clean[WP_TOP_LINE];
	const char *s = clean;
	size_t len = 0, at = 0;

	wp_text_show(clean, sizeof(clean), text, false);
	while (*s) {
		unsigned int c = (unsigned char)*s;
		size_t bytes = c < 0x80 ? 1 : wp_text_char(s, &c), wide;

		wide = bytes > 1 && top->utf8 ? width_of(c) : 1;
		if (!bytes || at + wide > width || len + bytes >= size)
			break;
		if (bytes > 1 && !top->utf8) {
			line[len++] = '?';
		} else {
			memcpy(&line[len], s, bytes);
			len += bytes;
		}
		at += wide;
		s += bytes;
	}
	for (; at < width && len + 1 < size; at++)
		line[len++] = ' ';
	line[len] = 0;
	return len;
}

/**
 * wp_top_cause() - what a share is of, in a word or some
 * @key: the share's
 * @buf: room for it
 * @size: bytes; 48 hold any
 *
 * Return: the words.
 */
const char *wp_top_cause(const struct wp_topkey *key, char *buf, size_t size)
{
	struct wp_cause cause;

	if (key->oncpu)
		return "on-CPU";
	if (key->reason == WALLPROF_REASON_UNKNOWN)
		return "not known";
	wp_topkey_cause(key, &cause);
	return wp_cause_name(&cause, buf, size);
}

/* As 9.9, 99.9, 12345. */
static void put_percent(char *buf, size_t size, __u64 ns, __u64 interval, size_t width)
{
	double percent = interval ? 100.0 * ns / interval : 0;

	snprintf(buf, size, "%*.*f", (int)width, percent < 999.95 ? 1 : 0, percent);
}

static double per_second(const struct wp_top *top, enum wp_toptime kind)
{
	return top->table.interval ? (double)top->table.ns[kind] / top->table.interval : 0;
}

static void add(char *line, const char *words, __u64 n)
{
	size_t len = strlen(line);

	if (n)
		snprintf(line + len, WP_TOP_LINE - len, "%s %llu %s", len ? "," : "LOST:",
			 (unsigned long long)n, words);
}

static void put_losses(const struct wp_top *top, char *line)
{
	unsigned int i;

	*line = 0;
	for (i = 0; i < WALLPROF_LOSS_MAX; i++)
		add(line, wp_loss_name(i), top->lost[i] + top->status.lost[i].count);
	add(line, "threads without room", top->status.tasks_failed);
	add(line, "records of names and mappings", top->records_lost);
	add(line, "processes without unwind tables", top->status.forks_missed);
	add(line, "failures to count on a CPU", top->status.counters_failed);
	add(line, "CPUs without memory", top->status.cpus_failed);
}

static void put_seen(const struct wp_top *top, char *line)
{
	const struct wp_topoptions *o = &top->options;
	char filter[sizeof(o->filter)];
	size_t len;

	len = snprintf(line, WP_TOP_LINE, "%s by %s%s%s", o->threads ? "Threads" : "Processes",
		       o->threads && o->column == WP_TOPCOLUMN_ID ? "TID" :
		       wp_top_columns[o->column], o->reverse ? " reversed" : "",
		       top->paused ? ", PAUSED" : "");
	if (*o->filter) {
		wp_text_show(filter, sizeof(filter), o->filter, false);
		len += snprintf(line + len, WP_TOP_LINE - len, ", only '%s'", filter);
	}
	if (top->invisible)
		snprintf(line + len, WP_TOP_LINE - len, ", %llu threads of other pid namespaces",
			 (unsigned long long)top->invisible);
}

/* "68 idle kernel threads and 3 idle processes hidden, 142.0 s; i shows them" */
static void put_hidden(const struct wp_top *top, char *line)
{
	const struct wp_toptable *t = &top->table;
	const char *what = top->options.threads ? "thread" : "process";
	const char *ending = t->left_out == 1 ? "" : top->options.threads ? "s" : "es";
	size_t len = 0;

	*line = 0;
	if (!t->kthreads && !t->left_out)
		return;
	if (t->kthreads)
		len = snprintf(line, WP_TOP_LINE, "%zu idle kernel thread%s", t->kthreads,
			       t->kthreads == 1 ? "" : "s");
	if (t->left_out)
		len += snprintf(line + len, WP_TOP_LINE - len, "%s%zu idle %s%s",
				len ? " and " : "", t->left_out, what, ending);
	snprintf(line + len, WP_TOP_LINE - len, " hidden, %.1f s; %s shows them",
		 (t->kthreads_ns + t->left_out_ns) / 1e9, top->batch ? "--idle" : "i");
}

/**
 * wp_top_head() - the first lines
 * @top: the view
 * @head: set to them
 * @lost: set to whether something was lost
 *
 * Return: how many there are.
 */
unsigned int wp_top_head(const struct wp_top *top, char head[WP_TOP_HEAD][WP_TOP_LINE],
			 bool *lost)
{
	struct utsname uts = { 0 };
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm tm;

	uname(&uts);
	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(head[0], WP_TOP_LINE, "wallprof top %s  %s, Linux %s  every %.3g s", clock,
		 uts.nodename, uts.release, top->delay / 1e9);
	wp_text_clean(head[0], false);
	snprintf(head[1], WP_TOP_LINE,
		 "%llu thread%s, %llu ended: %.2f run on %ld CPUs, %.2f runnable, %.2f blocked",
		 (unsigned long long)top->table.nr_threads, top->table.nr_threads == 1 ? "" : "s",
		 (unsigned long long)top->table.nr_ended, per_second(top, WP_TOP_RUN),
		 sysconf(_SC_NPROCESSORS_ONLN), per_second(top, WP_TOP_RUNNABLE),
		 per_second(top, WP_TOP_BLOCKED));
	put_losses(top, head[WP_TOP_HEAD_LOST]);
	*lost = *head[WP_TOP_HEAD_LOST];
	if (!*lost)
		snprintf(head[WP_TOP_HEAD_LOST], WP_TOP_LINE, "Lost: nothing");
	put_seen(top, head[3]);
	put_hidden(top, head[4]);
	return *head[4] ? WP_TOP_HEAD : WP_TOP_HEAD - 1;
}

/**
 * wp_top_title() - the names of the columns
 * @top: the view
 * @width: of a line
 * @line: set to them
 * @size: bytes there
 */
void wp_top_title(const struct wp_top *top, size_t width, char *line, size_t size)
{
	struct layout l = layout_of(width);
	size_t len;

	len = snprintf(line, size, "%*s ", ID_WIDTH, top->options.threads ? "TID" : "PID");
	len += wp_top_cell(top, line + len, size - len, "COMM", l.name);
	len += snprintf(line + len, size - len, " %*s %*.*s %*.*s", (int)l.run, "RUN%",
			(int)l.runnable, (int)l.runnable, "RUNNABLE%", (int)l.blocked,
			(int)l.blocked, "BLOCKED%");
	if (!l.reason)
		return;
	line[len++] = ' ';
	len += wp_top_cell(top, line + len, size - len, "MOSTLY", l.reason);
	if (l.where)
		snprintf(line + len, size - len, " IN");
}

/**
 * wp_top_row() - a line for a row
 * @top: the view
 * @row: the row
 * @width: of a line
 * @line: set to it
 * @size: bytes there
 *
 * Return: 0 or -ENOMEM.
 */
int wp_top_row(struct wp_top *top, const struct wp_toprow *row, size_t width, char *line,
	       size_t size)
{
	char comm[WALLPROF_COMM_LEN + 3], run[16], runnable[16], blocked[16], buf[48];
	const struct wp_topkey *key = row->most == SIZE_MAX ? NULL :
				      &top->shares.shown[row->most].key;
	struct layout l = layout_of(width);
	__u64 interval = top->table.interval;
	char where[WP_TOP_LINE] = "";
	size_t len;
	int err;

	snprintf(comm, sizeof(comm), row->ended ? "<%s>" : "%s", *row->comm ? row->comm : "?");
	len = snprintf(line, size, "%*u ", ID_WIDTH, row->tid ? row->tid : row->tgid);
	len += wp_top_cell(top, line + len, size - len, comm, l.name);
	put_percent(run, sizeof(run), row->ns[WP_TOP_RUN], interval, l.run);
	put_percent(runnable, sizeof(runnable), row->ns[WP_TOP_RUNNABLE], interval, l.runnable);
	put_percent(blocked, sizeof(blocked), wp_toprow_blocked(row, &top->options), interval,
		    l.blocked);
	len += snprintf(line + len, size - len, " %s %s %s", run, runnable, blocked);
	if (!l.reason || len + 1 >= size)
		return 0;
	line[len++] = ' ';
	len += wp_top_cell(top, line + len, size - len, row->most_oncpu ? "on-CPU" :
			   key ? wp_top_cause(key, buf, sizeof(buf)) : "-", l.reason);
	if (!l.where || !key || len + 1 >= size)
		return 0;
	err = wp_top_where(top, key, where, sizeof(where));
	line[len++] = ' ';
	wp_top_cell(top, line + len, size - len, where, l.where);
	return err;
}

static void put_line(char *line)
{
	size_t len = strlen(line);

	while (len && line[len - 1] == ' ')
		line[--len] = 0;
	puts(line);
}

static int print_stacks(struct wp_top *top, const struct wp_toprow *row)
{
	struct wp_top_lines lines = { 0 };
	size_t i;
	int err;

	err = wp_top_stacks(top, row, &lines);
	/* The first one names the row. */
	for (i = 1; i < lines.nr && !err; i++) {
		printf("        ");
		put_line(lines.line[i]);
	}
	wp_top_lines_free(&lines);
	return err;
}

/**
 * wp_top_print() - print what is to be seen, as text
 * @top: the view
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_top_print(struct wp_top *top)
{
	char head[WP_TOP_HEAD][WP_TOP_LINE], line[WP_TOP_LINE];
	unsigned int nr;
	int err = 0;
	bool lost;
	size_t i;

	nr = wp_top_head(top, head, &lost);
	for (i = 0; i < nr; i++)
		put_line(head[i]);
	putchar('\n');
	wp_top_title(top, TEXT_WIDTH, line, sizeof(line));
	put_line(line);
	for (i = 0; i < top->table.nr_view && !err; i++) {
		err = wp_top_row(top, top->table.view[i], TEXT_WIDTH, line, sizeof(line));
		if (!err)
			put_line(line);
		if (!err && top->stacks)
			err = print_stacks(top, top->table.view[i]);
	}
	putchar('\n');
	if (!err)
		return wp_end_output(stdout);
	wp_err("out of memory");
	return err;
}
