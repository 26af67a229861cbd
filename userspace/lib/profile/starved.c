// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the history of each CPU, and finds for each runnable time of a thread which
 * threads ran instead. Called by the report command.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/intern.h"
#include "lib/profile/schedule.h"
#include "lib/profile/starved.h"

/* Number of runs kept per CPU; earlier ones are unknown. */
#define RUNS		(1U << 16)
#define MAX_CPUS	(1U << 16)

/**
 * struct run - a span in which a thread ran
 * @who: number of the thread in @threads
 * @begin: start
 * @end: end
 */
struct run {
	__u32 who;
	__u64 begin;
	__u64 end;
};

/**
 * struct cpu - a CPU
 * @run: the last runs that ended, a ring
 * @room: size of @run, a power of two, or 0
 * @nr: number of runs that ended so far
 * @who: the running thread; 0: unknown
 * @since: start of its run
 */
struct cpu {
	struct run *run;
	size_t room;
	size_t nr;
	__u32 who;
	__u64 since;
};

/**
 * struct move - a migration of a thread that is not running
 * @tid: the thread
 * @from: the CPU that it left
 * @time: time of the migration
 */
struct move {
	__s32 tid;
	__u32 from;
	__u64 time;
};

/**
 * struct wp_starved - runnable times of threads
 * @schedule: source of the spans
 * @fn: called for each part of a runnable time
 * @ctx: for @fn
 * @threads: struct wp_schedthread
 * @cpu: by number
 * @nr_cpus: size of @cpu
 * @now: time of the last event
 * @pending: spans that the current event ended
 * @nr_pending: number of @pending
 * @pending_room: allocated entries of @pending
 * @move: migrations of runnable threads
 * @nr_moves: number of @move
 * @move_room: allocated entries of @move
 */
struct wp_starved {
	struct wp_schedule *schedule;
	wp_starved_fn fn;
	void *ctx;
	struct wp_intern threads;
	struct cpu *cpu;
	size_t nr_cpus;
	__u64 now;
	struct wp_span *pending;
	size_t nr_pending;
	size_t pending_room;
	struct move *move;
	size_t nr_moves;
	size_t move_room;
};

/* Make room for one more, zeroed. */
static int room_for(void *array, size_t *room, size_t nr, size_t size)
{
	size_t wanted = *room ? *room : 16;
	char *more;

	while (wanted <= nr)
		wanted *= 2;
	if (wanted == *room)
		return 0;
	more = reallocarray(*(void **)array, wanted, size);
	if (!more)
		return -ENOMEM;
	memset(more + *room * size, 0, (wanted - *room) * size);
	*(void **)array = more;
	*room = wanted;
	return 0;
}

static int add_span(void *ctx, const struct wp_span *span)
{
	struct wp_starved *s = ctx;

	if (span->kind != WP_SPAN_RUNNABLE || span->end <= span->begin)
		return 0;
	if (room_for(&s->pending, &s->pending_room, s->nr_pending, sizeof(*s->pending)))
		return -ENOMEM;
	s->pending[s->nr_pending++] = *span;
	return 0;
}

/**
 * wp_starved_new() - allocate the state
 * @out: set to the state, to be freed with wp_starved_free()
 * @fn: called for each part of a time in which a thread was runnable
 * @ctx: for @fn
 *
 * Return: 0 or -ENOMEM.
 */
int wp_starved_new(struct wp_starved **out, wp_starved_fn fn, void *ctx)
{
	struct wp_starved *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->fn = fn;
	s->ctx = ctx;
	return wp_schedule_new(&s->schedule, add_span, s);
}

/*
 * Intern a thread; its priority is not part of its identity. Returns its number, 0: no
 * memory.
 */
static __u32 thread_of(struct wp_starved *s, const struct wp_schedthread *who)
{
	struct wp_schedthread key;

	memset(&key, 0, sizeof(key));
	key.tid = who->tid;
	key.pid = who->pid;
	memcpy(key.comm, who->comm, strnlen(who->comm, sizeof(key.comm) - 1));
	return wp_intern(&s->threads, &key, sizeof(key), NULL);
}

static struct cpu *cpu_of(struct wp_starved *s, __u32 nr)
{
	if (nr >= MAX_CPUS || room_for(&s->cpu, &s->nr_cpus, nr, sizeof(*s->cpu)))
		return NULL;
	return &s->cpu[nr];
}

