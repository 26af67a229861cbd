// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report --json: the overview, and all stacks, for programs. wallprof-report(1)
 * documents the members.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/common/heldlock.h"
#include "cmd/common/sections.h"
#include "cmd/report/json.h"
#include "cmd/report/overview.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/model/cause.h"

/**
 * struct writer - a report that is being written
 * @j: the JSON writer
 * @s: the recording
 */
struct writer {
	struct wp_json j;
	struct wp_samples *s;
};

static void put_string(struct wp_json *j, const char *key, char *s)
{
	if (s)
		wp_json_string(j, key, s);
	else
		wp_json_null(j, key);
	free(s);
}

static void put_file(struct wp_json *j, const struct wp_overview *o)
{
	struct stat st;
	__u64 tod;

	wp_json_string(j, "file", o->input);
	put_string(j, "host", wp_perffile_string(&o->file, WP_FEAT_HOSTNAME));
	put_string(j, "release", wp_perffile_string(&o->file, WP_FEAT_OSRELEASE));
	put_string(j, "arch", wp_perffile_string(&o->file, WP_FEAT_ARCH));
	put_string(j, "command", wp_perffile_cmdline(&o->file));
	if (!fstat(o->file.fd, &st))
		wp_json_number(j, "written_s", st.st_mtime > 0 ? st.st_mtime : 0);
	if (!o->has_ledger)
		return;
	wp_json_number(j, "start_ns", o->head.start);
	wp_json_number(j, "duration_ns", o->head.stop - o->head.start);
	if (wp_perffile_time(&o->file, o->head.start, &tod))
		wp_json_number(j, "start_of_day_ns", tod);
}

static void put_times(struct wp_json *j, __u64 run, __u64 off, __u64 runnable, __u64 unknown,
		      __u64 wall)
{
	wp_json_number(j, "run_ns", run);
	wp_json_number(j, "runnable_ns", runnable);
	wp_json_number(j, "blocked_ns", off - runnable);
	wp_json_number(j, "unknown_ns", unknown);
	wp_json_number(j, "wall_ns", wall);
}

/* The waits of a process. */
static void put_reasons(struct wp_json *j, const struct wp_overview *o, __u32 tgid)
{
	size_t nr, i;
	const struct wp_procwait *w = wp_procwaits_of(&o->waits, tgid, &nr);
	char name[48];

	wp_json_open(j, "reasons", '[');
	for (i = 0; i < nr; i++) {
		wp_json_open(j, NULL, '{');
		wp_json_string(j, "reason", wp_reason_name(w[i].reason));
		if (w[i].reason == WALLPROF_REASON_SYSCALL)
			wp_json_string(j, "syscall",
				       wp_procwait_name(&w[i], o->arch, name, sizeof(name)));
		wp_json_number(j, "count", w[i].count);
		wp_json_number(j, "blocked_ns", w[i].blocked_ns);
		wp_json_close(j, '}');
	}
	wp_json_close(j, ']');
}

static void put_ledger(struct wp_json *j, const struct wp_overview *o)
{
	const struct wp_ledger *l = &o->ledger;
	size_t i;

	if (!o->has_ledger)
		return;
	wp_json_open(j, "ledger", '{');
	wp_json_number(j, "threads", l->threads);
	wp_json_number(j, "ended", l->ended);
	wp_json_number(j, "intervals", l->nr_off);
	put_times(j, l->run_ns, l->off_ns, l->runnable_ns, l->unknown_ns, l->wall_ns);
	put_reasons(j, o, WP_OVERVIEW_ALL);
	wp_json_number(j, "lost_thread_totals", o->head.lost);
	wp_json_number(j, "lost_thread_totals_ns", o->head.lost_ns);
	wp_json_number(j, "lost_intervals", o->head.untracked);
	wp_json_number(j, "lost_intervals_ns", o->head.untracked_ns);
	wp_json_close(j, '}');
	wp_json_open(j, "processes", '[');
	for (i = 0; i < o->processes.nr; i++) {
		const struct wp_process *p = &o->processes.entry[i];

		wp_json_open(j, NULL, '{');
		wp_json_number(j, "pid", p->tgid);
		wp_json_string(j, "comm", p->comm);
		wp_json_number(j, "threads", p->threads);
		put_times(j, p->run_ns, p->off_ns, p->runnable_ns, p->unknown_ns, p->wall_ns);
		put_reasons(j, o, p->tgid);
		wp_json_close(j, '}');
	}
	wp_json_close(j, ']');
}

static void put_lost(struct wp_json *j, const struct wp_samples *s)
{
	struct wp_profile_stats stats;

	wp_profile_stats(s->profile, &stats);
	wp_json_number(j, "lost_events", stats.lost);
	wp_json_number(j, "damaged_records", stats.damaged);
	wp_json_number(j, "samples_without_stack", stats.no_stack);
}

