// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the schedule of a recording, from the scheduler's events: which thread runs on
 * each CPU, and which threads wait for a CPU or for something else. schedstate.c stores
 * the threads and CPUs. Called by the commands that read timelines.
 *
 * Nothing is guessed. The state of a thread is unknown until its first event, which also
 * shows the state before: a woken thread was blocked; a thread that gets a CPU was
 * runnable, as its wakeup would have been seen. The same holds after a gap. A gap begins
 * where a CPU lost events, and lasts until the CPU's next event. A thread that ran there
 * may have left the CPU; a thread that was off CPU may have been woken there, and have
 * run. So the spans of both are cut, those of the latter at their next event.
 *
 * Pure: no I/O, no clock. Memory allocation and the caller's callback can fail.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/idmap.h"
#include "lib/profile/schedstate.h"
#include "lib/profile/schedule.h"

/* The thread on a CPU is not running there any more, since an unknown time. */
static int evict(struct wp_schedule *s, struct wp_schedstate_cpu *cpu)
{
	struct wp_schedstate_thread *t = cpu->running;
	int err;

	if (!t)
		return 0;
	t->state = 0;
	t->preempted = false;
	err = wp_schedstate_give(s, t, WP_SPAN_RUNNING, cpu->last, true);
	wp_schedstate_set_unknown(s, t, s->now);
	cpu->running = NULL;
	return err;
}

static int lose(struct wp_schedule *s, struct wp_schedstate_cpu *cpu)
{
	int err = evict(s, cpu);

	return err ? err : wp_schedstate_open_gap(s, cpu);
}

/* The events of a CPU are inconsistent: some are missing, and no record reports it. */
static int miss(struct wp_schedule *s, struct wp_schedstate_cpu *cpu)
{
	int err = lose(s, cpu);

	s->missed++;
	wp_schedstate_close_gap(s, cpu);
	return err;
}

/*
 * Cut a thread's span by the gaps since its start. Not for a running thread: see evict().
 */
static int settle(struct wp_schedule *s, struct wp_schedstate_thread *t)
{
	int err = 0;
	__u64 cut;

	if (t->kind == WP_SPAN_RUNNING || t->gap >= s->nr_gaps)
		return 0;
	cut = wp_schedstate_later(t->begin, s->gaps[t->gap]);
	if (t->kind <= WP_SPAN_BLOCKED)
		err = wp_schedstate_give(s, t, t->kind, cut, true);
	if (t->kind != WP_SCHEDSTATE_UNKNOWN)
		wp_schedstate_set_unknown(s, t, 0);
	t->begin = wp_schedstate_later(t->begin, wp_schedstate_clear_since(s));
	t->gap = s->nr_open ? s->first_open : s->nr_gaps;
	return err;
}

/*
 * Take a thread off the CPU where it seems to run, as an event shows it elsewhere. Unless
 * the recording of that CPU was over by then, events are missing.
 */
static int leave_other(struct wp_schedule *s, struct wp_schedstate_thread *t,
		       const struct wp_schedstate_cpu *here)
{
	struct wp_schedstate_cpu *cpu;
	int err;

	if (t->kind != WP_SPAN_RUNNING || here->running == t)
		return 0;
	err = wp_schedstate_cpu(s, t->cpu, &cpu);
	if (err)
		return err;
	cpu->silent = true;
	return lose(s, cpu);
}

/*
 * A thread runs on a CPU where it was not known to run: it has done so at least since
 * then.
 */
static int found_running(struct wp_schedule *s, struct wp_schedstate_cpu *cpu,
			 struct wp_schedstate_thread *t, __u32 nr)
{
	__u64 begin;
	int err = settle(s, t);

	begin = wp_schedstate_later(t->begin, cpu->since);
	if (!err && t->kind <= WP_SPAN_BLOCKED)
		err = wp_schedstate_give(s, t, t->kind, begin, true);
	wp_schedstate_set_unknown(s, t, begin);
	t->kind = WP_SPAN_RUNNING;
	t->cpu = nr;
	cpu->running = t;
	return err;
}

static bool is_dead(char state)
{
	return state == 'X' || state == 'Z';
}

