// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the session of a live view, an interval at a time: a recording without a file.
 * Closed intervals and samples come from the epoch's tables, current states of threads
 * from the task table, their names from perf's sideband events. Called by top/top.c and
 * by agent/agent.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/live.h"
#include "cmd/common/realtime.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/model/kidle.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/swapped.h"
#include "lib/sandbox/zygote.h"

/* A process that lives as long as a second has its functions read. */
#define LOOK_NS	1000000000ULL

/* Number of tries to read a slot that changes meanwhile. */
#define TRIES	4

/* Record of a thread's name, perf's layout. */
struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[WALLPROF_COMM_LEN];
};

/* Common part of records after which a process has other mappings. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid;
};

/* Without Python and Java on the host this is all, for each record, and each second. */
static bool has_interps(const struct wp_live *live)
{
	return live->r.codes && wp_interps_any(live->r.interps);
}

static bool has_methods(const struct wp_live *live)
{
	return wp_jvmmethods_any(live->r.methods);
}

static int add_record(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	const struct task_record *task = (const void *)rec;
	struct wp_live *live = ctx;

	if (rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2 ||
	    (rec->type == PERF_RECORD_FORK && task->pid != task->ppid)) {
		wp_livenames_forget(live->names, task->pid);
		if (live->forget)
			live->forget(live->forget_ctx, task->pid,
				     rec->type == PERF_RECORD_FORK ? task->ppid : 0);
	}
	if (has_interps(live))
		wp_interpcodes_record(live->r.codes, rec, time);
	if (live->r.methods)
		wp_jvmmethods_record(live->r.methods, rec, time);
	wp_livecauses_record(&live->causes, rec);
	if (wp_endedmaps_record(&live->ended[live->now], rec))
		return -ENOMEM;
	return wp_comms_record(&live->r.t.comms, rec);
}

static int each_gone(void *ctx, __u32 pid, wp_procmap_fn add, void *add_ctx, __u32 *parent,
		     bool *whole)
{
	const struct wp_live *live = ctx;
	unsigned int i, at = live->now;
	int err = 0;

	*parent = 0;
	*whole = false;
	for (i = 0; i < WP_LIVE_ENDED && !*whole && !err; i++) {
		err = wp_endedmaps_each(&live->ended[at], pid, add, add_ctx, parent, whole);
		at = (at + WP_LIVE_ENDED - 1) % WP_LIVE_ENDED;
	}
	return err;
}

/**
 * wp_live_new_names() - forget the names of functions that are known
 * @live: the view
 *
 * Return: 0 or -ENOMEM: they are as they were.
 */
int wp_live_new_names(struct wp_live *live)
{
	struct wp_livenames *names;
	int err = wp_livenames_new(&names, NULL);

	if (err)
		return err;
	wp_livenames_set_gone(names, each_gone, live);
	wp_livenames_free(live->names);
	live->names = names;
	return 0;
}

/*
 * Our helpers are separate processes, but not worth rows of their own: count them as
 * ours.
 */
static __u32 process_of(const struct wp_live *live, __u32 tgid)
{
	return wp_zygote_is_ours(tgid) || wp_opener_is_ours(tgid) ? live->table.self : tgid;
}

static int set_comm(struct wp_live *live, __u32 tgid, __u32 tid, const char *comm)
{
	struct comm_record rec = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(rec) },
		.pid = tgid,
		.tid = tid,
	};

	snprintf(rec.comm, sizeof(rec.comm), "%s", comm);
	return wp_comms_record(&live->r.t.comms, &rec.header);
}

/* What runs at the start can have ended before anybody asks for its name, or its parent. */
static void add_running(void *ctx, const struct wallprof_live_thread *thread)
{
	struct wp_live *live = ctx;

	if (live->forget && thread->tid == thread->pid)
		live->forget(live->forget_ctx, thread->pid, thread->ppid);
	/* Without memory for it, /proc may have it later. */
	set_comm(live, thread->pid, thread->tid, thread->comm);
}

