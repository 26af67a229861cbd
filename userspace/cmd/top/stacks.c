// SPDX-License-Identifier: GPL-2.0
/*
 * The stacks of a row of wallprof top: function names, share of the interval and reason.
 * Called by top/text.c and top/draw.c.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/liveframes.h"
#include "cmd/top/top.h"
#include "lib/base/clock.h"
#include "lib/base/since.h"
#include "lib/base/text.h"
#include "lib/proc/procinfo.h"
#include "lib/symbols/livepython.h"

/* Maximum number of stacks of a row; the rest is summed. */
#define MAX_STACKS	100

static void put_name(const struct wp_livename *name, char *text, size_t size)
{
	char label[WP_LIVENAME_LABEL];

	if (!name->name)
		wp_livename_label(name, label, sizeof(label));
	wp_text_show(text, size, name->name ? name->name : label, false);
}

/* "handle app.py:42" */
static void put_function(const struct wp_livename *name, char *text, size_t size)
{
	const char *slash = strrchr(name->file, '/');
	size_t len;

	len = wp_text_show(text, size, name->name, false);
	len += snprintf(text + len, size - len, " ");
	len = len < size ? len : size - 1;
	len += wp_text_show(text + len, size - len, slash ? slash + 1 : name->file, false);
	if (name->line && len < size)
		snprintf(text + len, size - len, ":%u", name->line);
}

/* Whether a file is part of the C library, in which every wait ends. */
static bool is_libc(const char *file)
{
	static const char *const files[] = { "libc.so", "libc-", "libpthread", "ld-", "ld.so",
					     "[vdso]", "[kernel]" };
	size_t i;

	for (i = 0; file && i < sizeof(files) / sizeof(files[0]); i++) {
		if (!strncmp(file, files[i], strlen(files[i])))
			return true;
	}
	return false;
}

/**
 * wp_top_where() - the most informative function of a share
 * @top: the view
 * @key: the share's key
 * @text: set to its name, or to ""
 * @size: size of @text
 *
 * This is the innermost known function outside the C library and the kernel; if that is one of
 * Python's interpreter, the innermost one that this executes, if there is any. Where all are
 * of these, the innermost known one.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_top_where(struct wp_top *top, const struct wp_topkey *key, char *text, size_t size)
{
	struct wp_livename name, first = { 0 }, own = { 0 };
	struct wp_liveframes frames;
	bool found;
	int err;

	*text = 0;
	wp_liveframes_init(&frames, &top->live, key);
	for (;;) {
		err = wp_liveframes_next(&frames, &name, &found);
		if (err || !found)
			break;
		if (!name.file)
			continue;
		if (name.python) {
			put_function(&name, text, size);
			return 0;
		}
		if (!first.file)
			first = name;
		if (is_libc(name.file))
			continue;
		if (!own.file)
			own = name;
		/* Python's own functions and modules say less than those that call them. */
		if (!wp_livepython_is(name.file))
			break;
	}
	if (own.file && !err)
		put_name(&own, text, size);
	else if (first.file && !err)
		put_name(&first, text, size);
	else if (key->lost)
		snprintf(text, size, "(no room for the stack)");
	return err;
}

/**
 * wp_top_lines_add() - add a line
 * @l: the lines
 *
 * Return: the line, empty, WP_TOP_LINE bytes; NULL: no memory.
 */
char *wp_top_lines_add(struct wp_top_lines *l)
{
	if (l->nr == l->room) {
		size_t room = l->room ? l->room * 2 : 64;
		void *more = reallocarray(l->line, room, sizeof(*l->line));

		if (!more)
			return NULL;
		l->line = more;
		l->room = room;
	}
	*l->line[l->nr] = 0;
	return l->line[l->nr++];
}

/**
 * wp_top_lines_free() - free lines
 * @lines: the lines
 */
void wp_top_lines_free(struct wp_top_lines *lines)
{
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}

