// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the order and the names of the scheduler's events: the records of all CPUs and of
 * the sideband go through one sorter, and to the file in order of time, as samples of the
 * kernel's own tracepoints.
 *
 * Called by the record and sched record commands. Records have no thread names: these
 * come from the last sideband record before the event. Run times are emitted at the end
 * of each slice, as a sample of sched_stat_runtime: perf sched latency adds these up, and
 * the kernel's own event would come more often.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/sorter.h"
#include "lib/device/device.h"
#include "lib/device/rings.h"
#include "lib/model/comms.h"
#include "lib/model/stacks.h"
#include "lib/perfdata/tracepoint.h"
#include "lib/record/timeline.h"

/* Events, in the order of perf sched record. */
enum event {
	EVENT_SWITCH,
	EVENT_RUNTIME,
	EVENT_WAKING,
	EVENT_WAKEUP_NEW,
	EVENT_MIGRATE,
	EVENT_WAKEUP,
	EVENT_MAX,
};

_Static_assert(EVENT_MAX == WP_TIMELINE_EVENTS, "as many as the header says");

static const char *const event_names[EVENT_MAX] = {
	[EVENT_SWITCH] = "sched_switch",
	[EVENT_RUNTIME] = "sched_stat_runtime",
	[EVENT_WAKING] = "sched_waking",
	[EVENT_WAKEUP_NEW] = "sched_wakeup_new",
	[EVENT_MIGRATE] = "sched_migrate_task",
	[EVENT_WAKEUP] = "sched_wakeup",
};

/* Fields, looked up once. NULL if the kernel does not have the field. */
struct fields {
	const struct wp_tracepoint_field *comm, *pid, *prio, *state;
	const struct wp_tracepoint_field *next_comm, *next_pid, *next_prio;
	const struct wp_tracepoint_field *success, *cpu, *from_cpu, *runtime;
};

/* The thread that runs on a CPU, and since when, if @known. @lost: events lost so far. */
struct running {
	__u64 since;
	__u64 lost;
	__u32 tid;
	bool known;
};

/* Thread id in struct running for an unknown thread. No thread has such an id. */
#define ANYBODY		0xfffffffe

/*
 * A record in the sorter: a sample, as far as the sorter knows. Its stacks, the kernel's
 * first, may be dropped before it is written, so it has a copy of them.
 */
struct waiting {
	struct perf_event_header header;
	__u32 cpu;
	__u16 nr_kernel;
	__u16 nr_user;
	struct wallprof_record record;
	__u64 ips[];
};

struct wp_timeline {
	unsigned int nr_events;	/* without those that are not requested */
	struct wp_tracepoint tp[EVENT_MAX];
	struct fields f[EVENT_MAX];
	struct wp_timeline_options opt;
	struct wp_comms comms;
	struct wp_sorter sorter;
	struct running *running;
	__u64 flushed;		/* records of earlier times come too late */
	__u64 upto;		/* limit of this drain: later records wait for the next */
	struct wp_timeline_stats stats;
	char raw[WP_TRACEPOINT_MAX];
	union {
		struct waiting waiting;
		char room[sizeof(struct waiting) + 2 * WALLPROF_MAX_STACK * sizeof(__u64)];
	};
};

static void find_fields(struct wp_timeline *tl, enum event event)
{
	const struct wp_tracepoint *tp = &tl->tp[event];
	bool is_switch = event == EVENT_SWITCH;

	tl->f[event] = (struct fields){
		.comm = wp_tracepoint_field(tp, is_switch ? "prev_comm" : "comm"),
		.pid = wp_tracepoint_field(tp, is_switch ? "prev_pid" : "pid"),
		.prio = wp_tracepoint_field(tp, is_switch ? "prev_prio" : "prio"),
		.state = wp_tracepoint_field(tp, "prev_state"),
		.next_comm = wp_tracepoint_field(tp, "next_comm"),
		.next_pid = wp_tracepoint_field(tp, "next_pid"),
		.next_prio = wp_tracepoint_field(tp, "next_prio"),
		.success = wp_tracepoint_field(tp, "success"),
		.cpu = wp_tracepoint_field(tp, event == EVENT_MIGRATE ? "dest_cpu" :
						       "target_cpu"),
		.from_cpu = wp_tracepoint_field(tp, "orig_cpu"),
		.runtime = wp_tracepoint_field(tp, "runtime"),
	};
}

