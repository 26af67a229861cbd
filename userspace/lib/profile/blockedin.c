// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the choice of the function of the kernel that a thread is blocked in, by the stack
 * with which it left its CPU: who called the scheduler, as the kernel's own "wchan" tells
 * it. Called by the export command.
 *
 * What stands in front of the scheduler's functions is of those who recorded the stack.
 * Where there are none, or nothing behind them, nothing is known.
 */
#include <string.h>
#include <linux/perf_event.h>

#include "lib/profile/blockedin.h"

/* Who sleeps by these has in_iowait set. */
static bool is_io(const char *name)
{
	return !strncmp(name, "io_schedule", strlen("io_schedule")) ||
	       !strncmp(name, "mutex_lock_io", strlen("mutex_lock_io"));
}

/* It is neither on its way to be run again nor dead. */
static bool is_blocked(const struct wp_schedevent *ev)
{
	return ev->type == WP_SCHED_SWITCH && !ev->preempted && ev->who.tid > 0 &&
	       ev->state && !strchr("RXZx", ev->state);
}

static const struct wp_function *function_at(struct wp_profstacks *s, __u64 address,
					     bool is_caller)
{
	__u32 place = wp_profstacks_place(s, -1, PERF_CONTEXT_KERNEL, address - is_caller,
					  is_caller);
	const struct wp_frame *frame = place ? wp_profstacks_frame(s, place) : NULL;

	return frame ? wp_profstacks_function(s, frame->function) : NULL;
}

/**
 * wp_blockedin() - what a thread is blocked in
 * @s: the names of functions
 * @ev: the event by which it leaves its CPU
 * @io: out: it waits for a disk, as the kernel counts it: for io_schedule() and its like
 *
 * Return: the function's name, good as long as @s; NULL if it is not known, or the thread
 * is not blocked.
 */
const char *wp_blockedin(struct wp_profstacks *s, const struct wp_schedevent *ev, bool *io)
{
	bool in_kernel = false, is_caller = false, by_scheduler = false;
	__u64 i;

	*io = false;
	for (i = 0; is_blocked(ev) && i < ev->nr_chain; i++) {
		const struct wp_function *f;

		if (ev->chain[i] >= PERF_CONTEXT_MAX) {
			in_kernel = ev->chain[i] == PERF_CONTEXT_KERNEL;
			is_caller = false;
			continue;
		}
		if (!in_kernel)
			continue;
		is_caller = is_caller && ev->chain[i];
		f = function_at(s, ev->chain[i], is_caller);
		is_caller = true;
		if (!f || !f->name)
			return NULL;
		if (!f->sched && by_scheduler)
			return f->name;
		by_scheduler |= f->sched;
		*io |= is_io(f->name);
	}
	return NULL;
}
