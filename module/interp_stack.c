// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreted functions in the user stack of the current thread, after its native frames
 * were walked. Called by stack.c, for processes whose interpreter is described: see
 * mappings.c.
 *
 * The interpreter keeps what is read here anywhere: outside of NMIs it is noted as far words
 * of the stack cache.
 */
#include "compat/ptrace.h"
#include "compat/uaccess.h"
#include "interp_stack.h"
#include "pure/interp.h"
#include "pure/stack_cache.h"
#include "state.h"
#include "user_nospec.h"

/* Reads a word within user_access_begin(), and notes it. */
static __always_inline bool wp_interp_user(void *ctx, u64 addr, u64 *value)
{
	unsafe_get_user(*value, (const u64 __user *)wp_user_nospec(addr), fault);
	wp_stack_cache_note_far(ctx, addr, *value);
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

/**
 * wp_interp_thread - get the thread pointer of current
 * @event: what was interrupted, in a sample; NULL in a probe of the scheduler
 *
 * In the middle of a switch it is the next thread's, while current is still the last one,
 * whose own was just saved.
 *
 * Context: any; current has an mm.
 * Return: the thread pointer; 0 if it is not known.
 */
u64 wp_interp_thread(struct pt_regs *event)
{
	u64 thread = wp_thread_pointer();

	return !event || user_mode(event) || thread == wp_thread_pointer_saved(current) ?
	       thread : 0;
}

/* Begins: returns whether interpreted functions are to be read. Any context. */
static __always_inline bool wp_interp_begin(const struct wallprof_interp *interp,
					    struct wp_scratch *scratch, unsigned int nr,
					    unsigned int max, u8 stop, bool by_fp)
{
	scratch->runs.ended = 0;
	if (max == 1 || !wp_interp_natives(interp, scratch->user, nr, &scratch->runs))
		return false;
	scratch->runs.room = max - nr;
	/* By frame pointer, a frame can be left out: only the number of all would show it. */
	if (stop != WALLPROF_UNWIND_END && by_fp) {
		scratch->runs.ended = WALLPROF_INTERP_RUNS + 1;
		return false;
	}
	return true;
}

/* Takes over the functions; returns the number of words. Any context. */
static __always_inline unsigned int wp_interp_end(struct wp_scratch *scratch, unsigned int nr,
						  u8 reason)
{
	scratch->runs.ended = reason + 1;
	if (reason != WALLPROF_INTERP_READ && reason != WALLPROF_INTERP_NO_ROOM)
		return nr;
	return wp_interp_merge(scratch->user, nr, &scratch->runs);
}

/**
 * wp_interp_stack - add the interpreted functions to a user stack
 * @interp: description of the process's interpreter
 * @scratch: in and out: the stack; its runs say how it ended
 * @nr: its frames
 * @max: words that it may have, at least @nr
 * @thread: wp_interp_thread()
 * @stop: stop reason of the walk
 * @by_fp: it has frames that were found by frame pointer
 * @notes: notes of the walk
 *
 * Flattened, since it must not call while user memory is open.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 * Return: the number of words of the stack.
 */
__attribute__((__flatten__)) unsigned int
wp_interp_stack(const struct wallprof_interp *interp, struct wp_scratch *scratch,
		unsigned int nr, unsigned int max, u64 thread, u8 stop, bool by_fp,
		struct wp_stack_cache_notes *notes)
{
	bool complete = stop == WALLPROF_UNWIND_END;
	u8 reason = WALLPROF_INTERP_FAULT;
	bool begun;

	begun = wp_interp_begin(interp, scratch, nr, max, stop, by_fp);
	notes->interp = scratch->runs.ended;
	if (!begun)
		return nr;
	wp_stack_cache_far_begin(notes, thread);
	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX - 1)) {
		reason = wp_interp_walk(&wp_interp_stack_ops, notes, interp, thread,
					TASK_SIZE_MAX, complete, &scratch->runs);
		user_access_end();
	}
	pagefault_enable();
	/* Of a word that could not be read there is no note. */
	if (reason == WALLPROF_INTERP_FAULT)
		wp_stack_cache_note_fault(notes);
	notes->interp = reason + 1;
	return wp_interp_end(scratch, nr, reason);
}

/* Whether a far word has a value, within user_access_begin(). */
static __always_inline bool wp_interp_word_is(void *ctx, u64 addr, u64 word)
{
	return wp_user_word_is((const u64 __user *)addr, word);
}

/**
 * wp_interp_stack_far - check whether the far words of a cached stack are unchanged
 * @cache: this CPU's
 * @far: see &struct wp_cached_stack, not 0
 * @begin: likewise
 * @event: see wp_interp_thread()
 *
 * A walk has read the words, below the limit. Under speculation, too, no other addresses
 * are read: see &struct wp_far_ring. Flattened as wp_interp_stack() is.
 *
 * Context: irqs off, not NMI; current's mm is loaded.
 */
__attribute__((__flatten__)) bool wp_interp_stack_far(const struct wp_stack_cache *cache, u16 far,
						      u64 begin, struct pt_regs *event)
{
	u64 thread = wp_interp_thread(event);
	bool same = false;

	pagefault_disable();
	if (user_access_begin((void __user *)0, TASK_SIZE_MAX - 1)) {
		same = wp_stack_cache_far_unchanged(cache->far, far, begin, wp_interp_word_is,
						    NULL, thread);
		user_access_end();
	}
	pagefault_enable();
	return same;
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
	u8 reason;

	if (!wp_interp_begin(interp, scratch, nr, max, stop, by_fp))
		return nr;
	reason = wp_interp_walk(&wp_interp_stack_ops_nmi, NULL, interp, wp_interp_thread(event),
				TASK_SIZE_MAX, complete, &scratch->runs);
	return wp_interp_end(scratch, nr, reason);
}
