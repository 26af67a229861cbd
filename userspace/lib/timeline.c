// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the order and the names of the scheduler's events: the records of all CPUs and
 * those of the sideband wait in one sorter, and go to the file in order of time, as
 * samples of the kernel's own tracepoints. Called by the sched record command.
 *
 * Records have no names of threads: those are what the sideband said last before
 * the event. How long threads ran is told at the end of each slice, as a sample of
 * sched_stat_runtime: perf sched latency adds these up, and the kernel's own would
 * come more often.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/comms.h"
#include "lib/device.h"
#include "lib/err.h"
#include "lib/rings.h"
#include "lib/sorter.h"
#include "lib/timeline.h"
#include "lib/tracepoint.h"

/* The events, in the order of perf sched record. */
enum event {
	EVENT_SWITCH,
	EVENT_RUNTIME,
	EVENT_WAKING,
	EVENT_WAKEUP_NEW,
	EVENT_MIGRATE,
	EVENT_MAX,
};

_Static_assert(EVENT_MAX == WP_TIMELINE_EVENTS, "as many as the header says");

static const char *const event_names[EVENT_MAX] = {
	[EVENT_SWITCH] = "sched_switch",
	[EVENT_RUNTIME] = "sched_stat_runtime",
	[EVENT_WAKING] = "sched_waking",
	[EVENT_WAKEUP_NEW] = "sched_wakeup_new",
	[EVENT_MIGRATE] = "sched_migrate_task",
};

/* Fields, found once. One that a kernel does not have is NULL. */
struct fields {
	const struct wp_tracepoint_field *comm, *pid, *prio, *state;
	const struct wp_tracepoint_field *next_comm, *next_pid, *next_prio;
	const struct wp_tracepoint_field *success, *cpu, *from_cpu, *runtime;
};

/* What runs on a CPU, and since when; @known: that is known. */
struct running {
	__u64 since;
	__u32 tid;
	bool known;
};

/* Of struct running: whoever it is. No thread has such an id. */
#define ANYBODY		0xfffffffe

/* A record on its way through the sorter: a sample, as far as that knows. */
struct waiting {
	struct perf_event_header header;
	__u32 cpu;
	__u32 reserved;
	struct wallprof_record record;
};

