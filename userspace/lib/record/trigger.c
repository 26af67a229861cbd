// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the triggers of a recording: their syntax, and the detection, from the records of
 * switches and wakeups, of threads that wait longer than a trigger allows. Called by the
 * sched record command.
 *
 * A thread is blocked from the switch that took it off its CPU until it is woken. It is
 * runnable from the wakeup, or from a switch at which it was still runnable, until it is
 * on a CPU. Only waiting threads are kept: their number is bounded by the number of
 * threads on the host.
 *
 * Pure: no clock, no I/O.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/record/trigger.h"

#define MIN_ROOM	256
#define DEAD		(0x10 | 0x20)	/* EXIT_DEAD, EXIT_ZOMBIE */
#define BLOCKED		0xff		/* none of these bits: it was still runnable */

/* A thread off its CPU. */
struct wp_watch_thread {
	__u64 since;
	__u32 tid;		/* 0 in a free entry */
	__u32 tgid;
	__u32 cpu;
	__u16 state;
	__u8 kind;
	__u8 reported;		/* this wait has been reported */
};

struct wp_watch_cpu {
	__u32 tid;
	bool known;
};

/* In the order of the bits, as in perf sched. */
static const char letters[] = "SDTtXZPI";

/**
 * wp_trigger_state_name() - letter of the state in which a thread left its CPU
 * @state: as struct wallprof_record.state
 *
 * Return: one letter, as printed by ps; "R" if it was still runnable.
 */
const char *wp_trigger_state_name(__u16 state)
{
	static const char *const names[] = { "S", "D", "T", "t", "X", "Z", "P", "I" };
	unsigned int bit;

	for (bit = 0; bit < sizeof(names) / sizeof(names[0]); bit++) {
		if (state >> bit & 1)
			return names[bit];
	}
	return "R";
}

static int parse_id(const char *value, __u32 *id)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || n < 1 || n > INT_MAX)
		return -EINVAL;
	*id = n;
	return 0;
}

static int parse_states(struct wp_trigger *t, const char *value)
{
	if (t->kind != WP_TRIGGER_BLOCKED || !*value)
		return -EINVAL;
	for (; *value; value++) {
		const char *at = strchr(letters, *value);

		if (!at || 1U << (at - letters) & DEAD)
			return -EINVAL;
		t->states |= 1U << (at - letters);
	}
	return 0;
}

static int parse_filter(struct wp_trigger *t, const char *word)
{
	if (!strncmp(word, "comm=", 5)) {
		if (!word[5] || strlen(word + 5) >= sizeof(t->name))
			return -EINVAL;
		strcpy(t->name, word + 5);
		return 0;
	}
	if (!strncmp(word, "pid=", 4))
		return parse_id(word + 4, &t->tgid);
	if (!strncmp(word, "tid=", 4))
		return parse_id(word + 4, &t->tid);
	if (!strncmp(word, "state=", 6))
		return parse_states(t, word + 6);
	return -EINVAL;
}

static int parse_wait(struct wp_trigger *t, const char *word)
{
	const char *time = strchr(word, '>');
	size_t len = time ? time - word : 0;

	if (len == 7 && !strncmp(word, "blocked", len))
		t->kind = WP_TRIGGER_BLOCKED;
	else if (len == 8 && !strncmp(word, "runnable", len))
		t->kind = WP_TRIGGER_RUNNABLE;
	else
		return -EINVAL;
	return wp_duration_parse(time + 1, WP_NSEC_PER_MSEC, &t->ns);
}

/**
 * wp_trigger_parse() - parse a trigger
 * @t: filled in
 * @text: blocked>TIME or runnable>TIME; then, each after a comma, any of comm=PATTERN,
 *	pid=N, tid=N and, with blocked, state=LETTERS
 *
 * Return: 0; or -EINVAL or -ENOMEM after a message.
 */
int wp_trigger_parse(struct wp_trigger *t, const char *text)
{
	char *copy = strdup(text), *rest, *word;
	bool first = true;
	int err = 0;

	*t = (struct wp_trigger){ 0 };
	if (!copy) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	for (rest = copy; !err && (word = strsep(&rest, ",")); first = false)
		err = first ? parse_wait(t, word) : parse_filter(t, word);
	if (err)
		wp_err("'%s' of '%s' is not a trigger; use 'blocked>100ms' or 'runnable>20ms' (quoted: > is the shell's), then any of ,comm=NAME ,pid=N ,tid=N ,state=D",
		       word, text);
	free(copy);
	return err ? -EINVAL : 0;
}

