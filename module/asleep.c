// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks of threads that sleep: those that went to sleep before their process's
 * mappings were known, or before the session began.
 *
 * This file owns the walk of another thread's stack. Its callers are images.c, of
 * the user stack, when a process's mappings are told, and targets.c, of the kernel
 * stack, at START: process context, the session locked. So the user stack's walk
 * may take its time, and memory is read as ptrace reads it, but for what is not
 * there.
 *
 * A thread that sleeps can be woken at any instant. What makes the result good
 * all the same: a thread that sleeps can only run again through the scheduler's
 * wakeup, which takes the thread's pi_lock; and a thread that ran has closed the
 * interval that we began with. So under that lock, of a thread that sleeps, and
 * whose interval is still the one of before, the stack has not changed
 * meanwhile, and its slot is nobody else's.
 */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "asleep.h"
#include "compat/mm.h"
#include "compat/ptrace.h"
#include "compat/sched.h"
#include "compat/unwind.h"
#include "session.h"
#include "stack.h"
#include "unwind_cfi.h"

/* Threads that are held at a time. */
#define WP_ASLEEP_BATCH	256

/**
 * struct wp_asleep - a walk
 * @session: whose
 * @mm: the process's memory, in use
 * @p: the thread
 * @regs: its user registers
 * @since: since when its interval is open
 * @phase: what its slot said
 * @page: a page of its memory, held, or NULL
 * @at: its address
 * @nr: frames found
 * @told: what the walk told
 * @ips: addresses
 * @threads: some of the process's, held
 */
struct wp_asleep {
	struct wp_session *session;
	struct mm_struct *mm;
	struct task_struct *p;
	struct pt_regs regs;
	u64 since;
	u8 phase;
	struct page *page;
	u64 at;
	unsigned int nr;
	struct wp_cfi_told told;
	u64 ips[WALLPROF_MAX_STACK];
	struct task_struct *threads[WP_ASLEEP_BATCH];
};

static u64 wp_asleep_reg(const void *ctx, unsigned int reg)
{
	const struct wp_asleep *walk = ctx;

	return wp_regs_dwarf(&walk->regs, reg);
}

static void wp_asleep_drop_page(struct wp_asleep *walk)
{
	if (walk->page)
		put_page(walk->page);
	walk->page = NULL;
}

/*
 * Holds the page at an address, if it is there without waiting: neither for a
 * disk, nor for whoever changes the mappings, who may be asleep himself.
 */
static bool wp_asleep_hold_page(struct wp_asleep *walk, u64 at)
{
	wp_asleep_drop_page(walk);
	if (!mmap_read_trylock(walk->mm))
		return false;
	if (wp_get_user_page(walk->mm, at, FOLL_NOWAIT, &walk->page) != 1)
		walk->page = NULL;
	mmap_read_unlock(walk->mm);
	walk->at = at;
	return walk->page;
}

static bool wp_asleep_read(void *ctx, u64 addr, u64 *value)
{
	struct wp_asleep *walk = ctx;
	u64 at = addr & PAGE_MASK;

	if ((!walk->page || at != walk->at) && !wp_asleep_hold_page(walk, at))
		return false;
	/* Aligned: within the page. On 64 bits every page has an address. */
	*value = READ_ONCE(*(u64 *)(page_address(walk->page) + (addr - at)));
	return true;
}

static u64 wp_asleep_strip(u64 ip)
{
	return wp_strip_ip(ip);
}

static const struct wp_cfi_ops wp_asleep_ops = {
	.arch = &wp_cfi_here,
	.reg = wp_asleep_reg,
	.read = wp_asleep_read,
	.strip = wp_asleep_strip,
};

/* Whether a slot's open interval could do with a better stack. */
static bool wp_asleep_wants(const struct wallprof_task *slot)
{
	/* Without the thread's pi_lock a guess, looked at again with it. */
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
 * The slot of a thread that sleeps and wants a better stack, or NULL.
 *
 * Context: p->pi_lock held. Until that is released the thread does not run.
 */
static struct wallprof_task *wp_asleep_slot(struct wp_asleep *walk)
{
	struct wp_session *session = walk->session;
	struct wallprof_task *slot;

	if (!wp_task_asleep(walk->p))
		return NULL;
	/*
	 * Only the thread itself executes another program. Until that is loaded,
	 * its registers are the old one's: see wp_stack_is_exec().
	 */
	if (READ_ONCE(walk->p->mm) != walk->mm || wp_stack_is_exec(walk->p, walk->mm))
		return NULL;
	slot = wp_tasks_find(&session->tasks, (unsigned long)walk->p);
	return slot && wp_asleep_wants(slot) ? slot : NULL;
}

/* Takes the registers of a thread that sleeps. */
static bool wp_asleep_begin(struct wp_asleep *walk)
{
	struct task_struct *p = walk->p;
	struct wallprof_task *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	slot = wp_asleep_slot(walk);
	if (slot) {
		walk->regs = *task_pt_regs(p);
		walk->since = slot->since;
		walk->phase = slot->phase;
	}
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	return slot && wp_regs_64bit(&walk->regs);
}

/* Puts the stack into the thread's slot, if it slept all the time. */
static void wp_asleep_end(struct wp_asleep *walk)
{
	struct wp_session *session = walk->session;
	struct task_struct *p = walk->p;
	struct wallprof_task *slot;
	unsigned long flags;
	struct wp_cpu *cpu;
	u32 epoch;
	u64 id;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	slot = wp_asleep_slot(walk);
	if (!slot || slot->since != walk->since || slot->phase != walk->phase)
		goto unlock;
	/*
	 * What could not be read now, for a page or its lock, may have been read
	 * then, or may be read the next time.
	 */
	if (slot->user_stack && (walk->told.why == WALLPROF_UNWIND_FAULT ||
				 wp_stack_is_weak(walk->told.why, walk->told.by_fp)))
		goto unlock;
	/* Irqs are off: this CPU's tables are ours, as they are a probe's. */
	cpu = session->cpus[smp_processor_id()];
	epoch = wp_session_epoch(session);
	wp_half_of(&cpu->sched, epoch)->head->walks_asleep++;
	id = wp_stack_intern(&cpu->sched, epoch, walk->ips, walk->nr, walk->told.why,
			     walk->told.by_fp ? WALLPROF_STACK_BY_FP : 0);
	if (!id)
		goto unlock;
	slot->user_stack = id;
	/* Tells who left by habit, too: see wp_habit_lasts(). */
	slot->flags &= ~WALLPROF_TASK_WEAK_STACK;
	/* Unless it is the kernel stack that was lost. */
	if (!(session->config.stack_flags & WALLPROF_STACK_KERNEL) || slot->kernel_stack)
		slot->flags &= ~WALLPROF_TASK_NO_STACK;
	if (walk->told.why == WALLPROF_UNWIND_FAULT ||
	    wp_stack_is_weak(walk->told.why, walk->told.by_fp))
		slot->flags |= WALLPROF_TASK_WEAK_STACK;
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch), &session->layout.sched);
unlock:
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
}