struct wp_timeline {
	struct wp_tracepoint tp[EVENT_MAX];
	struct fields f[EVENT_MAX];
	struct wp_perfdata *pd;
	struct wp_comms comms;
	struct wp_sorter sorter;
	struct running *running;
	__u32 nr_cpus;
	__u64 flushed;		/* what is earlier comes too late */
	struct wp_timeline_stats stats;
	char raw[WP_TRACEPOINT_MAX];
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
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_timeline_new(struct wp_timeline **out, const char *root)
{
	struct wp_timeline *tl = calloc(1, sizeof(*tl));
	int i, err;

	if (!tl) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < EVENT_MAX; i++) {
		err = wp_tracepoint_read(&tl->tp[i], root, "sched", event_names[i]);
		if (err) {
			wp_err("cannot read how this kernel describes sched:%s: %s%s",
			       event_names[i], strerror(-err),
			       err == -ENOENT ?
			       ". It is in tracefs: mount -t tracefs nodev /sys/kernel/tracing" :
			       err == -EACCES ? ". It is in tracefs, which is root's" : "");
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
	int i;

	for (i = 0; i < EVENT_MAX; i++)
		wp_perfdata_event_tracepoint(&events[i], &tl->tp[i]);
	return EVENT_MAX;
}

/**
 * wp_timeline_begin() - get ready for records
 * @tl: the timeline
 * @pd: the file, whose first events are those of wp_timeline_events()
 * @nr_cpus: CPU numbers are below this
 * @start: from when on everything is told
 * @all: of all threads; of some, what happens right after @start is not, when it
 *	is not known yet who they are
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_timeline_begin(struct wp_timeline *tl, struct wp_perfdata *pd, __u32 nr_cpus,
		      __u64 start, bool all)
{
	__u32 cpu;

	tl->pd = pd;
	tl->nr_cpus = nr_cpus;
	tl->running = calloc(nr_cpus, sizeof(*tl->running));
	if (!tl->running) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		tl->running[cpu] = (struct running){
			.since = start, .tid = ANYBODY, .known = all,
		};
	return 0;
}

/* The name that a thread has now; the idle threads have one each. */
static const char *name_of(const struct wp_timeline *tl, __u32 tid, __u32 cpu, char *buf,
			   size_t size)
{
	const char *name = tid ? wp_comms_find(&tl->comms, tid) : NULL;

	/* /proc adds what a worker works at, behind the name that it has. */
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

static int write_sample(struct wp_timeline *tl, enum event event, __u32 cpu, __u32 tgid,
			__u32 tid, __u64 time)
{
	const struct wp_perfdata_sample sample = {
		.event = event,
		.pid = tgid,
		.tid = tid,
		.cpu = cpu,
		.time = time,
		.period = 1,
		.kernel_mode = true,
		.raw = tl->raw,
		.nr_raw = tl->tp[event].size,
	};

	return wp_perfdata_write_sample(tl->pd, &sample);
}

/* The thread that an event is about, in the fields that all of them have. */
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

/* The slice that ends with a switch. */
static int write_runtime(struct wp_timeline *tl, __u32 cpu, const struct wallprof_record *rec)
{
	const struct running *running = &tl->running[cpu];

	/* Of one that is no target, not every coming is told. */
	if (!rec->tid || !running->known || rec->flags & WALLPROF_RECORD_COMES ||
	    rec->time <= running->since ||
	    (running->tid != rec->tid && running->tid != ANYBODY))
		return 0;
	begin(tl, EVENT_RUNTIME, cpu, rec->tid, rec);
	wp_tracepoint_set(tl->f[EVENT_RUNTIME].runtime, tl->raw, rec->time - running->since);
	return write_sample(tl, EVENT_RUNTIME, cpu, rec->tgid, rec->tid, rec->time);
}

static int write_switch(struct wp_timeline *tl, __u32 cpu, const struct wallprof_record *rec)
{
	const struct fields *f = &tl->f[EVENT_SWITCH];
	char buf[16];
	int err;

	err = write_runtime(tl, cpu, rec);
	if (err)
		return err;
	tl->running[cpu] = (struct running){
		.since = rec->time, .tid = rec->other_tid, .known = true,
	};
	begin(tl, EVENT_SWITCH, cpu, rec->tid, rec);
	wp_tracepoint_set(f->state, tl->raw, rec->state);
	wp_tracepoint_set_text(f->next_comm, tl->raw,
			       name_of(tl, rec->other_tid, cpu, buf, sizeof(buf)));
	wp_tracepoint_set(f->next_pid, tl->raw, rec->other_tid);
	wp_tracepoint_set(f->next_prio, tl->raw,
			  rec->other_prio == WALLPROF_PRIO_NONE ? -1 : rec->other_prio);
	return write_sample(tl, EVENT_SWITCH, cpu, rec->tgid, rec->tid, rec->time);
}

/* What is done to a thread by the one that runs here. */
static int write_other(struct wp_timeline *tl, enum event event, __u32 cpu,
		       const struct wallprof_record *rec)
{
	const struct fields *f = &tl->f[event];

	begin(tl, event, cpu, rec->other_tid, rec);
	wp_tracepoint_set(f->success, tl->raw, 1);
	wp_tracepoint_set(f->cpu, tl->raw, rec->cpu);
	wp_tracepoint_set(f->from_cpu, tl->raw, rec->state);
	return write_sample(tl, event, cpu, rec->other_tgid, rec->other_tid, rec->time);
}

static int write_record(struct wp_timeline *tl, __u32 cpu, const struct wallprof_record *rec)
{
	tl->stats.records[rec->type]++;
	switch (rec->type) {
	case WALLPROF_RECORD_LOST:
		tl->running[cpu].known = false;
		tl->stats.lost += rec->lost;
		return wp_perfdata_write_lost(tl->pd, EVENT_SWITCH, cpu, rec->time, rec->lost);
	case WALLPROF_RECORD_SWITCH:
		return write_switch(tl, cpu, rec);
	case WALLPROF_RECORD_WAKING:
		return write_other(tl, EVENT_WAKING, cpu, rec);
	case WALLPROF_RECORD_WAKEUP_NEW:
		return write_other(tl, EVENT_WAKEUP_NEW, cpu, rec);
	default:
		return write_other(tl, EVENT_MIGRATE, cpu, rec);
	}
}

/* In order of time. */
static int write_next(void *ctx, struct perf_event_header *header, __u64 time)
{
	struct wp_timeline *tl = ctx;
	int err;

	if (header->type == PERF_RECORD_SAMPLE) {
		struct waiting *w = (struct waiting *)header;

		w->record.time = time;
		return write_record(tl, w->cpu, &w->record);
	}
	err = wp_comms_record(&tl->comms, header);
	return err ? err : wp_perfdata_write_record(tl->pd, header);
}

/**
 * wp_timeline_sideband() - take a record of the sideband
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

static int add_record(void *ctx, __u32 cpu, const struct wallprof_record *record)
{
	struct wp_timeline *tl = ctx;
	const struct waiting w = {
		.header.type = PERF_RECORD_SAMPLE,
		.header.size = sizeof(w),
		.cpu = cpu,
		.record = *record,
	};

	/* A loss is told when there is room again: it may have begun long before. */
	if (record->type == WALLPROF_RECORD_LOST && record->time < tl->flushed)
		return wp_sorter_add(&tl->sorter, &w.header, tl->flushed);
	tl->stats.unordered += record->time < tl->flushed;
	return wp_sorter_add(&tl->sorter, &w.header, record->time);
}

/**
 * wp_timeline_drain() - take what the rings hold
 * @tl: the timeline
 * @dev: the session
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_drain(struct wp_timeline *tl, struct wp_device *dev)
{
	return wp_rings_drain(dev, add_record, tl);
}

/**
 * wp_timeline_flush() - write what is complete
 * @tl: the timeline
 * @upto: no record of an earlier time is to come from any source
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_flush(struct wp_timeline *tl, __u64 upto)
{
	int err = wp_sorter_flush(&tl->sorter, upto, write_next, tl);

	if (upto != ~0ULL)
		tl->flushed = upto;
	wp_comms_sweep(&tl->comms);
	return err ? err : wp_perfdata_finished_round(tl->pd);
}

/**
 * wp_timeline_end() - write all that is left
 * @tl: the timeline
 * @dev: the session, stopped
 *
 * Return: 0 or a negative errno.
 */
int wp_timeline_end(struct wp_timeline *tl, struct wp_device *dev)
{
	int err = wp_timeline_drain(tl, dev);

	if (!err)
		err = wp_rings_open_gaps(dev, add_record, tl);
	return err ? err : wp_timeline_flush(tl, ~0ULL);
}

/**
 * wp_timeline_stats() - tell what came
 * @tl: the timeline
 * @stats: filled in
 */
void wp_timeline_stats(const struct wp_timeline *tl, struct wp_timeline_stats *stats)
{
	*stats = tl->stats;
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
	wp_comms_free(&tl->comms);
	wp_sorter_free(&tl->sorter);
	free(tl->running);
	free(tl);
}
