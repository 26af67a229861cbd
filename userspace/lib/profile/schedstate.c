// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the threads and CPUs of a recording's schedule: finds and adds them, sets their
 * states, knows where events were lost, and passes on the spans. Called by schedule.c.
 * Pure, but for memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/profile/schedstate.h"

static int room_for(void *array, size_t *room, size_t nr, size_t size)
{
	void *more, **at = array;
	size_t want;

	if (nr < *room)
		return 0;
	want = *room ? *room * 2 : 64;
	more = reallocarray(*at, want, size);
	if (!more)
		return -ENOMEM;
	*at = more;
	*room = want;
	return 0;
}

/**
 * wp_schedstate_clear_since() - time since which no gap hides anything
 * @s: the schedule
 *
 * Return: ns.
 */
__u64 wp_schedstate_clear_since(const struct wp_schedule *s)
{
	return s->nr_open ? s->now : wp_schedstate_later(s->start, s->gaps_end);
}

/**
 * wp_schedstate_set() - set the state of a thread
 * @s: the schedule
 * @t: the thread
 * @kind: its state
 * @begin: since when
 */
void wp_schedstate_set(struct wp_schedule *s, struct wp_schedstate_thread *t,
		       unsigned int kind, __u64 begin)
{
	t->kind = kind;
	t->begin = begin;
	t->cut_begin = false;
	t->gap = s->nr_open ? s->first_open : s->nr_gaps;
}

/**
 * wp_schedstate_set_unknown() - the state of a thread is unknown from here on
 * @s: the schedule
 * @t: the thread
 * @begin: since when
 */
void wp_schedstate_set_unknown(struct wp_schedule *s, struct wp_schedstate_thread *t,
			       __u64 begin)
{
	wp_schedstate_set(s, t, WP_SCHEDSTATE_UNKNOWN, begin);
	t->cut_begin = true;
	t->state = 0;
	t->preempted = false;
	t->woken = false;
	t->early = false;
}

/**
 * wp_schedstate_give() - pass on a thread's span, if there is anything of it
 * @s: the schedule
 * @t: the thread
 * @kind: its state in the span
 * @end: end of the span
 * @cut_end: it was still open there
 *
 * Return: 0, or what the span callback returned.
 */
int wp_schedstate_give(struct wp_schedule *s, const struct wp_schedstate_thread *t,
		       enum wp_span_kind kind, __u64 end, bool cut_end)
{
	struct wp_span span = {
		.kind = kind,
		.who = t->who,
		.serial = t->serial,
		.cpu = t->cpu,
		.begin = wp_schedstate_later(t->begin, s->start),
		.end = end,
		.cut_begin = t->cut_begin,
		.cut_end = cut_end,
		.state = t->state,
		.preempted = t->preempted,
		.woken = t->woken && kind != WP_SPAN_RUNNING,
		.early = t->early && kind == WP_SPAN_RUNNABLE,
	};

	if (span.woken)
		span.waker = t->waker;
	/* Cutting can leave nothing of a span; but a thread that got a CPU did run. */
	if (span.end < span.begin)
		return 0;
	if (span.end == span.begin && (t->cut_begin || (cut_end && kind != WP_SPAN_RUNNING)))
		return 0;
	return s->fn(s->ctx, &span);
}

/**
 * wp_schedstate_learn() - update what is known of a thread from an event
 * @t: the thread
 * @who: the thread in the event
 */
void wp_schedstate_learn(struct wp_schedstate_thread *t, const struct wp_schedthread *who)
{
	__s32 pid = t->who.pid;

	t->who.tid = who->tid;
	t->who.prio = who->prio;
	if (who->pid != WP_SCHED_NO_PID)
		pid = who->pid;
	t->who.pid = pid;
	if (who->comm[0])
		memcpy(t->who.comm, who->comm, sizeof(t->who.comm));
	t->who.comm[WP_SCHED_COMM - 1] = 0;
}

