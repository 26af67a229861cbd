// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints: find, attach, detach; and what happens at each.
 *
 * This file owns the probes. Each runs with the session as its data pointer
 * and uses no lock but the task table's, which is a raw one. They are called
 * by the scheduler with interrupts off and a run queue locked (sched_switch), or
 * the pi_lock of a thread that is woken (sched_waking), and in process context
 * (fork, exec, exit), preemptible from 7.0 on. What they do to a slot belongs to
 * intervals.c, what they sum to tables.c.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "mappings.h"
#include "probe.h"
#include "probes.h"
#include "pure/intervals.h"
#include "pure/states.h"
#include "pure/switch_cache.h"
#include "reasons.h"
#include "stack.h"
#include "state.h"
#include "targets.h"
#include "timeline.h"

enum wp_probe_nr {
	WP_PROBE_SWITCH,
	WP_PROBE_WAKING,
	WP_PROBE_FORK,
	WP_PROBE_EXEC,
	WP_PROBE_EXIT,
	/* From here on those of timeline.c. */
	WP_PROBE_TIMELINE,
	WP_PROBE_MAX = WP_PROBE_TIMELINE + WP_TIMELINE_PROBES,
};

/*
 * A session that could not give a thread a slot sums the times at which such
 * threads come back less the times at which they leave: modulo 2^64 that is
 * the time that they were off their CPUs. A thread that was passed over once
 * never gets a slot, so that comings and goings pair. They do not for a thread
 * that switches just when START comes to it, or that was born without a fork
 * (io_uring's): the sum is then wrong by its time.
 *
 * Context: irqs off.
 */
static void wp_untracked_leaves(struct wp_session *session, struct wp_cpu *cpu,
				u32 epoch, u64 now)
{
	atomic64_inc(&session->untracked_off);
	wp_half_lose(wp_half_of(&cpu->sched, epoch), WALLPROF_LOSS_NO_TASK, -now);
}

static void wp_untracked_comes(struct wp_session *session, struct wp_cpu *cpu,
			       u32 epoch, u64 now)
{
	atomic64_dec(&session->untracked_off);
	wp_half_of(&cpu->sched, epoch)->head->lost[WALLPROF_LOSS_NO_TASK].ns += now;
}

struct wp_birth {
	struct wp_session *session;
	struct task_struct *p;
	u64 born;
	u8 phase;
	u8 state;
	u16 flags;
};

/* Fills a slot. See wp_tasks_claim(). */
static void wp_birth_init(struct wallprof_task *slot, void *arg)
{
	struct wp_birth *birth = arg;
	struct wp_thread thread;

	thread = wp_thread_read(birth->session, birth->p);
	wp_interval_begin(slot, &thread, birth->phase, birth->state, birth->born);
	slot->flags |= birth->flags;
	if (birth->phase == WALLPROF_TASK_UNSEEN) {
		wp_session_assume_woken(birth->session, slot);
		wp_reason_asleep(birth->session, slot, birth->p);
	}
	if (birth->state == WALLPROF_STATE_NEW &&
	    birth->session->config.flags & WALLPROF_REASONS)
		slot->reason = WALLPROF_REASON_NEW;
	wp_target_born(birth->session);
}

/* Context: irqs off. Returns NULL if there is no room. */
static struct wallprof_task *wp_birth_claim(struct wp_birth *birth)
{
	struct wp_session *session = birth->session;
	struct wallprof_task *slot;
	bool found;

	slot = wp_tasks_claim(&session->tasks, (unsigned long)birth->p,
			      wp_birth_init, birth, &found);
	if (!slot && !READ_ONCE(session->passed_over))
		WRITE_ONCE(session->passed_over, true);
	return slot;
}

/*
 * A thread leaves a CPU that was no target so far: is it one from now on? Context:
 * irqs off.
 */
static struct wallprof_task *wp_switch_joins(struct wp_session *session,
					     struct task_struct *prev, u64 now)
{
	struct wp_birth birth = {
		.session = session,
		.p = prev,
		.born = now,
		.phase = WALLPROF_TASK_RUNNING,
	};
	struct wallprof_task *slot;

	if (wp_task_state(prev) & TASK_DEAD || !wp_targets_match(session, prev))
		return NULL;
	slot = wp_birth_claim(&birth);
	if (!slot)
		wp_target_passed_over(session, prev, false, now);
	return slot;
}

/*
 * Gives a thread that leaves a CPU its slot, which was not found; NULL if it is
 * to have none. Context: irqs off.
 */
static noinline struct wallprof_task *wp_switch_meet_prev(struct wp_session *session,
							  struct task_struct *prev,
							  u64 now)
{
	struct wp_birth birth = {
		.session = session,
		.p = prev,
		.phase = WALLPROF_TASK_RUNNING,
	};

	if (session->targets_change)
		return wp_switch_joins(session, prev, now);
	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over))
		return NULL;
	/* Never seen: it has run since START, or since its birth. */
	birth.born = max(session->start, prev->start_time);
	return wp_birth_claim(&birth);
}

/* The same for one that comes to a CPU. Context: irqs off. */
static noinline struct wallprof_task *wp_switch_meet_next(struct wp_session *session,
							  struct task_struct *next)
{
	struct wp_birth birth = {
		.session = session,
		.p = next,
		.phase = WALLPROF_TASK_UNSEEN,
		.state = WALLPROF_STATE_UNKNOWN,
		.born = session->start,
	};

	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over))
		return NULL;
	/* START's walk has not come to it yet, or its fork was before. */
	if (next->start_time > session->start) {
		birth.born = next->start_time;
		birth.phase = WALLPROF_TASK_OFF;
		birth.state = WALLPROF_STATE_NEW;
		if (!(session->config.states & BIT(WALLPROF_STATE_NEW)))
			birth.flags = WALLPROF_TASK_FILTERED;
	}
	return wp_birth_claim(&birth);
}

/* A probe came in between while one of this CPU's was at work. Context: irqs off. */
static noinline void wp_switch_nested(struct wp_session *session, struct wp_cpu *cpu)
{
	wp_half_lose(wp_half_of(&cpu->sched, wp_session_epoch(session)),
		     WALLPROF_LOSS_NESTED, 0);
}

/*
 * A probe of this CPU's begins. Returns whether it may: no other one is at work, and the
 * CPU has memory. It ends with wp_switch_end(). Context: irqs off.
 */
static __always_inline bool wp_switch_begin(struct wp_cpu *cpu)
{
	if (unlikely(cpu->sched_busy))
		return false;
	cpu->sched_busy = true;
	barrier();
	return true;
}

static __always_inline void wp_switch_end(struct wp_cpu *cpu)
{
	barrier();
	cpu->sched_busy = false;
}

/* Whether a thread leaves its CPU for the last time. */
static __always_inline bool wp_switch_is_last(unsigned int state, bool preempt)
{
	return !preempt && state & TASK_DEAD;
}

/*
 * The slot of a thread that leaves a CPU, and did not come to it with one; or NULL.
 * Context: irqs off.
 */
