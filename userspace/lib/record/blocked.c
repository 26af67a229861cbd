// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the start times of waits that were already open when the session began. The module
 * reports such a time in the per-thread totals: in the task table, or, for a thread that
 * has ended, in its final totals. The task table is read once, before the first epoch is
 * retired: a thread that is no longer in it ended in an epoch that is still to be read.
 * Called by the record command.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/record/blocked.h"

static int by_thread(const void *pa, const void *pb)
{
	const struct wp_blocked_thread *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_time != b->start_time)
		return a->start_time < b->start_time ? -1 : 1;
	return 0;
}

static int add(struct wp_blocked *s, const struct wp_blocked_thread *thread)
{
	if (s->nr == s->room) {
		size_t room = s->room ? s->room * 2 : 64;
		void *threads = reallocarray(s->threads, room, sizeof(*s->threads));

		if (!threads)
			return -ENOMEM;
		s->threads = threads;
		s->room = room;
	}
	s->threads[s->nr++] = *thread;
	s->sorted = false;
	return 0;
}

/**
 * wp_blocked_read() - read which threads are already blocked, unless that is done
 * @s: the threads; zero-initialized before the first call
 * @dev: the session, started; its first epoch is not retired yet
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_blocked_read(struct wp_blocked *s, const struct wp_device *dev)
{
	int err = 0;
	__u32 i;

	for (i = 0; !s->known && i < dev->conf.nr_tasks && !err; i++) {
		volatile const struct wallprof_task *task = wp_device_task(dev, i);
		struct wp_blocked_thread thread = {
			.tid = task->tid,
			.start_time = task->start_time,
			.since = task->asleep_since,
		};

		/* A slot that was reused meanwhile is ignored. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (thread.since && task->phase != WALLPROF_TASK_FREE &&
		    task->tid == thread.tid && task->start_time == thread.start_time)
			err = add(s, &thread);
	}
	s->known = true;
	if (err)
		wp_err("out of memory for %zu threads", s->nr);
	return err;
}

/**
 * wp_blocked_add() - add a thread that has ended
 * @s: the threads
 * @task: its final totals
 *
 * Return: 0 or -ENOMEM.
 */
int wp_blocked_add(struct wp_blocked *s, const struct wallprof_task *task)
{
	const struct wp_blocked_thread thread = {
		.tid = task->tid, .start_time = task->start_time, .since = task->asleep_since,
	};

	if (!task->asleep_since || wp_blocked_since(s, task->tid, task->start_time))
		return 0;
	return add(s, &thread);
}

/**
 * wp_blocked_since() - start time of the wait a thread was in when the session began
 * @s: the threads
 * @tid: the thread's id
 * @start_time: the thread's start time
 *
 * Return: the time, on the clock of all samples; 0 if it is unknown or the thread was not
 * blocked.
 */
__u64 wp_blocked_since(struct wp_blocked *s, __u32 tid, __u64 start_time)
{
	const struct wp_blocked_thread key = { .tid = tid, .start_time = start_time }, *found;

	if (!s->nr)
		return 0;
	if (!s->sorted)
		qsort(s->threads, s->nr, sizeof(*s->threads), by_thread);
	s->sorted = true;
	found = bsearch(&key, s->threads, s->nr, sizeof(key), by_thread);
	return found ? found->since : 0;
}

/**
 * wp_blocked_free() - free the list
 * @s: the threads
 */
void wp_blocked_free(struct wp_blocked *s)
{
	free(s->threads);
	*s = (struct wp_blocked){ 0 };
}