/**
 * wp_timeline_new() - read the formats of the tracepoints
 * @out: set to a timeline, to be freed
 * @root: instead of tracefs, for tests; NULL: tracefs
 * @wakeups: emit each wakeup as sched_wakeup, too
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_timeline_new(struct wp_timeline **out, const char *root, bool wakeups)
{
	struct wp_timeline *tl = calloc(1, sizeof(*tl));
	unsigned int i;
	int err;

	if (!tl) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	tl->nr_events = wakeups ? EVENT_MAX : EVENT_WAKEUP;
	for (i = 0; i < tl->nr_events; i++) {
		err = wp_tracepoint_read(&tl->tp[i], root, "sched", event_names[i]);
		if (err) {
			wp_err("cannot read how this kernel describes sched:%s: %s%s",
			       event_names[i], strerror(-err),
			       err == -ENOENT ?
			       ". It is in tracefs: mount -t tracefs nodev /sys/kernel/tracing" :
			       err == -EACCES || err == -EPERM ?
			       ". It is in tracefs, which only root may read: use sudo" : "");
			wp_timeline_free(tl);
			return err;
		}
		find_fields(tl, i);
	}
	*out = tl;
	return 0;
}

/**
 * wp_timeline_events() - describe the events of the file
 * @tl: the timeline
 * @events: room for WP_TIMELINE_EVENTS
 *
 * Return: their number.
 */
unsigned int wp_timeline_events(const struct wp_timeline *tl, struct wp_perfdata_event *events)
{
	unsigned int i;

	for (i = 0; i < tl->nr_events; i++)
		wp_perfdata_event_tracepoint(&events[i], &tl->tp[i]);
	return tl->nr_events;
}

/**
 * wp_timeline_begin() - prepare for records
 * @tl: the timeline
 * @opt: sources and destination
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_timeline_begin(struct wp_timeline *tl, const struct wp_timeline_options *opt)
{
	__u32 cpu;

	tl->opt = *opt;
	tl->running = calloc(opt->nr_cpus, sizeof(*tl->running));
	if (!tl->running) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	for (cpu = 0; cpu < opt->nr_cpus; cpu++)
		tl->running[cpu] = (struct running){
			.since = opt->start, .tid = ANYBODY, .known = opt->all,
		};
	return 0;
}

/* Current name of a thread; there is an idle thread per CPU. */
static const char *name_of(const struct wp_timeline *tl, __u32 tid, __u32 cpu, char *buf,
			   size_t size)
{
	const char *name = tid ? wp_comms_find(&tl->comms, tid) : NULL;

	/* /proc appends what a worker works on to the worker's name. */
	if (name && !strncmp(name, "kworker/", 8) && strncmp(name, "kworker/R-", 10)) {
		snprintf(buf, size, "%.*s", (int)strcspn(name, "-+"), name);
		return buf;
	}
	if (name)
		return name;
	if (tid)
		snprintf(buf, size, ":%d", (__s32)tid);
	else
		snprintf(buf, size, "swapper/%u", cpu);
	return buf;
}

static int write_sample(struct wp_timeline *tl, enum event event, __u32 tgid, __u32 tid,
			const struct waiting *w)
{
	const struct wp_perfdata_sample sample = {
		.event = tl->opt.first + event,
		.pid = tgid,
		.tid = tid,
		.cpu = w->cpu,
		.time = w->record.time,
		.period = 1,
		.kernel_mode = true,
		.nr_kernel = w->nr_kernel,
		.kernel_ips = w->ips,
		.nr_user = w->nr_user,
		.user_ips = w->ips + w->nr_kernel,
		.raw = tl->raw,
		.nr_raw = tl->tp[event].size,
	};

	return tl->opt.sample(tl->opt.ctx, &sample);
}