static noinline struct wallprof_task *wp_switch_prev(struct wp_session *session,
						     struct wp_cpu *cpu,
						     struct task_struct *prev,
						     unsigned int state, bool preempt,
						     u32 epoch, u64 now)
{
	struct wallprof_task *slot;

	/* The idle threads, one for each CPU, are no threads of the host. */
	if (!prev->pid)
		return NULL;
	slot = wp_tasks_find(&session->tasks, (unsigned long)prev);
	if (!slot)
		slot = wp_switch_meet_prev(session, prev, now);
	if (!slot && !wp_switch_is_last(state, preempt) && wp_target_untracked(session, prev))
		wp_untracked_leaves(session, cpu, epoch, now);
	return slot;
}

/* The slot of a thread that comes to a CPU, or NULL. Context: irqs off. */
static __always_inline struct wallprof_task *
wp_switch_next(struct wp_session *session, struct task_struct *next)
{
	struct wallprof_task *slot = wp_tasks_find(&session->tasks, (unsigned long)next);

	return likely(slot) ? slot : wp_switch_meet_next(session, next);
}

/* Where it is remembered that a stack is an address and no more. Context: irqs off. */
static __always_inline struct wp_address *wp_switch_address_of(struct wp_cpu *cpu, u64 ip)
{
	return cpu->addresses + hash_32(ip, WP_ADDRESS_BITS);
}

/* Remembers the stack of current, which is no more than an address. Context: irqs off. */
static void wp_switch_keep_address(struct wp_cpu *cpu, u32 epoch, u64 id)
{
	u64 ip = instruction_pointer(task_pt_regs(current));

	*wp_switch_address_of(cpu, ip) = (struct wp_address){
		.ip = ip, .id = id, .epoch = epoch,
	};
}

/* Walks and interns the user stack that a thread leaves or wakes with. Context: irqs off. */
static void wp_switch_walk(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
			   struct wp_leave *leave)
{
	struct wp_walk walk;
	unsigned int nr;

	nr = wp_stack_user(session, cpu, epoch, &walk);
	wp_walk_count(wp_half_of(&cpu->sched, epoch)->head, &walk);
	if (!nr)
		return;
	leave->user_stack = walk.id;
	if (!walk.id) {
		leave->user_stack = wp_stack_intern(&cpu->sched, epoch,
						    cpu->sched_scratch.user, nr,
						    walk.why, walk.flags);
		wp_walk_keep(&walk, epoch, leave->user_stack);
	}
	if (!leave->user_stack)
		leave->flags |= WALLPROF_TASK_NO_STACK;
	else if (session->one_address)
		wp_switch_keep_address(cpu, epoch, leave->user_stack);
	if (session->config.stack_flags & WALLPROF_STACK_TABLES &&
	    wp_stack_is_weak(walk.why, walk.flags & WALLPROF_STACK_BY_FP))
		leave->flags |= WALLPROF_TASK_WEAK_STACK;
}

/* The same of the kernel stack. Context: irqs off. */
static void wp_switch_walk_kernel(struct wp_session *session, struct wp_cpu *cpu,
				  u32 epoch, struct wp_leave *leave)
{
	struct wp_scratch *scratch = &cpu->sched_scratch;
	unsigned int nr, skip;

	nr = wp_stack_kernel(scratch, session->config.max_stack, &skip);
	leave->kernel_stack = wp_stack_intern_kernel(&cpu->sched, epoch, scratch, skip,
						     nr);
	if (!leave->kernel_stack)
		leave->flags |= WALLPROF_TASK_NO_STACK;
}

/* Captures what a thread leaves or wakes with, by walking. Context: irqs off. */
static noinline void wp_switch_capture(struct wp_session *session, struct wp_cpu *cpu,
				       u32 epoch, struct wp_leave *leave)
{
	if (session->config.stack_flags & WP_STACK_WALK && !leave->user_stack)
		wp_switch_walk(session, cpu, epoch, leave);
	if (session->config.stack_flags & WALLPROF_STACK_KERNEL)
		wp_switch_walk_kernel(session, cpu, epoch, leave);
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch),
			&session->layout.sched);
}

/*
 * The user stack that a thread leaves with, if it is one that is remembered. Returns
 * whether it is. Context: irqs off.
 */
static __always_inline bool wp_switch_remember(struct wp_session *session,
					       struct wp_cpu *cpu, u32 epoch,
					       struct wp_leave *leave)
{
	const struct wp_memo *memo = wp_stack_again(session, cpu, epoch);

	if (unlikely(!memo))
		return false;
	leave->user_stack = memo->id;
	if (wp_walk_count_again(wp_half_of(&cpu->sched, epoch)->head, memo) &&
	    session->config.stack_flags & WALLPROF_STACK_TABLES)
		leave->flags = WALLPROF_TASK_WEAK_STACK;
	return true;
}

/*
 * The same where it is no more than an address: whoever is there has the same stack,
 * which wp_stack_user() tells in the same way of all. Context: irqs off. @p is current.
 */
static __always_inline bool wp_switch_remember_address(struct wp_cpu *cpu, u32 epoch,
						       const struct task_struct *p,
						       struct wp_leave *leave)
{
	u64 ip = instruction_pointer(task_pt_regs(p));
	const struct wp_address *at = wp_switch_address_of(cpu, ip);
	struct wallprof_half *head;

	if (unlikely(at->ip != ip || at->epoch != epoch || !p->mm ||
		     p->flags & WP_PF_NO_USER || wp_stack_is_exec(p, p->mm)))
		return false;
	head = wp_half_of(&cpu->sched, epoch)->head;
	head->unwinds[WALLPROF_UNWIND_DEPTH]++;
	head->walks_remembered++;
	head->walks_mixed++;
	leave->user_stack = at->id;
	return true;
}

/*
 * The stacks that a thread leaves or wakes with. Context: irqs off. @p is current.
 *
 * What most switches come to has no need of memory.
 */
static __always_inline void wp_switch_stacks(struct wp_session *session,
					     struct wp_cpu *cpu, u32 epoch,
					     const struct task_struct *p,
					     struct wp_leave *leave, bool plain)
{
	const u32 stacks = session->config.stack_flags;

	if (!(stacks & (WP_STACK_WALK | WALLPROF_STACK_KERNEL)))
		return;
	if ((plain || stacks & WP_STACK_WALK) &&
	    (session->one_address ? wp_switch_remember_address(cpu, epoch, p, leave) :
				    wp_switch_remember(session, cpu, epoch, leave)) &&
	    (plain || !(stacks & WALLPROF_STACK_KERNEL)))
		return;
	cpu->leave = *leave;
	wp_switch_capture(session, cpu, epoch, &cpu->leave);
	leave->user_stack = cpu->leave.user_stack;
	leave->flags = cpu->leave.flags;
	if (!plain)
		leave->kernel_stack = cpu->leave.kernel_stack;
}

/* Whether a session wants a thread's intervals. Context: irqs off. */
static __always_inline bool wp_switch_wants(const struct wp_session *session, u8 state,
					    bool plain)
{
	return plain || (session->config.states & BIT(state) &&
			 (likely(session->all_cpus) ||
			  cpumask_test_cpu(smp_processor_id(), session->cpus_mask)));
}

/* A thread made its last switch, or is a target no more. Context: irqs off. */
static noinline void wp_switch_exit(struct wp_session *session, struct wp_cpu *cpu,
				    struct wallprof_task *slot,
				    struct task_struct *prev, u32 epoch, u64 now)
{
	if (!(slot->flags & WALLPROF_TASK_ARMED)) {
		wp_interval_exit(slot, now);
		wp_exit_add(&cpu->sched, epoch, slot);
		wp_session_grew(session, wp_half_of(&cpu->sched, epoch),
				&session->layout.sched);
	}
	if (wp_tasks_free(&session->tasks, (unsigned long)prev))
		wp_target_gone(session);
}

