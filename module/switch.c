// SPDX-License-Identifier: GPL-2.0
/*
 * The probe of sched_switch: one thread leaves a CPU, another one comes.
 *
 * The session is the probe's data pointer. The scheduler calls it with interrupts off and
 * a run queue locked. The only lock taken here is the task table's, a raw one.
 * pure/intervals.c changes slots, pure/tables.c sums intervals. A session that is
 * wp_session_is_fast() has a probe of its own, which handles most switches by the switch
 * cache: see pure/switch_cache.h. A session that is wp_session_is_unfiltered() as well has
 * one that tests less, a fast session of WP_SWITCH_FAST_MORE one that records more, or,
 * unfiltered and without histograms, one that compares wakers' stacks, and one of kernel
 * stacks one that knows these by the kernel cache, too.
 *
 * Above 700 lines: the fast and the slow path of one probe, of which the compiler inlines as
 * much as it finds here.
 *
 * The session, the CPU, the epoch and the time are passed one by one: by a pointer to a
 * struct of them wp_probe_sched_switch() had 774 instructions on 6.1 for x86, not 737.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/tracepoint.h>

#include "capture.h"
#include "compat/sched.h"
#include "kernel_cache.h"
#include "mappings.h"
#include "nomem.h"
#include "probe.h"
#include "pure/intervals.h"
#include "pure/switch_cache.h"
#include "reasons.h"
#include "slots.h"
#include "stack.h"
#include "state.h"
#include "switch.h"
#include "switch_cached.h"
#include "switch_learn.h"
#include "switch_out.h"
#include "targets.h"
#include "timeline.h"

/*
 * Losses of threads that have no slot. The sum is the times at which such threads come
 * less the times at which they leave: modulo 2^64 this is the time that they were off
 * their CPUs. A thread that was passed over once never gets a slot, so that comings and
 * goings pair. They do not pair for a thread that switches just when START's walk reaches
 * it, or that was born without a fork (io_uring's): the sum is then wrong by its time.
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

/*
 * Returns the slot of a thread that leaves a CPU and is not @cpu->current_key; or NULL.
 * Context: irqs off.
 */
static noinline struct wallprof_task *wp_switch_prev(struct wp_session *session,
						     struct wp_cpu *cpu,
						     struct task_struct *prev,
						     unsigned int state, bool preempt,
						     u32 epoch, u64 now)
{
	struct wallprof_task *slot;

	/* Idle threads, one for each CPU, are not recorded. */
	if (!prev->pid)
		return NULL;
	slot = wp_tasks_find(&session->tasks, (unsigned long)prev);
	if (!slot)
		slot = wp_slot_of_prev(session, prev, now);
	if (!slot && !wp_switch_out_is_last(state, preempt) &&
	    wp_target_untracked(session, prev))
		wp_untracked_leaves(session, cpu, epoch, now);
	return slot;
}

/*
 * Gives back the slot of a thread that ends, or is no longer a target. Context: irqs off.
 */
static noinline void wp_switch_exit(struct wp_session *session, struct wp_cpu *cpu,
				    struct wallprof_task *slot,
				    struct task_struct *prev, u32 epoch, u64 now)
{
	if (!(slot->flags & WALLPROF_TASK_ARMED)) {
		wp_interval_exit(slot, now);
		wp_exit_add(&cpu->sched, epoch, slot);
		wp_session_grew(session, wp_half_of(&cpu->sched, epoch));
	}
	if (wp_tasks_free(&session->tasks, (unsigned long)prev))
		wp_target_gone(session);
}

/*
 * A thread leaves its CPU, not by the switch cache. Context: irqs off. @skey: the key, in
 * a session that is wp_session_is_fast(); or NULL.
 */