/**
 * wp_watch_open() - set up a watch
 * @w: the watch; @name and @ctx may be set afterwards
 * @rules: triggers, which must stay valid
 * @nr: number of triggers
 * @nr_cpus: CPU numbers are below this
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_watch_open(struct wp_watch *w, const struct wp_trigger *rules, unsigned int nr,
		  __u32 nr_cpus)
{
	*w = (struct wp_watch){ .rules = rules, .nr_rules = nr, .nr_cpus = nr_cpus };
	w->room = MIN_ROOM;
	w->thread = calloc(w->room, sizeof(*w->thread));
	w->current = calloc(nr_cpus, sizeof(*w->current));
	if (w->thread && w->current)
		return 0;
	wp_err("out of memory for threads that wait");
	wp_watch_close(w);
	return -ENOMEM;
}

static size_t home_of(const struct wp_watch *w, __u32 tid)
{
	return tid * 0x9e3779b1U & (w->room - 1);
}

static struct wp_watch_thread *slot(const struct wp_watch *w, __u32 tid)
{
	size_t i = home_of(w, tid);

	while (w->thread[i].tid && w->thread[i].tid != tid)
		i = (i + 1) & (w->room - 1);
	return &w->thread[i];
}

static int grow(struct wp_watch *w)
{
	struct wp_watch_thread *old = w->thread;
	size_t i, room = w->room;

	w->thread = calloc(2 * room, sizeof(*w->thread));
	if (!w->thread) {
		w->thread = old;
		wp_err("out of memory for %zu threads that wait", w->nr);
		return -ENOMEM;
	}
	w->room = 2 * room;
	for (i = 0; i < room; i++) {
		if (old[i].tid)
			*slot(w, old[i].tid) = old[i];
	}
	free(old);
	return 0;
}

static void forget(struct wp_watch *w, struct wp_watch_thread *th)
{
	size_t mask = w->room - 1, hole = th - w->thread, i = hole;

	w->nr--;
	/* Move entries that collided with the removed one closer to their own slots. */
	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!w->thread[i].tid)
			break;
		home = home_of(w, w->thread[i].tid);
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		w->thread[hole] = w->thread[i];
		hole = i;
	}
	w->thread[hole].tid = 0;
}

static bool matches(const struct wp_watch *w, const struct wp_trigger *t,
		    const struct wp_watch_thread *th)
{
	const char *name;

	if (t->kind != th->kind || (t->tid && t->tid != th->tid) ||
	    (t->tgid && t->tgid != th->tgid) || (t->states && !(t->states & th->state)))
		return false;
	if (!t->name[0])
		return true;
	name = w->name ? w->name(w->ctx, th->tid) : NULL;
	return name && !fnmatch(t->name, name, 0);
}

/* Check a wait until @time, which continues unless it is @over. */
static void check_wait(struct wp_watch *w, struct wp_watch_thread *th, __u64 time, bool over)
{
	unsigned int i;

	if (th->reported || time <= th->since)
		return;
	for (i = 0; i < w->nr_rules; i++) {
		if (time - th->since <= w->rules[i].ns || !matches(w, &w->rules[i], th))
			continue;
		th->reported = true;
		if (w->has_found)
			return;
		w->has_found = true;
		w->found = (struct wp_wait){
			.kind = th->kind, .tid = th->tid, .tgid = th->tgid, .cpu = th->cpu,
			.state = th->state, .since = th->since, .ns = time - th->since,
			.over = over,
		};
		return;
	}
}

static int begin(struct wp_watch *w, const struct wp_watch_thread *what)
{
	struct wp_watch_thread *th;

	if (w->nr + 1 > w->room / 2) {
		int err = grow(w);

		if (err)
			return err;
	}
	th = slot(w, what->tid);
	w->nr += !th->tid;
	*th = *what;
	return 0;
}

