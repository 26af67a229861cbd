// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of blocked threads: of those that blocked before their process's mappings were
 * known, or before the session began.
 *
 * This file owns the walk of another thread's stack. Its callers are session.c, for the
 * user stack, when a process's mappings are published, and targets.c, for the kernel
 * stack, at START: process context, the session locked.
 *
 * The user stack is read by a worker: see remote.c. What is not present cannot be read,
 * and ends the walk.
 *
 * A blocked thread can be woken at any instant. The result is right all the same: a
 * blocked thread runs again only by the scheduler's wakeup, which takes the thread's
 * pi_lock, and a thread that has run has closed the interval that the walk began with. So
 * if, under that lock, the thread is blocked and its interval is the same as before, the
 * stack has not changed meanwhile, and the slot is still the thread's.
 */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "compat/compiler.h"
#include "compat/ptrace.h"
#include "compat/sched.h"
#include "compat/unwind.h"
#include "kernel_stack.h"
#include "pure/interp.h"
#include "pure/unwind_cfi.h"
#include "remote.h"
#include "remote_stack.h"
#include "stack.h"
#include "state.h"

/* Threads that are held at the same time. */
#define WP_REMOTE_BATCH	256

/**
 * struct wp_remote_stacks - walks of the stacks of a process's threads
 * @remote: the process's memory, and the worker
 * @session: the session
 * @pid: the process, in the session's pid namespace
 * @code: its mappings
 * @p: the thread whose stack is walked
 * @regs: its user registers
 * @thread: its thread pointer
 * @since: when its interval was opened
 * @phase: its slot's phase at that time
 * @absent: a word of its stack could not be read
 * @nr: words of the stack
 * @interp: as in &struct wp_walk
 * @result: result of the walk
 * @ips: addresses
 * @runs: interpreted functions, before they are put among these
 * @seen: how many threads of the process were considered
 * @last: the last one of these, held; or NULL
 * @nr_threads: how many are in @threads
 * @threads: some of the process's, held
 *
 * Used by the caller and the worker in turn: see &struct wp_remote.
 */
struct wp_remote_stacks {
	struct wp_remote remote;
	struct wp_session *session;
	u32 pid;
	const struct wp_code *code;
	struct task_struct *p;
	struct pt_regs regs;
	u64 thread;
	u64 since;
	u8 phase;
	bool absent;
	unsigned int nr;
	u8 interp;
	struct wp_cfi_result result;
	u64 ips[WALLPROF_MAX_STACK];
	struct wp_interp_runs runs;
	unsigned int seen;
	struct task_struct *last;
	unsigned int nr_threads;
	struct task_struct *threads[WP_REMOTE_BATCH];
};

static u64 wp_remote_reg(const void *ctx, unsigned int reg)
{
	const struct wp_remote_stacks *walk = ctx;

	return wp_regs_dwarf(&walk->regs, reg);
}

/* Context: a worker that uses the process's memory. */
static bool wp_remote_word(void *ctx, u64 addr, u64 *value)
{
	struct wp_remote_stacks *walk = ctx;

	walk->absent = !wp_remote_copy(value, addr, sizeof(*value));
	return !walk->absent;
}

static u64 wp_remote_strip(u64 ip)
{
	return wp_strip_ip(ip);
}

static const struct wp_cfi_ops wp_remote_ops = {
	.arch = &wp_cfi_here,
	.reg = wp_remote_reg,
	.read = wp_remote_word,
	.strip = wp_remote_strip,
};

static const struct wp_interp_ops wp_remote_interp_ops = {
	.read = wp_remote_word,
};

/* Whether a slot's open interval wants a better stack. */
static bool wp_remote_wants(const struct wallprof_task *slot)
{
	/* Without the thread's pi_lock a guess, checked again with it. */
	u16 flags = data_race(slot->flags);
	/* The same. */
	u8 phase = data_race(slot->phase);

	if (phase != WALLPROF_TASK_OFF && phase != WALLPROF_TASK_UNSEEN)
		return false;
	if (flags & (WALLPROF_TASK_FILTERED | WALLPROF_TASK_ARMED))
		return false;
	return flags & WALLPROF_TASK_WEAK_STACK ||
	       (flags & WALLPROF_TASK_SINCE_START && !READ_ONCE(slot->user_stack));
}

