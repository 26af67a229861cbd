// SPDX-License-Identifier: GPL-2.0
/*
 * Lets a recording go on after it was disabled. The module records from one START to one
 * STOP, so what follows is another session of it, in the same file: it is set up when the
 * first one has ended, follows what the targets fork meanwhile, and starts when it is
 * asked to. Nothing is recorded in between, at no cost for a switch. Called by
 * cmd/record/record.c, after the last drain of the first session.
 *
 * The targets are those that lived at STOP. What they forked after it, before the new
 * session follows forks, is known by perf's records, and added: the session is set up
 * again then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/session.h"
#include "lib/record/sideband.h"

/* Sessions that are set up because of forks meanwhile. */
#define MAX_TRIES	10

/* How perf's record of a fork begins. */
struct fork_record {
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
};

static bool has_list(const struct wp_target *t)
{
	return t->kind == WALLPROF_TARGET_PID || t->kind == WALLPROF_TARGET_TID;
}

static bool is_listed(const struct wp_target *t, __u32 id)
{
	__u32 i;

	for (i = 0; i < t->nr && t->ids[i] != id; i++)
		;
	return i < t->nr;
}

static int add_target(struct wp_target *t, __u32 id, __u32 tgid)
{
	__u32 *ids, *tgids;

	/* Threads of one process follow each other in the task table, mostly. */
	if (t->nr && t->ids[t->nr - 1] == id)
		return 0;
	if (is_listed(t, id))
		return 0;
	ids = reallocarray(t->ids, t->nr + 1, sizeof(*ids));
	if (ids)
		t->ids = ids;
	tgids = reallocarray(t->tgids, t->nr + 1, sizeof(*tgids));
	if (tgids)
		t->tgids = tgids;
	if (!ids || !tgids)
		return wp_no_memory("the targets");
	t->ids[t->nr] = id;
	t->tgids[t->nr++] = tgid;
	return 0;
}

/**
 * wp_recording_list_targets() - note which targets live, for another session
 * @r: the recording; its session has just been stopped, and its sideband is not drained yet
 *
 * From here on forks are noted.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_recording_list_targets(struct wp_recording *r)
{
	struct wp_target *t = &r->o.target;
	__u32 i;
	int err = 0;

	if (!has_list(t))
		return 0;
	r->notes_forks = true;
	t->nr = 0;
	for (i = 0; i < r->dev.conf.nr_tasks && !err; i++) {
		const struct wallprof_task *task = wp_device_task(&r->dev, i);

		if (task->phase == WALLPROF_TASK_FREE || task->phase == WALLPROF_TASK_EXITED)
			continue;
		err = add_target(t, t->kind == WALLPROF_TARGET_PID ? task->tgid : task->tid,
				 task->tgid);
	}
	return err;
}

/**
 * wp_recording_note_fork() - take note of a fork while no session follows them
 * @r: the recording
 * @rec: a record of perf's
 * @time: its time
 *
 * Return: 0 or -ENOMEM.
 */
int wp_recording_note_fork(struct wp_recording *r, const struct perf_event_header *rec,
			   __u64 time)
{
	const struct fork_record *fork = (const void *)rec;
	struct wp_target *t = &r->o.target;
	bool process = t->kind == WALLPROF_TARGET_PID;
	__u32 nr = t->nr;
	int err;

	if (rec->type != PERF_RECORD_FORK || rec->size < sizeof(*fork) || !has_list(t) ||
	    !r->o.inherit)
		return 0;
	if (!is_listed(t, process ? fork->ppid : fork->ptid))
		return 0;
	err = add_target(t, process ? fork->pid : fork->tid, fork->pid);
	r->forked |= t->nr != nr && time <= r->follows;
	return err;
}

/* The records of all that was forked before now. */
static int read_forks(struct wp_recording *r)
{
	r->forked = false;
	return wp_recording_settle_sideband(r);
}

/* A session that follows forks as soon as it can: those before are noted. */
static int follow(struct wp_recording *r)
{
	unsigned int nr = r->o.events.nr;
	int err = wp_device_open(&r->dev);

	if (!err)
		err = wp_recording_configure(r);
	if (!err && r->o.events.nr != nr) {
		wp_err("an event cannot be recorded any more");
		err = -ENODEV;
	}
	if (!err)
		err = wp_device_start(&r->dev, NULL);
	r->follows = wp_clock_now();
	return err;
}

/**
 * wp_recording_pause() - set up another session for the same file
 * @r: the recording; its session has been stopped, its targets listed, and it was drained
 *
 * The session waits for wp_device_start(), and follows what its targets fork.
 *
 * Return: 0; -ESRCH: no target lives; or another negative errno after a message.
 */
int wp_recording_pause(struct wp_recording *r)
{
	unsigned int tries = 0;
	int err;

	if (has_list(&r->o.target) && !r->o.target.nr)
		return -ESRCH;
	/* Ids of stacks are a session's, and so is who was blocked when it began. */
	err = wp_stacks_forget_ids(&r->stacks);
	wp_blocked_free(&r->blocked);
	r->o.later = true;
	do {
		wp_device_close(&r->dev);
		if (!err && has_list(&r->o.target))
			err = read_forks(r);
		if (!err)
			err = follow(r);
		if (!err && has_list(&r->o.target))
			err = read_forks(r);
	} while (!err && r->forked && ++tries < MAX_TRIES);
	if (!err && r->forked)
		wp_warn("the targets fork all the time: some of what they forked just after the recording was disabled can be missing");
	r->notes_forks = false;
	return err ? err : wp_recording_open_mapsync(r, NULL, NULL);
}

/**
 * wp_recording_lost_targets() - whether a recording that is disabled has no target any more
 * @r: the recording
 *
 * Its end is then that of the last one, as perf's. One that has not begun waits for its
 * beginning, as perf does; one with a command for the end of that.
 *
 * Return: whether there is none, nor can be.
 */
bool wp_recording_lost_targets(struct wp_recording *r)
{
	struct wallprof_status status;

	return r->s.first && !r->o.command && has_list(&r->o.target) &&
	       !wp_device_status(&r->dev, &status) && !status.nr_live_targets;
}
