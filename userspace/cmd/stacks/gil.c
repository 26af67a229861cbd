// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for the global interpreter lock (GIL) of a CPython, and who holds it.
 *
 * Such a wait ends every 5 ms, and the thread waits again: each time it is another interval.
 * If the holder was blocked all the time, nobody else can have had the GIL, so whoever waited
 * for it before and waits for it now did nothing in between.
 *
 * The holder is read before STOP (wp_now_read_gils()), and counts if it has not waited since:
 * that is known after STOP (wp_now_find_gil()). Called by stacks.c.
 */
#include <errno.h>
#include <string.h>

#include "cmd/stacks/stacks.h"
#include "lib/base/clock.h"
#include "lib/device/device.h"
#include "lib/model/syscalls.h"

/* Reads of a GIL by one thread that waits for it. */
#define TRIES	3

/* The futex in which a thread waits, before STOP; 0: it is in none. */
static __u64 futex_of(volatile const struct wallprof_task *task)
{
	__u64 since = task->since, arg = task->arg;

	if ((task->phase != WALLPROF_TASK_OFF && task->phase != WALLPROF_TASK_UNSEEN) ||
	    task->reason != WALLPROF_REASON_SYSCALL || task->flags & WALLPROF_TASK_32BIT ||
	    wp_syscall_arg(task->syscall, false) != WP_ARG_FUTEX)
		return 0;
	return task->since == since ? arg : 0;
}

/**
 * wp_now_note_futexes() - note which threads wait in a futex
 * @dev: the session, running
 * @all: @before is allocated; its notes are set
 * @nr: number of the note
 */
void wp_now_note_futexes(const struct wp_device *dev, struct wp_now_threads *all,
			 unsigned int nr)
{
	__u32 i;

	for (i = 0; i < all->nr_before; i++) {
		volatile const struct wallprof_task *task = wp_device_task(dev, i);
		struct wp_now_note *note = &all->before[i].note[nr];

		/* It waits then, or somewhat later. */
		note->time = wp_clock_now();
		note->tid = task->tid;
		note->futex = futex_of(task);
	}
}

/* The slot of a thread; @nr_slots: it is in none. */
static __u32 find_slot(const struct wp_device *dev, __u32 nr_slots, __u32 tid)
{
	__u32 i;

	for (i = 0; i < nr_slots; i++) {
		volatile const struct wallprof_task *task = wp_device_task(dev, i);

		if (task->tid == tid && task->phase != WALLPROF_TASK_FREE &&
		    task->phase != WALLPROF_TASK_EXITED)
			break;
	}
	return i;
}

/* How long a thread has been blocked, in the intervals that have ended. */
static __u64 blocked_ns(volatile const struct wallprof_task *task)
{
	return task->off_ns - task->runnable_ns;
}

/* Read who holds a GIL, by a thread that waits for it. */
static void read_holder(const struct wp_device *dev, struct wp_now_threads *all, __u32 slot,
			struct wp_now_gil *gil)
{
	__u32 tid, again;

	if (wp_now_read_holder(dev, all, slot, gil->address, &tid) || !tid)
		return;
	/* It holds the GIL before and after this. */
	gil->slot = find_slot(dev, all->nr_before, tid);
	if (gil->slot < all->nr_before) {
		volatile const struct wallprof_task *task = wp_device_task(dev, gil->slot);

		gil->nr_off = task->nr_off;
		gil->blocked_ns = blocked_ns(task);
	}
	gil->time = wp_clock_now();
	if (!wp_now_read_holder(dev, all, slot, gil->address, &again) && again == tid)
		gil->holder = tid;
}

/**
 * wp_now_read_gils() - read who holds the GILs that threads wait for
 * @dev: the session, running
 * @all: @pythons has the processes
 */
