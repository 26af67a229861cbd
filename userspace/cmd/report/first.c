// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: the first tables: what threads were off their CPUs for, largest first,
 * and below it where they ran. Called by report.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/heldlock.h"
#include "cmd/common/screen.h"
#include "cmd/common/sections.h"
#include "cmd/report/first.h"
#include "cmd/report/rows.h"
#include "cmd/report/starved.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/text.h"
#include "lib/interp/pystack.h"
#include "lib/model/cause.h"
#include "lib/model/hostwide.h"
#include "lib/model/ledgerfile.h"
#include "lib/model/syscalls.h"
#include "lib/model/waitobject.h"
#include "lib/model/waitrows.h"
#include "lib/profile/waitwhere.h"
#include "lib/record/interprows.h"

#define OFF_ROWS	10
#define CPU_ROWS	5
#define LOCK_ROWS	5
#define EVENTS		4	/* of other kinds than on-CPU time */
#define EMPTY_EVENTS	3	/* of these, named though they have no samples */

/**
 * struct longest - longest times of a thread, from the ledger
 * @blocked: the longest blocked time
 * @runnable: the longest runnable time
 */
struct longest {
	__u64 blocked;
	__u64 runnable;
};

/**
 * struct first - the first screen
 * @o: the options
 * @hide: leave out idle time
 * @rows: rows of the current table
 * @locks: time that threads waited for locks whose owner is known
 * @futex_ns: time that threads waited in futex(2)
 * @kthreads_ns: left out: kernel threads
 * @loops_ns: left out: event loops
 * @own_ns: left out: wallprof itself
 * @blocked_ns: in the table
 * @runnable_ns: in the table
 * @least: events of other kinds that occurred less often are left out
 * @more_events: how many of them
 * @more_count: how often they occurred
 * @interpreter: a stack has the function of CPython that executes others
 * @python: a stack has functions of Python
 * @empty: how many events have no samples
 * @empty_names: the names of the first ones
 * @causes: samples have causes
 * @timeline: there is a timeline
 * @ids: struct thread_id of threads in the ledger
 * @longest: by their numbers, less 1
 * @room: allocated entries of @longest
 * @stack: functions of a line, the innermost first
 * @stack_room: allocated entries of @stack
 */
struct first {
	const struct wp_report_first *o;
	bool hide;
	struct wp_waitrows rows;
	struct wp_waitrows locks;
	__u64 futex_ns;
	__u64 kthreads_ns;
	__u64 loops_ns;
	__u64 own_ns;
	__u64 blocked_ns;
	__u64 runnable_ns;
	__u64 least;
	unsigned int more_events;
	__u64 more_count;
	bool interpreter;
	bool python;
	unsigned int empty;
	char empty_names[EMPTY_EVENTS * 128];
	bool causes;
	bool timeline;
	struct wp_intern ids;
	struct longest *longest;
	size_t room;
	const struct wp_function **stack;
	size_t stack_room;
};

struct thread_id {
	__s32 pid;
	__s32 tid;
};

static int add_longest(void *ctx, const struct wp_totals *a)
{
	struct thread_id id = { .pid = a->tgid, .tid = a->tid };
	struct first *f = ctx;
	__u32 nr = wp_intern(&f->ids, &id, sizeof(id), NULL);

	if (nr > f->room) {
		size_t room = f->room ? 2 * f->room : 64;
		struct longest *more = reallocarray(f->longest, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + f->room, 0, (room - f->room) * sizeof(*more));
		f->longest = more;
		f->room = room;
	}
	if (!nr)
		return -ENOMEM;
	if (a->blocked_max > f->longest[nr - 1].blocked)
		f->longest[nr - 1].blocked = a->blocked_max;
	if (a->runnable_max > f->longest[nr - 1].runnable)
		f->longest[nr - 1].runnable = a->runnable_max;
	return 0;
}