/* A thread's name: from records or, if it is older than the session, from /proc. */
static const char *find_comm(struct wp_live *live, __u32 tgid, __u32 tid)
{
	const char *known = wp_comms_find(&live->r.t.comms, tid);
	char path[64], comm[WALLPROF_COMM_LEN], *end;
	ssize_t len;
	int fd;

	if (known)
		return known;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	len = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (len <= 0)
		return NULL;
	comm[len] = 0;
	/* The last newline ends the line; others belong to the name. */
	end = memrchr(comm, '\n', len);
	if (end)
		*end = 0;
	return set_comm(live, tgid, tid, comm) ? NULL : wp_comms_find(&live->r.t.comms, tid);
}

/* Without records of a thread nobody says when its name ends. */
static void drop_soon(struct wp_live *live, __u32 tid)
{
	const struct {
		struct perf_event_header header;
		__u32 pid, ppid, tid, ptid;
		__u64 time;
	} rec = {
		.header = { .type = PERF_RECORD_EXIT, .size = sizeof(rec) },
		.tid = tid,
	};

	/* Without memory it is kept. */
	wp_comms_record(&live->r.t.comms, &rec.header);
}

/* Name of any thread, also of one that is no target. */
static const char *find_any_comm(void *ctx, __u32 tid)
{
	struct wp_live *live = ctx;
	enum wallprof_target kind = live->r.o.target.kind;
	const char *known = wp_comms_find(&live->r.t.comms, tid);

	if (known)
		return known;
	known = find_comm(live, tid, tid);
	if (known && (kind == WALLPROF_TARGET_PID || kind == WALLPROF_TARGET_TID))
		drop_soon(live, tid);
	return known;
}

static int open_sideband(struct wp_live *live)
{
	const struct wp_target *t = &live->r.o.target;
	struct wp_sideband_options opt = {
		.filter = t->kind == WALLPROF_TARGET_PID || t->kind == WALLPROF_TARGET_TID,
		.followed = wp_recording_has_tables(&live->r),
	};
	int err;
	__u32 i;

	err = wp_sideband_open(&live->r.sideband, &opt);
	for (i = 0; opt.filter && i < t->nr && !err; i++)
		err = wp_sideband_want(live->r.sideband, t->tgids ? t->tgids[i] : t->ids[i]);
	return err;
}

/* Without a message about a fallback of the counter, unless the user chose one. */
static int configure(struct wp_live *live)
{
	enum wp_verbosity before = wp_get_verbosity();
	int err;

	if (!live->event_given && before == WP_NORMAL)
		wp_set_verbosity(WP_QUIET);
	err = wp_recording_configure(&live->r);
	wp_set_verbosity(before);
	return err;
}

/**
 * wp_live_begin() - start the session
 * @live: the view, with the options of its session
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_live_begin(struct wp_live *live)
{
	struct wp_recording *r = &live->r;
	int err;

	live->causes.comm = find_any_comm;
	live->causes.comm_ctx = live;
	err = wp_stacks_init(&r->stacks);
	if (!err)
		err = wp_live_new_names(live);
	if (!err && wp_recording_has_tables(r)) {
		r->jvms = wp_jvms_new(false);
		err = r->jvms ? 0 : -ENOMEM;
	}
	if (!err)
		err = wp_recording_open_interps(r, false);
	if (!err)
		err = wp_livecauses_begin(&live->causes, &r->o);
	if (err) {
		wp_err("out of memory");
		return err;
	}
	wp_swapped_leave();
	err = wp_realtime_set(r->o.realtime);
	if (!err)
		err = wp_device_open(&r->dev);
	if (!err)
		err = configure(live);
	if (!err)
		err = open_sideband(live);
	if (!err)
		err = wp_recording_open_mapsync(r, add_running, live);
	if (!err)
		err = wp_device_start(&r->dev, &r->s.start);
	if (err)
		return err;
	wp_mapsync_started(r->mapsync);
	live->flipped = r->s.start;
	err = wp_toptable_init(&live->table, r->s.start, r->dev.conf.nr_tasks);
	live->table.self = getpid();
	if (err)
		wp_err("out of memory");
	return err;
}

/* Waits that were open at the start were longer than is known: these have no histogram. */
static int add_hist(struct wp_live *live, const struct wp_half *half, __u32 i,
		    const struct wp_topkey *key)
{
	const struct wallprof_aggr *aggr = wp_half_aggr(half, i);
	const char *comm = NULL;

	if (!live->hist || !half->hists || aggr->kind != WALLPROF_AGGR_OFFCPU ||
	    aggr->flags & WALLPROF_AGGR_SINCE_START)
		return 0;
	if (wp_kidle_is_kthread(key->tgid, key->tid, key->reason))
		comm = find_comm(live, key->tgid, key->tid);
	return live->hist(live->hist_ctx, key, comm, aggr, wp_half_hist(half, i));
}