static int order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/* Equal shares of a process's threads are adjacent. */
static int by_place(const void *pa, const void *pb)
{
	const struct wp_topkey *a = &((const struct wp_topshare *)pa)->key;
	const struct wp_topkey *b = &((const struct wp_topshare *)pb)->key;
	int ret = order(a->oncpu, b->oncpu);

	ret = ret ? ret : order(a->reason, b->reason);
	ret = ret ? ret : order(a->syscall, b->syscall);
	ret = ret ? ret : order(a->compat, b->compat);
	ret = ret ? ret : order(a->state, b->state);
	ret = ret ? ret : order(a->iowait, b->iowait);
	ret = ret ? ret : order(a->lost, b->lost);
	ret = ret ? ret : order((uintptr_t)a->user, (uintptr_t)b->user);
	ret = ret ? ret : order((uintptr_t)a->kernel, (uintptr_t)b->kernel);
	/* Equal shares are ordered by thread id. */
	ret = ret ? ret : order(a->tid, b->tid);
	return ret ? ret : order(a->start_time, b->start_time);
}

static bool alike(const struct wp_topshare *a, const struct wp_topshare *b)
{
	struct wp_topshare as = *b;

	as.key.tid = a->key.tid;
	as.key.start_time = a->key.start_time;
	return !by_place(a, &as);
}

/* A share, and its number of threads. */
struct place {
	struct wp_topshare share;
	size_t threads;
};

static int by_size(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	int ret = order(wp_topshare_ns(&b->share), wp_topshare_ns(&a->share));

	return ret ? ret : by_place(&a->share, &b->share);
}

/* Merge equal shares; returns how many are left. */
static size_t sum_places(const struct wp_topshare *share, size_t nr, struct place *place)
{
	size_t i, places = 0;
	unsigned int k;

	for (i = 0; i < nr; i++) {
		if (!places || !alike(&place[places - 1].share, &share[i])) {
			place[places].share = share[i];
			place[places++].threads = 1;
			continue;
		}
		for (k = 0; k < WP_TOP_TIMES; k++)
			place[places - 1].share.ns[k] += share[i].ns[k];
		place[places - 1].share.weight += share[i].weight;
		place[places - 1].threads++;
	}
	if (places)
		qsort(place, places, sizeof(*place), by_size);
	return places;
}

static double percent(const struct wp_top *top, __u64 ns)
{
	return top->live.table.interval ? 100.0 * ns / top->live.table.interval : 0;
}

/* ": 1234 page-faults" */
static void put_weight(const struct wp_top *top, const struct wp_topshare *share, char *line,
		       size_t size)
{
	const struct wp_event *ev = &top->live.r.o.events.event[share->key.event];
	char name[64];

	*line = 0;
	if (!wp_top_has_events(top))
		return;
	wp_text_show(name, sizeof(name), ev->name, false);
	snprintf(line, size, ": %llu %s", (unsigned long long)share->weight, name);
}

/* "  98.0% blocked, 2.0% runnable: futex (S), 3 threads" */
static int put_share(struct wp_top *top, const struct place *p, bool process,
		     struct wp_top_lines *lines)
{
	const struct wp_topkey *key = &p->share.key;
	double blocked = percent(top, p->share.ns[WP_TOP_BLOCKED]);
	double runnable = percent(top, p->share.ns[WP_TOP_RUNNABLE]);
	char *line = wp_top_lines_add(lines), buf[48];
	size_t len;

	if (!line)
		return -ENOMEM;
	if (key->oncpu) {
		len = snprintf(line, WP_TOP_LINE, "%5.1f%% on-CPU",
			       percent(top, p->share.ns[WP_TOP_RUN]));
		put_weight(top, &p->share, line + len, WP_TOP_LINE - len);
		len += strlen(line + len);
	} else {
		const char *cause = wp_top_cause(key, buf, sizeof(buf));

		if (runnable < 0.05)
			len = snprintf(line, WP_TOP_LINE, "%5.1f%% blocked", blocked);
		else if (blocked < 0.05)
			len = snprintf(line, WP_TOP_LINE, "%5.1f%% runnable", runnable);
		else
			len = snprintf(line, WP_TOP_LINE, "%5.1f%% blocked, %.1f%% runnable",
				       blocked, runnable);
		len += snprintf(line + len, WP_TOP_LINE - len, ": %s (%s)%s", cause,
				wp_state_name(key->state), key->iowait ? " (iowait)" : "");
	}
	if (process)
		snprintf(line + len, WP_TOP_LINE - len, ", %zu thread%s", p->threads,
			 p->threads == 1 ? "" : "s");
	return 0;
}

