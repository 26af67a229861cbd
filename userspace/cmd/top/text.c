// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the text of wallprof top: its head, its columns and its rows, as sanitized lines;
 * and the complete text output. Called by top.c and top/draw.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "cmd/top/top.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/proc/procinfo.h"

/* Widths of columns, each but the last followed by a space. */
#define ID_WIDTH	7
#define NAME_WIDTH	15
#define RUN_WIDTH	6
#define RUNNABLE_WIDTH	9
#define BLOCKED_WIDTH	8
#define FIXED_WIDTH	(ID_WIDTH + NAME_WIDTH + RUN_WIDTH + RUNNABLE_WIDTH + BLOCKED_WIDTH + 4)
/* On a narrower terminal the last two columns are summed. */
#define WAIT_WIDTH	6
#define NARROW_WIDTH	(ID_WIDTH + RUN_WIDTH + WAIT_WIDTH + 3)
/* Narrower columns are useless. */
#define LEAST_MOSTLY	12
/* Width of the number of an event, and the least of what follows several of them. */
#define EVENT_WIDTH	11
#define LEAST_BESIDE	30
/* Width of the reason, if the function has a column of its own. */
#define REASON_WIDTH	24
#define WIDE		100
/* Minimum width for three dots as a mark of an omission. */
#define LEAST_DOTS	8

/* Width of lines without a terminal. */
#define TEXT_WIDTH	132

/* By enum wp_topcolumn. */
static const char *const wp_top_columns[WP_TOPCOLUMN_MAX] = {
	[WP_TOPCOLUMN_ID] = "PID",
	[WP_TOPCOLUMN_NAME] = "COMM",
	[WP_TOPCOLUMN_RUN] = "RUN%",
	[WP_TOPCOLUMN_RUNNABLE] = "RUNNABLE%",
	[WP_TOPCOLUMN_BLOCKED] = "BLOCKED%",
	[WP_TOPCOLUMN_WAIT] = "RUNNABLE% + BLOCKED%",
	[WP_TOPCOLUMN_EVENT] = "event",
};

/*
 * Layout of a line.
 * @name: columns of the name
 * @narrow: the runnable and the blocked column are summed
 * @events: columns of events, the selected one first
 * @mostly: columns of the reason, or of the command line; 0: none
 * @where: columns of the function; 0: it shares the column of the reason
 */
struct layout {
	size_t name;
	bool narrow;
	unsigned int events;
	size_t mostly;
	size_t where;
};

/**
 * wp_top_has_events() - whether there are columns of events
 * @top: the view
 */
bool wp_top_has_events(const struct wp_top *top)
{
	return top->live.r.o.events.nr > 1 ||
	       (top->live.r.o.events.nr && top->options.column == WP_TOPCOLUMN_EVENT);
}

static struct layout layout_of(const struct wp_top *top, size_t width)
{
	struct layout l = { .name = NAME_WIDTH };

	if (width < FIXED_WIDTH) {
		l.narrow = true;
		l.name = width > NARROW_WIDTH ? width - NARROW_WIDTH : 1;
		if (l.name > NAME_WIDTH)
			l.name = NAME_WIDTH;
		return l;
	}
	width -= FIXED_WIDTH;
	while (wp_top_has_events(top) && l.events < top->live.r.o.events.nr &&
	       width >= EVENT_WIDTH + 1 + (l.events ? LEAST_BESIDE : 0)) {
		l.events++;
		width -= EVENT_WIDTH + 1;
	}
	if (width <= LEAST_MOSTLY)
		return l;
	l.mostly = width - 1;
	if (width >= WIDE - FIXED_WIDTH && !top->command) {
		l.where = l.mostly - REASON_WIDTH - 1;
		l.mostly = REASON_WIDTH;
	}
	return l;
}

/*
 * wp_top_mark() - mark of an omission
 * @top: the view
 *
 * Return: one column where that is possible, else three.
 */
static const char *wp_top_mark(const struct wp_top *top)
{
	return top->utf8 ? "…" : "...";
}

static size_t width_of(unsigned int c)
{
	int width = wcwidth(c);

	return width < 0 ? 1 : width;
}

/* The character at @s: its size, and its columns. */
static size_t char_of(const struct wp_top *top, const char *s, size_t *wide)
{
	unsigned int c = (unsigned char)*s;
	size_t bytes = c < 0x80 ? 1 : wp_text_char(s, &c);

	*wide = bytes > 1 && top->utf8 ? width_of(c) : 1;
	return bytes;
}