/* Closed intervals, samples and losses of a half. */
static int add_half(struct wp_live *live, const struct wp_half *half)
{
	bool interps = has_interps(live), methods = has_methods(live);
	__u32 i;
	int err;

	for (i = 0; i < half->nr_aggrs; i++) {
		const struct wallprof_aggr *aggr = wp_half_aggr(half, i);
		struct wp_topkey key = {
			.tgid = process_of(live, aggr->tgid),
			.tid = aggr->tid,
			.start_time = aggr->start_time,
			.oncpu = aggr->kind == WALLPROF_AGGR_SAMPLE,
			.event = aggr->kind == WALLPROF_AGGR_SAMPLE ? aggr->event : 0,
			.lost = aggr->flags & WALLPROF_AGGR_NO_STACK,
			.syscall = WALLPROF_SYSCALL_NONE,
		};

		if (!aggr->tid)
			continue;
		wp_stacks_find(&live->r.stacks, aggr->user_stack, &key.user);
		wp_stacks_find(&live->r.stacks, aggr->kernel_stack, &key.kernel);
		/* The process may have ended when the interval is shown. */
		if (interps && key.user)
			wp_interpcodes_look(live->r.codes, aggr->tgid, key.user->ips,
					    key.user->nr);
		if (methods && key.user)
			wp_jvmmethods_look(live->r.methods, aggr->tgid, key.user->ips,
					   key.user->nr);
		if (key.oncpu) {
			err = wp_topshares_sample(&live->shares, &key, aggr->total);
		} else {
			key.state = aggr->state;
			key.iowait = aggr->flags & WALLPROF_AGGR_IOWAIT;
			key.compat = aggr->flags & WALLPROF_AGGR_32BIT;
			key.reason = aggr->reason;
			key.syscall = aggr->syscall;
			err = wp_livecauses_closed(&live->causes, aggr, &key);
			if (!err)
				err = wp_topshares_add(&live->shares, &key,
						       aggr->total - aggr->runnable,
						       aggr->runnable);
			if (!err)
				err = add_hist(live, half, i, &key);
		}
		if (err)
			return err;
	}
	for (i = 0; i < half->nr_exits; i++) {
		struct wallprof_task task = *wp_half_exit(half, i);

		if (!task.tid || task.flags & WALLPROF_TASK_ARMED)
			continue;
		task.tgid = process_of(live, task.tgid);
		err = wp_toptable_ended(&live->table, &task,
					wp_comms_find(&live->r.t.comms, task.tid));
		if (err)
			return err;
	}
	for (i = 0; i < WALLPROF_LOSS_MAX; i++)
		live->lost[i] += half->head->lost[i].count;
	return 0;
}

static int drain(struct wp_live *live)
{
	struct wp_recording *r = &live->r;
	__u32 epoch, cpu, context;
	__u64 upto;
	int err;

	if (r->methods)
		wp_jvmmethods_before(r->methods);
	err = wp_device_flip(&r->dev, &epoch, &live->flipped);
	if (err)
		return err;
	if (r->methods)
		wp_jvmmethods_flipped(r->methods, live->flipped);
	/* First, as it has the names of ended threads. */
	err = wp_sideband_drain(r->sideband, &upto, false, add_record, live);
	if (!err)
		err = wp_recording_add_stacks(r, epoch);
	for (cpu = 0; cpu < r->dev.info.nr_cpus && !err; cpu++) {
		for (context = 0; context < WP_CONTEXTS && !err; context++) {
			struct wp_half half;

			if (wp_device_half(&r->dev, cpu, context, epoch, &half))
				err = add_half(live, &half);
		}
	}
	if (!err)
		wp_recording_look_at_functions(r);
	if (!err)
		err = wp_recording_prune_stacks(r);
	return err;
}

