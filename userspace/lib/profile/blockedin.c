// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the choice of the kernel function that a thread is blocked in, from the stack with
 * which it left its CPU: the caller of the scheduler, as in the kernel's own "wchan".
 * Called by the export command.
 *
 * Frames before the scheduler's functions belong to the recording itself. Without the
 * scheduler's functions, or without frames after them, the function is unknown.
 */
#include <string.h>
#include <linux/perf_event.h>

#include "lib/profile/blockedin.h"

/* Threads that sleep in these have in_iowait set. */
static bool is_io(const char *name)
{
	return !strncmp(name, "io_schedule", strlen("io_schedule")) ||
	       !strncmp(name, "mutex_lock_io", strlen("mutex_lock_io"));
}

/* The thread is neither runnable nor dead. */
static bool is_blocked(const struct wp_schedevent *ev)
{
	return ev->type == WP_SCHED_SWITCH && !ev->preempted && ev->who.tid > 0 &&
	       ev->state && !strchr("RXZx", ev->state);
}

static const struct wp_function *function_at(struct wp_profstacks *s, __u64 address,
					     bool is_caller)
{
	__u32 place = wp_profstacks_place(s, -1, PERF_CONTEXT_KERNEL, address - is_caller,
					  is_caller, 0);
	const struct wp_frame *frame = place ? wp_profstacks_frame(s, place) : NULL;

	return frame ? wp_profstacks_function(s, frame->function) : NULL;
}

/**
 * wp_blockedin() - the function that a thread is blocked in
 * @s: the names of functions
 * @ev: the switch by which it leaves its CPU
 * @io: set to whether the kernel counts the wait as iowait: for io_schedule() and the
 *	like
 *
 * Return: the function's name, valid as long as @s; NULL if it is unknown, or the thread
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
