// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the rule by which a kernel thread counts as idle, and is hidden in views of a
 * whole host. It is idle if
 *
 * - it ran, or waited for a CPU, for less than a hundredth of the interval, and
 * - it otherwise only waited for work, in the loop of its own function.
 *
 * A wait is a wait for work if
 *
 * - its state is S, I or P: a wait in D is for something in particular, as I/O or a lock;
 * - it is not iowait;
 * - for a kworker, the state is I: a wait in S is inside a work item;
 * - its kernel stack, if known, has no function of a lock, of I/O or of a work item, and
 *   is not deep: the thread's own function, a few helpers, the scheduler.
 *
 * Pure: no I/O, no clock, no memory.
 */
#include <string.h>

#include "lib/model/kidle.h"

/* Percentage below which run time is negligible. */
#define RAN_PERCENT	1
/* As in top: what is shown as 0.0 % of any interval. */
#define NOTHING		2000
/* The thread's function, and the helpers by which it waits. */
#define MOST_FRAMES	4

#define NR(list)	(sizeof(list) / sizeof(list[0]))

/* Functions at the beginning and the end of every kernel stack of a wait. */
static const char *const scheduler[] = {
	"__schedule", "__switch_to", "schedule", "schedule_hrtimeout",
	"schedule_hrtimeout_range", "schedule_hrtimeout_range_clock", "schedule_idle",
	"schedule_timeout", "schedule_timeout_idle", "schedule_timeout_interruptible",
};

static const char *const outermost[] = {
	"kthread", "kernel_thread_starter", "ret_from_fork", "ret_from_fork_asm",
};

/* Parts of the names of functions that wait for something in particular. */
static const char *const particular[] = {
	"bio_", "bit_wait", "blk_", "blkdev_", "completion", "down_", "flush_work",
	"io_schedule", "mutex", "process_one_work", "process_scheduled_works", "rtlock",
	"rwsem", "semaphore", "submit_", "synchronize_", "wait_on_",
};

static bool is_in(const char *name, const char *const *list, size_t nr)
{
	while (nr--) {
		if (!strcmp(name, list[nr]))
			return true;
	}
	return false;
}

static bool is_particular(const char *name)
{
	size_t i;

	for (i = 0; i < NR(particular); i++) {
		if (strstr(name, particular[i]))
			return true;
	}
	return !strcmp(name, "__down") || !strcmp(name, "down");
}

/* Whether a stack may be that of a loop that waits for work. */
static bool is_loop(const struct wp_kidle_wait *w)
{
	unsigned int own = 0, i;
	bool whole = false;

	for (i = 0; i < w->nr_frames; i++) {
		const char *name = w->frames[i];

		if (name && is_particular(name))
			return false;
		if (name && is_in(name, outermost, NR(outermost)))
			whole = true;
		else if (!whole && !(name && is_in(name, scheduler, NR(scheduler))))
			own++;
	}
	/* Without its outer end, the depth of the stack is unknown. */
	return !whole || own <= MOST_FRAMES;
}

/**
 * wp_kidle_wait() - whether a kernel thread waits for work
 * @w: the wait, of a thread that wp_kidle_is_kthread()
 *
 * Return: true if it does.
 */
bool wp_kidle_wait(const struct wp_kidle_wait *w)
{
	if (w->reason != WALLPROF_REASON_KERNEL || w->iowait)
		return false;
	if (w->state != WALLPROF_STATE_SLEEPING && w->state != WALLPROF_STATE_IDLE &&
	    w->state != WALLPROF_STATE_PARKED)
		return false;
	if (w->state == WALLPROF_STATE_SLEEPING && w->comm &&
	    !strncmp(w->comm, "kworker/", strlen("kworker/")))
		return false;
	return is_loop(w);
}

/**
 * wp_kidle_thread() - whether a kernel thread was idle in an interval
 * @ran: nanoseconds in which it ran or was runnable
 * @other: nanoseconds in which it was blocked in waits other than wp_kidle_wait()
 * @interval: length of the interval
 *
 * Return: true if it was, and may be hidden.
 */
bool wp_kidle_thread(__u64 ran, __u64 other, __u64 interval)
{
	return other < NOTHING && ran < interval / 100 * RAN_PERCENT;
}