static __always_inline void wp_switch_leave(struct wp_session *session,
					    struct wp_cpu *cpu,
					    struct wallprof_task *slot,
					    struct task_struct *prev,
					    unsigned int state, bool preempt,
					    const struct wp_switch_key *skey, u32 epoch, u64 now)
{
	const bool fast = skey;
	/* The most common values. */
	struct wp_leave leave = {
		.syscall = WALLPROF_SYSCALL_NONE,
		.state = WALLPROF_STATE_SLEEPING,
	};
	bool dead = false;

	if (unlikely(preempt) || unlikely(state != TASK_INTERRUPTIBLE)) {
		dead = wp_switch_out_is_last(state, preempt);
		leave.state = wp_switch_out_state(prev, state, preempt);
	}
	if (unlikely(dead || (session->targets_change && !wp_targets_match(session, prev)))) {
		wp_switch_exit(session, cpu, slot, prev, epoch, now);
		return;
	}
	if (unlikely(slot->flags & WALLPROF_TASK_ARMED))
		return;
	if (likely(wp_switch_out_is_wanted(session, leave.state))) {
		wp_capture_stacks(session, cpu, epoch, prev, &leave);
		if (fast || session->config.flags & WALLPROF_REASONS)
			wp_reason_read(session, prev, &leave);
		if (!fast && unlikely(session->config.flags & WALLPROF_TIMELINE_STACKS)) {
			cpu->leave = leave;
			wp_timeline_write_stacks(session, prev, &cpu->leave);
		}
	} else {
		leave.flags = WALLPROF_TASK_FILTERED;
	}
	wp_switch_out_open(session, slot, prev, &leave, now);
	if (fast)
		wp_switch_learn(session, cpu, slot, skey, &leave, epoch);
}

/*
 * A thread leaves its CPU, in a session that is not wp_session_is_fast().
 * Context: irqs off.
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

/*
 * Fast path, taken by most switches: a thread leaves its CPU by the switch cache, mostly
 * by the entry that it came by. Returns false if no entry holds, or the thread is no
 * longer a target. Context: irqs off. @unfiltered: see wp_session_is_unfiltered(). @kernel:
 * the session has kernel stacks. @anchor: see kernel_cache.h, if @kernel.
 */
static __always_inline bool wp_switch_out_cached(const struct wp_session *session,
						 struct wp_cpu *cpu,
						 struct task_struct *prev, u32 state,
						 u64 now, bool unfiltered, bool kernel,
						 unsigned long anchor)
{
	const struct wp_switch_key skey = wp_switch_key_of(session, prev, state);
	struct wallprof_task *slot = cpu->current_slot;
	struct wp_cached_switch *cached = cpu->current_cached;
	bool still;

	if (unlikely(cpu->current_key != (unsigned long)prev))
		return false;
	still = wp_cached_matches_key(cached, &skey);
	if (!still) {
		cached = wp_cached_of(cpu->switch_cache, slot, &skey);
		if (unlikely(!wp_cached_matches(cached, slot, &skey)))
			return false;
	}
	if (unlikely(!wp_switch_words_unchanged(cpu, cached)))
		return false;
	if (kernel && unlikely(!wp_kernel_unchanged(cpu, cached, prev, anchor)))
		return false;
	if (!unfiltered && session->targets_change &&
	    unlikely(!wp_targets_still_match(session, prev, &cached->name)))
		return false;
	if (!still)
		wp_cached_apply(cpu->switch_cache, cached, slot);
	if (kernel && !still)
		slot->kernel_stack = wp_kernel_part(cpu, cached)->id;
	wp_cached_leave(cached, slot, now);
	return true;
}

/* Slow path of the above. Context: irqs off. */
static noinline void wp_switch_out_slow(struct wp_session *session, struct wp_cpu *cpu,
					struct task_struct *prev, u32 state, u64 now)
{
	const struct wp_switch_key skey = wp_switch_key_of(session, prev, state);
	struct wallprof_task *slot = cpu->current_slot;
	bool preempt = state & WP_SWITCH_PREEMPTED;
	u32 epoch = wp_session_epoch(session);

	if (!wp_session_covers(session, now))
		return;
	cpu->sched_busy = true;
	barrier();
	state &= ~WP_SWITCH_PREEMPTED;
	if (unlikely(cpu->current_key != (unsigned long)prev))
		slot = wp_switch_prev(session, cpu, prev, state, preempt, epoch, now);
	if (slot)
		wp_switch_leave(session, cpu, slot, prev, state, preempt, &skey, epoch, now);
	wp_probe_end(cpu);
}

/*
 * Adds an interval to the aggregate that was used last for its thread and stack, if the
 * key is the same. Returns that aggregate, or NULL. Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_add_recent(struct wp_cpu *cpu, struct wp_half *half, const struct wallprof_task *slot,
		     const struct wp_interval *interval, u64 now)
{
	struct wallprof_aggr *aggr = wp_aggr_guess(&cpu->sched, half, slot->tid,
						   slot->user_stack);

	if (unlikely(!aggr) || !wp_interval_is_of(slot, interval, aggr))
		return NULL;
	wp_aggr_add_recent(half->head, aggr, interval->ns, interval->runnable, now);
	return aggr;
}

/**
 * enum wp_kept - how an interval is kept
 * @WP_KEPT_NOT: not at all: it is out of range, or found no room
 * @WP_KEPT_SUMMED: in an aggregate
 * @WP_KEPT_APART: as a single interval
 */