/* Set the thread of an event, in the fields that all events have. */
static void begin(struct wp_timeline *tl, enum event event, __u32 cpu, __u32 current,
		  const struct wallprof_record *rec)
{
	const struct fields *f = &tl->f[event];
	char buf[16];

	wp_tracepoint_begin(&tl->tp[event], tl->raw, current);
	wp_tracepoint_set_text(f->comm, tl->raw, name_of(tl, rec->tid, cpu, buf, sizeof(buf)));
	wp_tracepoint_set(f->pid, tl->raw, rec->tid);
	wp_tracepoint_set(f->prio, tl->raw,
			  rec->prio == WALLPROF_PRIO_NONE ? -1 : rec->prio);
}

/* Write the slice that ends with a switch. */
static int write_runtime(struct wp_timeline *tl, const struct waiting *w)
{
	const struct running *running = &tl->running[w->cpu];
	const struct wallprof_record *rec = &w->record;
	struct waiting slice = { .cpu = w->cpu, .record = *rec };

	/* Not every switch to a thread that is no target is recorded. */
	if (!rec->tid || !running->known || rec->flags & WALLPROF_RECORD_COMES ||
	    rec->time <= running->since ||
	    (running->tid != rec->tid && running->tid != ANYBODY))
		return 0;
	begin(tl, EVENT_RUNTIME, w->cpu, rec->tid, rec);
	wp_tracepoint_set(tl->f[EVENT_RUNTIME].runtime, tl->raw, rec->time - running->since);
	return write_sample(tl, EVENT_RUNTIME, rec->tgid, rec->tid, &slice);
}

static int write_switch(struct wp_timeline *tl, const struct waiting *w)
{
	const struct fields *f = &tl->f[EVENT_SWITCH];
	const struct wallprof_record *rec = &w->record;
	__u32 cpu = w->cpu;
	char buf[16];
	int err;

	err = write_runtime(tl, w);
	if (err)
		return err;
	tl->running[cpu].since = rec->time;
	tl->running[cpu].tid = rec->other_tid;
	tl->running[cpu].known = true;
	begin(tl, EVENT_SWITCH, cpu, rec->tid, rec);
	wp_tracepoint_set(f->state, tl->raw, rec->state);
	wp_tracepoint_set_text(f->next_comm, tl->raw,
			       name_of(tl, rec->other_tid, cpu, buf, sizeof(buf)));
	wp_tracepoint_set(f->next_pid, tl->raw, rec->other_tid);
	wp_tracepoint_set(f->next_prio, tl->raw,
			  rec->other_prio == WALLPROF_PRIO_NONE ? -1 : rec->other_prio);
	tl->stats.stacks += w->nr_kernel || w->nr_user;
	return write_sample(tl, EVENT_SWITCH, rec->tgid, rec->tid, w);
}

/* Write an event in which the current thread acts on another. */
static int write_other(struct wp_timeline *tl, enum event event, const struct waiting *w)
{
	const struct wallprof_record *rec = &w->record;
	const struct fields *f = &tl->f[event];

	begin(tl, event, w->cpu, rec->other_tid, rec);
	wp_tracepoint_set(f->success, tl->raw, 1);
	wp_tracepoint_set(f->cpu, tl->raw, rec->cpu);
	wp_tracepoint_set(f->from_cpu, tl->raw, rec->state);
	return write_sample(tl, event, rec->other_tgid, rec->other_tid, w);
}

/* For a perf that knows only one of the two events, both are written with the same time. */
static int write_waking(struct wp_timeline *tl, const struct waiting *w)
{
	int err = write_other(tl, EVENT_WAKING, w);

	if (err || tl->nr_events <= EVENT_WAKEUP)
		return err;
	return write_other(tl, EVENT_WAKEUP, w);
}