static int read_longest(struct first *f)
{
	const struct wp_overview *o = f->o->overview;
	struct wp_ledgerfile_head head;
	__u64 offset;

	if (!o->has_ledger || f->causes || wp_ledgerfile_open(o->file.fd, &head, &offset))
		return 0;
	/* A damaged ledger has been reported already. */
	return wp_ledgerfile_read(o->file.fd, &head, offset, add_longest, f) == -ENOMEM ?
	       wp_no_memory("the report") : 0;
}

/* The longest interval of a line, as far as it is known. */
static void put_longest(const struct first *f, struct wp_waititem *item, bool runnable,
			const struct wp_profline *l)
{
	struct thread_id id = { .pid = item->pid, .tid = item->tid };
	__u32 nr;

	if (f->causes) {
		item->longest = runnable ? l->runnable_max : l->blocked_max;
		return;
	}
	nr = wp_intern_find(&f->ids, &id, sizeof(id));
	if (!nr)
		return;
	item->longest = runnable ? f->longest[nr - 1].runnable : f->longest[nr - 1].blocked;
	item->at_most = true;
	if (item->longest > item->value)
		item->longest = item->value;
}

/* The functions of a line, the innermost first; false: no memory. */
static bool get_stack(struct first *f, const struct wp_profline *l, size_t *nr)
{
	struct wp_samples *s = f->o->samples;
	const __u32 *functions = wp_samples_functions(s, l, nr);
	size_t i;

	if (!functions)
		return false;
	if (*nr > f->stack_room) {
		void *more = reallocarray(f->stack, *nr, sizeof(*f->stack));

		if (!more)
			return false;
		f->stack = more;
		f->stack_room = *nr;
	}
	for (i = 0; i < *nr; i++) {
		const struct wp_function *fn = wp_profile_function(s->profile, functions[i]);

		f->stack[*nr - 1 - i] = fn;
		f->interpreter |= fn->name && !strcmp(fn->name, WP_PYSTACK_FUNCTION);
		f->python |= !strcmp(fn->dso, WP_INTERPROWS_PATH + 1);
	}
	return true;
}

/* Use the process's waits in the ledger if the stack is not conclusive. */
static void guess(const struct first *f, __s32 pid, bool libc, char call[WP_WAITWHERE_CALL])
{
	const struct wp_overview *o = f->o->overview;
	size_t nr, i;
	const struct wp_procwait *w = wp_procwaits_of(&o->waits, pid, &nr);
	char name[48];

	if (nr == 1)
		snprintf(call, WP_WAITWHERE_CALL, "%s",
			 wp_procwait_name(w, o->arch, name, sizeof(name)));
	/* Non-exported functions of libraries wait only for page faults. */
	for (i = 0; i < nr && nr > 1 && libc; i++) {
		if (!strcmp(wp_procwait_name(&w[i], o->arch, name, sizeof(name)), "futex"))
			strcpy(call, "futex?");
	}
}

/* Whether it is a kernel process: it waits neither in system calls nor for pages. */
static bool is_kernel(const struct first *f, __s32 pid)
{
	size_t nr, i;
	const struct wp_procwait *w = wp_procwaits_of(&f->o->overview->waits, pid, &nr);

	for (i = 0; i < nr; i++) {
		if (w[i].reason != WALLPROF_REASON_KERNEL &&
		    w[i].reason != WALLPROF_REASON_UNKNOWN)
			return false;
	}
	return nr;
}

/**
 * struct wait - description of a wait
 * @what: what the thread waited for
 * @where: the function
 * @loop: an event loop waited for work
 * @kernel: a kernel thread waited
 */
struct wait {
	char what[WP_REPORT_NAME];
	char where[WP_REPORT_NAME];
	bool loop;
	bool kernel;
};

static void put_what(struct wait *w, const struct wp_profile_cause *c, const char *call,
		     const char *kind)
{
	char object[WP_REPORT_NAME] = "", what[2 * WP_REPORT_NAME];

	if (c->object[0])
		wp_waitobject(c->object, object, sizeof(object));
	if (kind && !strncmp(call, "futex", 5))
		call = kind;
	snprintf(what, sizeof(what), "%s%s%s", call, object[0] ? " " : "", object);
	wp_report_name(w->what, what);
}

