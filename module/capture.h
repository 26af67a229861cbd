/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stacks with which threads leave their CPU, or wake others. Cached stacks are looked
 * up here, inline; capture.c walks the rest.
 */
#ifndef WALLPROF_CAPTURE_H
#define WALLPROF_CAPTURE_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "compat/ptrace.h"
#include "compat/sched.h"
#include "pure/intervals.h"
#include "pure/stack_cache.h"
#include "pure/tables.h"
#include "stack.h"
#include "state.h"

void wp_probe_nested(struct wp_session *session, struct wp_cpu *cpu);
void wp_capture_walk(struct wp_session *session, struct wp_cpu *cpu,
		     u32 epoch, struct wp_leave *leave);

/*
 * Begins a probe of this CPU. Returns false if another one is at work, or the CPU has no
 * memory. Pairs with wp_probe_end(). Context: irqs off.
 */
static __always_inline bool wp_probe_begin(struct wp_cpu *cpu)
{
	if (unlikely(cpu->sched_busy))
		return false;
	cpu->sched_busy = true;
	barrier();
	return true;
}

static __always_inline void wp_probe_end(struct wp_cpu *cpu)
{
	barrier();
	cpu->sched_busy = false;
}

/* Where a stack of one address is cached. Context: irqs off. */
static __always_inline struct wp_address *wp_capture_address_of(struct wp_cpu *cpu, u64 ip)
{
	return cpu->addresses + hash_32(ip, WP_ADDRESS_BITS);
}

/*
 * Looks the user stack of a thread that leaves up in the stack cache. Returns false if it
 * is not there. Context: irqs off.
 */
static __always_inline bool wp_capture_cached(struct wp_session *session,
					      struct wp_cpu *cpu, u32 epoch,
					      struct wp_leave *leave)
{
	const struct wp_cached_stack *old = wp_stack_cached(session, cpu, epoch);

	if (unlikely(!old))
		return false;
	leave->user_stack = old->id;
	if (wp_walk_count_cached(wp_half_of(&cpu->sched, epoch)->head, old) &&
	    session->config.stack_flags & WALLPROF_STACK_TABLES)
		leave->flags = WALLPROF_TASK_WEAK_STACK;
	return true;
}

/*
 * The same where a stack is one address: all threads at an address have the same stack,
 * and wp_stack_user() returns the same stop reason for them. Context: irqs off. @p is
 * current.
 */
static __always_inline bool wp_capture_cached_address(struct wp_cpu *cpu, u32 epoch,
						      const struct task_struct *p,
						      struct wp_leave *leave)
{
	u64 ip = instruction_pointer(task_pt_regs(p));
	const struct wp_address *at = wp_capture_address_of(cpu, ip);
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
 * Captures the stacks that a thread leaves or wakes with. Context: irqs off. @p is
 * current.
 *
 * With a cached stack, @leave stays in registers; the walk needs it in memory.
 */
static __always_inline void wp_capture_stacks(struct wp_session *session,
					      struct wp_cpu *cpu, u32 epoch,
					      const struct task_struct *p,
					      struct wp_leave *leave)
{
	const u32 stacks = session->config.stack_flags;

	if (!(stacks & (WP_STACK_WALK | WALLPROF_STACK_KERNEL)))
		return;
	if (stacks & WP_STACK_WALK &&
	    (session->one_address ? wp_capture_cached_address(cpu, epoch, p, leave) :
				    wp_capture_cached(session, cpu, epoch, leave)) &&
	    !(stacks & WALLPROF_STACK_KERNEL))
		return;
	cpu->leave = *leave;
	wp_capture_walk(session, cpu, epoch, &cpu->leave);
	leave->user_stack = cpu->leave.user_stack;
	leave->flags = cpu->leave.flags;
	leave->kernel_stack = cpu->leave.kernel_stack;
}

#endif /* WALLPROF_CAPTURE_H */