static bool is_wider(const struct wp_top *top, const char *s, size_t width)
{
	size_t at = 0, bytes, wide;

	for (; *s; s += bytes) {
		bytes = char_of(top, s, &wide);
		at += wide;
		if (!bytes || at > width)
			return true;
	}
	return false;
}

/**
 * wp_top_cell() - fit a text into a number of columns
 * @top: the view
 * @line: output
 * @size: size of @line
 * @text: the text, unsanitized
 * @width: the columns; a shorter text is padded with spaces
 *
 * A text that is too long ends with wp_top_mark().
 *
 * Return: bytes written, without the terminating 0.
 */
size_t wp_top_cell(const struct wp_top *top, char *line, size_t size, const char *text,
		   size_t width)
{
	size_t len = 0, at = 0, most = width, mark, bytes, wide;
	char clean[WP_TOP_LINE];
	const char *s;

	wp_text_show(clean, sizeof(clean), text, false);
	mark = top->utf8 ? width > 1 : width >= LEAST_DOTS ? 3 : 0;
	if (mark && is_wider(top, clean, width))
		most = width - mark;
	else
		mark = 0;
	for (s = clean; *s; s += bytes) {
		bytes = char_of(top, s, &wide);
		if (!bytes || at + wide > most || len + bytes >= size)
			break;
		if (bytes > 1 && !top->utf8) {
			line[len++] = '?';
		} else {
			memcpy(&line[len], s, bytes);
			len += bytes;
		}
		at += wide;
	}
	if (mark && len + strlen(wp_top_mark(top)) < size) {
		len += snprintf(&line[len], size - len, "%s", wp_top_mark(top));
		at += mark;
	}
	for (; at < width && len + 1 < size; at++)
		line[len++] = ' ';
	line[len] = 0;
	return len;
}

/**
 * wp_top_cause() - description of a share's cause
 * @key: the share's key
 * @buf: room for it
 * @size: size of @buf; 48 is enough
 *
 * Return: the description.
 */
const char *wp_top_cause(const struct wp_topkey *key, char *buf, size_t size)
{
	struct wp_cause cause;

	if (key->oncpu)
		return "on-CPU";
	if (key->reason == WALLPROF_REASON_UNKNOWN)
		return "not known";
	if (key->reason == WALLPROF_REASON_KERNEL)
		return "kernel thread";
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
	const struct wp_toptable *t = &top->live.table;

	return t->interval ? (double)t->ns[kind] / t->interval : 0;
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
		add(line, wp_loss_name(i), top->live.lost[i] + top->live.status.lost[i].count);
	add(line, "threads without room", top->live.status.tasks_failed);
	add(line, "records of names and mappings", top->live.records_lost);
	add(line, "processes without unwind tables", top->live.status.forks_missed);
	add(line, "failures to count on a CPU", top->live.status.counters_failed);
	add(line, "CPUs without memory", top->live.status.cpus_failed);
}

/* Use the first text that fits, or else the last one. */
static void put_first(char *line, size_t width, const char *const *text, size_t nr)
{
	size_t i;

	for (i = 0; i + 1 < nr && wp_text_columns(text[i]) > width; i++)
		;
	snprintf(line, WP_TOP_LINE, "%s", text[i]);
}

/* The event of a column: the selected one, then the others, in their order. */
static unsigned int event_of(const struct wp_top *top, unsigned int column)
{
	unsigned int selected = top->options.event;

	return !column ? selected : column - 1 < selected ? column - 1 : column;
}

/* A number of 7 columns at most, per second: 1234, 12345k, 1234M. */
static void put_rate(const struct wp_top *top, char *buf, size_t size, __u64 n)
{
	static const char units[] = " kMGTPE";
	double rate = top->live.table.interval ? 1e9 * n / top->live.table.interval : 0;
	const char *unit = units;

	for (; rate >= 99999.5 && unit[1]; unit++)
		rate /= 1000;
	snprintf(buf, size, "%.*f%.1s", unit == units && rate < 99.95 && rate ? 1 : 0, rate,
		 unit == units ? "" : unit);
}