/* Set the state of a thread that leaves its CPU. */
static void set_left(struct wp_schedule *s, struct wp_schedstate_thread *t)
{
	bool early = t->early;

	t->early = false;
	t->woken = false;
	if (!t->who.tid) {
		wp_schedstate_set_unknown(s, t, s->now);
	} else if (is_dead(t->state)) {
		wp_schedstate_set(s, t, WP_SCHEDSTATE_DEAD, s->now);
	} else if (t->state == 'R' || t->preempted) {
		wp_schedstate_set(s, t, WP_SPAN_RUNNABLE, s->now);
	} else {
		wp_schedstate_set(s, t, WP_SPAN_BLOCKED, s->now);
		t->early = early;
	}
}

/* A thread without an id is dead for perf: it is the one that ran there. */
static int switch_out(struct wp_schedule *s, struct wp_schedstate_cpu *cpu,
		      const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t = cpu->running;
	int err = 0;

	if (!ev->who.tid)
		t = &cpu->idle;
	else if (ev->who.tid > 0)
		err = wp_schedstate_thread(s, &ev->who, &t);
	else if (t && !is_dead(ev->state))
		return miss(s, cpu);
	if (err || !t)
		return err;
	if (!ev->who.tid)
		wp_schedstate_learn(t, &ev->who);
	err = leave_other(s, t, cpu);
	if (!err && cpu->running && cpu->running != t)
		err = miss(s, cpu);
	if (!err && !cpu->running)
		err = found_running(s, cpu, t, ev->cpu);
	if (err)
		return err;
	t->state = ev->state;
	t->preempted = ev->preempted;
	err = wp_schedstate_give(s, t, WP_SPAN_RUNNING, s->now, false);
	set_left(s, t);
	return err;
}

/* End the wait of a thread that gets a CPU. */
static int end_wait(struct wp_schedule *s, struct wp_schedstate_thread *t, __u32 cpu)
{
	int err = settle(s, t);

	if (err)
		return err;
	if (t->kind == WP_SPAN_BLOCKED && !t->early) {
		t->woken = false;
		return wp_schedstate_give(s, t, WP_SPAN_BLOCKED, s->now, true);
	}
	if (t->kind == WP_SPAN_BLOCKED)
		t->woken = true;
	t->cpu = cpu;
	return wp_schedstate_give(s, t, WP_SPAN_RUNNABLE, s->now, false);
}

static int switch_in(struct wp_schedule *s, struct wp_schedstate_cpu *cpu,
		     const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t = &cpu->idle;
	int err;

	cpu->running = NULL;
	cpu->since = s->now;
	if (ev->other.tid < 0)
		return 0;
	if (!ev->other.tid) {
		wp_schedstate_learn(t, &ev->other);
	} else {
		err = wp_schedstate_thread(s, &ev->other, &t);
		if (!err)
			err = leave_other(s, t, cpu);
		if (!err)
			err = end_wait(s, t, ev->cpu);
		if (err)
			return err;
	}
	wp_schedstate_set(s, t, WP_SPAN_RUNNING, s->now);
	t->state = 0;
	t->preempted = false;
	t->woken = false;
	t->early = false;
	t->cpu = ev->cpu;
	cpu->running = t;
	return 0;
}

/* A wakeup shows the current thread of its CPU, which may have been unknown. */
static int see_waker(struct wp_schedule *s, struct wp_schedstate_cpu *cpu,
		     const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t = &cpu->idle;
	int err;

	if (cpu->running || ev->other.tid < 0)
		return 0;
	if (ev->other.tid) {
		err = wp_schedstate_thread(s, &ev->other, &t);
		if (!err)
			err = settle(s, t);
		if (err)
			return err;
	}
	return t->kind == WP_SCHEDSTATE_UNKNOWN ? found_running(s, cpu, t, ev->cpu) : 0;
}

static int wake(struct wp_schedule *s, const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t;
	int err;

	if (ev->who.tid <= 0)
		return 0;
	err = wp_schedstate_thread(s, &ev->who, &t);
	if (!err)
		err = settle(s, t);
	if (err || t->kind == WP_SPAN_RUNNABLE)
		return err;
	t->waker = ev->other;
	if (t->kind == WP_SPAN_RUNNING) {
		t->early = true;
		return 0;
	}
	t->woken = true;
	if (t->kind == WP_SCHEDSTATE_UNKNOWN)
		t->cpu = ev->to_cpu;
	err = wp_schedstate_give(s, t, WP_SPAN_BLOCKED, s->now, false);
	wp_schedstate_set(s, t, WP_SPAN_RUNNABLE, s->now);
	t->early = false;
	t->preempted = false;
	t->cpu = ev->to_cpu;
	return err;
}