static void wait_of(const struct first *f, const struct wp_profline *l, size_t nr,
		    struct wait *w)
{
	const struct wp_profile_cause *c = wp_profile_cause(f->o->samples->profile, l->cause);
	const struct wp_profile_thread *t = wp_profile_thread(f->o->samples->profile, l->thread);
	size_t at = wp_waitwhere(f->stack, nr);
	char call[WP_WAITWHERE_CALL] = "?";
	bool idle = false;

	w->kernel = false;
	if (c->reason[0] && strcmp(c->reason, "syscall")) {
		snprintf(call, sizeof(call), "%s", c->reason);
		idle = wp_cause_idle_names(c->reason, c->state, c->syscall);
		w->kernel = !strcmp(c->reason, "kernel");
	} else if (c->reason[0]) {
		snprintf(call, sizeof(call), "%s", c->syscall);
		idle = wp_cause_idle_names(c->reason, c->state, c->syscall);
	} else if (wp_waitwhere_call(f->stack, nr, call)) {
		idle = wp_syscall_idle_name(call);
	} else if (is_kernel(f, t->pid)) {
		strcpy(call, "kernel");
		w->kernel = true;
		idle = true;
	} else {
		guess(f, t->pid, nr && !f->stack[0]->name && at, call);
		idle = wp_syscall_idle_name(call);
	}
	put_what(w, c, call, wp_waitwhere_kind(f->stack, nr));
	wp_report_name(w->where, at < nr ? f->stack[at]->label : "-");
	w->loop = idle && !w->kernel;
	w->kernel &= idle;
}

/* Add a wait for a lock whose owner is known, if the stack is that of such a wait. */
static int add_lock(struct first *f, const struct wp_profline *l,
		    const struct wp_waititem *wait)
{
	const struct wp_profile_cause *c = wp_profile_cause(f->o->samples->profile, l->cause);
	char what[WP_REPORT_NAME], owner[WP_REPORT_NAME], text[2 * WP_REPORT_NAME];
	struct wp_waititem item = *wait;
	const char *kind;

	if (!strncmp(c->syscall, "futex", 5))
		f->futex_ns += item.value;
	kind = wp_heldlock(f->o->samples, l);
	if (!kind)
		return 0;
	if (c->object[0])
		wp_waitobject(c->object, what, sizeof(what));
	snprintf(text, sizeof(text), "%s %s", kind, c->object[0] ? what : "?");
	wp_report_name(what, text);
	snprintf(text, sizeof(text), "%s %u", c->owner_comm, c->owner);
	wp_report_name(owner, text + !c->owner_comm[0]);
	item.what = what;
	item.where = owner;
	item.apart = "";
	return wp_waitrows_add(&f->locks, &item);
}

static int add_off(struct first *f, const struct wp_profline *l)
{
	const struct wp_profile_thread *t = wp_profile_thread(f->o->samples->profile, l->thread);
	__u64 blocked = f->o->kinds & WP_SECTION_BLOCKED ? wp_profline_blocked(l) : 0;
	__u64 runnable = f->o->kinds & WP_SECTION_RUNNABLE ? l->runnable : 0;
	char comm[WP_REPORT_NAME], name[WP_REPORT_NAME];
	struct wp_waititem item = { .comm = comm, .pid = t->pid, .tid = t->tid };
	struct wait w;
	size_t nr;
	int err = 0;

	wp_report_name(comm, wp_samples_comm(f->o->samples, l));
	wp_report_group(name, comm);
	if (blocked) {
		if (!get_stack(f, l, &nr))
			return -ENOMEM;
		wait_of(f, l, nr, &w);
		if (f->hide && wp_hostwide_is_own(comm)) {
			f->own_ns += blocked;
		} else if (f->hide && (w.loop || w.kernel)) {
			*(w.loop ? &f->loops_ns : &f->kthreads_ns) += blocked;
		} else {
			item.what = w.what;
			item.where = w.where;
			item.apart = strcmp(w.where, "-") ? "" : name;
			item.value = blocked;
			put_longest(f, &item, false, l);
			f->blocked_ns += blocked;
			err = wp_waitrows_add(&f->rows, &item);
			if (!err)
				err = add_lock(f, l, &item);
		}
	}
	if (runnable && !err) {
		item.what = "a CPU (runnable)";
		item.where = "-";
		item.apart = name;
		item.value = runnable;
		put_longest(f, &item, true, l);
		f->runnable_ns += runnable;
		err = wp_waitrows_add(&f->rows, &item);
	}
	return err;
}