/*
 * Returns the slot of a blocked thread that wants a better stack, or NULL.
 *
 * Context: p->pi_lock held. Until that is released the thread does not run.
 */
static struct wallprof_task *wp_remote_slot(struct wp_remote_stacks *walk)
{
	struct wp_session *session = walk->session;
	struct wallprof_task *slot;

	if (!wp_task_blocked(walk->p))
		return NULL;
	/*
	 * Only the thread itself execs. Until the new program is loaded, its registers
	 * are the old one's: see wp_stack_is_exec().
	 */
	if (READ_ONCE(walk->p->mm) != walk->remote.mm || wp_stack_is_exec(walk->p, walk->remote.mm))
		return NULL;
	slot = wp_tasks_find(&session->tasks, (unsigned long)walk->p);
	return slot && wp_remote_wants(slot) ? slot : NULL;
}

/* Reads the registers of a blocked thread. */
static bool wp_remote_begin(struct wp_remote_stacks *walk)
{
	struct task_struct *p = walk->p;
	struct wallprof_task *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	slot = wp_remote_slot(walk);
	if (slot) {
		walk->regs = *task_pt_regs(p);
		walk->thread = wp_thread_pointer_saved(p);
		walk->since = slot->since;
		walk->phase = slot->phase;
	}
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	return slot && wp_regs_64bit(&walk->regs);
}

/* Whether a walk with more memory present, or more tables, might go further. */
static bool wp_remote_is_cut(const struct wp_remote_stacks *walk)
{
	u8 stop = walk->result.stop;

	return stop == WALLPROF_UNWIND_FAULT || stop == WALLPROF_UNWIND_NOT_RESIDENT ||
	       wp_stack_is_weak(stop, walk->result.by_fp);
}

/* Puts the stack into the thread's slot, if it has been blocked all the time. */
static void wp_remote_end(struct wp_remote_stacks *walk)
{
	struct wp_session *session = walk->session;
	struct task_struct *p = walk->p;
	struct wallprof_half *head;
	struct wallprof_task *slot;
	unsigned long flags;
	struct wp_cpu *cpu;
	u32 epoch;
	u64 id;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	slot = wp_remote_slot(walk);
	if (!slot || slot->since != walk->since || slot->phase != walk->phase)
		goto unlock;
	/* With irqs off this CPU's tables are owned here, as by a probe. */
	cpu = session->cpus[smp_processor_id()];
	if (cpu->nomem) {
		wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		goto unlock;
	}
	epoch = wp_session_epoch(session);
	head = wp_half_of(&cpu->sched, epoch)->head;
	head->walks_not_resident += walk->result.stop == WALLPROF_UNWIND_NOT_RESIDENT;
	/* The old stack may have words that cannot be read now. */
	if (slot->user_stack && wp_remote_is_cut(walk))
		goto unlock;
	head->walks_asleep++;
	if (walk->interp)
		head->interps[walk->interp - 1]++;
	id = wp_stack_intern(&cpu->sched, epoch, walk->ips, walk->nr, walk->result.stop,
			     walk->result.by_fp ? WALLPROF_STACK_BY_FP : 0);
	if (!id)
		goto unlock;
	slot->user_stack = id;
	/* Seen by wp_cached_left_by(), if the thread left by the switch cache. */
	slot->flags &= ~WALLPROF_TASK_WEAK_STACK;
	/* Unless it is the kernel stack that was lost. */
	if (!(session->config.stack_flags & WALLPROF_STACK_KERNEL) || slot->kernel_stack)
		slot->flags &= ~WALLPROF_TASK_NO_STACK;
	if (wp_remote_is_cut(walk))
		slot->flags |= WALLPROF_TASK_WEAK_STACK;
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch));
unlock:
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
}