/* End the span of an earlier thread with this id, whose exit was not seen. */
static int forget(struct wp_schedule *s, struct wp_schedstate_thread *t)
{
	struct wp_schedstate_cpu *cpu;
	int err;

	if (t->kind == WP_SPAN_RUNNING) {
		err = wp_schedstate_cpu(s, t->cpu, &cpu);
		if (!err)
			err = evict(s, cpu);
	} else {
		err = settle(s, t);
		if (!err && t->kind <= WP_SPAN_BLOCKED)
			err = wp_schedstate_give(s, t, t->kind, s->now, true);
	}
	return err;
}

static int add_born(struct wp_schedule *s, const struct wp_schedthread *who)
{
	__u32 nr = wp_idmap_find(&s->tids, who->tid);
	struct wp_schedstate_thread *t;
	int err;

	if (nr != WP_IDMAP_NONE && s->threads[nr]->kind != WP_SCHEDSTATE_DEAD) {
		err = forget(s, s->threads[nr]);
		if (err)
			return err;
		s->threads[nr]->kind = WP_SCHEDSTATE_DEAD;
	}
	err = wp_schedstate_thread(s, who, &t);
	if (err)
		return err;
	wp_schedstate_set_unknown(s, t, s->now);
	wp_schedstate_set(s, t, WP_SCHEDSTATE_BORN, s->now);
	return 0;
}

/* The first wakeup, with or without its fork in the file. */
static int wake_new(struct wp_schedule *s, const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t;
	int err = 0;
	__u32 nr;

	if (ev->who.tid <= 0)
		return 0;
	nr = wp_idmap_find(&s->tids, ev->who.tid);
	if (nr == WP_IDMAP_NONE || s->threads[nr]->kind != WP_SCHEDSTATE_BORN)
		err = add_born(s, &ev->who);
	if (!err)
		err = wp_schedstate_thread(s, &ev->who, &t);
	if (err)
		return err;
	wp_schedstate_set(s, t, WP_SPAN_RUNNABLE, s->now);
	t->cpu = ev->to_cpu;
	return 0;
}

static int migrate(struct wp_schedule *s, const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t;
	int err;

	if (ev->who.tid <= 0)
		return 0;
	err = wp_schedstate_thread(s, &ev->who, &t);
	if (!err)
		err = settle(s, t);
	if (!err && t->kind != WP_SPAN_RUNNING && t->kind != WP_SPAN_BLOCKED)
		t->cpu = ev->to_cpu;
	return err;
}

static int on_cpu(struct wp_schedule *s, struct wp_schedstate_cpu *cpu,
		  const struct wp_schedevent *ev)
{
	int err;

	wp_schedstate_close_gap(s, cpu);
	if (ev->type == WP_SCHED_SWITCH) {
		err = switch_out(s, cpu, ev);
		if (!err)
			err = switch_in(s, cpu, ev);
	} else if (ev->type == WP_SCHED_MIGRATE) {
		err = migrate(s, ev);
	} else {
		err = see_waker(s, cpu, ev);
		if (!err)
			err = ev->type == WP_SCHED_WAKING ? wake(s, ev) : wake_new(s, ev);
	}
	cpu->last = s->now;
	s->last = s->now;
	return err;
}

/**
 * wp_schedule_event() - process an event
 * @s: the schedule
 * @ev: the event; one that comes after a later one is treated as having its time
 *
 * Events of threads before the first event of a CPU only set names: they do not mean that
 * the threads were forked at that time.
 *
 * Return: 0, -ENOMEM, or what the span callback returned.
 */