static void wp_asleep_one(struct wp_asleep *walk, const struct wp_code *code)
{
	const struct wallprof_configure *config = &walk->session->config;

	if (!wp_asleep_begin(walk))
		return;
	walk->nr = wp_unwind_cfi(&wp_asleep_ops, walk, &code->maps,
				 config->stack_flags & WALLPROF_STACK_USER,
				 instruction_pointer(&walk->regs),
				 user_stack_pointer(&walk->regs), TASK_SIZE_MAX,
				 walk->ips, config->max_stack, &walk->told);
	wp_asleep_drop_page(walk);
	wp_asleep_end(walk);
}

/*
 * Holds threads of a process that want a better stack, from the @from-th thread
 * on, which moves on. Returns how many.
 */
static unsigned int wp_asleep_collect(struct wp_asleep *walk, u32 pid, unsigned int *from)
{
	struct wp_session *session = walk->session;
	unsigned int i = 0, nr = 0;
	struct task_struct *leader, *p;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(pid, session->pid_ns), PIDTYPE_TGID);
	if (!leader)
		goto unlock;
	for_each_thread(leader, p) {
		struct wallprof_task *slot;

		if (i++ < *from)
			continue;
		(*from)++;
		slot = wp_tasks_find(&session->tasks, (unsigned long)p);
		if (!slot || p->flags & WP_PF_NO_USER || !wp_asleep_wants(slot))
			continue;
		get_task_struct(p);
		walk->threads[nr++] = p;
		if (nr == ARRAY_SIZE(walk->threads))
			break;
	}
unlock:
	rcu_read_unlock();
	return nr;
}

/**
 * wp_asleep_walk - find the stacks of a process's threads that sleep
 * @session: the session, locked
 * @pid: the process, in the session's pid namespace
 * @mm: its memory, held
 * @code: its mappings
 *
 * Does what it can: without memory, nothing.
 *
 * Context: process.
 */
void wp_asleep_walk(struct wp_session *session, u32 pid, struct mm_struct *mm,
		    const struct wp_code *code)
{
	unsigned int from = 0, nr, i;
	struct wp_asleep *walk;

	if (session->state != WALLPROF_SESSION_RUNNING ||
	    !(session->config.flags & WALLPROF_OFFCPU) ||
	    !(session->config.stack_flags & WALLPROF_STACK_TABLES))
		return;
	walk = kzalloc(sizeof(*walk), GFP_KERNEL_ACCOUNT);
	if (!walk)
		return;
	if (!mmget_not_zero(mm))
		goto free;
	walk->session = session;
	walk->mm = mm;
	do {
		nr = wp_asleep_collect(walk, pid, &from);
		for (i = 0; i < nr; i++) {
			walk->p = walk->threads[i];
			wp_asleep_one(walk, code);
			put_task_struct(walk->p);
			cond_resched();
		}
	} while (nr == ARRAY_SIZE(walk->threads) && !fatal_signal_pending(current));
	mmput(mm);
free:
	kfree(walk);
}

/**
 * wp_asleep_kernel - find the kernel stack of a thread that sleeps since before START
 * @session: the session, locked, its probes at work
 * @slot: the thread's slot, which it has since just now
 * @p: the thread, which slept before that, too
 *
 * While it sleeps, its kernel stack is there, and nobody writes to it, or to its slot.
 *
 * Context: process, irqs off, p->pi_lock held, so that it is not woken.
 */
void wp_asleep_kernel(struct wp_session *session, struct wallprof_task *slot,
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
	nr = wp_unwind_asleep(p, scratch->kernel, session->config.max_stack);
	if (!nr)
		return;
	slot->kernel_stack = wp_stack_intern_kernel(&cpu->sched, epoch, scratch, 0, nr);
	if (!slot->kernel_stack)
		slot->flags |= WALLPROF_TASK_NO_STACK;
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch), &session->layout.sched);
}
