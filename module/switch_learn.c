// SPDX-License-Identifier: GPL-2.0
/*
 * What the switch cache learns of a thread that leaves its CPU by none of its entries.
 * Called by the slow path of switch.c.
 */
#include "kernel_cache.h"
#include "pure/switch_cache.h"
#include "stack.h"
#include "state.h"
#include "switch_learn.h"

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

/* Whether an entry can be learned of how a thread left. Context: irqs off. */
static bool wp_switch_can_learn(const struct wp_switch_key *skey, const struct wp_leave *leave)
{
	if (leave->reason != WALLPROF_REASON_SYSCALL &&
	    leave->reason != WALLPROF_REASON_PREEMPTED)
		return false;
	/* In user code a thread is preempted at any address. */
	return leave->user_stack && !(leave->flags & ~WALLPROF_TASK_WEAK_STACK) &&
	       !wp_switch_key_is_uncacheable(skey) && !wp_in_syscall_32(skey->p) &&
	       wp_switch_key_nr(skey) >= 0;
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
	const struct wp_cached_stack *old;
	struct wp_cached_switch *cached;
	enum wallprof_switch kind;

	if (!wp_switch_can_learn(skey, leave)) {
		half->head->switches[WALLPROF_SWITCH_LEFT_NEVER]++;
		return;
	}
	kind = wp_cached_left_kind(wp_cached_of(cpu->switch_cache, slot, skey), slot, skey);
	cached = wp_cached_begin(cpu->switch_cache, slot, (unsigned long)skey->p, skey, leave);
	if (cached && session->one_address) {
		wp_cached_set_address(cached, half);
	} else if (cached) {
		old = wp_stack_cached_by_id(session, cpu, epoch, leave->user_stack);
		if (old) {
			wp_cached_set_stack(cached, old, half);
		} else {
			kind = WALLPROF_SWITCH_LEFT_NEVER;
			cached = NULL;
		}
	}
	if (cached && leave->kernel_stack && !wp_switch_learn_kernel(cpu, cached, leave, epoch)) {
		kind = WALLPROF_SWITCH_LEFT_NEVER;
		cached = NULL;
	}
	half->head->switches[kind]++;
	if (cached)
		wp_cached_learn(cpu->switch_cache, cached, slot, skey);
}
