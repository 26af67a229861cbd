// SPDX-License-Identifier: GPL-2.0
/*
 * What the switch cache learns of a thread that leaves its CPU, or wakes another thread, by
 * none of its entries. Called by the slow paths of switch.c and waking.c.
 */
#include "kernel_cache.h"
#include "pure/switch_cache.h"
#include "stack.h"
#include "state.h"
#include "switch_learn.h"

/* Whether an entry can be learned of the stack of current. Context: irqs off. */
static bool wp_switch_can_learn_stack(const struct wp_switch_key *skey,
				      const struct wp_leave *leave)
{
	/* In user code a thread is preempted at any address. */
	return leave->user_stack && !(leave->flags & ~WALLPROF_TASK_WEAK_STACK) &&
	       !wp_switch_key_is_uncacheable(skey) && !wp_in_syscall_32(skey->p) &&
	       wp_switch_key_nr(skey) >= 0;
}

/*
 * Learns the kernel stack of an entry. Returns false if it is not in the kernel cache.
 * Context: irqs off.
 */
static bool wp_switch_learn_kernel(struct wp_cpu *cpu, const struct wp_cached_switch *cached,
				   const struct wp_leave *leave, u32 epoch)
{
	const struct wp_cached_stack *old = wp_kernel_stack_cached(cpu, epoch);

	if (!old || old->id != leave->kernel_stack)
		return false;
	wp_cached_kernel_learn(wp_kernel_part(cpu, cached), old);
	return true;
}

/* Whether one can of how it left. Context: irqs off. */
static bool wp_switch_can_learn(const struct wp_switch_key *skey, const struct wp_leave *leave)
{
	if (leave->reason != WALLPROF_REASON_SYSCALL &&
	    leave->reason != WALLPROF_REASON_PREEMPTED)
		return false;
	return wp_switch_can_learn_stack(skey, leave);
}

/*
 * Sets the stack of an entry of current, which was just found to have it. Returns false if
 * it is not in the stack cache. Context: irqs off.
 */
static bool wp_switch_learn_stack(struct wp_session *session, struct wp_cpu *cpu,
				  struct wp_cached_switch *cached, u64 user_stack, u32 epoch)
{
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	const struct wp_cached_stack *old;

	if (session->one_address) {
		wp_cached_set_address(cached, half);
		return true;
	}
	old = wp_stack_cached_by_id(session, cpu, epoch, user_stack);
	if (!old)
		return false;
	wp_cached_set_stack(cached, old, half);
	return true;
}

/**
 * wp_switch_learn - learn how a thread left its CPU, and count why no entry held
 * @session: a session that is wp_session_is_fast()
 * @cpu: this CPU
 * @slot: the thread's; its interval is open
 * @skey: the switch key of the thread, current
 * @leave: what was recorded
 * @epoch: the epoch
 *
 * Learned if the thread left so the last time, too, and its stack is in the stack cache.
 *
 * Context: irqs off.
 */
void wp_switch_learn(struct wp_session *session, struct wp_cpu *cpu,
		     struct wallprof_task *slot, const struct wp_switch_key *skey,
		     const struct wp_leave *leave, u32 epoch)
{
	struct wp_half *half = wp_half_of(&cpu->sched, epoch);
	struct wp_cached_switch *cached;
	enum wallprof_switch kind;
	bool learns;

	if (!wp_switch_can_learn(skey, leave)) {
		half->head->switches[WALLPROF_SWITCH_LEFT_NEVER]++;
		return;
	}
	cached = wp_cached_of(cpu->switch_cache, slot, skey);
	kind = wp_cached_left_kind(cached, slot, skey);
	learns = wp_cached_begin(cpu->switch_cache, cached, slot, (unsigned long)skey->p, skey,
				 leave);
	if (learns && !wp_switch_learn_stack(session, cpu, cached, leave->user_stack, epoch)) {
		kind = WALLPROF_SWITCH_LEFT_NEVER;
		learns = false;
	}
	if (learns && leave->kernel_stack && !wp_switch_learn_kernel(cpu, cached, leave, epoch)) {
		kind = WALLPROF_SWITCH_LEFT_NEVER;
		learns = false;
	}
	half->head->switches[kind]++;
	if (learns)
		wp_cached_learn(cpu->switch_cache, cached, slot, skey);
}

/**
 * wp_switch_learn_waker - learn from where a thread woke another one
 * @session: a session that is wp_session_is_fast()
 * @cpu: this CPU; its current thread is current
 * @skey: the switch key of current, of WP_SWITCH_WAKES
 * @leave: its stacks
 * @id: of the record of these, in @epoch; or 0
 * @epoch: the epoch
 *
 * Learned as by wp_switch_learn().
 *
 * Context: irqs off.
 */
void wp_switch_learn_waker(struct wp_session *session, struct wp_cpu *cpu,
			   const struct wp_switch_key *skey, const struct wp_leave *leave,
			   u64 id, u32 epoch)
{
	struct wallprof_task *slot = cpu->current_slot;
	struct wp_cached_switch *cached;

	if (!id || !wp_switch_can_learn_stack(skey, leave))
		return;
	cached = wp_cached_of_waker(cpu->switch_cache, slot, skey);
	if (wp_cached_begin(cpu->switch_cache, cached, slot, (unsigned long)skey->p, skey,
			    leave) &&
	    wp_switch_learn_stack(session, cpu, cached, leave->user_stack, epoch))
		wp_cached_learn_waker(cached, skey, id);
}