/* "       handle (/srv/app.py:42)" */
static void put_call(const struct wp_livename *name, char *line, size_t size)
{
	char text[WP_TOP_LINE / 2], file[WP_TOP_LINE / 2 - 32], number[16] = "";

	wp_text_show(text, sizeof(text), name->name, false);
	wp_text_show(file, sizeof(file), name->file, false);
	if (name->line)
		snprintf(number, sizeof(number), ":%u", name->line);
	snprintf(line, size, "       %s (%s%s)", text, file, number);
}

static int put_frames(struct wp_top *top, const struct wp_topkey *key, struct wp_top_lines *lines)
{
	struct wp_liveframes frames;
	struct wp_livename name;
	unsigned int i;
	bool found;
	char *line;
	int err;

	wp_liveframes_init(&frames, &top->live, key);
	for (i = 0;; i++) {
		char text[WP_TOP_LINE - 64], file[48] = "";

		err = wp_liveframes_next(&frames, &name, &found);
		if (err || (!found && i))
			return err;
		line = wp_top_lines_add(lines);
		if (!line)
			return -ENOMEM;
		if (!found) {
			snprintf(line, WP_TOP_LINE, "       %s", key->lost ?
				 "(no room for the stack)" : "(no user stack)");
			return 0;
		}
		if (name.python && name.file) {
			put_call(&name, line, WP_TOP_LINE);
			continue;
		}
		put_name(&name, text, sizeof(text));
		if (name.name && name.file) {
			char shown[sizeof(file)];

			wp_text_show(shown, sizeof(shown), name.file, false);
			snprintf(file, sizeof(file), " (%.40s)", shown);
		}
		snprintf(line, WP_TOP_LINE, "       %s%s", text, file);
	}
}

static int put_place(struct wp_top *top, const struct place *p, bool process,
		     struct wp_top_lines *lines)
{
	int err = put_share(top, p, process, lines);

	return err ? err : put_frames(top, &p->share.key, lines);
}

/* "process 10 nginx, since 14:03:05 (2h03m): nginx: worker process" */
static int put_info(const struct wp_toprow *row, struct wp_top_lines *lines)
{
	char *line = wp_top_lines_add(lines), process[WP_TEXT_GROWS * WALLPROF_COMM_LEN];
	char clock[WP_SINCE_TEXT], age[WP_SINCE_TEXT], text[WP_TOP_LINE];
	struct wp_procinfo info;
	char *command = NULL;
	size_t len;

	if (!line)
		return -ENOMEM;
	if (row->ended || !wp_procinfo_read(row->tgid, row->tid ? row->tid : row->tgid, &info)) {
		snprintf(line, WP_TOP_LINE, "       ended");
		return 0;
	}
	wp_text_show(process, sizeof(process), info.process, false);
	if (!info.kthread)
		command = wp_procinfo_command(row->tgid);
	if (info.kthread)
		len = snprintf(line, WP_TOP_LINE, "       kernel thread");
	else if (row->tid)
		len = snprintf(line, WP_TOP_LINE, "       %s process %u %s",
			       row->tid == row->tgid ? "main thread of" : "thread of", row->tgid,
			       process);
	else
		len = snprintf(line, WP_TOP_LINE, "       process");
	len += snprintf(line + len, WP_TOP_LINE - len, ", since %s (%s)",
			wp_since_clock(info.age, wp_clock_now(), clock, sizeof(clock)),
			wp_since_age(info.age, age, sizeof(age)));
	if (command) {
		line = wp_top_lines_add(lines);
		if (line) {
			wp_text_show(text, sizeof(text), command, false);
			snprintf(line, WP_TOP_LINE, "       %.*s", WP_TOP_LINE - 8, text);
		}
	}
	free(command);
	return line ? 0 : -ENOMEM;
}