enum wp_kept {
	WP_KEPT_NOT,
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
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch));
	return added ? WP_KEPT_SUMMED : WP_KEPT_NOT;
}

/*
 * Links an interval to the last interval of its waker, and keeps the interval's own place
 * in the slot, for the threads that this thread will wake. Context: irqs off.
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

/* Options that record more of an interval than its sum. */
#define WP_SWITCH_MORE	(WALLPROF_WAKER_CHAINS | WALLPROF_HISTOGRAMS)

/*
 * Records what WP_SWITCH_MORE asks for. Context: irqs off. cpu->interval is the interval,
 * @aggr its aggregate, or NULL.
 */
static noinline void wp_switch_more(const struct wp_session *session,
				    struct wp_cpu *cpu, u32 epoch,
				    struct wallprof_task *slot, enum wp_kept kept,
				    struct wallprof_aggr *aggr)
{
	struct wallprof_aggr *key = &cpu->key;

	if (session->config.flags & WALLPROF_HISTOGRAMS && aggr)
		wp_hist_add(wp_hist_of(wp_half_of(&cpu->sched, epoch), aggr),
			    cpu->interval.ns, cpu->interval.runnable);
	if (session->config.flags & WALLPROF_WAKER_CHAINS) {
		wp_interval_key(slot, &cpu->interval, key);
		wp_switch_chain(cpu, epoch, slot, key, kept);
	}
}

/*
 * Keeps an interval that is too long or too short for aggregates apart; in an aggregate,
 * if there is no room for single intervals. Context: irqs off. cpu->interval is the
 * interval, cpu->key its key.
 */
static enum wp_kept wp_switch_apart(struct wp_session *session, struct wp_cpu *cpu,
				    u32 epoch, struct task_struct *next,
				    struct wallprof_task *slot, u64 now)
{
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	const struct wallprof_aggr *key = &cpu->key;
	u64 ns = cpu->interval.ns, more[2];

	if (!wp_range_has(&session->range, ns)) {
		half->head->out_of_range++;
		half->head->out_of_range_ns += ns;
		return WP_KEPT_NOT;
	}
	wp_reason_more_args(session, next, key->reason, more);
	if (!wp_wait_add(&cpu->sched, epoch, key, more, ns, now))
		return wp_switch_add(session, cpu, epoch, slot, key, ns, now);
	wp_session_grew(session, half);
	return WP_KEPT_APART;
}

/*
 * Records an interval for which wp_switch_add_recent() is not tried, or found no aggregate.
 * Context: irqs off. cpu->interval is the interval.
 */
static noinline enum wp_kept wp_switch_sum(struct wp_session *session, struct wp_cpu *cpu,
					   u32 epoch, struct task_struct *next,
					   struct wallprof_task *slot, u64 now)
{
	struct wallprof_aggr *key = &cpu->key;
	u64 ns = cpu->interval.ns;

	wp_interval_key(slot, &cpu->interval, key);
	if (unlikely(!wp_range_has(&session->summed, ns)))
		return wp_switch_apart(session, cpu, epoch, next, slot, now);
	return wp_switch_add(session, cpu, epoch, slot, key, ns, now);
}

/*
 * Records an interval that has ended. Returns its aggregate, or NULL if it has none.
 * Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_record(struct wp_session *session, struct wp_cpu *cpu, struct wp_half *half,
		 u32 epoch, struct task_struct *next, struct wallprof_task *slot,
		 const struct wp_interval *interval, u64 now)
{
	enum wp_kept kept = WP_KEPT_SUMMED;
	struct wallprof_aggr *aggr = NULL;

	if (likely(wp_range_has(&session->summed, interval->ns)))
		aggr = wp_switch_add_recent(cpu, half, slot, interval, now);
	if (likely(aggr && !(session->config.flags & WP_SWITCH_MORE)))
		return aggr;
	cpu->interval = *interval;
	if (!aggr) {
		kept = wp_switch_sum(session, cpu, epoch, next, slot, now);
		/* No guess: wp_aggr_add() has just noted it there. */
		if (kept == WP_KEPT_SUMMED)
			aggr = wp_aggr_guess(&cpu->sched, half, slot->tid, slot->user_stack);
	}
	if (session->config.flags & WP_SWITCH_MORE)
		wp_switch_more(session, cpu, epoch, slot, kept, aggr);
	return aggr;
}

