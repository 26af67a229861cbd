// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: for a recording with a timeline, the threads that ran on a CPU while
 * others were runnable there. Called by report.c, which has read the samples.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/schedread.h"
#include "cmd/common/screen.h"
#include "cmd/report/rows.h"
#include "cmd/report/starved.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/model/waitrows.h"
#include "lib/profile/starved.h"

#define STARVED_ROWS	5

/**
 * struct starving - state of the reading
 * @o: selection of threads
 * @rows: running threads, by the threads that waited
 * @starved: the times
 */
struct starving {
	const struct wp_samples_options *o;
	struct wp_waitrows rows;
	struct wp_starved *starved;
};

/**
 * wp_report_has_timeline() - whether a recording has every switch
 * @samples: the recording
 *
 * Return: true if it does.
 */
bool wp_report_has_timeline(const struct wp_samples *samples)
{
	const struct wp_perfevents *events = wp_profile_events(samples->profile);
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		/* One that was counted has no tracepoint's fields. */
		if (events->event[i].tracepoint &&
		    !strcmp(events->event[i].name, "sched:sched_switch"))
			return true;
	}
	return false;
}

static int add_time(void *ctx, const struct wp_starved_time *t)
{
	char who[WP_REPORT_NAME], name[WP_REPORT_NAME], runner[WP_REPORT_NAME];
	struct starving *s = ctx;
	struct wp_waititem item = {
		.what = runner, .where = "", .apart = name, .comm = who, .pid = t->who.pid,
		.tid = t->who.tid, .value = t->ns, .longest = t->ns,
	};

	if (!wp_samples_of(s->o, t->who.pid, t->who.tid, t->who.comm) || t->time < s->o->from ||
	    t->time > s->o->to)
		return 0;
	wp_report_name(who, t->who.comm);
	wp_report_group(name, who);
	wp_report_name(runner, t->runner.comm);
	wp_report_group(runner, runner);
	if (!t->runner.tid)
		strcpy(runner, "(idle: it was waking up)");
	else if (t->runner.tid < 0)
		strcpy(runner, "(not recorded)");
	return wp_waitrows_add(&s->rows, &item);
}

static int add_event(void *ctx, const struct wp_schedevent *ev)
{
	struct starving *s = ctx;

	return wp_starved_event(s->starved, ev);
}

static void print(const struct starving *s)
{
	const struct wp_report_titles titles = {
		.figure = "time s", .longest = "longest", .what = "ran meanwhile",
		.by = "waited for its CPU",
	};

	putchar('\n');
	wp_screen_line("# Starved: %.3f s runnable, and what ran on that CPU meanwhile",
		       (double)s->rows.total / 1e9);
	wp_report_rows(&s->rows, &titles, STARVED_ROWS, true);
}

/**
 * wp_report_starved() - print the table
 * @samples: the recording, which has a timeline
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_report_starved(const struct wp_samples *samples)
{
	struct starving s = { .o = samples->o };
	struct wp_schedread read = WP_SCHEDREAD_INIT;
	int err;

	read.input = samples->o->input;
	err = wp_starved_new(&s.starved, add_time, &s);
	if (!err)
		err = wp_schedread(&read, add_event, &s);
	if (!err)
		err = wp_starved_end(s.starved, 0);
	if (err == -ENOMEM)
		wp_err("no memory for the threads that ran meanwhile");
	wp_waitrows_sort(&s.rows);
	if (!err && s.rows.total)
		print(&s);
	wp_starved_free(s.starved);
	wp_waitrows_free(&s.rows);
	wp_schedread_end(&read);
	return err;
}