/*
 * The scheduler calls it preemption only in kernel code: a thread that loses
 * its CPU on the way back to user mode is just runnable, as one that yields.
 *
 * Context: irqs off.
 */
static u8 wp_switch_state(struct task_struct *prev, unsigned int state, bool preempt)
{
	u8 named = wp_state_of(state, preempt);

	if (named == WALLPROF_STATE_RUNNING && !(prev->flags & WP_PF_NO_USER) &&
	    !wp_in_sched_yield())
		return WALLPROF_STATE_PREEMPTED;
	return named;
}

/* Opens the interval of a thread that leaves its CPU. Context: irqs off. */
static __always_inline void wp_switch_open(const struct wp_session *session,
					   struct wallprof_task *slot,
					   struct task_struct *prev,
					   const struct wp_leave *leave, u64 now, bool plain)
{
	struct wp_thread thread = plain ? wp_thread_read_init(prev) :
					  wp_thread_read(session, prev);

	/* Of a thread that is preempted while it ends, a namespace may know no id more. */
	if (!plain && unlikely(!thread.tid)) {
		thread.tid = slot->tid;
		thread.tgid = slot->tgid;
	}
	wp_interval_open(slot, &thread, leave, now);
}

/*
 * Learns how a thread left, if it did so the last time, too, by what is remembered of its
 * stack. Context: irqs off. @prev is current; its interval is open.
 */
static void wp_switch_learn(struct wp_session *session, struct wp_cpu *cpu,
			    struct wallprof_task *slot, const struct wp_way *way,
			    const struct wp_leave *leave, u32 epoch)
{
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	const struct wp_memo *memo;
	struct wp_habit *habit;

	if (leave->reason != WALLPROF_REASON_SYSCALL &&
	    leave->reason != WALLPROF_REASON_PREEMPTED)
		return;
	/* In user code it is preempted where it happens to be. */
	if (!leave->user_stack || leave->flags & ~WALLPROF_TASK_WEAK_STACK ||
	    wp_way_is_odd(way) || wp_in_syscall_32(way->p) || wp_way_nr(way) < 0)
		return;
	habit = wp_habit_begin(cpu->habits, slot, (unsigned long)way->p, way, leave);
	if (!habit)
		return;
	if (session->one_address) {
		wp_habit_set_address(habit, half);
	} else {
		memo = wp_stack_remembered(session, cpu, epoch, leave->user_stack);
		if (!memo)
			return;
		wp_habit_set_stack(habit, memo, half);
	}
	wp_habit_learn(cpu->habits, habit, slot, way);
}

/*
 * A thread leaves its CPU, whatever it is used to. Context: irqs off. @way: of a session
 * that is wp_session_is_plain(); or NULL.
 */
static __always_inline void wp_switch_leave(struct wp_session *session,
					    struct wp_cpu *cpu,
					    struct wallprof_task *slot,
					    struct task_struct *prev,
					    unsigned int state, bool preempt,
					    const struct wp_way *way, u32 epoch, u64 now)
{
	const bool plain = way;
	/* Most do. */
	struct wp_leave leave = {
		.syscall = WALLPROF_SYSCALL_NONE,
		.state = WALLPROF_STATE_SLEEPING,
	};
	bool dead = false;

	if (unlikely(preempt) || unlikely(state != TASK_INTERRUPTIBLE)) {
		dead = wp_switch_is_last(state, preempt);
		leave.state = wp_switch_state(prev, state, preempt);
	}
	if (unlikely(dead || (!plain && session->targets_change &&
			      !wp_targets_match(session, prev)))) {
		wp_switch_exit(session, cpu, slot, prev, epoch, now);
		return;
	}
	if (unlikely(slot->flags & WALLPROF_TASK_ARMED))
		return;
	if (likely(wp_switch_wants(session, leave.state, plain))) {
		wp_switch_stacks(session, cpu, epoch, prev, &leave, plain);
		if (plain || session->config.flags & WALLPROF_REASONS)
			wp_reason_read(session, prev, &leave);
		if (!plain && unlikely(session->config.flags & WALLPROF_TIMELINE_STACKS)) {
			cpu->leave = leave;
			wp_timeline_tell_stacks(session, prev, &cpu->leave);
		}
	} else {
		leave.flags = WALLPROF_TASK_FILTERED;
	}
	wp_switch_open(session, slot, prev, &leave, now, plain);
	if (plain)
		wp_switch_learn(session, cpu, slot, way, &leave, epoch);
}

/*
 * A thread leaves its CPU, in a session that is not wp_session_is_plain(). Context: irqs
 * off.
 */
static __always_inline void wp_switch_out(struct wp_session *session,
					  struct wp_cpu *cpu,
					  struct task_struct *prev,
					  unsigned int state, bool preempt,
					  u32 epoch, u64 now)
{
	struct wallprof_task *slot = cpu->current_slot;

	if (unlikely(cpu->current_key != (unsigned long)prev)) {
		slot = wp_switch_prev(session, cpu, prev, state, preempt, epoch, now);
		if (!slot)
			return;
	}
	wp_switch_leave(session, cpu, slot, prev, state, preempt, NULL, epoch, now);
}

/* Whether the words are what they were that decide a habit's stack. Context: irqs off. */
static __always_inline bool wp_switch_words_are(const struct wp_cpu *cpu,
						const struct wp_habit *habit)
{
	return !habit->nr_words ||
	       likely(habit->begin >= cpu->memos->oldest &&
		      wp_stack_words_are(cpu->memos, habit->begin, habit->nr_words,
					 habit->sp));
}

/* How current leaves its CPU, for its habits. Context: irqs off. @state: see there. */
static __always_inline struct wp_way wp_switch_way(const struct wp_session *session,
						   struct task_struct *prev, u32 state)
{
	return (struct wp_way){
		.p = prev,
		.changes = wp_images_changes(&session->images),
		.state = state,
	};
}

/*
 * A thread leaves its CPU as it is used to, which is what most switches come to: mostly by
 * the habit that it came by. Returns whether it does. Context: irqs off.
 */
static __always_inline bool wp_switch_out_again(const struct wp_session *session,
						struct wp_cpu *cpu,
						struct task_struct *prev, u32 state,
						u64 now)
{
	const struct wp_way way = wp_switch_way(session, prev, state);
	struct wallprof_task *slot = cpu->current_slot;
	struct wp_habit *habit = cpu->current_habit;
	bool still;

	if (unlikely(cpu->current_key != (unsigned long)prev))
		return false;
	still = wp_habit_holds_still(habit, &way);
	if (!still) {
		habit = wp_habit_of(cpu->habits, slot, &way);
		if (unlikely(!wp_habit_holds(habit, slot, &way)))
			return false;
	}
	if (unlikely(!wp_switch_words_are(cpu, habit)))
		return false;
	if (!still)
		wp_habit_tell(cpu->habits, habit, slot);
	wp_habit_leave(habit, slot, now);
	return true;
}