/* "Event 2 of 3: page-faults, 1234 per second; e selects the next one" */
static void put_event(const struct wp_top *top, size_t width, char *line)
{
	const struct wp_event_list *events = &top->live.r.o.events;
	unsigned int nr = top->options.event;
	char full[WP_TOP_LINE], less[WP_TOP_LINE], name[256], rate[16];

	wp_text_show(name, sizeof(name), events->event[nr].name, false);
	put_rate(top, rate, sizeof(rate), top->live.table.events[nr]);
	snprintf(full, sizeof(full), "Event %u of %u: %s, %s per second%s", nr + 1, events->nr,
		 name, rate, top->batch ? "" : "; e selects the next one");
	snprintf(less, sizeof(less), "Event %u of %u: %s", nr + 1, events->nr, name);
	put_first(line, width, (const char *const []){ full, less }, 2);
}

static void put_seen(const struct wp_top *top, size_t width, char *line)
{
	const struct wp_topoptions *o = &top->options;
	const char *column = o->threads && o->column == WP_TOPCOLUMN_ID ? "TID" :
			     o->column == WP_TOPCOLUMN_WAIT && width < FIXED_WIDTH ? "WAIT%" :
			     wp_top_columns[o->column];
	char filter[sizeof(o->filter)], name[256];
	size_t len;

	if (o->column == WP_TOPCOLUMN_EVENT && top->live.r.o.events.nr) {
		wp_text_show(name, sizeof(name), top->live.r.o.events.event[o->event].name, false);
		column = name;
	}
	len = snprintf(line, WP_TOP_LINE, "%s by %s%s%s", o->threads ? "Threads" : "Processes",
		       column, o->reverse ? " reversed" : "", top->paused ? ", PAUSED" : "");
	if (*o->filter) {
		wp_text_show(filter, sizeof(filter), o->filter, false);
		len += snprintf(line + len, WP_TOP_LINE - len, ", only '%s'", filter);
	}
	if (top->live.invisible)
		snprintf(line + len, WP_TOP_LINE - len, ", %llu threads of other pid namespaces",
			 (unsigned long long)top->live.invisible);
}

/* "68 idle kernel threads and 3 idle processes hidden, 142.0 s; i shows them" */
static void put_hidden(const struct wp_top *top, size_t width, char *line)
{
	const struct wp_toptable *t = &top->live.table;
	const char *what = top->options.threads ? "thread" : "process";
	const char *ending = t->left_out == 1 ? "" : top->options.threads ? "s" : "es";
	const char *key = top->batch ? "--idle" : "i";
	double seconds = (t->kthreads_ns + t->left_out_ns) / 1e9;
	char full[WP_TOP_LINE] = "", few[64];
	size_t len = 0;

	*line = 0;
	if (!t->kthreads && !t->left_out)
		return;
	if (t->kthreads)
		len = snprintf(full, sizeof(full), "%zu idle kernel thread%s", t->kthreads,
			       t->kthreads == 1 ? "" : "s");
	if (t->left_out)
		len += snprintf(full + len, sizeof(full) - len, "%s%zu idle %s%s",
				len ? " and " : "", t->left_out, what, ending);
	snprintf(full + len, sizeof(full) - len, " hidden, %.1f s; %s shows them", seconds, key);
	snprintf(few, sizeof(few), "%zu idle hidden; %s shows them", t->kthreads + t->left_out,
		 key);
	put_first(line, width, (const char *const []){ full, few }, 2);
}

/* Time and host, and numbers of threads. */
static void put_host(const struct wp_top *top, size_t width, char *line)
{
	char full[WP_TOP_LINE], less[WP_TOP_LINE], few[64], least[32];
	struct utsname uts = { 0 };
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm tm;

	uname(&uts);
	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(full, sizeof(full), "wallprof top %s  %s, Linux %s  every %.3g s", clock,
		 uts.nodename, uts.release, top->delay / 1e9);
	snprintf(less, sizeof(less), "wallprof top %s  %s  every %.3g s", clock, uts.nodename,
		 top->delay / 1e9);
	snprintf(few, sizeof(few), "wallprof top %s  every %.3g s", clock, top->delay / 1e9);
	snprintf(least, sizeof(least), "wallprof top %s", clock);
	wp_text_clean(full, false);
	wp_text_clean(less, false);
	put_first(line, width, (const char *const []){ full, less, few, least }, 4);
}

