// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel stacks from a cache, of the thread that leaves its CPU.
 *
 * A walk starts at the anchor: see kernel_cache.h. If all words that decided a walk are what
 * they were, a walk would return what it returned then; the words are compared instead, and
 * the stack's id is known. pure/kernel_cache.h has the cache, this file says which words
 * decide.
 *
 * x86, by ORC: a step of the unwinder has an address of code and a stack pointer, and, of
 * the code's ORC entry, where the caller's frame is, and so the word with the address to
 * which that returns. So if the entries of the code are the same, each step follows from the
 * one before:
 *
 * - the word that it takes the return address from is compared;
 * - the frame is found by the stack pointer alone. Each step is taken with a frame pointer
 *   that points to no stack: a step that needs the frame pointer, as the scheduler's first
 *   does on some kernels, and that of a system call, whose frame is of a random size, fails.
 *   It is taken again with the right one. That was saved by the probe, at the anchor, or in
 *   the frame of the function whose step was the last one to load it, where that step finds
 *   it. What is in that word is the base from there on;
 * - if the frame may be found by way of the word at the stack pointer, as that of a function
 *   that changes stacks, how far that points is compared. It is taken for one if it points
 *   near the frame that was found, and the frame does not move with the stack pointer. If the
 *   frame of a step by frame pointer does not move with that, it is found by way of a word, as
 *   in a function that aligns its stack, and the stack is not cached.
 *
 * Registers in the middle of a stack are those of an interrupt: not cached. They are where
 * a walk ends if they are the user's, always at the top of the stack.
 *
 * arm64: the chain of the functions' records (the next one's address, and the return
 * address) decides, up to the one at the top of the stack, which ends it. The chain is
 * followed, and return addresses are compared. The walk is the kernel's own; it is cached if
 * the chain agrees.
 *
 * What the code's ORC entries may depend on:
 *
 * - The kernel's own never change. Alternatives, jump labels and static calls have the
 *   entries of what they replace.
 * - Modules, also those of livepatch: whenever one comes, is initialized or goes, all that is
 *   cached is forgotten: wp_kernel_code.
 * - Tracers of returns (function graph, kretprobes, rethooks) put the address of their own
 *   code into the word: it is not the address that the unwinder returns, and such a stack is
 *   not cached. If they come to a stack that is cached, the word differs.
 * - ftrace's trampolines come and go without notice. There are two kinds, with a return
 *   address each, at different distances from the page that they begin in, so the address
 *   says which entry is theirs.
 * - BPF programs and trampolines, and code of optimized kprobes, have no entries: the
 *   unwinder guesses, by the frame pointer, or says that it is not sure. Not cached.
 *
 * Callers: the probes of sched_switch, by capture.c and switch_learn.c (irqs off, the run
 * queue locked). wp_kernel_code is written when modules change, by any CPU. Nothing here
 * faults, sleeps or allocates but wp_kernel_cache_init().
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>

#include "compat/ptrace.h"
#include "compat/stacktrace.h"
#include "compat/unwind.h"
#include "kernel_cache.h"
#include "kernel_stack.h"
#include "state.h"

/* See wp_kernel_changes(). */
atomic64_t wp_kernel_code = ATOMIC64_INIT(1);

/* Where current is, as far as its kernel stack depends on it. Context: irqs off. */
static u64 wp_kernel_place(const struct wp_cpu *cpu)
{
	/* A thread of the kernel has no other place; its stacks do not move. */
	return current->flags & PF_KTHREAD ? cpu->kernel_anchor :
					     instruction_pointer(task_pt_regs(current));
}

/* The thread, and its system call. Context: irqs off. */
static u64 wp_kernel_thread(void)
{
	return (unsigned long)current + (syscall_get_nr(current, task_pt_regs(current)) & 0xff);
}

/**
 * wp_kernel_stack_cached - look current's kernel stack up
 * @cpu: this CPU's; with its kernel_anchor
 * @epoch: the current one
 *
 * Context: irqs off, not NMI; between wp_probe_begin() and wp_probe_end().
 * Return: the cached stack; NULL if it is not known to be current.
 */
const struct wp_cached_stack *wp_kernel_stack_cached(struct wp_cpu *cpu, u32 epoch)
{
	const struct wp_kernel_stack stack = wp_kernel_stack_of(current, cpu->kernel_anchor);

	if (!WP_HAS_KERNEL_CACHE || !stack.anchor)
		return NULL;
	return wp_kernel_cached(cpu->kernel_cache, wp_kernel_place(cpu), wp_kernel_thread(), &stack,
				wp_kernel_changes(), epoch, wp_kernel_word);
}

#if WP_HAS_KERNEL_CACHE
/* Whether two words at an address are of current's stack. */
static bool wp_kernel_is_on_stack(unsigned long addr)
{
	return addr - (unsigned long)task_stack_page(current) <=
	       THREAD_SIZE - 2 * sizeof(long) && !(addr % sizeof(long));
}
#endif