/* The same, if it does not. Context: irqs off. */
static noinline void wp_switch_out_plain(struct wp_session *session, struct wp_cpu *cpu,
					 struct task_struct *prev, u32 state, u64 now)
{
	const struct wp_way way = wp_switch_way(session, prev, state);
	struct wallprof_task *slot = cpu->current_slot;
	bool preempt = state & WP_WAY_PREEMPTED;
	u32 epoch = wp_session_epoch(session);

	if (!wp_session_covers(session, now))
		return;
	cpu->sched_busy = true;
	barrier();
	state &= ~WP_WAY_PREEMPTED;
	if (unlikely(cpu->current_key != (unsigned long)prev))
		slot = wp_switch_prev(session, cpu, prev, state, preempt, epoch, now);
	if (slot)
		wp_switch_leave(session, cpu, slot, prev, state, preempt, &way, epoch, now);
	wp_switch_end(cpu);
}

/*
 * Adds an interval to where the last one was, if that is right. Returns it, or NULL.
 * Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_again(struct wp_cpu *cpu, struct wp_half *half, const struct wallprof_task *slot,
		const struct wp_passed *passed, u64 now)
{
	struct wallprof_aggr *aggr = wp_aggr_guess(&cpu->sched, half, slot->tid,
						   slot->user_stack);

	if (unlikely(!aggr) || !wp_interval_is_of(slot, passed, aggr))
		return NULL;
	wp_aggr_again(half->head, aggr, passed->ns, passed->runnable, now);
	return aggr;
}

/* How an interval is kept. */
enum wp_kept {
	WP_KEPT_NOT,	/* it is out of range, or found no room */
	WP_KEPT_SUMMED,
	WP_KEPT_APART,
};

/* Adds an interval, if there is room. Context: irqs off. */
static enum wp_kept wp_switch_add(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
				  struct wallprof_task *slot, const struct wallprof_aggr *key,
				  u64 ns, u64 now)
{
	bool added = wp_aggr_add(&cpu->sched, epoch, key, ns, now);

	if (!added)
		wp_interval_spill(slot, ns, key->runnable);
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch),
			&session->layout.sched);
	return added ? WP_KEPT_SUMMED : WP_KEPT_NOT;
}

/*
 * Links an interval to the one that its waker had come of, and keeps where it
 * stands itself, for those that this thread will wake. Context: irqs off.
 */
static void wp_switch_chain(struct wp_cpu *cpu, u32 epoch, struct wallprof_task *slot,
			    const struct wallprof_aggr *key, enum wp_kept kept)
{
	u64 before = key->waker == WALLPROF_WAKER_TASK ? READ_ONCE(slot->waker_aggr) : 0;

	if (kept == WP_KEPT_SUMMED)
		slot->last_aggr = wp_aggr_chain(&cpu->sched, epoch, key, before);
	else if (kept == WP_KEPT_APART)
		slot->last_aggr = wp_wait_chain(&cpu->sched, epoch, before);
	else
		slot->last_aggr = 0;
}

/* With these there is more to tell of an interval than its sum. */
#define WP_SWITCH_MORE	(WALLPROF_WAKER_CHAINS | WALLPROF_HISTOGRAMS)

/* Context: irqs off. cpu->passed is the interval. */
static noinline void wp_switch_more(const struct wp_session *session,
				    struct wp_cpu *cpu, u32 epoch,
				    struct wallprof_task *slot, enum wp_kept kept)
{
	struct wallprof_aggr *key = &cpu->key;

	wp_interval_key(slot, &cpu->passed, key);
	if (session->config.flags & WALLPROF_HISTOGRAMS && kept == WP_KEPT_SUMMED)
		wp_hist_add(&cpu->sched, epoch, key, cpu->passed.ns);
	if (session->config.flags & WALLPROF_WAKER_CHAINS)
		wp_switch_chain(cpu, epoch, slot, key, kept);
}

/*
 * An interval whose length makes it one that is not summed, though it may be all the
 * same. Context: irqs off. cpu->passed is the interval, cpu->key its key.
 */
static enum wp_kept wp_switch_apart(struct wp_session *session, struct wp_cpu *cpu,
				    u32 epoch, struct task_struct *next,
				    struct wallprof_task *slot, u64 now)
{
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	const struct wallprof_aggr *key = &cpu->key;
	u64 ns = cpu->passed.ns, more[2];

	if (!wp_range_has(&session->range, ns)) {
		half->head->out_of_range++;
		half->head->out_of_range_ns += ns;
		return WP_KEPT_NOT;
	}
	wp_reason_more_args(session, next, key->reason, more);
	if (!wp_wait_add(&cpu->sched, epoch, key, more, ns, now))
		return wp_switch_add(session, cpu, epoch, slot, key, ns, now);
	wp_session_grew(session, half, &session->layout.sched);
	return WP_KEPT_APART;
}

/*
 * Tells of an interval that is not summed where the last one was. Context: irqs off.
 * cpu->passed is the interval.
 */
static noinline enum wp_kept wp_switch_tell(struct wp_session *session, struct wp_cpu *cpu,
					    u32 epoch, struct task_struct *next,
					    struct wallprof_task *slot, u64 now)
{
	struct wallprof_aggr *key = &cpu->key;
	u64 ns = cpu->passed.ns;

	wp_interval_key(slot, &cpu->passed, key);
	if (unlikely(!wp_range_has(&session->summed, ns)))
		return wp_switch_apart(session, cpu, epoch, next, slot, now);
	return wp_switch_add(session, cpu, epoch, slot, key, ns, now);
}

/*
 * Tells of an interval that has ended. Returns where it was added, if that is where the
 * last one was, or NULL. Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_told(struct wp_session *session, struct wp_cpu *cpu, struct wp_half *half,
	       u32 epoch, struct task_struct *next, struct wallprof_task *slot,
	       const struct wp_passed *passed, u64 now, bool plain)
{
	enum wp_kept kept = WP_KEPT_SUMMED;
	struct wallprof_aggr *aggr = NULL;

	if (plain || likely(wp_range_has(&session->summed, passed->ns)))
		aggr = wp_switch_again(cpu, half, slot, passed, now);
	if (likely(aggr && (plain || !(session->config.flags & WP_SWITCH_MORE))))
		return aggr;
	cpu->passed = *passed;
	if (!aggr)
		kept = wp_switch_tell(session, cpu, epoch, next, slot, now);
	if (!plain && session->config.flags & WP_SWITCH_MORE)
		wp_switch_more(session, cpu, epoch, slot, kept);
	return aggr;
}

/*
 * A thread has come: closes its interval and tells of it. Returns where it was added, if
 * that is where the last one was, or NULL. Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_come(struct wp_session *session, struct wp_cpu *cpu, struct wp_half *half,
	       struct wallprof_task *slot, struct task_struct *next, u32 epoch, u64 now,
	       bool plain)
{
	struct wallprof_aggr *aggr = NULL;
	struct wp_passed passed;

	if (unlikely(slot->flags & WALLPROF_TASK_ARMED))
		return NULL;
	/* What was filtered by state at START is not known before now. No CPU's it is. */
	if (unlikely(slot->phase == WALLPROF_TASK_UNSEEN && !plain &&
		     !(session->config.states & BIT(slot->state))))
		WRITE_ONCE(slot->flags, slot->flags | WALLPROF_TASK_FILTERED);
	switch (wp_interval_close(slot, now, &passed)) {
	case WP_CLOSED_NOTHING:
		return NULL;
	case WP_CLOSED_FILTERED:
		half->head->filtered++;
		half->head->filtered_ns += passed.ns;
		slot->last_aggr = 0;
		break;
	case WP_CLOSED_INTERVAL:
		aggr = wp_switch_told(session, cpu, half, epoch, next, slot, &passed, now,
				      plain);
		break;
	}
	wp_interval_forget(slot);
	return aggr;
}