static int write_record(struct wp_timeline *tl, const struct waiting *w)
{
	const struct wallprof_record *rec = &w->record;

	tl->stats.records[rec->type]++;
	switch (rec->type) {
	case WALLPROF_RECORD_LOST:
		tl->running[w->cpu].known = false;
		tl->running[w->cpu].lost += rec->lost;
		tl->stats.lost += rec->lost;
		return tl->opt.lost(tl->opt.ctx, w->cpu, rec->time, rec->lost);
	case WALLPROF_RECORD_SWITCH:
		return write_switch(tl, w);
	case WALLPROF_RECORD_WAKING:
		return write_waking(tl, w);
	case WALLPROF_RECORD_WAKEUP_NEW:
		return write_other(tl, EVENT_WAKEUP_NEW, w);
	case WALLPROF_RECORD_MIGRATE:
		return write_other(tl, EVENT_MIGRATE, w);
	case WALLPROF_RECORD_STACKS:	/* not requested */
		return 0;
	default:			/* not passed by ringwalk.c */
		wp_err("record of the unknown type %u in a ring", rec->type);
		return -EPROTO;
	}
}

/* Called in order of time. */
static int write_next(void *ctx, struct perf_event_header *header, __u64 time)
{
	struct wp_timeline *tl = ctx;
	int err;

	if (header->type == PERF_RECORD_SAMPLE) {
		struct waiting *w = (struct waiting *)header;

		w->record.time = time;
		return write_record(tl, w);
	}
	err = wp_comms_record(&tl->comms, header);
	if (err || !tl->opt.record)
		return err;
	return tl->opt.record(tl->opt.ctx, header);
}

/**
 * wp_timeline_sideband() - add a record of the sideband
 * @ctx: the timeline
 * @rec: the record; no sample
 * @time: its time
 *
 * A wp_record_fn.
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_sideband(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct wp_timeline *tl = ctx;

	return wp_sorter_add(&tl->sorter, rec, time);
}

/* Append the frames of a stack. Returns their number. */
static unsigned int add_ips(struct wp_timeline *tl, __u64 id, unsigned int at)
{
	const struct wp_stack *stack;
	unsigned int nr;

	if (!id)
		return 0;
	if (!wp_stacks_find(tl->opt.stacks, id, &stack) || !stack) {
		tl->stats.unknown++;
		return 0;
	}
	nr = stack->nr < WALLPROF_MAX_STACK ? stack->nr : WALLPROF_MAX_STACK;
	memcpy(&tl->waiting.ips[at], stack->ips, nr * sizeof(__u64));
	return nr;
}

/* Whether an id belongs to an epoch that has not been read yet. */
static bool is_new(const struct wp_timeline *tl, __u64 id)
{
	const struct wp_stack *stack;

	return id && !wp_stacks_find(tl->opt.stacks, id, &stack);
}

/* Whether a record is left to the next drain. */
static bool comes_later(struct wp_timeline *tl, const struct wallprof_record *record,
			const struct wallprof_record *stacks)
{
	/* The session is stopped. */
	if (!tl->opt.stacks || tl->upto == ~0ULL)
		return false;
	/* The stacks of the last switch before the flip may not have been read yet. */
	if (record->time > tl->upto)
		return true;
	if (!stacks || (!is_new(tl, stacks->user_stack) && !is_new(tl, stacks->kernel_stack)))
		return false;
	/* The record's CPU saw the new epoch before we read the clock. */
	tl->upto = record->time;
	return true;
}

/**
 * wp_timeline_record() - add a record of a ring
 * @ctx: the timeline
 * @cpu: the CPU of the ring
 * @record: the record
 * @stacks: resolves its stacks, or NULL
 *
 * A wp_ring_fn.
 *
 * Return: 0, WP_RING_LATER or a negative errno.
 */
