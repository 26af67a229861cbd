// SPDX-License-Identifier: GPL-2.0
/*
 * Takes perf's records of mappings, forks and exits, which mark processes as dirty. Asks the
 * module whether it had room for all forked children. Called by mapsync.c, in its thread.
 */
#include <linux/perf_event.h>

#include "lib/base/clock.h"
#include "lib/record/mapprocs.h"
#include "lib/record/maprecords.h"
#include "lib/record/sideband.h"

#define NSEC_PER_MSEC	1000000ULL

/* Interval between queries for children that did not inherit their parents' tables. */
#define ASK_NS		(100 * NSEC_PER_MSEC)

/* Fixed part of the records that are parsed. */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
};

/*
 * A process was forked at @time. The module copies to a child what it knows of the parent
 * at that moment, not what it learns later, and nothing if it has no room, which it may
 * have reported before this record was read. For a child of a followed target, a record
 * may have come before this one.
 */
static void take_fork(struct wp_mapsync *sync, __u32 ppid, __u32 pid, __u64 time)
{
	const struct wp_mapproc *parent = wp_mapprocs_find(sync, ppid);
	struct wp_mapproc *p = wp_mapprocs_find_or_add(sync, pid);

	if (!p)
		return;
	/* It executes what its parent does, until it executes another program. */
	if (sync->opt.interps)
		wp_interps_fork(sync->opt.interps, ppid, pid);
	if (!__atomic_load_n(&sync->started, __ATOMIC_RELAXED) || sync->opt.pids ||
	    !parent || parent->dirty || parent->unsettled || time <= parent->published_at ||
	    time <= sync->missed_by) {
		wp_mapprocs_set_dirty(sync, p);
		return;
	}
	p->forked = time;
	if (time > sync->forked)
		sync->forked = time;
}

/*
 * A process has mapped something at @time. A fork by this process at a later time can be
 * known already, if it happened on another CPU, whose ring was read later. The child and
 * its descendants then lack the mapping.
 */
static void take_map(struct wp_mapsync *sync, __u32 pid, __u64 time)
{
	wp_mapprocs_touch(sync, pid);
	if (time <= sync->forked && (!sync->mapped_late || time < sync->mapped_late))
		sync->mapped_late = time;
}

/* Once for all late maps, as it goes through all processes. */
static void take_late_maps(struct wp_mapsync *sync)
{
	if (sync->mapped_late)
		wp_mapprocs_touch_forked(sync, sync->mapped_late);
	sync->mapped_late = 0;
}

/*
 * The first thread of a process has ended. If there were others, mark the process as
 * dirty: it lives as long as one of them does, and may still wait for tables.
 */
static void take_end(struct wp_mapsync *sync, __u32 pid)
{
	struct wp_mapproc *p = wp_mapprocs_find(sync, pid);

	if (p && p->threaded)
		wp_mapprocs_set_dirty(sync, p);
	else
		wp_mapprocs_forget(sync, pid);
}

static int take_record(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	const struct task_record *task = (const void *)rec;
	struct wp_mapsync *sync = ctx;

	sync->taken++;
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(sync, task->pid, time);
		break;
	case PERF_RECORD_FORK:
		if (task->pid != task->ppid)
			take_fork(sync, task->ppid, task->pid, time);
		else
			wp_mapprocs_note_thread(sync, task->pid);
		break;
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			take_end(sync, task->pid);
		break;
	case PERF_RECORD_LOST:
		sync->lost = true;
		break;
	}
	return 0;
}

/**
 * wp_maprecords_skips() - whether a record changes nothing
 * @ctx: the state of mapsync.c
 * @rec: the record, complete
 *
 * Most records are of threads, of processes that are known to have several.
 *
 * Return: true if it is the birth or the end of such a thread, or a name.
 */
bool wp_maprecords_skips(void *ctx, const struct perf_event_header *rec)
{
	const struct task_record *task = (const void *)rec;
	struct wp_mapsync *sync = ctx;
	const struct wp_mapproc *p;

	sync->records++;
	if (rec->type == PERF_RECORD_EXIT)
		return task->pid != task->tid;
	if (rec->type == PERF_RECORD_COMM)
		return true;
	if (rec->type != PERF_RECORD_FORK || task->pid != task->ppid)
		return false;
	p = wp_mapprocs_find(sync, task->pid);
	return p && p->threaded;
}

/**
 * wp_maprecords_drain() - take the records that have come
 * @sync: the state of mapsync.c
 *
 * Return: 0 or a negative errno.
 */
int wp_maprecords_drain(struct wp_mapsync *sync)
{
	int err;

	sync->lost = false;
	err = wp_sideband_drain(sync->sideband, NULL, false, take_record, sync);
	take_late_maps(sync);
	if (sync->lost) {
		sync->stats.rescans++;
		wp_mapprocs_touch_all(sync);
	}
	return err;
}

/**
 * wp_maprecords_ask_for_missed() - ask the module about forked children
 * @sync: the state of mapsync.c
 *
 * If anything depends on it, ask the module whether it had room for forked children; a
 * fork's record comes before the module sees the fork.
 *
 * Return: when the next query is due, or ~0.
 */
__u64 wp_maprecords_ask_for_missed(struct wp_mapsync *sync)
{
	__u64 now = wp_clock_now(), asked = sync->asked, missed;

	if (asked > sync->forked + ASK_NS)
		return ~0ULL;
	if (now < asked + ASK_NS)
		return asked + ASK_NS;
	missed = sync->opt.missed(sync->opt.ctx);
	sync->asked = now;
	if (missed > sync->missed) {
		sync->missed = missed;
		sync->missed_by = wp_clock_now();
		wp_mapprocs_touch_forked(sync, asked > ASK_NS ? asked - ASK_NS : 0);
	}
	return now > sync->forked + ASK_NS ? ~0ULL : now + ASK_NS;
}