/* A thread comes to its CPU. Returns its slot, or NULL. Context: irqs off. */
static __always_inline struct wallprof_task *
wp_switch_meet(struct wp_session *session, struct wp_cpu *cpu, struct task_struct *next,
	       u32 epoch, u64 now)
{
	struct wallprof_task *slot;

	cpu->current_key = 0;
	/* See wp_switch_prev(). */
	if (!next->pid)
		return NULL;
	slot = wp_switch_next(session, next);
	if (likely(slot)) {
		cpu->current_slot = slot;
		cpu->current_key = (unsigned long)next;
	} else if (wp_target_untracked(session, next)) {
		wp_untracked_comes(session, cpu, epoch, now);
	}
	return slot;
}

/* The same, in a session that is not wp_session_is_plain(). Context: irqs off. */
static __always_inline void wp_switch_in(struct wp_session *session,
					 struct wp_cpu *cpu,
					 struct task_struct *next, u32 epoch, u64 now)
{
	struct wallprof_task *slot = wp_switch_meet(session, cpu, next, epoch, now);

	if (slot)
		wp_switch_come(session, cpu, wp_half_of(&cpu->sched, epoch), slot, next,
			       epoch, now, false);
}

/*
 * The same in one that is, if it is not summed by habit. If it left as it is used to, the
 * next interval may be. Context: irqs off.
 */
static noinline void wp_switch_in_plain(struct wp_session *session, struct wp_cpu *cpu,
					struct task_struct *next, u64 now)
{
	struct wp_habit *habit = *wp_habit_away(cpu->habits, (unsigned long)next);
	u64 changes = wp_images_changes(&session->images);
	u32 epoch = wp_session_epoch(session);
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	struct wallprof_task *slot;
	struct wallprof_aggr *aggr;
	bool lasts, runnable;

	if (!wp_session_covers(session, now))
		return;
	cpu->sched_busy = true;
	barrier();
	cpu->current_habit = &cpu->habits->none;
	slot = wp_switch_meet(session, cpu, next, epoch, now);
	if (slot) {
		/* Before the flip is told it may be one of the last epoch's. */
		lasts = habit->slot == slot &&
			wp_habit_lasts(habit, slot, (unsigned long)next, changes) &&
			wp_again_is_in(habit->again, half);
		runnable = BIT(slot->state) & WP_STATES_RUNNABLE;
		aggr = wp_switch_come(session, cpu, half, slot, next, epoch, now, true);
		if (lasts)
			wp_habit_sums(cpu->habits, habit, aggr, runnable);
	}
	wp_switch_end(cpu);
}

/*
 * A thread comes from what it left for as it is used to, woken by whom it is used to,
 * which is what most switches come to. Returns whether it does. Context: irqs off.
 */
static __always_inline bool wp_switch_in_again(const struct wp_session *session,
					       struct wp_cpu *cpu, struct task_struct *next,
					       u64 now)
{
	struct wp_habit *habit = *wp_habit_away(cpu->habits, (unsigned long)next);
	struct wallprof_aggr *aggr = habit->aggr;
	struct wallprof_task *slot = habit->slot;

	if (unlikely(!wp_habit_lasts(habit, slot, (unsigned long)next,
				     wp_images_changes(&session->images))))
		return false;
	if (habit->runnable)
		wp_habit_come(habit, slot, aggr, now, true);
	else if (likely(wp_habit_same_waker(aggr, slot)))
		wp_habit_come(habit, slot, aggr, now, false);
	else
		return false;
	cpu->current_key = (unsigned long)next;
	cpu->current_slot = slot;
	cpu->current_habit = habit;
	return true;
}

/*
 * The time of a switch. The timeline's probe was called just before and has looked at
 * the clock: sums of its slices are the ledger's. Context: irqs off.
 */
static __always_inline u64 wp_switch_time(const struct wp_session *session)
{
	u64 at = 0;

	/* A CPU without memory keeps none. */
	if (unlikely(session->config.flags & WALLPROF_TIMELINE))
		at = session->cpus[smp_processor_id()]->switched_at;
	return at ?: ktime_get_mono_fast_ns();
}

/*
 * A thread leaves a CPU that has no memory: what it was at is lost, but not its time.
 * Context: irqs off. prev is current.
 */
static void wp_bare_leave(struct wp_session *session, struct task_struct *prev,
			  unsigned int state, bool preempt, u64 now)
{
	const u32 stacks = session->config.stack_flags;
	struct wp_leave leave = { .syscall = WALLPROF_SYSCALL_NONE };
	bool last = wp_switch_is_last(state, preempt);
	struct wallprof_task *slot;

	/* See wp_switch_prev(). */
	if (!prev->pid)
		return;
	slot = wp_tasks_find(&session->tasks, (unsigned long)prev);
	if (!slot)
		slot = wp_switch_meet_prev(session, prev, now);
	if (!slot) {
		if (!last && wp_target_untracked(session, prev))
			wp_target_untracked_leaves(session, now);
		return;
	}
	if (last || (session->targets_change && !wp_targets_match(session, prev))) {
		if (!(slot->flags & WALLPROF_TASK_ARMED)) {
			wp_interval_exit(slot, now);
			wp_session_lose(session, WALLPROF_LOSS_EXIT_FULL, slot->spill_ns);
		}
		if (wp_tasks_free(&session->tasks, (unsigned long)prev))
			wp_target_gone(session);
		return;
	}
	if (slot->flags & WALLPROF_TASK_ARMED)
		return;
	leave.state = wp_switch_state(prev, state, preempt);
	if (!wp_switch_wants(session, leave.state, false)) {
		leave.flags = WALLPROF_TASK_FILTERED;
	} else {
		if (stacks & WALLPROF_STACK_KERNEL ||
		    (stacks & WP_STACK_WALK && !(prev->flags & WP_PF_NO_USER))) {
			leave.flags = WALLPROF_TASK_NO_STACK;
			wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		}
		if (session->config.flags & WALLPROF_REASONS)
			wp_reason_read(session, prev, &leave);
	}
	wp_switch_open(session, slot, prev, &leave, now, false);
}

/* A thread comes to one. Its interval is kept as one that finds no aggregate. */
static void wp_bare_come(struct wp_session *session, struct task_struct *next, u64 now)
{
	struct wp_bare *bare = &session->bare;
	struct wallprof_task *slot;
	struct wp_passed passed;

	if (!next->pid)
		return;
	slot = wp_switch_next(session, next);
	if (!slot) {
		if (wp_target_untracked(session, next)) {
			atomic64_dec(&session->untracked_off);
			atomic64_add(now, &session->untracked_ns);
		}
		return;
	}
	if (slot->flags & WALLPROF_TASK_ARMED)
		return;
	if (slot->phase == WALLPROF_TASK_UNSEEN &&
	    !(session->config.states & BIT(slot->state)))
		WRITE_ONCE(slot->flags, slot->flags | WALLPROF_TASK_FILTERED);
	switch (wp_interval_close(slot, now, &passed)) {
	case WP_CLOSED_NOTHING:
		return;
	case WP_CLOSED_FILTERED:
		atomic64_inc(&bare->filtered);
		atomic64_add(passed.ns, &bare->filtered_ns);
		break;
	case WP_CLOSED_INTERVAL:
		if (wp_range_has(&session->range, passed.ns)) {
			wp_interval_spill(slot, passed.ns, passed.runnable);
			wp_session_lose(session, WALLPROF_LOSS_AGGR_FULL, passed.ns);
		} else {
			atomic64_inc(&bare->out_of_range);
			atomic64_add(passed.ns, &bare->out_of_range_ns);
		}
		break;
	}
	slot->last_aggr = 0;
	wp_interval_forget(slot);
}