/*
 * Closes and records the interval of a thread that has come. Returns as
 * wp_switch_record(). Context: irqs off.
 */
static __always_inline struct wallprof_aggr *
wp_switch_come(struct wp_session *session, struct wp_cpu *cpu, struct wp_half *half,
	       struct wallprof_task *slot, struct task_struct *next, u32 epoch, u64 now)
{
	struct wallprof_aggr *aggr = NULL;
	struct wp_interval interval;

	if (unlikely(slot->flags & WALLPROF_TASK_ARMED))
		return NULL;
	/*
	 * The filter by state of a thread that was off its CPU at START is applied here:
	 * its state was not known before. No CPU's filter applies to it.
	 */
	if (unlikely(slot->phase == WALLPROF_TASK_UNSEEN &&
		     !(session->config.states & BIT(slot->state))))
		WRITE_ONCE(slot->flags, slot->flags | WALLPROF_TASK_FILTERED);
	switch (wp_interval_close(slot, now, &interval)) {
	case WP_CLOSED_NOTHING:
		return NULL;
	case WP_CLOSED_FILTERED:
		half->head->filtered++;
		half->head->filtered_ns += interval.ns;
		slot->last_aggr = 0;
		break;
	case WP_CLOSED_INTERVAL:
		aggr = wp_switch_record(session, cpu, half, epoch, next, slot, &interval, now);
		break;
	}
	wp_interval_forget(slot);
	return aggr;
}

/*
 * Makes a thread that comes the CPU's current one. Returns its slot, or NULL.
 * Context: irqs off.
 */
static __always_inline struct wallprof_task *
wp_switch_meet(struct wp_session *session, struct wp_cpu *cpu, struct task_struct *next,
	       u32 epoch, u64 now)
{
	struct wallprof_task *slot;

	cpu->current_key = 0;
	/* See wp_switch_prev(). */
	if (!next->pid)
		return NULL;
	slot = wp_slot_find_next(session, next);
	if (likely(slot)) {
		cpu->current_slot = slot;
		cpu->current_key = (unsigned long)next;
	} else if (wp_target_untracked(session, next)) {
		wp_untracked_comes(session, cpu, epoch, now);
	}
	return slot;
}

/* A thread comes, in a session that is not wp_session_is_fast(). Context: irqs off. */
static __always_inline void wp_switch_in(struct wp_session *session,
					 struct wp_cpu *cpu,
					 struct task_struct *next, u32 epoch, u64 now)
{
	struct wallprof_task *slot = wp_switch_meet(session, cpu, next, epoch, now);

	if (slot)
		wp_switch_come(session, cpu, wp_half_of(&cpu->sched, epoch), slot, next,
			       epoch, now);
}

/*
 * Slow path: a thread comes, not by the switch cache, in a session that is
 * wp_session_is_fast(). If it left by an entry, the aggregate is noted there for the next
 * interval. Context: irqs off.
 */
static noinline void wp_switch_in_slow(struct wp_session *session, struct wp_cpu *cpu,
				       struct task_struct *next, u64 now)
{
	struct wp_cached_switch *cached = *wp_cached_away(cpu->switch_cache, (unsigned long)next);
	u64 changes = wp_mappings_changes(&session->mappings);
	u32 epoch = wp_session_epoch(session);
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	struct wallprof_task *slot;
	struct wallprof_aggr *aggr;
	enum wallprof_switch kind;
	bool lasts, runnable;

	if (!wp_session_covers(session, now))
		return;
	cpu->sched_busy = true;
	barrier();
	cpu->current_cached = &cpu->switch_cache->none;
	slot = wp_switch_meet(session, cpu, next, epoch, now);
	if (slot) {
		/* Until @changes shows the flip, the entry may be of the last epoch. */
		lasts = cached->slot == slot &&
			wp_cached_left_by(cached, slot, (unsigned long)next, changes) &&
			wp_cache_hits_are_in(cached->hits, half);
		runnable = BIT(slot->state) & WP_STATES_RUNNABLE;
		kind = wp_cached_came_kind(cpu->switch_cache, lasts ? cached : NULL, slot);
		half->head->switches[kind] += slot->phase != WALLPROF_TASK_RUNNING &&
					      !(slot->flags & WALLPROF_TASK_ARMED);
		aggr = wp_switch_come(session, cpu, half, slot, next, epoch, now);
		/* If it was not summed, the next one may be. */
		if (lasts && aggr)
			wp_cached_sums(cached, aggr, runnable);
	}
	wp_probe_end(cpu);
}

