// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreted functions in the user stack of the current thread, after its native frames
 * were walked. Called by stack.c, for processes whose interpreter is described: see
 * mappings.c.
 *
 * The interpreter keeps what is read here anywhere, and not as words that the stack cache
 * could compare. So such a stack is not cached.
 */
#include "compat/ptrace.h"
#include "compat/uaccess.h"
#include "interp_stack.h"
#include "pure/interp.h"
#include "state.h"
#include "user_nospec.h"

/* Reads a word within user_access_begin(). */
static __always_inline bool wp_interp_user(void *ctx, u64 addr, u64 *value)
{
	unsafe_get_user(*value, (const u64 __user *)wp_user_nospec(addr), fault);
	return true;
fault:
	return false;
}

/* Reads a word in any context. */
static __always_inline bool wp_interp_user_nmi(void *ctx, u64 addr, u64 *value)
{
	return wp_copy_from_user_nmi(value, addr, sizeof(*value));
}

static const struct wp_interp_ops wp_interp_stack_ops = {
	.read = wp_interp_user,
};

static const struct wp_interp_ops wp_interp_stack_ops_nmi = {
	.read = wp_interp_user_nmi,
};

/*
 * The thread pointer of current at an event that interrupted @event, or in a probe of the
 * scheduler, if that is NULL; 0 if it is not known. In the middle of a switch it is the
 * next thread's, while current is still the last one, whose own was just saved. Any
 * context; current has an mm.
 */
static u64 wp_interp_thread(struct pt_regs *event)
{
	u64 thread = wp_thread_pointer();

	return !event || user_mode(event) || thread == wp_thread_pointer_saved(current) ?
	       thread : 0;
}

/*
 * Begins: returns how many native frames of the interpreter there are, 0 if nothing is to
 * be read. Any context.
 */
static __always_inline unsigned int
wp_interp_begin(const struct wallprof_interp *interp, struct wp_scratch *scratch,
		unsigned int nr, unsigned int max, u8 stop, bool by_fp)
{
	unsigned int natives;

	natives = max > 1 ? wp_interp_natives(interp, scratch->user, nr) : 0;
	scratch->runs.ended = 0;
	if (!natives)
		return 0;
	scratch->runs.room = max - nr;
	/* By frame pointer, a frame can be left out: only the number of all would show it. */
	if (stop != WALLPROF_UNWIND_END && by_fp) {
		scratch->runs.ended = WALLPROF_INTERP_RUNS + 1;
		return 0;
	}
	return natives;
}

/* Takes over the functions; returns the number of words. Any context. */
static __always_inline unsigned int
wp_interp_end(const struct wallprof_interp *interp, struct wp_scratch *scratch,
	      unsigned int nr, u8 reason)
{
	scratch->runs.ended = reason + 1;
	if (reason != WALLPROF_INTERP_READ && reason != WALLPROF_INTERP_NO_ROOM)
		return nr;
	return wp_interp_merge(interp, scratch->user, nr, &scratch->runs);
}

/**
 * wp_interp_stack - add the interpreted functions to a user stack
 * @interp: description of the process's interpreter
 * @scratch: in and out: the stack; its runs say how it ended
 * @nr: its frames
 * @max: words that it may have, at least @nr
 * @event: what was interrupted, in a sample; NULL in a probe of the scheduler
 * @stop: stop reason of the walk
 * @by_fp: it has frames that were found by frame pointer
 *
 * Flattened, since it must not call while user memory is open.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: the number of words of the stack.
 */
__attribute__((__flatten__)) unsigned int
wp_interp_stack(const struct wallprof_interp *interp, struct wp_scratch *scratch,
		unsigned int nr, unsigned int max, struct pt_regs *event, u8 stop, bool by_fp)
{
	bool complete = stop == WALLPROF_UNWIND_END;
	u8 reason = WALLPROF_INTERP_FAULT;
	unsigned int natives;
	u64 thread;

	natives = wp_interp_begin(interp, scratch, nr, max, stop, by_fp);
	if (!natives)
		return nr;
	thread = wp_interp_thread(event);
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX - 1)) {
		reason = wp_interp_walk(&wp_interp_stack_ops, NULL, interp, thread,
					TASK_SIZE_MAX, natives, complete, &scratch->runs);
		user_access_end();
	}
	pagefault_enable();
	return wp_interp_end(interp, scratch, nr, reason);
}

/**
 * wp_interp_stack_nmi - the same, in any context
 * @interp: description of the process's interpreter
 * @scratch: in and out: the stack; its runs say how it ended
 * @nr: its frames
 * @max: words that it may have, at least @nr
 * @event: what was interrupted
 * @stop: stop reason of the walk
 * @by_fp: it has frames that were found by frame pointer
 *
 * Context: any, NMI included; preemption off; current's mm is loaded.
 * Return: the number of words of the stack.
 */
unsigned int wp_interp_stack_nmi(const struct wallprof_interp *interp,
				 struct wp_scratch *scratch, unsigned int nr, unsigned int max,
				 struct pt_regs *event, u8 stop, bool by_fp)
{
	bool complete = stop == WALLPROF_UNWIND_END;
	unsigned int natives;
	u8 reason;

	natives = wp_interp_begin(interp, scratch, nr, max, stop, by_fp);
	if (!natives)
		return nr;
	reason = wp_interp_walk(&wp_interp_stack_ops_nmi, NULL, interp, wp_interp_thread(event),
				TASK_SIZE_MAX, natives, complete, &scratch->runs);
	return wp_interp_end(interp, scratch, nr, reason);
}