static int end_run(struct cpu *cpu, const struct run *run)
{
	if (cpu->nr == cpu->room && cpu->room < RUNS) {
		size_t room = cpu->room ? 2 * cpu->room : 64;
		struct run *more = reallocarray(cpu->run, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		cpu->run = more;
		cpu->room = room;
	}
	cpu->run[cpu->nr++ & (cpu->room - 1)] = *run;
	return 0;
}

static int on_switch(struct wp_starved *s, const struct wp_schedevent *ev)
{
	struct cpu *cpu = cpu_of(s, ev->cpu);
	struct run run = { .end = ev->time };

	if (!cpu)
		return ev->cpu < MAX_CPUS ? -ENOMEM : 0;
	run.who = thread_of(s, &ev->who);
	run.begin = cpu->who ? cpu->since : wp_schedule_start(s->schedule);
	cpu->who = thread_of(s, &ev->other);
	cpu->since = ev->time;
	return run.who && cpu->who ? end_run(cpu, &run) : -ENOMEM;
}

/* The running threads are unknown after a loss. */
static void on_lost(struct wp_starved *s)
{
	size_t i;

	for (i = 0; i < s->nr_cpus; i++) {
		s->cpu[i].nr = 0;
		s->cpu[i].who = 0;
	}
}

static int on_move(struct wp_starved *s, const struct wp_schedevent *ev)
{
	if (room_for(&s->move, &s->move_room, s->nr_moves, sizeof(*s->move)))
		return -ENOMEM;
	s->move[s->nr_moves++] = (struct move){ ev->who.tid, ev->from_cpu, ev->time };
	return 0;
}

static int give(struct wp_starved *s, const struct wp_span *span, __u32 runner, __u64 ns)
{
	struct wp_starved_time t = {
		.who = span->who,
		.runner = { .tid = -1 },
		.time = span->begin,
		.ns = ns,
	};

	if (!ns)
		return 0;
	if (runner)
		memcpy(&t.runner, wp_intern_bytes(&s->threads, runner, NULL), sizeof(t.runner));
	return s->fn(s->ctx, &t);
}

/* The part of a run that overlaps a time. */
static __u64 overlap(const struct run *run, __u64 begin, __u64 end)
{
	__u64 from = run->begin > begin ? run->begin : begin;
	__u64 to = run->end < end ? run->end : end;

	return to > from ? to - from : 0;
}

/* The threads that ran on a CPU from @begin to @end. */
static int on_cpu(struct wp_starved *s, const struct wp_span *span, __u32 nr, __u64 begin,
		  __u64 end)
{
	struct cpu *cpu = cpu_of(s, nr);
	struct run open = { .end = s->now };
	__u64 rest = end - begin, ns;
	size_t i, oldest;
	int err = 0;

	if (!cpu)
		return nr < MAX_CPUS ? -ENOMEM : give(s, span, 0, rest);
	open.who = cpu->who;
	open.begin = cpu->since;
	oldest = cpu->nr > cpu->room ? cpu->nr - cpu->room : 0;
	if (cpu->who) {
		ns = overlap(&open, begin, end);
		rest -= ns;
		err = give(s, span, open.who, ns);
	}
	for (i = cpu->nr; i > oldest && rest && !err; i--) {
		const struct run *run = &cpu->run[(i - 1) & (cpu->room - 1)];

		if (run->end <= begin)
			break;
		ns = overlap(run, begin, end);
		rest -= ns < rest ? ns : rest;
		err = give(s, span, run->who, ns);
	}
	return err ? err : give(s, span, 0, rest);
}

/* A runnable span: on several CPUs in turn, if the thread was migrated. */
static int on_span(struct wp_starved *s, const struct wp_span *span)
{
	__u64 begin = span->begin;
	size_t i, left = 0;
	int err = 0;

	for (i = 0; i < s->nr_moves; i++) {
		const struct move move = s->move[i];

		if (move.tid != span->who.tid) {
			s->move[left++] = move;
			continue;
		}
		if (err || move.time <= begin || move.time >= span->end)
			continue;
		err = on_cpu(s, span, move.from, begin, move.time);
		begin = move.time;
	}
	s->nr_moves = left;
	return err ? err : on_cpu(s, span, span->cpu, begin, span->end);
}

static int on_spans(struct wp_starved *s)
{
	size_t i;
	int err = 0;

	for (i = 0; i < s->nr_pending && !err; i++)
		err = on_span(s, &s->pending[i]);
	s->nr_pending = 0;
	return err;
}

/**
 * wp_starved_event() - process an event
 * @s: the times
 * @ev: the event
 *
 * Return: 0, -ENOMEM, or what @fn of wp_starved_new() returned.
 */
int wp_starved_event(struct wp_starved *s, const struct wp_schedevent *ev)
{
	int err = wp_schedule_event(s->schedule, ev);

	s->now = ev->time;
	if (!err && ev->type == WP_SCHED_SWITCH)
		err = on_switch(s, ev);
	else if (!err && ev->type == WP_SCHED_MIGRATE)
		err = on_move(s, ev);
	if (!err)
		err = on_spans(s);
	if (!err && ev->type == WP_SCHED_LOST)
		on_lost(s);
	return err;
}

/**
 * wp_starved_end() - process the end of the recording
 * @s: the times
 * @time: end of the recording
 *
 * Return: 0, -ENOMEM, or what the callback returned.
 */
int wp_starved_end(struct wp_starved *s, __u64 time)
{
	int err = wp_schedule_end(s->schedule, time);

	if (time > s->now)
		s->now = time;
	return err ? err : on_spans(s);
}

/**
 * wp_starved_free() - free the state
 * @s: the times, or NULL
 */
void wp_starved_free(struct wp_starved *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nr_cpus; i++)
		free(s->cpu[i].run);
	wp_schedule_free(s->schedule);
	wp_intern_free(&s->threads);
	free(s->cpu);
	free(s->pending);
	free(s->move);
	free(s);
}