/* A new thread with the same id. */
static void renew(struct wp_schedule *s, struct wp_schedstate_thread *t)
{
	t->serial = s->serials++;
	t->who.pid = WP_SCHED_NO_PID;
	t->who.comm[0] = 0;
	t->kind = WP_SCHEDSTATE_UNKNOWN;
}

/**
 * wp_schedstate_thread() - find or add a thread
 * @s: the schedule
 * @who: the thread in an event
 * @out: set to the thread; a new one if the one with its id is dead
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedstate_thread(struct wp_schedule *s, const struct wp_schedthread *who,
			 struct wp_schedstate_thread **out)
{
	struct wp_schedstate_thread *t;
	__u32 nr;
	int ret;

	ret = room_for(&s->threads, &s->threads_room, s->tids.nr, sizeof(t));
	if (ret)
		return ret;
	nr = wp_idmap_find(&s->tids, who->tid);
	if (nr == WP_IDMAP_NONE) {
		t = calloc(1, sizeof(*t));
		ret = t ? wp_idmap_add(&s->tids, who->tid, &nr) : -ENOMEM;
		if (ret < 0) {
			free(t);
			return ret;
		}
		s->threads[nr] = t;
		renew(s, t);
		wp_schedstate_set_unknown(s, t, wp_schedstate_clear_since(s));
	}
	t = s->threads[nr];
	if (t->kind == WP_SCHEDSTATE_DEAD) {
		/* It was forked in a gap, if there was one. */
		__u64 begin = t->gap < s->nr_gaps ?
			wp_schedstate_later(t->begin, wp_schedstate_clear_since(s)) : s->now;

		renew(s, t);
		wp_schedstate_set_unknown(s, t, begin);
	}
	wp_schedstate_learn(t, who);
	*out = t;
	return 0;
}

/**
 * wp_schedstate_cpu() - find or add a CPU
 * @s: the schedule
 * @id: its number
 * @out: set to the CPU
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedstate_cpu(struct wp_schedule *s, __u32 id, struct wp_schedstate_cpu **out)
{
	struct wp_schedstate_cpu *cpu;
	__u32 nr;
	int ret;

	ret = room_for(&s->cpus, &s->cpus_room, s->cpu_nrs.nr, sizeof(cpu));
	if (ret)
		return ret;
	nr = wp_idmap_find(&s->cpu_nrs, id);
	if (nr == WP_IDMAP_NONE) {
		cpu = calloc(1, sizeof(*cpu));
		ret = cpu ? wp_idmap_add(&s->cpu_nrs, id, &nr) : -ENOMEM;
		if (ret < 0) {
			free(cpu);
			return ret;
		}
		s->cpus[nr] = cpu;
		renew(s, &cpu->idle);
		wp_schedstate_set_unknown(s, &cpu->idle, s->start);
		cpu->idle.cpu = id;
		cpu->since = s->start;
		cpu->last = s->start;
	}
	*out = s->cpus[nr];
	return 0;
}

/**
 * wp_schedstate_open_gap() - events of a CPU are lost since its last one
 * @s: the schedule
 * @cpu: the CPU
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedstate_open_gap(struct wp_schedule *s, struct wp_schedstate_cpu *cpu)
{
	int err;

	if (cpu->gap)
		return 0;
	err = room_for(&s->gaps, &s->gaps_room, s->nr_gaps, sizeof(*s->gaps));
	if (err)
		return err;
	if (!s->nr_open++)
		s->first_open = s->nr_gaps;
	s->gaps[s->nr_gaps++] = cpu->last;
	cpu->gap = true;
	return 0;
}

/**
 * wp_schedstate_close_gap() - an event of a CPU: the loss, if any, was before it
 * @s: the schedule
 * @cpu: the CPU
 */
void wp_schedstate_close_gap(struct wp_schedule *s, struct wp_schedstate_cpu *cpu)
{
	if (cpu->gap) {
		cpu->gap = false;
		cpu->since = s->now;
		s->nr_open--;
		s->gaps_end = s->now;
		s->missed += cpu->silent;
		cpu->silent = false;
	}
}