/**
 * wp_live_drain() - read the module's data so far
 * @live: the view; what is shown does not change
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_live_drain(struct wp_live *live)
{
	int err = drain(live);

	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/**
 * wp_live_look_at() - when wp_live_look() is to be called next
 * @live: the view
 *
 * Return: a time of CLOCK_MONOTONIC; ~0: never.
 */
__u64 wp_live_look_at(const struct wp_live *live)
{
	__u64 last = live->looked > live->flipped ? live->looked : live->flipped;

	return live->r.codes || live->r.methods ? last + LOOK_NS : ~0ULL;
}

/**
 * wp_live_look() - read the functions of interpreters, and of JVMs
 * @live: the view
 *
 * In a long interval: when it ends, processes have ended that had them.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_live_look(struct wp_live *live)
{
	live->looked = wp_clock_now();
	return has_interps(live) || has_methods(live) ? wp_live_drain(live) : 0;
}

/* A consistent copy of a slot, unless it changes faster than it can be read. */
static void read_slot(const struct wallprof_task *slot, struct wallprof_task *copy)
{
	struct wallprof_task again;
	unsigned int i;

	memcpy(copy, slot, sizeof(*copy));
	for (i = 0; i < TRIES; i++) {
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(&again, slot, sizeof(again));
		if (!memcmp(copy, &again, sizeof(again)))
			break;
		*copy = again;
	}
}

/* Add the current off-CPU phase of a thread, up to now. */
static int add_open(struct wp_live *live, const struct wallprof_task *task, __u64 time)
{
	struct wp_topkey key = {
		.tgid = task->tgid,
		.tid = task->tid,
		.start_time = task->start_time,
		.state = task->state,
		.iowait = task->flags & WALLPROF_TASK_IOWAIT,
		.lost = task->flags & WALLPROF_TASK_NO_STACK,
		.compat = task->flags & WALLPROF_TASK_32BIT,
		.reason = task->reason,
		.syscall = task->syscall,
	};
	__u64 blocked, runnable;
	int err;

	if (!wp_top_open_phase(task, time, &blocked, &runnable))
		return 0;
	err = wp_livecauses_open(&live->causes, task, runnable, &key);
	if (err)
		return err;
	/* The stack of a thread that left its CPU after the flip is not known yet. */
	wp_stacks_find(&live->r.stacks, task->user_stack, &key.user);
	wp_stacks_find(&live->r.stacks, task->kernel_stack, &key.kernel);
	return wp_topshares_open(&live->shares, &key, blocked, runnable);
}

static int read_tasks(struct wp_live *live, __u64 time)
{
	const struct wp_device *dev = &live->r.dev;
	__u64 invisible = 0;
	__u32 i;
	int err = 0;

	for (i = 0; i < dev->conf.nr_tasks && !err; i++) {
		const struct wallprof_task *slot = wp_device_task(dev, i);
		struct wallprof_task task;

		if (*(volatile const __u8 *)&slot->phase == WALLPROF_TASK_FREE)
			continue;
		read_slot(slot, &task);
		if (task.phase == WALLPROF_TASK_FREE || task.phase == WALLPROF_TASK_EXITED ||
		    task.flags & WALLPROF_TASK_ARMED)
			continue;
		if (!task.tid || !task.tgid) {
			invisible++;
			continue;
		}
		task.tgid = process_of(live, task.tgid);
		err = wp_toptable_live(&live->table, i, &task, time,
				       find_comm(live, task.tgid, task.tid));
		if (!err)
			err = add_open(live, &task, time);
	}
	live->invisible = invisible;
	return err;
}

/*
 * A thread that is shown may be of a process that was forked after the records were read, and
 * that has ended by the time that somebody asks for its parent: read those up to now.
 */