static void print_off(const struct first *f)
{
	static const struct wp_report_titles titles = {
		.figure = "time s", .longest = "longest", .what = "waited for",
		.where = "in function", .by = "by (threads)",
	};
	__u64 idle = f->kthreads_ns + f->loops_ns + f->own_ns, off = f->blocked_ns + f->runnable_ns;

	if (off) {
		wp_screen_line("# Off-CPU: %.3f s (%.1f%% blocked, %.1f%% runnable)%s",
			       (double)off / 1e9, 100.0 * f->blocked_ns / off,
			       100.0 * f->runnable_ns / off,
			       idle ? ", without idle time" : "");
		wp_report_rows(&f->rows, &titles, OFF_ROWS, true);
	}
	if (idle)
		wp_screen_line("# left out (see --idle): kernel threads %.1f s, loops %.1f s, wallprof %.1f s",
			       (double)f->kthreads_ns / 1e9, (double)f->loops_ns / 1e9,
			       (double)f->own_ns / 1e9);
}

/* The locks whose owners are known. */
static void print_locks(struct first *f)
{
	static const struct wp_report_titles titles = {
		.figure = "time s", .longest = "longest", .what = "lock", .where = "held by",
		.by = "by (threads)",
	};

	if (!f->locks.total)
		return;
	putchar('\n');
	wp_waitrows_sort(&f->locks);
	wp_screen_line("# Locks held by others: %.3f s of %.3f s in futex",
		       (double)f->locks.total / 1e9, (double)f->futex_ns / 1e9);
	wp_report_rows(&f->locks, &titles, LOCK_ROWS, true);
}

static int off_cpu(struct first *f)
{
	const struct wp_profsum *sum = &f->o->samples->sum;
	int err = 0;
	size_t i;

	if (!(f->o->kinds & (WP_SECTION_BLOCKED | WP_SECTION_RUNNABLE)))
		return 0;
	for (i = 0; i < sum->nr && !err; i++) {
		if (sum->line[i].kind == WP_PROFILE_OFFCPU)
			err = add_off(f, &sum->line[i]);
	}
	if (err)
		return wp_no_memory("the report");
	wp_waitrows_sort(&f->rows);
	print_off(f);
	print_locks(f);
	return 0;
}

static int add_cpu(struct first *f, const struct wp_profline *l, __u64 value)
{
	const struct wp_profile_thread *t = wp_profile_thread(f->o->samples->profile, l->thread);
	char comm[WP_REPORT_NAME], name[WP_REPORT_NAME], what[WP_REPORT_NAME] = "-";
	char where[WP_REPORT_NAME] = "-";
	struct wp_waititem item = {
		.what = what, .where = where, .apart = "", .comm = comm, .pid = t->pid,
		.tid = t->tid, .value = value,
	};
	size_t nr, at;

	if (!get_stack(f, l, &nr))
		return -ENOMEM;
	wp_report_name(comm, wp_samples_comm(f->o->samples, l));
	wp_report_group(name, comm);
	at = wp_waitwhere(f->stack, nr);
	if (nr)
		wp_report_name(what, f->stack[0]->label);
	else
		item.apart = name;
	if (at && at < nr)
		wp_report_name(where, f->stack[at]->label);
	return wp_waitrows_add(&f->rows, &item);
}

/* What a sample is summed by is a row, wherever it was taken. */
static int add_by(struct first *f, const struct wp_profline *l, __u64 value)
{
	const struct wp_profile_thread *t = wp_profile_thread(f->o->samples->profile, l->thread);
	const struct wp_profile_cause *c = wp_profile_cause(f->o->samples->profile, l->cause);
	char comm[WP_REPORT_NAME], what[WP_REPORT_NAME];
	const struct wp_waititem item = {
		.what = what, .where = "", .apart = "", .comm = comm, .pid = t->pid,
		.tid = t->tid, .value = value, .count = l->count,
	};

	snprintf(what, sizeof(what), "%s%s%s", c->by, c->error[0] ? " " : "", c->error);
	wp_report_name(comm, wp_samples_comm(f->o->samples, l));
	return wp_waitrows_add(&f->rows, &item);
}