void wp_now_read_gils(const struct wp_device *dev, struct wp_now_threads *all)
{
	unsigned int try;
	__u32 i;

	for (i = 0; i < all->nr_before; i++) {
		volatile const struct wallprof_task *task = wp_device_task(dev, i);
		__u64 futex = futex_of(task);
		struct wp_now_gil *gil = futex ? wp_now_gil_of(all, task->tgid, futex) : NULL;

		for (try = 0; gil && !gil->holder && try < TRIES; try++)
			read_holder(dev, all, i, gil);
	}
}

/*
 * After STOP: forget a holder that may have released the GIL, as it has been blocked since,
 * not only preempted; or find out since when it is blocked.
 */
static void settle(const struct wp_device *dev, const struct wp_now_threads *all,
		   struct wp_now_gil *gil)
{
	const struct wallprof_task *task;
	__u64 since;
	bool open;

	gil->settled = true;
	gil->blocked_since = ~0ULL;
	if (!gil->holder || gil->slot == all->nr_before)
		return;
	task = wp_device_task(dev, gil->slot);
	open = task->flags & WALLPROF_TASK_OPEN;
	since = all->time - task->open_ns;
	if (task->tid != gil->holder || task->phase == WALLPROF_TASK_EXITED)
		gil->holder = 0;
	else if (open && task->nr_off == gil->nr_off + 1 && since <= gil->time)
		gil->blocked_since = task->open_runnable_ns ? ~0ULL : since;
	else if (blocked_ns(task) != gil->blocked_ns)
		gil->holder = 0;
}

/* Since when a thread that waits for a GIL has waited for it, at least; 0: unknown. */
static __u64 waits_since(const struct wp_now_threads *all, const struct wp_now_thread *t,
			 const struct wp_now_gil *gil, const struct wp_now_before *before)
{
	size_t i;

	for (i = 0; i < WP_NOW_NOTES; i++) {
		const struct wp_now_note *note = &before->note[i];

		if (note->tid == t->tid && note->futex && gil->blocked_since <= note->time &&
		    wp_now_gil_of(all, t->tgid, note->futex) == gil)
			return note->time;
	}
	return 0;
}

/**
 * wp_now_find_gil() - find whether a thread waits for a GIL, and who holds it
 * @dev: the session, after STOP
 * @all: all threads
 * @t: the thread, with its stacks; if it does, @gil, @lock, @owner, @now and @age are set
 * @before: what was read of it
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_find_gil(const struct wp_device *dev, struct wp_now_threads *all,
		    struct wp_now_thread *t, const struct wp_now_before *before)
{
	struct wp_now_gil *gil;
	const char *kind;
	__u64 since;
	bool local;
	int err;

	if (t->now == WP_NOW_ONCPU || t->cause.reason != WALLPROF_REASON_SYSCALL ||
	    wp_syscall_arg(t->cause.syscall, t->cause.compat) != WP_ARG_FUTEX || t->cause.compat)
		return 0;
	gil = wp_now_gil_of(all, t->tgid, t->cause.arg);
	if (!gil)
		return 0;
	err = wp_now_wait_kind(all, t, &kind, &local);
	if (err || !kind || strcmp(kind, "condition"))
		return err;
	if (!gil->settled)
		settle(dev, all, gil);
	since = waits_since(all, t, gil, before);
	/* One that is about to wait again waits, if nobody can have released the GIL. */
	if (t->now != WP_NOW_BLOCKED && !since)
		return 0;
	t->now = WP_NOW_BLOCKED;
	t->gil = gil;
	t->lock = WP_NOW_GIL;
	/* It can wait for the GIL again, for one that is not among the targets. */
	if (gil->slot < all->nr_before || all->time - t->age == before->since)
		t->owner = gil->holder;
	t->owner_time = gil->time;
	if (t->owner)
		wp_now_read_comm(t->tgid, t->owner, t->owner_comm);
	t->gil_since = since;
	if (since && all->time - since > t->age) {
		t->age = all->time - since;
		t->at_least = true;
	}
	return 0;
}
