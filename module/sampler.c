// SPDX-License-Identifier: GPL-2.0
/*
 * The sampler: the overflow handler of the counters.
 *
 * This file owns what a sample is. Its caller is perf, by the counters of counters.c.
 *
 * The handler runs in NMI or, where the PMU has none and for the clocks, in hard irq; for
 * other software events and tracepoints wherever they occur, with preemption off.
 * "Context: overflow" below is any of these, with irqs off. A handler that interrupts
 * another one of its CPU, of the same event or of another, returns at once, and is counted;
 * as irqs are off, only an NMI does, or an event that a handler causes itself.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>
#include <asm/local64.h>

#include "compat/ptrace.h"
#include "kernel_stack.h"
#include "pure/config.h"
#include "sampler.h"
#include "stack.h"
#include "state.h"
#include "targets.h"

/* Value of hw.interrupts when perf has throttled a counter. */
#define WP_THROTTLED	(~0ULL)

/* Context: overflow. */
static u64 wp_sample_user(const struct wp_event *event, struct wp_cpu *cpu,
			  u32 epoch, struct pt_regs *regs, u16 *flags)
{
	struct wp_session *session = event->session;
	bool mode = *flags & WALLPROF_AGGR_USER_MODE;
	bool stack = event->config.stack_flags & WP_STACK_WALK;
	struct wp_walk walk;
	unsigned int nr;
	u64 id;

	/* Without stacks, the interrupted address is still recorded. */
	if (!stack && !mode)
		return 0;
	nr = wp_stack_user_nmi(session, &cpu->sampler_scratch, regs, event->config.stack_flags,
			       stack ? event->config.max_stack : 1, &walk);
	wp_walk_count(wp_half_of(&cpu->sampler, epoch)->head, &walk);
	if (!nr)
		return 0;
	id = wp_stack_intern(&cpu->sampler, epoch, cpu->sampler_scratch.user, nr,
			     walk.stop, walk.flags);
	if (!id)
		*flags |= WALLPROF_AGGR_NO_STACK;
	return id;
}

/* Context: overflow. */
static u64 wp_sample_kernel(const struct wp_event *event, struct wp_cpu *cpu,
			    u32 epoch, struct pt_regs *regs, u16 *flags)
{
	bool walk = event->config.stack_flags & WALLPROF_STACK_KERNEL;
	struct wp_scratch *scratch = &cpu->sampler_scratch;
	unsigned int nr, skip;
	u64 id;

	if (*flags & WALLPROF_AGGR_USER_MODE)
		return 0;
	nr = wp_stack_kernel_nmi(scratch, regs,
				 walk ? event->config.max_stack : 1, &skip);
	id = wp_stack_intern_kernel(&cpu->sampler, epoch, scratch, skip, nr);
	if (!id)
		*flags |= WALLPROF_AGGR_NO_STACK;
	return id;
}

/* Whether current is a target. Context: any, NMI included. */
static bool wp_sample_wanted(struct wp_session *session)
{
	struct wallprof_task *slot;

	if (session->config.target == WALLPROF_TARGET_ALL)
		return true;
	slot = wp_tasks_find(&session->tasks, (unsigned long)current);
	return slot && !(READ_ONCE(slot->flags) & WALLPROF_TASK_ARMED);
}

/*
 * Accounts throttling: perf stops a counter that overflows too often until the next tick,
 * and marks it so before it calls the handler. Context: overflow.
 */
static void wp_sample_throttle(struct wp_cpu *cpu, struct wp_counter *counter,
			       const struct perf_event *event, u32 epoch, u64 now)
{
	struct wallprof_half *head = wp_half_of(&cpu->sampler, epoch)->head;

	if (counter->throttled_at) {
		head->lost[WALLPROF_LOSS_THROTTLED].ns += now - counter->throttled_at;
		counter->throttled_at = 0;
	}
	if (event->hw.interrupts == WP_THROTTLED) {
		head->lost[WALLPROF_LOSS_THROTTLED].count++;
		counter->throttled_at = now;
	}
}