static void put_cause(struct wp_json *j, const struct wp_profile_cause *c)
{
	if (c->state[0])
		wp_json_string(j, "state", c->state);
	if (c->reason[0])
		wp_json_string(j, "reason", c->reason);
	if (c->syscall[0])
		wp_json_string(j, "syscall", c->syscall);
	if (c->object[0])
		wp_json_string(j, "object", c->object);
	if (c->by[0])
		wp_json_string(j, "by", c->by);
	if (c->error[0])
		wp_json_string(j, c->by[0] == '-' ? "error" : "name", c->error);
}

/* The lock that a thread waited for, and who held it. */
static void put_lock(struct writer *w, const struct wp_profline *l)
{
	const struct wp_profile_cause *c = wp_profile_cause(w->s->profile, l->cause);
	const char *kind = wp_heldlock(w->s, l);

	if (!kind)
		return;
	wp_json_string(&w->j, "lock", kind);
	wp_json_number(&w->j, "owner_tid", c->owner);
	if (c->owner_comm[0])
		wp_json_string(&w->j, "owner_comm", c->owner_comm);
}

static int put_line(struct writer *w, const struct wp_profline *l, __u64 value)
{
	const struct wp_profile_thread *t = wp_profile_thread(w->s->profile, l->thread);
	size_t nr, i;
	const __u32 *functions = wp_samples_functions(w->s, l, &nr);

	if (!functions)
		return wp_no_memory("the stacks of the report");
	wp_json_open(&w->j, NULL, '{');
	wp_json_signed(&w->j, "pid", t->pid);
	wp_json_signed(&w->j, "tid", t->tid);
	wp_json_string(&w->j, "comm", t->comm);
	put_cause(&w->j, wp_profile_cause(w->s->profile, l->cause));
	put_lock(w, l);
	wp_json_number(&w->j, "value", value);
	wp_json_number(&w->j, "count", l->count);
	wp_json_open(&w->j, "stack", '[');
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = wp_profile_function(w->s->profile, functions[i]);

		wp_json_open(&w->j, NULL, '[');
		if (f->name)
			wp_json_string(&w->j, NULL, f->name);
		else
			wp_json_null(&w->j, NULL);
		wp_json_string(&w->j, NULL, f->path);
		if (f->inlined)
			wp_json_string(&w->j, NULL, "inlined");
		wp_json_close(&w->j, ']');
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	return 0;
}

static int put_section(void *ctx, const struct wp_section *section)
{
	struct wp_samples_scale scale;
	struct writer *w = ctx;
	__u64 total = 0;
	int err = 0;
	size_t i;

	for (i = 0; i < w->s->sum.nr; i++)
		total += wp_section_value(section, &w->s->sum.line[i]);
	if (!total)
		return 0;
	wp_json_open(&w->j, NULL, '{');
	wp_json_string(&w->j, "kind", wp_section_name(section));
	wp_json_string(&w->j, "title", section->title);
	wp_json_string(&w->j, "unit", section->unit);
	if (section->by)
		wp_json_string(&w->j, "by", section->by);
	wp_json_number(&w->j, "total", total);
	if (section->kind == WP_SECTION_CPU && section->event == w->s->clock &&
	    wp_samples_scale(w->s, &scale)) {
		wp_json_number(&w->j, "sampled", scale.sampled_ns);
		wp_json_number(&w->j, "not_sampled", scale.without_ns);
	}
	wp_json_open(&w->j, "stacks", '[');
	for (i = 0; i < w->s->sum.nr && !err; i++) {
		__u64 value = wp_section_value(section, &w->s->sum.line[i]);

		if (value)
			err = put_line(w, &w->s->sum.line[i], value);
	}
	wp_json_close(&w->j, ']');
	wp_json_close(&w->j, '}');
	return err;
}

/**
 * wp_report_json() - print a report as JSON
 * @f: the output; the caller checks it for write errors
 * @o: the overview
 * @s: the samples
 * @kinds: stacks of these kinds of time: WP_SECTION_...
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_report_json(FILE *f, const struct wp_overview *o, struct wp_samples *s,
		   unsigned int kinds)
{
	struct writer w = { .j = { .f = f }, .s = s };
	int err;

	wp_json_open(&w.j, NULL, '{');
	put_file(&w.j, o);
	put_lost(&w.j, s);
	put_ledger(&w.j, o);
	wp_json_open(&w.j, "sections", '[');
	err = wp_sections_each(s, kinds, put_section, &w);
	wp_json_close(&w.j, ']');
	wp_json_close(&w.j, '}');
	return err;
}