int wp_timeline_record(void *ctx, __u32 cpu, const struct wallprof_record *record,
		       const struct wallprof_record *stacks)
{
	struct wp_timeline *tl = ctx;
	struct waiting *w = &tl->waiting;
	__u64 time = record->time;

	if (comes_later(tl, record, stacks))
		return WP_RING_LATER;
	*w = (struct waiting){
		.header.type = PERF_RECORD_SAMPLE,
		.cpu = cpu,
		.record = *record,
	};
	if (stacks && tl->opt.stacks) {
		w->nr_kernel = add_ips(tl, stacks->kernel_stack, 0);
		w->nr_user = add_ips(tl, stacks->user_stack, w->nr_kernel);
	}
	w->header.size = sizeof(*w) + (w->nr_kernel + w->nr_user) * sizeof(__u64);
	/* A loss is recorded when there is room again: it may have begun long before. */
	if (record->type == WALLPROF_RECORD_LOST && time < tl->flushed)
		time = tl->flushed;
	tl->stats.unordered += time < tl->flushed;
	return wp_sorter_add(&tl->sorter, &w->header, time);
}

/**
 * wp_timeline_drain() - read the rings
 * @tl: the timeline
 * @dev: the session
 * @upto: all events up to this time are in the rings, and their stacks have been read;
 *	lowered to the time up to which all records were taken. ~0ULL: the session is
 *	stopped
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_drain(struct wp_timeline *tl, struct wp_device *dev, __u64 *upto)
{
	int err;

	tl->upto = *upto;
	err = wp_rings_drain(dev, wp_timeline_record, tl);
	*upto = tl->upto;
	return err;
}

/**
 * wp_timeline_flush() - write the complete records
 * @tl: the timeline
 * @upto: no source has any more records of an earlier time
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_flush(struct wp_timeline *tl, __u64 upto)
{
	int err = wp_sorter_flush(&tl->sorter, upto, write_next, tl);

	if (upto != ~0ULL)
		tl->flushed = upto;
	wp_comms_sweep(&tl->comms);
	return err;
}

/**
 * wp_timeline_end() - write all remaining records
 * @tl: the timeline
 * @dev: the session, stopped
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_end(struct wp_timeline *tl, struct wp_device *dev)
{
	__u64 all = ~0ULL;
	int err = wp_timeline_drain(tl, dev, &all);

	if (!err)
		err = wp_rings_open_gaps(dev, wp_timeline_record, tl);
	return err ? err : wp_timeline_flush(tl, ~0ULL);
}

/**
 * wp_timeline_stats() - read the statistics
 * @tl: the timeline
 * @stats: filled in
 */
void wp_timeline_stats(const struct wp_timeline *tl, struct wp_timeline_stats *stats)
{
	*stats = tl->stats;
}

/**
 * wp_timeline_lost() - number of a CPU's records that found no room
 * @tl: the timeline, begun
 * @cpu: the CPU
 *
 * Return: the number.
 */
__u64 wp_timeline_lost(const struct wp_timeline *tl, __u32 cpu)
{
	return tl->running[cpu].lost;
}

/**
 * wp_timeline_reset() - drop all but the formats, for the next file
 * @tl: the timeline; wp_timeline_begin() must be called again
 */
void wp_timeline_reset(struct wp_timeline *tl)
{
	wp_comms_free(&tl->comms);
	wp_sorter_free(&tl->sorter);
	free(tl->running);
	tl->running = NULL;
	tl->opt = (struct wp_timeline_options){ 0 };
	tl->flushed = 0;
	tl->stats = (struct wp_timeline_stats){ 0 };
}

/**
 * wp_timeline_free() - free a timeline
 * @tl: the timeline, or NULL
 */
void wp_timeline_free(struct wp_timeline *tl)
{
	int i;

	if (!tl)
		return;
	for (i = 0; i < EVENT_MAX; i++)
		wp_tracepoint_free(&tl->tp[i]);
	wp_timeline_reset(tl);
	free(tl);
}