static void put_sums(const struct wp_top *top, size_t width, char *line)
{
	const struct wp_toptable *t = &top->live.table;
	double run = per_second(top, WP_TOP_RUN), runnable = per_second(top, WP_TOP_RUNNABLE);
	double blocked = per_second(top, WP_TOP_BLOCKED);
	char full[WP_TOP_LINE], less[64], least[64];

	snprintf(full, sizeof(full),
		 "%llu thread%s, %llu ended: %.2f run on %ld CPUs, %.2f runnable, %.2f blocked",
		 (unsigned long long)t->nr_threads, t->nr_threads == 1 ? "" : "s",
		 (unsigned long long)t->nr_ended, run, sysconf(_SC_NPROCESSORS_ONLN), runnable,
		 blocked);
	snprintf(less, sizeof(less), "%.2f run, %.2f runnable, %.1f blocked", run, runnable,
		 blocked);
	snprintf(least, sizeof(least), "%.1f run, %.1f waiting", run, runnable + blocked);
	put_first(line, width, (const char *const []){ full, less, least }, 3);
}

/**
 * wp_top_head() - the first lines
 * @top: the view
 * @width: width of a line
 * @head: set to the lines
 * @lost: set to whether something was lost
 *
 * Return: their number.
 */
unsigned int wp_top_head(const struct wp_top *top, size_t width,
			 char head[WP_TOP_HEAD][WP_TOP_LINE], bool *lost)
{
	unsigned int nr = 4;

	put_host(top, width, head[0]);
	put_sums(top, width, head[1]);
	put_losses(top, head[WP_TOP_HEAD_LOST]);
	*lost = *head[WP_TOP_HEAD_LOST];
	if (!*lost)
		snprintf(head[WP_TOP_HEAD_LOST], WP_TOP_LINE, "Lost: nothing");
	put_seen(top, width, head[3]);
	if (wp_top_has_events(top))
		put_event(top, width, head[nr++]);
	put_hidden(top, width, head[nr]);
	return *head[nr] ? nr + 1 : nr;
}

/* The name of an event on the right of its column; that of a tracepoint without its system. */
static size_t put_right(const struct wp_top *top, char *line, size_t size,
			const struct wp_event *ev)
{
	const char *colon = strchr(ev->name, ':');
	bool is_long = colon && !strncmp(ev->name, ev->tracepoint, colon + 1 - ev->name);
	size_t columns;
	char clean[256];

	wp_text_show(clean, sizeof(clean), is_long ? colon + 1 : ev->name, false);
	columns = wp_text_columns(clean);
	if (columns >= EVENT_WIDTH)
		return wp_top_cell(top, line, size, clean, EVENT_WIDTH);
	return snprintf(line, size, "%*s%s", (int)(EVENT_WIDTH - columns), "", clean);
}

/**
 * wp_top_title() - titles of the columns
 * @top: the view
 * @width: width of a line
 * @line: set to the titles
 * @size: size of @line
 */
void wp_top_title(const struct wp_top *top, size_t width, char *line, size_t size)
{
	struct layout l = layout_of(top, width);
	unsigned int i;
	size_t len;

	len = snprintf(line, size, "%*s ", ID_WIDTH, top->options.threads ? "TID" : "PID");
	len += wp_top_cell(top, line + len, size - len, "COMM", l.name);
	if (l.narrow) {
		snprintf(line + len, size - len, " %*s %*s", RUN_WIDTH, "RUN%", WAIT_WIDTH, "WAIT%");
		return;
	}
	len += snprintf(line + len, size - len, " %*s %*s %*s", RUN_WIDTH, "RUN%", RUNNABLE_WIDTH,
			"RUNNABLE%", BLOCKED_WIDTH, "BLOCKED%");
	for (i = 0; i < l.events; i++) {
		line[len++] = ' ';
		len += put_right(top, line + len, size - len,
				 &top->live.r.o.events.event[event_of(top, i)]);
	}
	if (!l.mostly)
		return;
	line[len++] = ' ';
	len += wp_top_cell(top, line + len, size - len, top->command ? "COMMAND" : "MOSTLY",
			   l.mostly);
	if (l.where)
		snprintf(line + len, size - len, " IN");
}

/* The columns that identify a row. */
static size_t put_who(const struct wp_top *top, const struct wp_toprow *row,
		      const struct layout *l, char *line, size_t size)
{
	char comm[WALLPROF_COMM_LEN + 3];
	size_t len;

	if (row->tid == WP_TOP_ENDED) {
		snprintf(comm, sizeof(comm), "x%u", row->nr_threads);
		len = snprintf(line, size, "%*s ", ID_WIDTH, comm);
	} else {
		len = snprintf(line, size, "%*u ", ID_WIDTH, row->tid ? row->tid : row->tgid);
	}
	snprintf(comm, sizeof(comm), row->ended ? "<%s>" : "%s", *row->comm ? row->comm : "?");
	return len + wp_top_cell(top, line + len, size - len, comm, l->name);
}