static void wp_sample_add(const struct wp_event *event, struct wp_cpu *cpu,
			  u32 epoch, u64 period, struct pt_regs *regs, u64 now)
{
	struct wp_session *session = event->session;
	struct wallprof_aggr key = {
		.syscall = WALLPROF_SYSCALL_NONE,
		.kind = WALLPROF_AGGR_SAMPLE,
		.event = event->config.nr,
	};
	struct wp_thread thread;

	thread = wp_thread_read(session, current);
	key.tid = thread.tid;
	key.tgid = thread.tgid;
	key.start_time = thread.start_time;
	key.exec_id = thread.exec_id;
	/*
	 * A counter of user mode only can interrupt late, in the kernel: that is no
	 * event of the kernel, and the user did not ask for its addresses.
	 */
	if (user_mode(regs) ||
	    (event->config.attr_flags & WALLPROF_ATTR_EXCLUDE_KERNEL))
		key.flags = WALLPROF_AGGR_USER_MODE;
	key.kernel_stack = wp_sample_kernel(event, cpu, epoch, regs, &key.flags);
	key.user_stack = wp_sample_user(event, cpu, epoch, regs, &key.flags);
	wp_aggr_add(&cpu->sampler, epoch, &key, period, now);
	wp_session_grew(session, wp_half_of(&cpu->sampler, epoch),
			&session->layout.sampler);
}

/*
 * Counts an event that came in the middle of another one. A third one can come in the
 * middle of this, where a counter counts in NMIs and outside of them (a tracepoint, say):
 * local64_t counts both. Context: overflow.
 */
static void wp_sample_refuse(struct wp_half *half, u64 period)
{
	struct wallprof_lost *lost = &half->head->lost[WALLPROF_LOSS_NESTED];

	local64_inc((local64_t *)&lost->count);
	local64_add(period, (local64_t *)&lost->ns);
}

/* Context: overflow. */
static void wp_sampler_take(struct wp_event *event, const struct perf_event *perf,
			    struct pt_regs *regs, u64 period, u64 now)
{
	struct wp_session *session = event->session;
	unsigned int nr = smp_processor_id();
	struct wp_cpu *cpu = session->cpus[nr];
	u32 epoch = wp_session_epoch(session);

	if (unlikely(cpu->sampler_busy)) {
		/* A CPU without memory has no counter. */
		if (!WARN_ON_ONCE(cpu->nomem))
			wp_sample_refuse(wp_half_of(&cpu->sampler, epoch), period);
		return;
	}
	cpu->sampler_busy = true;
	barrier();
	wp_sample_throttle(cpu, &event->counters[nr], perf, epoch, now);
	if (wp_sample_wanted(session))
		wp_sample_add(event, cpu, epoch, period, regs, now);
	barrier();
	cpu->sampler_busy = false;
}

/*
 * Whether the event's filter takes what a tracepoint has recorded of a target; @period
 * becomes its weight, if it has one. What is not taken is counted, and is nothing that could
 * be lost.
 *
 * perf_tp_event() alone calls the handler of a tracepoint's counter, and passes the record
 * in one piece.
 *
 * Context: any, NMI included; preemption off.
 */
static bool wp_sample_passes(struct wp_event *event, const struct perf_raw_record *raw,
			     u64 *period)
{
	struct wp_counter *counter = &event->counters[smp_processor_id()];
	const struct wp_event_record record = {
		.data = raw->frag.data,
		.size = raw->frag.size,
		.cpu = smp_processor_id(),
		.tgid = task_tgid_nr_ns(current, event->session->pid_ns),
		.comm = current->comm,
	};
	enum wp_filter_result result = WP_FILTER_TAKEN;

	if (!wp_sample_wanted(event->session))
		return false;
	if (event->filter.nr)
		result = wp_event_filter_run(&event->filter, &record);
	if (result == WP_FILTER_TAKEN && event->config.weight_size &&
	    !wp_event_weight(&event->config, &record, period))
		result = WP_FILTER_UNFIT;
	if (result != WP_FILTER_TAKEN)
		local64_inc(&counter->filtered);
	if (result == WP_FILTER_UNFIT)
		local64_inc(&counter->unfit);
	return result == WP_FILTER_TAKEN;
}

/**
 * wp_sampler_overflow - handle the overflow of a counter
 * @perf: the counter; its context is the &struct wp_event
 * @data: has the period, and for a filter or a weight the record
 * @regs: what was interrupted
 *
 * Irqs are off, so that an event in an interrupt handler, a tracepoint there for example,
 * is not refused since one in the code that it interrupts is at work here.
 *
 * Context: any, NMI included; preemption off.
 */
void wp_sampler_overflow(struct perf_event *perf, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct wp_event *event = perf->overflow_handler_context;
	u64 now = ktime_get_mono_fast_ns(), period = data->period;
	unsigned long flags;

	if (!wp_session_covers(event->session, now))
		return;
	if (wp_event_reads(&event->config) && !wp_sample_passes(event, data->raw, &period))
		return;
	local_irq_save(flags);
	wp_sampler_take(event, perf, regs, period, now);
	local_irq_restore(flags);
}