/* Options of a session that is wp_session_is_fast() that need probes of their own. */
#define WP_SWITCH_FAST_MORE	(WALLPROF_HISTOGRAMS | WALLPROF_WAKER_STACKS)

/*
 * Fast path, taken by most switches: a thread resumes from a cached wait, woken by the
 * cached waker. Returns false if it does not, or the interval is not one to be summed.
 * Context: irqs off. @unfiltered: see wp_session_is_unfiltered(). @more: which of
 * WP_SWITCH_FAST_MORE the session may have.
 */
static __always_inline bool wp_switch_in_cached(const struct wp_session *session,
						struct wp_cpu *cpu, struct task_struct *next,
						u64 now, bool unfiltered, u32 more)
{
	struct wp_cached_switch *cached = *wp_cached_away(cpu->switch_cache, (unsigned long)next);
	struct wallprof_aggr *aggr = cached->aggr;
	struct wallprof_task *slot = cached->slot;
	const struct wp_tables *hists = NULL;

	if (unlikely(!wp_cached_left_by(cached, slot, (unsigned long)next,
					wp_mappings_changes(&session->mappings))))
		return false;
	if (!unfiltered && unlikely(!wp_range_has(&session->summed, wp_interval_length(slot, now))))
		return false;
	if (more & WALLPROF_HISTOGRAMS && session->config.flags & WALLPROF_HISTOGRAMS)
		hists = &cpu->sched;
	if (cached->runnable)
		wp_cached_come(cached, slot, aggr, now, true, hists);
	else if (likely(wp_cached_same_waker(aggr, slot, more & WALLPROF_WAKER_STACKS)))
		wp_cached_come(cached, slot, aggr, now, false, hists);
	else
		return false;
	cpu->current_key = (unsigned long)next;
	cpu->current_slot = slot;
	cpu->current_cached = cached;
	return true;
}

/*
 * The time of a switch. If the timeline's probe, called just before, has read the clock,
 * that time: the timeline's slices then add up to the per-thread totals.
 * Context: irqs off.
 */
static __always_inline u64 wp_switch_time(const struct wp_session *session)
{
	u64 at = 0;

	/* 0 on a CPU without memory. */
	if (unlikely(session->config.flags & WALLPROF_TIMELINE))
		at = session->cpus[smp_processor_id()]->switched_at;
	return at ?: ktime_get_mono_fast_ns();
}

/*
 * Handles a switch that comes while a probe of this CPU is at work, or on a CPU without
 * memory. Context: irqs off. @state: with WP_SWITCH_PREEMPTED.
 */
static noinline void wp_switch_refused(struct wp_session *session, struct wp_cpu *cpu,
				       struct task_struct *prev, struct task_struct *next,
				       u32 state, u64 now)
{
	if (!cpu->nomem) {
		wp_probe_nested(session, cpu);
		return;
	}
	if (!wp_session_covers(session, now))
		return;
	wp_nomem_switch_out(session, prev, state & ~WP_SWITCH_PREEMPTED,
			    state & WP_SWITCH_PREEMPTED, now);
	wp_nomem_switch_in(session, next, now);
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
	if (!wp_probe_begin(cpu)) {
		wp_switch_refused(session, cpu, prev, next,
				  prev_state | (preempt ? WP_SWITCH_PREEMPTED : 0), now);
		return;
	}
	epoch = wp_session_epoch(session);
	cpu->kernel_anchor = wp_kernel_anchor();
	wp_switch_out(session, cpu, prev, prev_state, preempt, epoch, now);
	wp_switch_in(session, cpu, next, epoch, now);
	wp_probe_end(cpu);
}

/*
 * As above, in a session that is wp_session_is_fast(). @unfiltered: see
 * wp_session_is_unfiltered(). @more: which of WP_SWITCH_FAST_MORE it may have. @kernel: it
 * has kernel stacks.
 */