/* Adds the interpreted functions. Context: a worker that uses the process's memory. */
static void wp_remote_interp(struct wp_remote_stacks *walk)
{
	const struct wallprof_interp *interp = walk->code->interp;
	bool complete = walk->result.stop == WALLPROF_UNWIND_END;
	unsigned int max = walk->session->config.max_stack;
	u8 reason = WALLPROF_INTERP_RUNS;

	walk->interp = 0;
	if (!interp || max == 1 ||
	    !wp_interp_natives(interp, walk->ips, walk->nr, &walk->runs))
		return;
	walk->runs.room = max - walk->nr;
	/* See wp_interp_begin(). */
	if (complete || !walk->result.by_fp)
		reason = wp_interp_walk(&wp_remote_interp_ops, walk, interp, walk->thread,
					TASK_SIZE_MAX, complete, &walk->runs);
	walk->interp = reason + 1;
	if (reason == WALLPROF_INTERP_READ || reason == WALLPROF_INTERP_NO_ROOM)
		walk->nr = wp_interp_merge(walk->ips, walk->nr, &walk->runs);
}

/* Context: a worker that uses the process's memory. */
static void wp_remote_one(struct wp_remote_stacks *walk)
{
	const struct wallprof_configure *config = &walk->session->config;
	struct wp_cfi_code code = {
		.maps = &walk->code->maps,
		.by_fp = config->stack_flags & WALLPROF_STACK_USER,
	};

	if (!wp_remote_begin(walk))
		return;
	walk->absent = false;
	walk->nr = wp_unwind_cfi(&wp_remote_ops, walk, &code, instruction_pointer(&walk->regs),
				 user_stack_pointer(&walk->regs), TASK_SIZE_MAX,
				 walk->ips, config->max_stack, &walk->result);
	/* A word that cannot be read ends its walk. */
	if (walk->absent && walk->result.stop == WALLPROF_UNWIND_FAULT)
		walk->result.stop = WALLPROF_UNWIND_NOT_RESIDENT;
	wp_remote_interp(walk);
	wp_remote_end(walk);
}

/*
 * Returns the first thread of the process that was not yet considered, or NULL. If the
 * last one that was has ended since, as many as were considered are skipped: some too many
 * if others of them have ended, too.
 *
 * Context: RCU read side.
 */
static struct task_struct *wp_remote_next(const struct wp_remote_stacks *walk)
{
	struct task_struct *leader, *p = walk->last;
	unsigned int i = 0;

	leader = pid_task(find_pid_ns(walk->pid, walk->session->pid_ns), PIDTYPE_TGID);
	if (!leader)
		return NULL;
	if (p && pid_alive(p)) {
		list_for_each_entry_continue_rcu(p, &leader->signal->thread_head, thread_node)
			return p;
		return NULL;
	}
	list_for_each_entry_rcu(p, &leader->signal->thread_head, thread_node) {
		if (i++ == walk->seen)
			return p;
	}
	return NULL;
}

/* Notes the last thread that was considered, which is held. Context: process. */
static void wp_remote_set_last(struct wp_remote_stacks *walk, struct task_struct *p)
{
	if (walk->last)
		put_task_struct(walk->last);
	walk->last = p;
}

/*
 * Considers up to WP_REMOTE_BATCH threads of the process, and takes references to those
 * that want a better stack. Returns whether there was any thread. Context: process.
 */
static bool wp_remote_consider(struct wp_remote_stacks *walk)
{
	struct wp_session *session = walk->session;
	struct task_struct *p, *last = NULL;
	struct wallprof_task *slot;
	unsigned int nr = 0;

	rcu_read_lock();
	for (p = wp_remote_next(walk); p && nr < WP_REMOTE_BATCH; nr++) {
		last = p;
		slot = wp_tasks_find(&session->tasks, (unsigned long)p);
		if (slot && !(p->flags & WP_PF_NO_USER) && wp_remote_wants(slot)) {
			get_task_struct(p);
			walk->threads[walk->nr_threads++] = p;
		}
		p = list_next_or_null_rcu(&p->signal->thread_head, &p->thread_node,
					  struct task_struct, thread_node);
	}
	walk->seen += nr;
	if (last)
		get_task_struct(last);
	rcu_read_unlock();
	if (last)
		wp_remote_set_last(walk, last);
	return last;
}