static int by_size(const void *pa, const void *pb)
{
	const __u64 *a = pa, *b = pb;

	return *a > *b ? -1 : *a < *b;
}

/* Of many events, only those that occurred most often are on the first screen. */
static int choose_events(struct first *f)
{
	const struct wp_profsum *sum = &f->o->samples->sum;
	unsigned int nr = wp_profile_events(f->o->samples->profile)->nr;
	__u64 *counts = calloc(nr + EVENTS, sizeof(*counts));
	size_t i;

	if (!counts)
		return wp_no_memory("the report");
	for (i = 0; i < sum->nr; i++) {
		const struct wp_profline *l = &sum->line[i];

		if (l->kind == WP_PROFILE_OTHER)
			counts[l->event] += l->weight;
	}
	qsort(counts, nr, sizeof(*counts), by_size);
	f->least = f->o->kinds == WP_SECTION_ALL ? counts[EVENTS - 1] : 0;
	free(counts);
	return 0;
}

/* Somebody asked for it, and must not search for it in vain. */
static void add_empty(struct first *f, const struct wp_section *section)
{
	const struct wp_perfevents *events = wp_profile_events(f->o->samples->profile);
	const struct perf_event_attr *attr = &events->event[section->event].attr;
	size_t len = strlen(f->empty_names);
	char name[128];

	/* It never has any: the records of processes are its. */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY)
		return;
	if (f->empty++ >= EMPTY_EVENTS)
		return;
	wp_text_show(name, sizeof(name), section->title, false);
	snprintf(f->empty_names + len, sizeof(f->empty_names) - len, "%s%s", len ? ", " : "",
		 name);
}

static void print_empty(const struct first *f)
{
	if (!f->empty || !f->o->samples->sum.nr)
		return;
	putchar('\n');
	if (f->empty <= EMPTY_EVENTS)
		wp_screen_line("# no samples of %s", f->empty_names);
	else
		wp_screen_line("# no samples of %u events", f->empty);
}

/* On-CPU time, or another event. */
static int on_cpu(void *ctx, const struct wp_section *section)
{
	bool weighs = strcmp(section->unit, "events");
	const struct wp_report_titles titles = {
		.figure = section->ns ? "time s" : section->unit, .what = "ran",
		.where = "called by", .by = "by (threads)",
	};
	const struct wp_report_titles titles_by = {
		.figure = section->unit, .count = weighs ? "samples" : NULL,
		.what = section->by, .by = "by (threads)",
	};
	struct first *f = ctx;
	const struct wp_profsum *sum = &f->o->samples->sum;
	__u64 idle = 0, count = 0;
	int err = 0;
	size_t i;

	/* The timeline's events are shown elsewhere. */
	if (f->timeline && !strncmp(section->title, "sched:", 6))
		return 0;
	wp_waitrows_free(&f->rows);
	for (i = 0; i < sum->nr && !err; i++) {
		const struct wp_profline *l = &sum->line[i];
		__u64 value = wp_section_value(section, l);

		if (!value)
			continue;
		/* An event is not idle time, whatever it interrupted. */
		if (f->hide && !section->by &&
		    !wp_profile_thread(f->o->samples->profile, l->thread)->tid) {
			idle += value;
			continue;
		}
		count += l->count;
		err = section->by ? add_by(f, l, value) : add_cpu(f, l, value);
	}
	if (err)
		return wp_no_memory("the report");
	if (!f->rows.total && !idle) {
		if (section->kind == WP_SECTION_OTHER)
			add_empty(f, section);
		return 0;
	}
	if (section->kind == WP_SECTION_OTHER && f->rows.total < f->least) {
		f->more_events++;
		f->more_count += f->rows.total;
		return 0;
	}
	putchar('\n');
	if (f->rows.total) {
		wp_waitrows_sort(&f->rows);
		wp_section_put_title(section, f->rows.total, count);
		wp_section_put_scale(section, f->o->samples);
		wp_report_rows(&f->rows, section->by ? &titles_by : &titles,
			       section->by ? OFF_ROWS : CPU_ROWS, section->ns);
	}
	if (idle && section->ns)
		wp_screen_line("# left out as idle: %.3f s of CPUs (--idle)", (double)idle / 1e9);
	else if (idle)
		wp_screen_line("# left out as idle: %" PRIu64 " events of CPUs (--idle)",
			       (uint64_t)idle);
	return 0;
}