static __always_inline void wp_switch_fast(void *data, bool preempt, struct task_struct *prev,
					   struct task_struct *next, unsigned int prev_state,
					   bool unfiltered, u32 more, bool kernel)
{
	const unsigned long anchor = kernel ? wp_kernel_anchor() : 0;
	struct wp_session *session = data;
	u32 state = prev_state | (preempt ? WP_SWITCH_PREEMPTED : 0);
	struct wp_cpu *cpu;
	u64 now;

	/* So that one value is live across the read of the clock, not two. */
	OPTIMIZER_HIDE_VAR(state);
	now = ktime_get_mono_fast_ns();
	/* Before START the switch cache is empty; the slow paths check the start. */
	if (unlikely(now > READ_ONCE(session->stop)))
		return;
	cpu = session->cpus[smp_processor_id()];
	if (unlikely(cpu->sched_busy)) {
		wp_switch_refused(session, cpu, prev, next, state, now);
		return;
	}
	/* The fast paths call and wake nothing, so no probe can nest in them. */
	if (unlikely(!wp_switch_out_cached(session, cpu, prev, state, now, unfiltered, kernel,
					   anchor))) {
		if (kernel)
			cpu->kernel_anchor = anchor;
		wp_switch_out_slow(session, cpu, prev, state, now);
	}
	if (unlikely(!wp_switch_in_cached(session, cpu, next, now, unfiltered, more)))
		wp_switch_in_slow(session, cpu, next, now);
}

static __always_inline void wp_sched_switch_fast(void *data, bool preempt,
						 struct task_struct *prev,
						 struct task_struct *next,
						 unsigned int prev_state)
{
	wp_switch_fast(data, preempt, prev, next, prev_state, false, 0, false);
}

static __always_inline void wp_sched_switch_unfiltered(void *data, bool preempt,
						       struct task_struct *prev,
						       struct task_struct *next,
						       unsigned int prev_state)
{
	wp_switch_fast(data, preempt, prev, next, prev_state, true, 0, false);
}

static __always_inline void wp_sched_switch_more(void *data, bool preempt,
						 struct task_struct *prev,
						 struct task_struct *next,
						 unsigned int prev_state)
{
	wp_switch_fast(data, preempt, prev, next, prev_state, false, WP_SWITCH_FAST_MORE, false);
}

static __always_inline void wp_sched_switch_wakers(void *data, bool preempt,
						   struct task_struct *prev,
						   struct task_struct *next,
						   unsigned int prev_state)
{
	wp_switch_fast(data, preempt, prev, next, prev_state, true, WALLPROF_WAKER_STACKS, false);
}

static __always_inline void wp_sched_switch_kernel(void *data, bool preempt,
						   struct task_struct *prev,
						   struct task_struct *next,
						   unsigned int prev_state)
{
	wp_switch_fast(data, preempt, prev, next, prev_state, false, WP_SWITCH_FAST_MORE, true);
}

WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch, wp_sched_switch)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_fast, wp_sched_switch_fast)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_unfiltered, wp_sched_switch_unfiltered)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_more, wp_sched_switch_more)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_wakers, wp_sched_switch_wakers)
WP_PROBE_SCHED_SWITCH(wp_probe_sched_switch_kernel, wp_sched_switch_kernel)

struct wp_probe_desc wp_switch_probe_desc = { "sched_switch", wp_probe_sched_switch };

/**
 * wp_switch_probe_of - choose the probe of sched_switch
 * @session: the session
 *
 * Context: process.
 * Return: the probe; the same one as long as the session is configured.
 */
void *wp_switch_probe_of(const struct wp_session *session)
{
	if (!wp_session_is_fast(session))
		return wp_probe_sched_switch;
	if (session->config.stack_flags & WALLPROF_STACK_KERNEL)
		return wp_probe_sched_switch_kernel;
	if (session->config.flags & WP_SWITCH_FAST_MORE)
		return wp_session_is_unfiltered(session) &&
		       !(session->config.flags & WALLPROF_HISTOGRAMS) ?
		       wp_probe_sched_switch_wakers : wp_probe_sched_switch_more;
	return wp_session_is_unfiltered(session) ? wp_probe_sched_switch_unfiltered :
						   wp_probe_sched_switch_fast;
}

/* The kernel's own check of the prototypes, at compile time. */
static void __maybe_unused wp_switch_check(void)
{
	check_trace_callback_type_sched_switch(wp_probe_sched_switch);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_fast);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_unfiltered);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_more);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_wakers);
	check_trace_callback_type_sched_switch(wp_probe_sched_switch_kernel);
}