/* "thread 12 futex of process 10: stacks of 2.0 s" */
static int put_title(struct wp_top *top, const struct wp_toprow *row, struct wp_top_lines *lines)
{
	char *line = wp_top_lines_add(lines), comm[WP_TEXT_GROWS * WALLPROF_COMM_LEN];

	if (!line)
		return -ENOMEM;
	wp_text_show(comm, sizeof(comm), row->comm, false);
	if (row->tid == WP_TOP_ENDED)
		snprintf(line, WP_TOP_LINE, "%u threads of process %u %s that ended: stacks of %.1f s",
			 row->nr_threads, row->tgid, comm, top->live.table.interval / 1e9);
	else if (row->tid)
		snprintf(line, WP_TOP_LINE, "thread %u %s of process %u: stacks of %.1f s",
			 row->tid, comm, row->tgid, top->live.table.interval / 1e9);
	else
		snprintf(line, WP_TOP_LINE, "process %u %s, %u thread%s: stacks of %.1f s",
			 row->tgid, comm, row->nr_threads, row->nr_threads == 1 ? "" : "s",
			 top->live.table.interval / 1e9);
	return 0;
}

/* Run time that no sample covers. */
static int put_unsampled(struct wp_top *top, const struct wp_toprow *row, __u64 sampled,
			 struct wp_top_lines *lines)
{
	__u64 rest = row->ns[WP_TOP_RUN] > sampled ? row->ns[WP_TOP_RUN] - sampled : 0;
	char *line;

	if (percent(top, rest) < 0.05)
		return 0;
	line = wp_top_lines_add(lines);
	if (!line)
		return -ENOMEM;
	snprintf(line, WP_TOP_LINE, "%5.1f%% on-CPU, %s", percent(top, rest),
		 top->live.r.o.events.none ? "which is not sampled" : "without a sample");
	return 0;
}

/**
 * wp_top_stacks() - print the stacks of a row, the longest first
 * @top: the view
 * @row: the row
 * @lines: the text is appended: a title, and for each stack a line with the reason, and
 *	its frames
 *
 * Return: 0 or -ENOMEM.
 */
int wp_top_stacks(struct wp_top *top, const struct wp_toprow *row, struct wp_top_lines *lines)
{
	struct wp_topshare *share = malloc((row->nr + 1) * sizeof(*share));
	struct place *place = malloc((row->nr + 1) * sizeof(*place));
	int err = share && place ? put_title(top, row, lines) : -ENOMEM;
	size_t i, nr = 0, places = 0;
	__u64 sampled = 0;

	if (!err && !top->batch)
		err = put_info(row, lines);
	for (i = 0; i < row->nr && !err; i++) {
		const struct wp_topshare *s = &top->live.shares.shown[row->first + i];

		if (s->key.oncpu && s->key.event != top->options.event)
			continue;
		share[nr] = *s;
		sampled += s->ns[WP_TOP_RUN];
		if (top->options.no_idle && wp_topkey_idle(&s->key, row->comm))
			share[nr].ns[WP_TOP_BLOCKED] = 0;
		nr += wp_topshare_ns(&share[nr]) != 0;
	}
	if (!err && nr)
		qsort(share, nr, sizeof(*share), by_place);
	if (!err)
		places = sum_places(share, nr, place);
	if (!err)
		err = put_unsampled(top, row, sampled, lines);
	for (i = 0; i < places && i < MAX_STACKS && !err; i++)
		err = put_place(top, &place[i], !row->tid || row->tid == WP_TOP_ENDED, lines);
	if (places > MAX_STACKS && !err) {
		char *line = wp_top_lines_add(lines);

		if (line)
			snprintf(line, WP_TOP_LINE, "... and %zu stacks more", places - MAX_STACKS);
		else
			err = -ENOMEM;
	}
	free(share);
	free(place);
	return err;
}
