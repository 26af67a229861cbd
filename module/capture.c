// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the stacks with which threads leave their CPU, or wake others, if they are not
 * cached.
 *
 * Called by the probes of sched_switch and sched_waking, with interrupts off and a run
 * queue or a thread's pi_lock locked. Tables and scratch are this CPU's, and the probe's
 * alone between wp_probe_begin() and wp_probe_end().
 */
#include "capture.h"
#include "kernel_cache.h"
#include "kernel_stack.h"

/**
 * wp_probe_nested - count a probe that came while another one of this CPU was at work
 * @session: the session
 * @cpu: this CPU
 *
 * Context: irqs off.
 */
void wp_probe_nested(struct wp_session *session, struct wp_cpu *cpu)
{
	wp_half_lose(wp_half_of(&cpu->sched, wp_session_epoch(session)),
		     WALLPROF_LOSS_NESTED, 0);
}

/* Caches the stack of current, which is one address. Context: irqs off. */
static void wp_capture_keep_address(struct wp_cpu *cpu, u32 epoch, u64 id)
{
	u64 ip = instruction_pointer(task_pt_regs(current));

	*wp_capture_address_of(cpu, ip) = (struct wp_address){
		.ip = ip, .id = id, .epoch = epoch,
	};
}

/*
 * Walks and interns the user stack that a thread leaves or wakes with. Context: irqs off.
 */
static void wp_capture_user(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
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
						    walk.stop, walk.flags);
		wp_walk_keep(&walk, epoch, leave->user_stack);
	}
	if (!leave->user_stack)
		leave->flags |= WALLPROF_TASK_NO_STACK;
	else if (session->one_address)
		wp_capture_keep_address(cpu, epoch, leave->user_stack);
	if (session->config.stack_flags & WALLPROF_STACK_TABLES &&
	    wp_stack_is_weak(walk.stop, walk.flags & WALLPROF_STACK_BY_FP))
		leave->flags |= WALLPROF_TASK_WEAK_STACK;
}

/* The same for the kernel stack, unless it is cached. Context: irqs off. */
static void wp_capture_kernel(struct wp_session *session, struct wp_cpu *cpu,
			      u32 epoch, struct wp_leave *leave)
{
	const struct wp_cached_stack *old = wp_kernel_stack_cached(cpu, epoch);
	struct wp_kernel_walk walk;

	if (old) {
		leave->kernel_stack = old->id;
		return;
	}
	wp_kernel_walk(cpu, session->config.max_stack, &walk);
	leave->kernel_stack = wp_stack_intern_kernel(&cpu->sched, epoch, &cpu->sched_scratch,
						     walk.skip, walk.nr);
	if (walk.changes)
		wp_kernel_keep(&walk.notes, walk.changes, epoch, leave->kernel_stack);
	if (!leave->kernel_stack)
		leave->flags |= WALLPROF_TASK_NO_STACK;
}

/**
 * wp_capture_walk - walk the stacks that a thread leaves or wakes with
 * @session: the session
 * @cpu: this CPU
 * @epoch: the epoch to write to
 * @leave: in and out: its stacks
 *
 * Context: irqs off; between wp_probe_begin() and wp_probe_end().
 */
void wp_capture_walk(struct wp_session *session, struct wp_cpu *cpu,
		     u32 epoch, struct wp_leave *leave)
{
	if (session->config.stack_flags & WP_STACK_WALK && !leave->user_stack)
		wp_capture_user(session, cpu, epoch, leave);
	if (session->config.stack_flags & WALLPROF_STACK_KERNEL)
		wp_capture_kernel(session, cpu, epoch, leave);
	wp_session_grew(session, wp_half_of(&cpu->sched, epoch));
}