#if !WP_HAS_KERNEL_CACHE
static unsigned int wp_kernel_walk_noted(struct wp_cpu *cpu, struct wp_kernel_notes *notes)
{
	return 0;
}
#elif defined(CONFIG_X86_64)
/*
 * A frame pointer that points to no stack, nor near one. It has a bit pattern of its own: a
 * step after which it is still there has not loaded another one.
 */
#define WP_NO_STACK	0x6e6f737461636b5aUL

/**
 * struct wp_kernel_fp - the frame pointer of a step
 * @value: the frame pointer
 * @step: the step that loaded it, before it was taken
 * @to: it was loaded from a word below this address
 */
struct wp_kernel_fp {
	unsigned long value;
	struct unwind_state step;
	unsigned long to;
};

/* Whether the walk has ended as walks end: in user mode, or where a kernel thread began. */
static bool wp_kernel_walk_ended(struct unwind_state *state)
{
	if (unwind_error(state))
		return false;
	return unwind_done(state) ||
	       (state->regs == task_pt_regs(current) && user_mode(state->regs));
}

/* Whether a step works that may read a stack from an address on only. */
static bool wp_kernel_steps_above(const struct wp_kernel_fp *fp, unsigned long from)
{
	struct unwind_state state = fp->step;

	/* It looks for what it finds elsewhere in the stacks of its thread: not in these. */
	state.stack_info.begin = (void *)from;
	state.task = &init_task;
	unwind_next_frame(&state);
	return !unwind_error(&state);
}

/*
 * Finds where the frame pointer was saved: the step that loaded it works without the words
 * below. Several words may have the value, as what is left of frames of before. Returns 0 if
 * it is in no word. Context: irqs off.
 */
static unsigned long wp_kernel_fp_at(const struct wp_kernel_fp *fp, unsigned long anchor)
{
	unsigned long at = fp->to;

	/* The probe has saved it. */
	if (fp->to == anchor)
		return anchor;
	while (at > fp->step.sp) {
		at -= sizeof(long);
		if (wp_kernel_word(at) == fp->value && wp_kernel_steps_above(fp, at))
			return at;
	}
	return 0;
}

/*
 * Whether a step by frame pointer may have found the next frame by way of a word, not at a
 * distance from the frame pointer. If it has, then with the frame pointer one word higher it
 * finds what is in the word behind that one. Context: irqs off.
 */
static bool wp_kernel_step_is_indirect(const struct unwind_state *before, unsigned long frame)
{
	struct unwind_state state = *before;
	unsigned long at;

	state.bp += sizeof(long);
	unwind_next_frame(&state);
	if (unwind_done(&state) || state.regs || state.sp != frame + sizeof(long))
		return true;
	for (at = before->sp; at < frame; at += sizeof(long)) {
		if (wp_kernel_word(at) == frame &&
		    wp_kernel_word(at + sizeof(long)) == frame + sizeof(long))
			return true;
	}
	return false;
}

/*
 * Takes a step that needs the frame pointer. Returns false if the stack cannot be cached.
 * Context: irqs off.
 */
static bool wp_kernel_walk_by_fp(struct unwind_state *state, const struct wp_kernel_fp *fp,
				 struct wp_kernel_notes *notes, unsigned long anchor)
{
	const struct unwind_state before = *state;
	unsigned long at = wp_kernel_fp_at(fp, anchor);

	if (!at)
		return false;
	unwind_next_frame(state);
	/* Did it load the same value again, it would not be known from where. */
	if (unwind_done(state) || state->regs || state->bp == fp->value ||
	    !wp_kernel_is_on_stack(state->sp) || state->sp <= before.sp ||
	    wp_kernel_step_is_indirect(&before, state->sp))
		return false;
	wp_kernel_next(notes, at, fp->value);
	return true;
}

/* Where a step has found the frame: of a function, or of registers. */
static unsigned long wp_kernel_frame(const struct unwind_state *state)
{
	return state->regs ? (unsigned long)state->regs : state->sp;
}

/*
 * Whether a step may have found the next frame by way of the word at the stack pointer. With
 * the stack pointer one word lower, where the return address is, it then finds nothing near.
 * Context: irqs off.
 */
static bool wp_kernel_step_is_by_word(const struct unwind_state *before, unsigned long frame)
{
	struct unwind_state state = *before;

	if (wp_kernel_word(state.sp) - frame + -S16_MIN > U16_MAX)
		return false;
	state.sp -= sizeof(long);
	unwind_next_frame(&state);
	return unwind_done(&state) || wp_kernel_frame(&state) != frame - sizeof(long);
}

/*
 * Takes a step of the walk, and notes what decides it, but for the return address. Returns
 * false if the stack cannot be cached. Context: irqs off.
 */
static bool wp_kernel_walk_step(struct unwind_state *state, struct wp_kernel_fp *fp,
				struct wp_kernel_notes *notes, unsigned long anchor)
{
	struct unwind_state before = *state;

	before.bp = WP_NO_STACK;
	*state = before;
	unwind_next_frame(state);
	if (unwind_error(state)) {
		before.bp = fp->value;
		*state = before;
		if (!wp_kernel_walk_by_fp(state, fp, notes, anchor))
			return false;
	} else if (!unwind_done(state) &&
		   wp_kernel_step_is_by_word(&before, wp_kernel_frame(state))) {
		wp_kernel_near(notes, before.sp, wp_kernel_word(before.sp));
	}
	if (state->bp != WP_NO_STACK)
		*fp = (struct wp_kernel_fp){ state->bp, before, wp_kernel_frame(state) };
	return true;
}