static int switch_out(struct wp_watch *w, __u32 cpu, const struct wallprof_record *r)
{
	const struct wp_watch_thread th = {
		.since = r->time, .tid = r->tid, .tgid = r->tgid, .cpu = cpu,
		.state = r->state,
		.kind = r->state & BLOCKED ? WP_TRIGGER_BLOCKED : WP_TRIGGER_RUNNABLE,
	};
	struct wp_watch_thread *old = slot(w, r->tid);

	/* A later record, which came first, has it off its CPU already. */
	if (old->tid && old->since > r->time)
		return 0;
	if (r->state & DEAD) {
		if (old->tid)
			forget(w, old);
		return 0;
	}
	return begin(w, &th);
}

static int do_switch(struct wp_watch *w, __u32 cpu, const struct wallprof_record *r)
{
	struct wp_watch_thread *next;
	int err = 0;

	if (r->tid && r->tid != ~0U && !(r->flags & WALLPROF_RECORD_COMES))
		err = switch_out(w, cpu, r);
	next = r->other_tid ? slot(w, r->other_tid) : NULL;
	if (next && next->tid && next->since <= r->time) {
		check_wait(w, next, r->time, true);
		forget(w, next);
	}
	if (cpu < w->nr_cpus)
		w->current[cpu] = (struct wp_watch_cpu){ .tid = r->other_tid, .known = true };
	return err;
}

/* The thread is woken or new: it is runnable from here on. */
static int wake(struct wp_watch *w, const struct wallprof_record *r)
{
	struct wp_watch_thread th = {
		.since = r->time, .tid = r->tid, .tgid = r->tgid, .cpu = r->cpu,
		.kind = WP_TRIGGER_RUNNABLE,
	};
	struct wp_watch_thread *old = slot(w, r->tid);

	if (!r->tid || r->tid == ~0U)
		return 0;
	if (old->tid) {
		if (old->kind == WP_TRIGGER_RUNNABLE || old->since > r->time)
			return 0;
		check_wait(w, old, r->time, true);
		th.state = old->state;
	} else if (r->type == WALLPROF_RECORD_WAKING) {
		/*
		 * A wakeup on the way off its CPU has no effect, or may have none: the
		 * thread runs.
		 */
		if (r->cpu >= w->nr_cpus || !w->current[r->cpu].known ||
		    w->current[r->cpu].tid == r->tid)
			return 0;
	}
	return begin(w, &th);
}

/**
 * wp_watch_record() - process a record
 * @ctx: the watch
 * @cpu: the CPU of the record
 * @record: the record; one that is out of order does little harm
 *
 * A wp_ringwalk_fn.
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_watch_record(void *ctx, __u32 cpu, const struct wallprof_record *record)
{
	struct wp_watch *w = ctx;

	switch (record->type) {
	case WALLPROF_RECORD_SWITCH:
		return do_switch(w, cpu, record);
	case WALLPROF_RECORD_WAKING:
	case WALLPROF_RECORD_WAKEUP_NEW:
		return wake(w, record);
	case WALLPROF_RECORD_LOST:
		wp_watch_forget(w);
		return 0;
	default:
		return 0;
	}
}

/**
 * wp_watch_look() - check the waits that last
 * @w: the watch
 * @now: time up to which all records have been seen
 *
 * This finds threads that never run again.
 */
void wp_watch_look(struct wp_watch *w, __u64 now)
{
	size_t i;

	for (i = 0; i < w->room; i++) {
		if (w->thread[i].tid)
			check_wait(w, &w->thread[i], now, false);
	}
}

/**
 * wp_watch_take() - get a wait that was found
 * @w: the watch
 * @wait: set to the first one since the last call
 *
 * Each wait is found once.
 *
 * Return: true if there is one.
 */
bool wp_watch_take(struct wp_watch *w, struct wp_wait *wait)
{
	bool found = w->has_found;

	*wait = w->found;
	w->has_found = false;
	return found;
}

/**
 * wp_watch_forget() - drop all state, as records are missing
 * @w: the watch
 */
void wp_watch_forget(struct wp_watch *w)
{
	memset(w->thread, 0, w->room * sizeof(*w->thread));
	memset(w->current, 0, w->nr_cpus * sizeof(*w->current));
	w->nr = 0;
}

/**
 * wp_watch_close() - free a watch
 * @w: the watch, or all zero
 */
void wp_watch_close(struct wp_watch *w)
{
	free(w->thread);
	free(w->current);
	*w = (struct wp_watch){ 0 };
}
