// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is known of threads that were asleep when the session began: since when.
 * The module tells it in the task table, and only there; who ends meanwhile leaves
 * that. So it is read once, right after START. Called by the record command.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/device.h"
#include "lib/err.h"
#include "lib/sleepers.h"

static int by_thread(const void *pa, const void *pb)
{
	const struct wp_sleeper *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_time != b->start_time)
		return a->start_time < b->start_time ? -1 : 1;
	return 0;
}

/**
 * wp_sleepers_read() - ask who slept
 * @s: all zero
 * @dev: the session, just started
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_sleepers_read(struct wp_sleepers *s, const struct wp_device *dev)
{
	struct wp_sleeper *threads = calloc(dev->conf.nr_tasks, sizeof(*threads));
	__u32 i;

	if (!threads) {
		wp_err("out of memory for %u threads", dev->conf.nr_tasks);
		return -ENOMEM;
	}
	s->threads = threads;
	for (i = 0; i < dev->conf.nr_tasks; i++) {
		volatile const struct wallprof_task *task = wp_device_task(dev, i);
		struct wp_sleeper sleeper = {
			.tid = task->tid,
			.start_time = task->start_time,
			.since = task->asleep_since,
		};

		/* A slot that changed hands meanwhile says nothing. */
		if (sleeper.since && task->phase != WALLPROF_TASK_FREE &&
		    task->tid == sleeper.tid && task->start_time == sleeper.start_time)
			threads[s->nr++] = sleeper;
	}
	if (!s->nr) {
		wp_sleepers_free(s);
		return 0;
	}
	qsort(threads, s->nr, sizeof(*threads), by_thread);
	threads = reallocarray(threads, s->nr, sizeof(*threads));
	s->threads = threads ? threads : s->threads;
	return 0;
}

/**
 * wp_sleepers_since() - since when a thread slept when the session began
 * @s: the threads
 * @tid: its id
 * @start_time: when it was born
 *
 * Return: the time, on the clock of all samples; 0: it is not known, or it was awake.
 */
__u64 wp_sleepers_since(const struct wp_sleepers *s, __u32 tid, __u64 start_time)
{
	const struct wp_sleeper key = { .tid = tid, .start_time = start_time }, *found;

	found = s->nr ? bsearch(&key, s->threads, s->nr, sizeof(key), by_thread) : NULL;
	return found ? found->since : 0;
}

/**
 * wp_sleepers_free() - forget them
 * @s: the threads
 */
void wp_sleepers_free(struct wp_sleepers *s)
{
	free(s->threads);
	*s = (struct wp_sleepers){ 0 };
}