static int read_newer(struct wp_live *live)
{
	__u64 until = wp_clock_now() + WP_SIDEBAND_SETTLE_NS, now;

	while ((now = wp_clock_now()) <= until) {
		const struct timespec ts = { .tv_nsec = until - now + 1 };

		nanosleep(&ts, NULL);
	}
	return wp_sideband_drain(live->r.sideband, NULL, false, add_record, live);
}

/* Losses that belong to no CPU's tables. */
static int read_status(struct wp_live *live)
{
	struct wp_sideband_stats side;
	int err;

	err = wp_device_status(&live->r.dev, &live->status);
	if (err)
		return err;
	wp_sideband_stats(live->r.sideband, &side);
	live->records_lost = live->records_before + side.lost + side.bad;
	return 0;
}

/**
 * wp_live_turn() - end an interval
 * @live: the view
 * @shown: its table and its shares show that interval then; if not, they are unchanged
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_live_turn(struct wp_live *live, bool shown)
{
	__u64 time;
	int err;

	/* What ended before the last interval did has been shown. */
	if (live->r.codes) {
		wp_interpcodes_end_epoch(live->r.codes, live->turned);
		wp_interpcodes_sweep(live->r.codes);
	}
	if (live->r.methods)
		wp_jvmmethods_end_epoch(live->r.methods, live->turned);
	/* Not each time that data is read: a thread that ended is shown with this interval. */
	wp_comms_sweep(&live->r.t.comms);
	err = drain(live);
	live->turned = live->flipped;
	/* Those that have ended are not looked up any more. */
	wp_livenames_sweep(live->names);
	time = wp_clock_now();
	if (!err)
		err = read_tasks(live, time);
	if (!err)
		err = read_newer(live);
	if (!err)
		err = read_status(live);
	if (!err)
		err = wp_toptable_turn(&live->table, time, shown);
	if (!err)
		err = wp_topshares_turn(&live->shares, shown);
	if (!err)
		err = wp_livecauses_turn(&live->causes);
	if (!err && shown)
		wp_toptable_join(&live->table, &live->shares);
	if (live->r.methods)
		wp_jvmmethods_turn(live->r.methods);
	live->now = (live->now + 1) % WP_LIVE_ENDED;
	wp_endedmaps_clear(&live->ended[live->now]);
	if (err == -ENOMEM)
		wp_err("out of memory");
	return err;
}

/**
 * wp_live_stop() - end the session, and free what was read
 * @live: the view, in any state; with its options and what it counted, for another
 *	wp_live_begin()
 */
void wp_live_stop(struct wp_live *live)
{
	const struct wp_record_opts o = live->r.o;
	struct wp_mapsync_stats stats = { 0 };
	char denied[256];
	unsigned int i;

	wp_mapsync_end(live->r.mapsync, &stats);
	if (wp_mapsync_denied(&stats, denied, sizeof(denied)))
		wp_warn("%s", denied);
	wp_sideband_close(live->r.sideband);
	wp_device_close(&live->r.dev);
	wp_toptable_free(&live->table);
	wp_topshares_free(&live->shares);
	wp_stacks_free(&live->r.stacks);
	wp_recording_close_interps(&live->r);
	wp_jvms_free(live->r.jvms);
	wp_livecauses_end(&live->causes);
	wp_comms_free(&live->r.t.comms);
	wp_livenames_free(live->names);
	live->names = NULL;
	for (i = 0; i < WP_LIVE_ENDED; i++)
		wp_endedmaps_free(&live->ended[i]);
	free(live->r.s.events);
	live->r = (struct wp_recording){ .o = o, .dev.fd = -1 };
	for (i = 0; i < WALLPROF_LOSS_MAX; i++)
		live->lost[i] += live->status.lost[i].count;
	live->status = (struct wallprof_status){ 0 };
	live->records_before = live->records_lost;
}

/**
 * wp_live_end() - end the session, and free its options, too
 * @live: the view, in any state
 */
void wp_live_end(struct wp_live *live)
{
	wp_live_stop(live);
	wp_target_free(&live->r.o.target);
	wp_event_list_free(&live->r.o.events);
}