/*
 * Takes references to some threads of the process that want a better stack. Returns how
 * many: 0 if there are no more. Each batch continues where the last one ended, and others
 * run in between. Context: process; may sleep.
 */
static unsigned int wp_remote_collect(struct wp_remote_stacks *walk)
{
	while (!walk->nr_threads && wp_remote_consider(walk))
		cond_resched();
	return walk->nr_threads;
}

/* Walks the stacks of the process's threads. Context: a worker. */
static void wp_remote_walks(struct wp_remote *remote)
{
	struct wp_remote_stacks *walk = container_of(remote, struct wp_remote_stacks, remote);

	do {
		while (walk->nr_threads && !READ_ONCE(remote->cancel)) {
			walk->p = walk->threads[--walk->nr_threads];
			wp_remote_one(walk);
			put_task_struct(walk->p);
			cond_resched();
		}
	} while (!READ_ONCE(remote->cancel) && wp_remote_collect(walk));
}

/**
 * wp_remote_walk - walk the user stacks of a process's blocked threads
 * @session: the session, locked
 * @pid: the process, in the session's pid namespace
 * @mm: its memory, held
 * @code: its mappings
 *
 * Best effort: does nothing without memory. A stack whose next word cannot be read
 * without a page fault ends there, by WALLPROF_UNWIND_NOT_RESIDENT. So does one that
 * leads to an address where nothing is mapped: to distinguish these would take the
 * process's mmap_lock.
 *
 * Context: process.
 */
void wp_remote_walk(struct wp_session *session, u32 pid, struct mm_struct *mm,
		    const struct wp_code *code)
{
	struct wp_remote_stacks *walk;

	if (session->state != WALLPROF_SESSION_RUNNING ||
	    !(session->config.flags & WALLPROF_OFFCPU) ||
	    !(session->config.stack_flags & WALLPROF_STACK_TABLES))
		return;
	walk = kzalloc(sizeof(*walk), GFP_KERNEL_ACCOUNT);
	if (!walk)
		return;
	walk->remote.fn = wp_remote_walks;
	walk->remote.mm = mm;
	walk->session = session;
	walk->pid = pid;
	walk->code = code;
	/* Unless no thread wants one. */
	if (wp_remote_collect(walk))
		wp_remote_run(&walk->remote);
	while (walk->nr_threads)
		put_task_struct(walk->threads[--walk->nr_threads]);
	wp_remote_set_last(walk, NULL);
	kfree(walk);
}

/**
 * wp_remote_kernel - walk the kernel stack of a thread that is blocked since before START
 * @session: the session, locked, its probes at work
 * @slot: the thread's slot, which it has just been given
 * @p: the thread, which was blocked before that, too
 *
 * While it is blocked, its kernel stack does not change, and nobody else writes to its
 * slot.
 *
 * Context: process, irqs off, p->pi_lock held, so that it is not woken.
 */
void wp_remote_kernel(struct wp_session *session, struct wallprof_task *slot,
		      struct task_struct *p)
{
	struct wp_cpu *cpu = session->cpus[smp_processor_id()];
	struct wp_scratch *scratch = &cpu->sched_scratch;
	u32 epoch = wp_session_epoch(session);
	unsigned int nr;

	if (!(session->config.flags & WALLPROF_OFFCPU) ||
	    !(session->config.stack_flags & WALLPROF_STACK_KERNEL) ||
	    !(session->config.states & BIT(slot->state)) ||
	    slot->flags & WALLPROF_TASK_ARMED)
		return;
	if (cpu->nomem) {
		wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		slot->flags |= WALLPROF_TASK_NO_STACK;
		return;
	}
	nr = wp_unwind_blocked(p, scratch->kernel, session->config.max_stack);
	if (!nr)
		return;
	slot->kernel_stack = wp_stack_intern_kernel(&cpu->sched, epoch, scratch, 0, nr);
	if (!slot->kernel_stack)
		slot->flags |= WALLPROF_TASK_NO_STACK;
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch));
}