/*
 * A switch comes in between while a probe of this CPU's is at work, or on a CPU that has
 * no memory. Context: irqs off. @state: with WP_WAY_PREEMPTED.
 */
static noinline void wp_switch_refused(struct wp_session *session, struct wp_cpu *cpu,
				       struct task_struct *prev, struct task_struct *next,
				       u32 state, u64 now)
{
	if (!cpu->none) {
		wp_switch_nested(session, cpu);
		return;
	}
	if (!wp_session_covers(session, now))
		return;
	wp_bare_leave(session, prev, state & ~WP_WAY_PREEMPTED, state & WP_WAY_PREEMPTED, now);
	wp_bare_come(session, next, now);
}

/* Context: irqs off, a run queue locked. prev is current. */
static __always_inline void wp_sched_switch(void *data, bool preempt,
					    struct task_struct *prev,
					    struct task_struct *next,
					    unsigned int prev_state)
{
	struct wp_session *session = data;
	u64 now = wp_switch_time(session);
	struct wp_cpu *cpu;
	u32 epoch;

	if (!wp_session_covers(session, now))
		return;
	cpu = session->cpus[smp_processor_id()];
	if (!wp_switch_begin(cpu)) {
		wp_switch_refused(session, cpu, prev, next,
				  prev_state | (preempt ? WP_WAY_PREEMPTED : 0), now);
		return;
	}
	epoch = wp_session_epoch(session);
	wp_switch_out(session, cpu, prev, prev_state, preempt, epoch, now);
	wp_switch_in(session, cpu, next, epoch, now);
	wp_switch_end(cpu);
}

/* As above, of a session that is wp_session_is_plain(). */
static __always_inline void wp_sched_switch_plain(void *data, bool preempt,
						  struct task_struct *prev,
						  struct task_struct *next,
						  unsigned int prev_state)
{
	struct wp_session *session = data;
	u32 state = prev_state | (preempt ? WP_WAY_PREEMPTED : 0);
	struct wp_cpu *cpu;
	u64 now;

	/* One word to keep while the clock is read, instead of two. */
	OPTIMIZER_HIDE_VAR(state);
	now = ktime_get_mono_fast_ns();
	/* Before START nothing has been learned that could be done again. */
	if (unlikely(now > READ_ONCE(session->stop)))
		return;
	cpu = session->cpus[smp_processor_id()];
	if (unlikely(cpu->sched_busy)) {
		wp_switch_refused(session, cpu, prev, next, state, now);
		return;
	}
	/* What is done again calls and wakes nobody: no probe can come in between. */
	if (unlikely(!wp_switch_out_again(session, cpu, prev, state, now)))
		wp_switch_out_plain(session, cpu, prev, state, now);
	if (unlikely(!wp_switch_in_again(session, cpu, next, now)))
		wp_switch_in_plain(session, cpu, next, now);
}

WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch, wp_sched_switch)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_plain, wp_sched_switch_plain)

/*
 * The slot of a thread that is woken, and has none; NULL if it is to have none.
 * Without this, START's walk would take one that it finds awake for one that was
 * awake all the time. Context: irqs off.
 */
static noinline struct wallprof_task *wp_waking_meet(struct wp_session *session,
						     struct task_struct *p)
{
	struct wp_birth birth = {
		.session = session,
		.p = p,
		.phase = WALLPROF_TASK_UNSEEN,
		.state = wp_state_of(wp_task_state(p), false),
		.born = session->start,
	};

	/* One that is on a CPU, or on its way off it, is met by the switch. */
	if (session->config.target != WALLPROF_TARGET_ALL ||
	    READ_ONCE(session->passed_over) || wp_task_on_cpu(p) ||
	    p->start_time > session->start)
		return NULL;
	return wp_birth_claim(&birth);
}

/*
 * Whether it may matter who wakes a thread: not if the interval that it is in is
 * filtered. It said that it sleeps, as the scheduler has seen, when its flags told
 * no more of the interval before.
 *
 * Context: irqs off, the thread's pi_lock held.
 */
static bool wp_waking_is_told(const struct wallprof_task *slot)
{
	/* Pairs with the barrier by which a thread says that it sleeps. */
	smp_rmb();
	return !(READ_ONCE(slot->flags) & (WALLPROF_TASK_FILTERED | WALLPROF_TASK_ARMED));
}

/*
 * Where a thread is that wakes another one: the id of what tells so, or 0. Its
 * stacks are those with which it would leave its CPU here, found likewise.
 *
 * Context: irqs off, the pi_lock of the thread that is woken held; current wakes
 * it, and is not interrupted.
 */
static noinline u64 wp_waking_capture(struct wp_session *session)
{
	struct wp_cpu *cpu = session->cpus[smp_processor_id()];
	u32 epoch = wp_session_epoch(session);
	struct wp_leave leave = {};
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	u64 words[WALLPROF_WAKER_NR], id;
	u32 used;

	/* A probe of this CPU's was interrupted by what wakes. Or it has no memory. */
	if (!wp_switch_begin(cpu)) {
		if (cpu->none)
			wp_session_lose(session, WALLPROF_LOSS_STACK_FULL, 0);
		else
			wp_switch_nested(session, cpu);
		return 0;
	}
	used = half->head->stack_words;
	wp_switch_stacks(session, cpu, epoch, current, &leave, false);
	words[WALLPROF_WAKER_USER_STACK] = leave.user_stack;
	words[WALLPROF_WAKER_KERNEL_STACK] = leave.kernel_stack;
	words[WALLPROF_WAKER_TGID] = wp_thread_tgid(session, current);
	id = wp_stack_intern(&cpu->sched, epoch, words, WALLPROF_WAKER_NR, 0,
			     WALLPROF_STACK_IS_WAKER |
			     (leave.flags & WALLPROF_TASK_NO_STACK ?
			      WALLPROF_STACK_LOST : 0));
	if (unlikely(half->head->stack_words != used))
		wp_session_grew(session, half, &session->layout.sched);
	wp_switch_end(cpu);
	return id;
}

/*
 * Where the last interval of a thread stands that wakes another one, or 0.
 * Context: irqs off.
 */
static u64 wp_waking_chain(struct wp_session *session, u8 waker)
{
	const struct wp_cpu *cpu = session->cpus[smp_processor_id()];

	if (waker != WALLPROF_WAKER_TASK || cpu->current_key != (unsigned long)current)
		return 0;
	return cpu->current_slot->last_aggr;
}