/* Print commands for further questions. */
static void print_more(const struct first *f)
{
	const struct wp_samples *s = f->o->samples;
	const struct wp_perfevents *events = wp_profile_events(s->profile);
	bool off = false, wakers = false;
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		off |= wp_profile_kind(s->profile, i) == WP_PROFILE_OFFCPU;
		wakers |= wp_profile_kind(s->profile, i) == WP_PROFILE_WAKER;
	}
	if (!s->sum.nr && s->o->chosen)
		wp_screen_line("# no sample is left by --%s", s->o->chosen);
	else if (!s->sum.nr)
		wp_screen_line("# nothing was recorded: none of the selected threads existed");
	wp_screen_line("# stacks: report -g   one process: report -p PID   by name: report -s comm,sym");
	if (f->timeline)
		wp_screen_line("# each switch: sched timehist   delays: sched latency   map: sched map");
	if (!off && !f->timeline)
		wp_screen_line("# what was waited for: wallprof record, without --no-off-cpu");
	if (!off)
		return;
	if (!f->causes)
		wp_screen_line("# which lock: wallprof record, without --no-reasons");
	if (f->futex_ns && !f->locks.total)
		wp_screen_line("# who holds the locks: wallprof record --lock-owner");
	if (!wp_profile_has_objects(f->o->samples->profile))
		wp_screen_line("# which file or socket: wallprof record -R");
	if (f->interpreter && !f->python)
		wp_screen_line("# functions of Python: see PYTHON FUNCTIONS in man wallprof-record");
	if (wakers)
		wp_screen_line("# wakers: report --kinds waker");
	else
		wp_screen_line("# wakers, with their stacks: wallprof record --wakers");
	if (!f->timeline)
		wp_screen_line("# what ran while others starved: wallprof record --timeline");
}

/**
 * wp_report_first() - print the first screen, after the description of the recording
 * @o: the options
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_report_first(const struct wp_report_first *o)
{
	/* Time of wakers duplicates that of others: it is shown on request only. */
	unsigned int others = WP_SECTION_CPU | WP_SECTION_OTHER |
		(o->kinds == WP_SECTION_ALL ? 0 : WP_SECTION_WAKER);
	struct first f = { .o = o, .causes = wp_profile_has_causes(o->samples->profile) };
	size_t len;
	char *command = wp_perffile_words(&o->overview->file, &len);
	int err;

	f.timeline = wp_report_has_timeline(o->samples);
	f.hide = !o->idle && !o->samples->o->chosen && command && wp_hostwide(command, len);
	free(command);
	err = read_longest(&f);
	if (!err)
		err = off_cpu(&f);
	if (!err) {
		print_more(&f);
		err = f.timeline ? wp_report_starved(o->samples) : 0;
	}
	if (!err)
		err = choose_events(&f);
	if (!err)
		err = wp_sections_each(o->samples, o->kinds & others, on_cpu, &f);
	if (!err && f.more_events) {
		putchar('\n');
		wp_screen_line("# %u more event%s, %" PRIu64 " in all: report --kinds other",
			       f.more_events, f.more_events == 1 ? "" : "s",
			       (uint64_t)f.more_count);
	}
	if (!err)
		print_empty(&f);
	wp_waitrows_free(&f.locks);
	wp_waitrows_free(&f.rows);
	wp_intern_free(&f.ids);
	free(f.longest);
	free(f.stack);
	return err;
}