static size_t put_times(const struct wp_top *top, const struct wp_toprow *row,
			const struct layout *l, char *line, size_t size)
{
	const struct wp_topoptions *o = &top->options;
	char run[16], runnable[16], blocked[16], wait[16], rate[16];
	__u64 interval = top->live.table.interval;
	unsigned int i;
	size_t len;

	put_percent(run, sizeof(run), row->ns[WP_TOP_RUN], interval, RUN_WIDTH);
	put_percent(runnable, sizeof(runnable), row->ns[WP_TOP_RUNNABLE], interval,
		    RUNNABLE_WIDTH);
	put_percent(blocked, sizeof(blocked), wp_toprow_blocked(row, o), interval, BLOCKED_WIDTH);
	put_percent(wait, sizeof(wait), wp_toprow_wait(row, o), interval, WAIT_WIDTH);
	if (l->narrow)
		return snprintf(line, size, " %s %s", run, wait);
	len = snprintf(line, size, " %s %s %s", run, runnable, blocked);
	for (i = 0; i < l->events; i++) {
		put_rate(top, rate, sizeof(rate), row->events[event_of(top, i)]);
		len += snprintf(line + len, size - len, " %*s", EVENT_WIDTH, rate);
	}
	return len;
}

/* The reason for most of the time; without a column for the function, followed by that. */
static int put_mostly(struct wp_top *top, const struct wp_toprow *row, const struct layout *l,
		      char *line, size_t size)
{
	const struct wp_topkey *key = row->most == SIZE_MAX ? NULL :
				      &top->live.shares.shown[row->most].key;
	char where[WP_TOP_LINE] = "", both[WP_TOP_LINE + 64], buf[48];
	const char *what = row->most_oncpu ? "on-CPU" :
			   key ? wp_top_cause(key, buf, sizeof(buf)) : "-";
	size_t len;
	int err = 0;

	if (key)
		err = wp_top_where(top, key, where, sizeof(where));
	if (l->where) {
		len = wp_top_cell(top, line, size, what, l->mostly);
		line[len++] = ' ';
		wp_top_cell(top, line + len, size - len, where, l->where);
	} else {
		snprintf(both, sizeof(both), *where ? "%s in %s" : "%s", what, where);
		wp_top_cell(top, line, size, both, l->mostly);
	}
	return err;
}

/* An ended process's command line is unknown; kernel threads have none. */
static void put_command(const struct wp_top *top, const struct wp_toprow *row,
			const struct layout *l, char *line, size_t size)
{
	bool ended = row->ended && row->tid != WP_TOP_ENDED;
	char *command = ended ? NULL : wp_procinfo_command(row->tgid);

	wp_top_cell(top, line, size, command ? command : row->kthread ? "kernel thread" : "-",
		    l->mostly);
	free(command);
}

/**
 * wp_top_row() - line of a row
 * @top: the view
 * @row: the row
 * @width: width of a line
 * @line: set to the line
 * @size: size of @line
 *
 * Return: 0 or -ENOMEM.
 */
int wp_top_row(struct wp_top *top, const struct wp_toprow *row, size_t width, char *line,
	       size_t size)
{
	struct layout l = layout_of(top, width);
	size_t len;

	len = put_who(top, row, &l, line, size);
	len += put_times(top, row, &l, line + len, size - len);
	if (!l.mostly || len + 1 >= size)
		return 0;
	line[len++] = ' ';
	if (!top->command)
		return put_mostly(top, row, &l, line + len, size - len);
	put_command(top, row, &l, line + len, size - len);
	return 0;
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
	/* The first one identifies the row. */
	for (i = 1; i < lines.nr && !err; i++) {
		printf("        ");
		put_line(lines.line[i]);
	}
	wp_top_lines_free(&lines);
	return err;
}

/**
 * wp_top_print() - print the view as text
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

	nr = wp_top_head(top, TEXT_WIDTH, head, &lost);
	for (i = 0; i < nr; i++)
		put_line(head[i]);
	putchar('\n');
	wp_top_title(top, TEXT_WIDTH, line, sizeof(line));
	put_line(line);
	for (i = 0; i < top->live.table.nr_view && !err; i++) {
		err = wp_top_row(top, top->live.table.view[i], TEXT_WIDTH, line, sizeof(line));
		if (!err)
			put_line(line);
		if (!err && top->stacks)
			err = print_stacks(top, top->live.table.view[i]);
	}
	putchar('\n');
	if (!err)
		return wp_end_output(stdout);
	wp_err("out of memory");
	return err;
}