/* In what a thread is woken: enum wallprof_waker. Context: irqs off. */
static __always_inline u8 wp_waking_context(void)
{
	if (likely(in_task()))
		return WALLPROF_WAKER_TASK;
	return wp_in_hardirq() ? WALLPROF_WAKER_HARDIRQ : WALLPROF_WAKER_SOFTIRQ;
}

/* Who wakes a thread: see wp_interval_wake(). */
struct wp_waking {
	u8 waker;
	u32 tid;
	u64 stack;
	u64 chain;
};

/* Context: irqs off. */
static __always_inline void wp_waking_tell(struct wp_session *session,
					   struct wallprof_task *slot,
					   const struct wp_waking *told, u64 now)
{
	if (session->config.flags & WALLPROF_WAKER_CHAINS)
		WRITE_ONCE(slot->waker_aggr, told->chain);
	wp_interval_wake(slot, told->waker, told->tid, told->stack, now);
}

/*
 * A thread is woken that is not the first of its bucket, or in a session that is not
 * plain. Context: irqs off, p->pi_lock held.
 */
static noinline void wp_waking_rest(struct wp_session *session, struct task_struct *p,
				    u64 now)
{
	struct wp_waking told = { .waker = WALLPROF_WAKER_NONE };
	struct wallprof_task *slot;

	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	if (unlikely(!slot)) {
		slot = wp_waking_meet(session, p);
		if (!slot)
			return;
	}
	if (session->config.flags & WALLPROF_WAKERS) {
		told.waker = wp_waking_context();
		/* Whom an interrupt has interrupted has nothing to do with it. */
		if (likely(told.waker == WALLPROF_WAKER_TASK)) {
			told.tid = wp_thread_tid(session, current);
			if (session->config.flags & WALLPROF_WAKER_STACKS &&
			    wp_waking_is_told(slot))
				told.stack = wp_waking_capture(session);
		}
	}
	if (session->config.flags & WALLPROF_WAKER_CHAINS)
		told.chain = wp_waking_chain(session, told.waker);
	if (likely(!session->targets_change)) {
		wp_waking_tell(session, slot, &told, now);
		return;
	}
	/*
	 * One that is no target any more gives its slot back on its way off its CPU,
	 * and another thread may have it by now.
	 */
	raw_spin_lock(&session->tasks.lock);
	if (wp_tasks_find(&session->tasks, (unsigned long)p) == slot)
		wp_waking_tell(session, slot, &told, now);
	raw_spin_unlock(&session->tasks.lock);
}

/* Context: irqs off, p->pi_lock held; or, of p itself, preemption off. */
static notrace void wp_probe_waking(void *data, struct task_struct *p)
{
	struct wp_session *session = data;
	u64 now;

	/* It is awake; and no lock is held that would order it with others. */
	if (p == current)
		return;
	now = ktime_get_mono_fast_ns();
	if (wp_session_covers(session, now))
		wp_waking_rest(session, p, now);
}

/* The same, of a session that is wp_session_is_plain(). @wakers: who wakes is told. */
static __always_inline void wp_waking_plain(struct wp_session *session,
					    struct task_struct *p, bool wakers)
{
	struct wallprof_task *slot;
	u8 waker;
	u64 now;

	/* See above. */
	if (p == current)
		return;
	now = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, now))
		return;
	slot = wp_tasks_find_first(&session->tasks, (unsigned long)p);
	if (unlikely(!slot)) {
		wp_waking_rest(session, p, now);
		return;
	}
	/* As wp_interval_wake(); there are no stacks of wakers. */
	if (wakers) {
		waker = wp_waking_context();
		WRITE_ONCE(slot->waker, waker);
		WRITE_ONCE(slot->waker_tid, likely(waker == WALLPROF_WAKER_TASK) ?
					    current->pid : 0);
	}
	WRITE_ONCE(slot->woken, now);
}

static notrace void wp_probe_waking_plain(void *data, struct task_struct *p)
{
	wp_waking_plain(data, p, false);
}

static notrace void wp_probe_waking_plain_told(void *data, struct task_struct *p)
{
	wp_waking_plain(data, p, true);
}

/* Whether a child of current is a target. Context: irqs off. */
static bool wp_fork_inherits(struct wp_session *session, u16 *flags)
{
	struct wallprof_task *slot;

	if (session->config.target == WALLPROF_TARGET_ALL)
		return true;
	/* What makes a thread one, its children have of it, and lose it as it does. */
	if (wp_targets_may_come(session))
		return wp_targets_match(session, current);
	if (!(session->config.flags & WALLPROF_INHERIT))
		return false;
	slot = wp_tasks_find(&session->tasks, (unsigned long)current);
	if (slot) {
		*flags = slot->flags & WALLPROF_TASK_ARMED;
		return true;
	}
	if (!READ_ONCE(session->claiming) || !wp_targets_match(session, current))
		return false;
	/* START has not come to the parent yet. */
	if (session->config.flags & WALLPROF_ENABLE_ON_EXEC)
		*flags = WALLPROF_TASK_ARMED;
	return true;
}

/* Context: process; the child has not run yet. */
static void wp_probe_fork(void *data, struct task_struct *parent,
			  struct task_struct *child)
{
	struct wp_session *session = data;
	struct wp_birth birth = {
		.session = session,
		.p = child,
		.phase = WALLPROF_TASK_OFF,
		.state = WALLPROF_STATE_NEW,
	};
	unsigned long flags;
	bool inherits;

	/* Not to be preempted between the clock and what is made of it. */
	local_irq_save(flags);
	birth.born = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, birth.born))
		goto restore;
	inherits = wp_fork_inherits(session, &birth.flags);
	/* A waker is anybody. */
	if (inherits || session->config.flags & WALLPROF_WAKER_STACKS)
		wp_images_fork(session, parent->mm, child->mm);
	if (!inherits || !wp_session_has_tasks(session))
		goto restore;
	if (!(session->config.states & BIT(WALLPROF_STATE_NEW)))
		birth.flags |= WALLPROF_TASK_FILTERED;
	if (!wp_birth_claim(&birth))
		wp_target_passed_over(session, child, true, birth.born);
restore:
	local_irq_restore(flags);
}

/*
 * Whether a thread without a slot may get one when it executes a program: because it
 * becomes a target by that, or because START has not come to it yet. Where everything
 * is a target START gives it one that counts from the start.
 */
static bool wp_exec_may_claim(const struct wp_session *session)
{
	return wp_targets_may_come(session) ||
	       (session->config.target != WALLPROF_TARGET_ALL &&
		READ_ONCE(session->claiming));
}

/* Context: process, by the thread that executes. */
static void wp_probe_exec(void *data, struct task_struct *p, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	struct wp_session *session = data;
	struct wp_birth birth = {
		.session = session,
		.p = p,
		.phase = WALLPROF_TASK_RUNNING,
	};
	struct wallprof_task *slot;
	struct wp_thread thread;
	unsigned long flags;
	struct wp_cpu *cpu;

	/*
	 * Not to be preempted between the clock and what is made of it: the
	 * time off the CPU would be one of running.
	 */
	local_irq_save(flags);
	birth.born = ktime_get_mono_fast_ns();
	if (!wp_session_covers(session, birth.born))
		goto restore;
	cpu = session->cpus[smp_processor_id()];
	if (cpu->habits)
		cpu->current_habit = &cpu->habits->none;
	slot = wp_tasks_find(&session->tasks, (unsigned long)p);
	if (slot && slot->flags & WALLPROF_TASK_ARMED) {
		/*
		 * Irqs are off and the slot is current's: no one else writes, but
		 * for a waker, in vain: see wp_interval_wake().
		 */
		thread = wp_thread_read(session, p);
		wp_interval_begin(slot, &thread, WALLPROF_TASK_RUNNING, 0,
				  birth.born);
	} else if (!slot && wp_exec_may_claim(session) && wp_targets_match(session, p)) {
		if (!wp_birth_claim(&birth))
			wp_target_passed_over(session, p, false, birth.born);
	}
restore:
	local_irq_restore(flags);
}