/*
 * Walks current's stack from the anchor on, and notes what decides that. Returns the number
 * of frames; 0 if it cannot be cached. Context: irqs off.
 */
static unsigned int wp_kernel_walk_noted(struct wp_cpu *cpu, struct wp_kernel_notes *notes)
{
	unsigned long *ips = cpu->sched_scratch.kernel, anchor = cpu->kernel_anchor;
	unsigned int max = ARRAY_SIZE(cpu->sched_scratch.kernel), nr;
	unsigned long at = anchor + sizeof(long), ip;
	struct unwind_state state;
	struct wp_kernel_fp fp;

	/* To the frame of the probe's caller. The probe has saved its frame pointer. */
	unwind_start(&state, current, NULL, (unsigned long *)anchor);
	fp = (struct wp_kernel_fp){ .value = wp_kernel_word(anchor), .to = anchor };
	if (unwind_done(&state) || state.bp != fp.value || state.sp != at + sizeof(long))
		return 0;
	for (nr = 0; !wp_kernel_walk_ended(&state); nr++) {
		at = state.sp - sizeof(long);
		if (nr == max || state.regs || !wp_kernel_is_on_stack(at))
			return 0;
		ip = unwind_get_return_address(&state);
		if (!ip || ip != wp_kernel_word(at))
			return 0;
		wp_kernel_same(notes, at, ip);
		ips[nr] = ip;
		if (!wp_kernel_walk_step(&state, &fp, notes, anchor))
			return 0;
	}
	if (!unwind_done(&state))
		wp_kernel_end(notes, (unsigned long)state.regs);
	return nr;
}
#else
/* As above: the kernel's walk, and the chain of records beside it. */
static unsigned int wp_kernel_walk_noted(struct wp_cpu *cpu, struct wp_kernel_notes *notes)
{
	unsigned long *ips = cpu->sched_scratch.kernel, fp = cpu->kernel_anchor, ip;
	const unsigned long end = wp_kernel_stack_end(current);
	unsigned int max = ARRAY_SIZE(cpu->sched_scratch.kernel), nr, i;

	nr = stack_trace_save(ips, max, 0);
	for (i = 0; i < nr && within_module(ips[i], THIS_MODULE); i++)
		;
	if (nr == max)
		return 0;
	for (; fp != end; i++) {
		if (i == nr || !wp_kernel_is_on_stack(fp))
			return 0;
		ip = wp_kernel_word(fp + sizeof(long));
		if (wp_strip_kernel_ip(ip) != ips[i])
			return 0;
		wp_kernel_same(notes, fp + sizeof(long), ip);
		wp_kernel_next(notes, fp, wp_kernel_word(fp));
		fp = wp_kernel_word(fp);
	}
	wp_kernel_end(notes, fp);
	return i == nr ? nr : 0;
}
#endif

/**
 * wp_kernel_walk - walk current's kernel stack
 * @cpu: this CPU's; with its kernel_anchor, 0: the stack is not cached; sched_scratch gets
 *	the addresses
 * @max: frames, 1 to WALLPROF_MAX_STACK
 * @walk: out
 *
 * Context: irqs off, not NMI; between wp_probe_begin() and wp_probe_end().
 */
void wp_kernel_walk(struct wp_cpu *cpu, unsigned int max, struct wp_kernel_walk *walk)
{
	struct wp_scratch *scratch = &cpu->sched_scratch;
	u64 changes = wp_kernel_changes();
	unsigned int nr = 0;

	walk->changes = 0;
	if (WP_HAS_KERNEL_CACHE && cpu->kernel_anchor) {
		wp_kernel_begin(&walk->notes, cpu->kernel_cache, wp_kernel_place(cpu),
				wp_kernel_thread(), cpu->kernel_anchor);
		nr = wp_kernel_walk_noted(cpu, &walk->notes);
	}
	if (!nr) {
		walk->nr = wp_stack_kernel(scratch, max, &walk->skip);
		return;
	}
	walk->changes = changes;
	walk->nr = wp_stack_kernel_trim(scratch, nr, max, &walk->skip);
}

/* A module has come, is initialized, or goes. Context: process. */
static int wp_kernel_code_changes(struct notifier_block *block, unsigned long event, void *module)
{
	atomic64_inc(&wp_kernel_code);
	return NOTIFY_DONE;
}

static struct notifier_block wp_kernel_block = { .notifier_call = wp_kernel_code_changes };

/**
 * wp_kernel_cache_init - follow the changes of the kernel's code
 *
 * Context: process, at load.
 * Return: 0, or an error.
 */
int wp_kernel_cache_init(void)
{
	return register_module_notifier(&wp_kernel_block);
}

/**
 * wp_kernel_cache_exit - the opposite
 *
 * Context: process, at unload: no session is left.
 */
void wp_kernel_cache_exit(void)
{
	unregister_module_notifier(&wp_kernel_block);
}