int wp_schedule_event(struct wp_schedule *s, const struct wp_schedevent *ev)
{
	struct wp_schedstate_thread *t;
	struct wp_schedstate_cpu *cpu;
	int err;

	switch (ev->type) {
	case WP_SCHED_EXIT:
		return 0;
	case WP_SCHED_NAME:
	case WP_SCHED_FORK:
		if (ev->who.tid <= 0)
			return 0;
		s->now = wp_schedstate_later(s->now, ev->time);
		if (ev->type == WP_SCHED_FORK && s->started && ev->time >= s->start)
			return add_born(s, &ev->who);
		return wp_schedstate_thread(s, &ev->who, &t);
	case WP_SCHED_LOST:
		if (!s->started)
			return 0;
		break;
	default:
		break;
	}
	if (!s->started)
		s->start = ev->time;
	s->started = true;
	s->now = wp_schedstate_later(s->now, ev->time);
	err = wp_schedstate_cpu(s, ev->cpu, &cpu);
	if (err)
		return err;
	return ev->type == WP_SCHED_LOST ? lose(s, cpu) : on_cpu(s, cpu, ev);
}

static int end_thread(struct wp_schedule *s, struct wp_schedstate_thread *t)
{
	int err = settle(s, t);

	if (!err && t->kind <= WP_SPAN_BLOCKED)
		err = wp_schedstate_give(s, t, t->kind, s->now, true);
	t->kind = WP_SCHEDSTATE_DEAD;
	return err;
}

/**
 * wp_schedule_end() - end the spans that are still open
 * @s: the schedule
 * @time: end of the recording, or 0: the last event of a CPU
 *
 * Names and forks do not count as such: perf's records of them can follow the last switch
 * by seconds, without any record of what CPUs did meanwhile.
 *
 * Return: 0, or what the span callback returned.
 */
int wp_schedule_end(struct wp_schedule *s, __u64 time)
{
	int err = 0;
	__u32 i;

	s->now = wp_schedstate_later(s->last, time);
	for (i = 0; i < s->tids.nr && !err; i++)
		err = end_thread(s, s->threads[i]);
	for (i = 0; i < s->cpu_nrs.nr && !err; i++)
		err = end_thread(s, &s->cpus[i]->idle);
	return err;
}

/**
 * wp_schedule_serial() - number of the thread that has an id now
 * @s: the schedule
 * @tid: the id; not 0
 *
 * Return: the number, or WP_SCHEDULE_NONE if there was no event of it.
 */
__u32 wp_schedule_serial(const struct wp_schedule *s, __s32 tid)
{
	__u32 nr = tid > 0 ? wp_idmap_find(&s->tids, tid) : WP_IDMAP_NONE;

	return nr == WP_IDMAP_NONE ? WP_SCHEDULE_NONE : s->threads[nr]->serial;
}

/**
 * wp_schedule_start() - time of the first event of a CPU
 * @s: the schedule
 *
 * Return: ns; 0 if there was none.
 */
__u64 wp_schedule_start(const struct wp_schedule *s)
{
	return s->start;
}

/**
 * wp_schedule_now() - time of the last event
 * @s: the schedule
 *
 * Return: ns; after wp_schedule_end() the end of its spans.
 */
__u64 wp_schedule_now(const struct wp_schedule *s)
{
	return s->now;
}

/**
 * wp_schedule_missed() - number of inconsistencies between events
 * @s: the schedule
 *
 * Return: number of places where events are missing without a record of the loss.
 */
__u64 wp_schedule_missed(const struct wp_schedule *s)
{
	return s->missed;
}

/**
 * wp_schedule_new() - allocate a schedule
 * @out: set to the schedule
 * @fn: called for each span
 * @ctx: for @fn
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedule_new(struct wp_schedule **out, wp_span_fn fn, void *ctx)
{
	struct wp_schedule *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->fn = fn;
	s->ctx = ctx;
	return 0;
}

/**
 * wp_schedule_free() - free a schedule
 * @s: the schedule, or NULL
 */
void wp_schedule_free(struct wp_schedule *s)
{
	__u32 i;

	if (!s)
		return;
	for (i = 0; i < s->tids.nr; i++)
		free(s->threads[i]);
	for (i = 0; i < s->cpu_nrs.nr; i++)
		free(s->cpus[i]);
	wp_idmap_free(&s->tids);
	wp_idmap_free(&s->cpu_nrs);
	free(s->threads);
	free(s->cpus);
	free(s->gaps);
	free(s);
}