/*
 * Of use without sched_switch only, which sees the last of a thread.
 *
 * Context: process, by the thread that ends.
 */
static __always_inline void wp_sched_process_exit(void *data,
						  struct task_struct *p,
						  bool group_dead)
{
	struct wp_session *session = data;
	unsigned long flags;

	local_irq_save(flags);
	if (wp_tasks_free(&session->tasks, (unsigned long)p))
		wp_target_gone(session);
	local_irq_restore(flags);
}

WP_PROBE_SCHED_PROCESS_EXIT(wp_probe_exit, wp_sched_process_exit)

static struct wp_probe wp_probes[WP_PROBE_TIMELINE] = {
	[WP_PROBE_SWITCH] = { "sched_switch", wp_probe_sched_switch },
	[WP_PROBE_WAKING] = { "sched_waking", wp_probe_waking },
	[WP_PROBE_FORK] = { "sched_process_fork", wp_probe_fork },
	[WP_PROBE_EXEC] = { "sched_process_exec", wp_probe_exec },
	[WP_PROBE_EXIT] = { "sched_process_exit", wp_probe_exit },
};

/* The kernel's own check of the prototypes; fails to compile if one is wrong. */
static void __maybe_unused wp_probes_check(void)
{
	check_trace_callback_type_sched_switch(wp_probe_sched_switch);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_plain);
	check_trace_callback_type_sched_waking(wp_probe_waking);
	check_trace_callback_type_sched_waking(wp_probe_waking_plain);
	check_trace_callback_type_sched_waking(wp_probe_waking_plain_told);
	check_trace_callback_type_sched_process_fork(wp_probe_fork);
	check_trace_callback_type_sched_process_exec(wp_probe_exec);
	check_trace_callback_type_sched_process_exit(wp_probe_exit);
}

static struct wp_probe *wp_probe_at(int i)
{
	return i < WP_PROBE_TIMELINE ? &wp_probes[i] :
				       &wp_timeline_probes[i - WP_PROBE_TIMELINE];
}

/* What a session has called at a tracepoint. It does not change while it is registered. */
static void *wp_probe_of(const struct wp_session *session, int i)
{
	const bool plain = wp_session_is_plain(session);

	if (plain && i == WP_PROBE_SWITCH)
		return wp_probe_sched_switch_plain;
	if (plain && i == WP_PROBE_WAKING)
		return session->config.flags & WALLPROF_WAKERS ?
		       wp_probe_waking_plain_told : wp_probe_waking_plain;
	return wp_probe_at(i)->probe;
}

static void wp_probes_match(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (!strcmp(tp->name, wp_probe_at(i)->name))
			wp_probe_at(i)->tracepoint = tp;
	}
}

/* Finds the extent of the function that calls several probes of a tracepoint in turn. */
static void wp_probes_find_caller(unsigned int nr, enum wp_probe_nr probe)
{
	unsigned long iterator = (unsigned long)wp_probes[probe].tracepoint->iterator;
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	char *at;

	/* name+0xOFFSET/0xSIZE */
	sprint_symbol(name, iterator);
	at = strrchr(name, '+');
	if (at && sscanf(at, "+%lx/%lx", &offset, &size) == 2)
		wp_stack_set_caller(nr, iterator - offset, iterator - offset + size);
}

/**
 * wp_probes_find - find the tracepoints
 *
 * They are not exported by name, but can be listed.
 *
 * Context: process, at load.
 * Return: 0, or -ENOENT if the kernel lacks one.
 */
int wp_probes_find(void)
{
	int i;

	for_each_kernel_tracepoint(wp_probes_match, NULL);
	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (!wp_probe_at(i)->tracepoint) {
			pr_err("this kernel has no tracepoint %s\n",
			       wp_probe_at(i)->name);
			return -ENOENT;
		}
	}
	wp_probes_find_caller(0, WP_PROBE_SWITCH);
	wp_probes_find_caller(1, WP_PROBE_WAKING);
	return 0;
}

/* Which probes a session's sums and targets need. */
static unsigned int wp_probes_of_sums(const struct wp_session *session)
{
	unsigned int fork_exec = BIT(WP_PROBE_FORK) | BIT(WP_PROBE_EXEC);

	if (session->config.flags & WALLPROF_OFFCPU)
		return fork_exec | BIT(WP_PROBE_SWITCH) |
		       (session->config.flags & WALLPROF_WAKEUPS ?
			BIT(WP_PROBE_WAKING) : 0);
	if (session->config.target != WALLPROF_TARGET_ALL)
		return fork_exec | (wp_session_sees_switches(session) ? 0 :
				    BIT(WP_PROBE_EXIT));
	if (session->config.stack_flags & WALLPROF_STACK_TABLES)
		return BIT(WP_PROBE_FORK);
	return 0;
}

/* Which probes a session needs. */
static unsigned int wp_probes_wanted(const struct wp_session *session)
{
	unsigned int wanted = wp_probes_of_sums(session);

	if (session->config.flags & WALLPROF_TIMELINE)
		wanted |= GENMASK(WP_PROBE_MAX - 1, WP_PROBE_TIMELINE);
	return wanted;
}

/**
 * wp_probes_attach - register a session's probes
 * @session: ready to be called
 *
 * Context: process.
 * Return: 0, or what the kernel says; then nothing is registered.
 */
int wp_probes_attach(struct wp_session *session)
{
	unsigned int wanted = wp_probes_wanted(session);
	int i, err;

	/* The timeline's first: of a thread's last switch, the sums forget the thread. */
	for (i = WP_PROBE_MAX - 1; i >= 0; i--) {
		if (!(wanted & BIT(i)))
			continue;
		err = tracepoint_probe_register(wp_probe_at(i)->tracepoint,
						wp_probe_of(session, i), session);
		if (err) {
			wp_probes_detach(session);
			return err;
		}
		session->probes |= BIT(i);
	}
	return 0;
}

/**
 * wp_probes_detach - take a session's probes back
 * @session: a session; what it records is over: see wp_session_covers()
 *
 * Linux 5.10 makes a new list of a tracepoint's probes to take one out, and keeps the
 * probe if there is no memory for that. It is called then, but finds the session
 * over; the next call tries again.
 *
 * Context: process. When it returns, no probe that was taken back runs any more.
 * Return: whether all were.
 */
bool wp_probes_detach(struct wp_session *session)
{
	int i;

	if (!session->probes)
		return true;
	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (session->probes & BIT(i) &&
		    !tracepoint_probe_unregister(wp_probe_at(i)->tracepoint,
						 wp_probe_of(session, i), session))
			session->probes &= ~BIT(i);
	}
	tracepoint_synchronize_unregister();
	return !session->probes;
}
