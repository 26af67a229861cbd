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
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
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

/* Walks the user stack; it is not known to be a cached one. Context: overflow. */
static noinline u64 wp_sample_walk_user(const struct wp_event *event, struct wp_cpu *cpu,
					u32 epoch, struct pt_regs *regs, bool cached)
{
	bool stack = event->config.stack_flags & WP_STACK_WALK;
	struct wp_session *session = event->session;
	struct wp_walk walk;
	unsigned int nr;
	u64 id;

	if (cached)
		nr = wp_stack_user_sample(session, cpu, epoch, regs, &walk);
	else
		nr = wp_stack_user_nmi(session, &cpu->sampler_scratch, regs,
				       event->config.stack_flags,
				       stack ? event->config.max_stack : 1, &walk);
	wp_walk_count(wp_half_of(&cpu->sampler, epoch)->head, &walk);
	if (!nr || walk.id)
		return walk.id;
	id = wp_stack_intern(&cpu->sampler, epoch, cpu->sampler_scratch.user, nr,
			     walk.stop, walk.flags);
	if (!id)
		cpu->sample.flags |= WALLPROF_AGGR_NO_STACK;
	wp_walk_keep(&walk, epoch, id);
	return id;
}

/* Context: overflow. */
static __always_inline u64 wp_sample_user(const struct wp_event *event, struct wp_cpu *cpu,
					  u32 epoch, struct pt_regs *regs, u16 flags)
{
	/* In the cache are stacks that were read as they are outside of NMIs. */
	bool cached = event->cached && !in_nmi();
	const struct wp_cached_stack *old;

	if (cached) {
		old = wp_stack_cached_sample(event->session, cpu, epoch, regs);
		if (likely(old)) {
			wp_walk_count_cached(wp_half_of(&cpu->sampler, epoch)->head, old);
			return old->id;
		}
	}
	/* Without stacks, the interrupted address is still recorded. */
	if (!(event->config.stack_flags & WP_STACK_WALK) && !(flags & WALLPROF_AGGR_USER_MODE))
		return 0;
	return wp_sample_walk_user(event, cpu, epoch, regs, cached);
}

/* Walks the kernel stack, or takes its innermost address. Context: overflow. */
static noinline u64 wp_sample_walk_kernel(const struct wp_event *event, struct wp_cpu *cpu,
					  u32 epoch, struct pt_regs *regs)
{
	bool walk = event->config.stack_flags & WALLPROF_STACK_KERNEL;
	struct wp_scratch *scratch = &cpu->sampler_scratch;
	unsigned int nr, skip;
	u64 id;

	nr = wp_stack_kernel_nmi(scratch, regs,
				 walk ? event->config.max_stack : 1, &skip);
	id = wp_stack_intern_kernel(&cpu->sampler, epoch, scratch, skip, nr);
	if (!id)
		cpu->sample.flags |= WALLPROF_AGGR_NO_STACK;
	return id;
}

/* Context: overflow. */
static __always_inline u64 wp_sample_kernel(const struct wp_event *event, struct wp_cpu *cpu,
					    u32 epoch, struct pt_regs *regs, u16 flags)
{
	u64 ip = instruction_pointer(regs), id;
	struct wp_address *at;

	if (flags & WALLPROF_AGGR_USER_MODE)
		return 0;
	if (event->config.stack_flags & WALLPROF_STACK_KERNEL)
		return wp_sample_walk_kernel(event, cpu, epoch, regs);
	at = cpu->sample_addresses + hash_32(ip, WP_ADDRESS_BITS);
	if (likely(at->ip == ip && at->epoch == epoch))
		return at->id;
	id = wp_sample_walk_kernel(event, cpu, epoch, regs);
	if (id)
		*at = (struct wp_address){ .ip = ip, .id = id, .epoch = epoch };
	return id;
}

/* Whether current is a target. Context: any, NMI included. */
static __always_inline bool wp_sample_wanted(const struct wp_session *session)
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

/*
 * Keeps what a tracepoint has recorded, as much of it as the event asks for. perf_tp_event()
 * passes it in one piece. Context: overflow.
 */
static noinline u64 wp_sample_record(const struct wp_event *event, struct wp_cpu *cpu,
				     u32 epoch, const struct perf_raw_record *raw)
{
	unsigned int nr = min_t(u32, DIV_ROUND_UP(raw->frag.size, sizeof(u64)),
				event->config.record_words);
	u64 *words = cpu->sampler_scratch.user;

	if (!nr)
		return 0;
	words[nr - 1] = 0;
	memcpy(words, raw->frag.data, min_t(size_t, raw->frag.size, nr * sizeof(u64)));
	return wp_stack_intern(&cpu->sampler, epoch, words, nr, WALLPROF_UNWIND_END,
			       WALLPROF_STACK_IS_RECORD);
}

/*
 * Whether a sample belongs to an aggregate, of samples: what wp_aggr_same() would return of
 * wp_sample_sum()'s key, without making it. Context: overflow.
 */
static __always_inline bool wp_sample_is_of(const struct wp_sample *sample,
					    const struct wallprof_aggr *aggr)
{
	return aggr->tid == sample->thread.tid && aggr->tgid == sample->thread.tgid &&
	       aggr->start_time == sample->thread.start_time &&
	       aggr->exec_id == sample->thread.exec_id &&
	       aggr->user_stack == sample->user_stack &&
	       aggr->kernel_stack == sample->kernel_stack &&
	       aggr->waker_stack == sample->record && aggr->arg == sample->by &&
	       aggr->event == sample->event && aggr->flags == sample->flags;
}

/* Adds cpu->sample to a sum that is not the one that was used last. Context: overflow. */
static noinline void wp_sample_sum(struct wp_session *session, struct wp_cpu *cpu, u32 epoch,
				   u64 period, u64 now)
{
	const struct wp_sample *sample = &cpu->sample;
	struct wallprof_aggr key = {
		.tid = sample->thread.tid,
		.tgid = sample->thread.tgid,
		.start_time = sample->thread.start_time,
		.exec_id = sample->thread.exec_id,
		.kind = WALLPROF_AGGR_SAMPLE,
		.flags = sample->flags,
		.user_stack = sample->user_stack,
		.kernel_stack = sample->kernel_stack,
		.event = sample->event,
		.syscall = WALLPROF_SYSCALL_NONE,
		.arg = sample->by,
		.waker_stack = sample->record,
	};

	wp_aggr_add(&cpu->sampler, epoch, &key, period, now);
	wp_session_grew(session, wp_half_of(&cpu->sampler, epoch));
}

/*
 * Adds a sample of a target. With a cached stack, it stays in registers until it is found to
 * be of another sum than the last one. Context: overflow.
 */
static __always_inline void wp_sample_add(const struct wp_event *event, struct wp_cpu *cpu,
					  u32 epoch, const struct perf_raw_record *raw,
					  struct pt_regs *regs, u64 period, u64 by, u64 now)
{
	struct wp_half *half = wp_half_of(&cpu->sampler, epoch);
	struct wp_session *session = event->session;
	struct wallprof_aggr *aggr;
	struct wp_sample sample;
	u16 flags = 0;

	sample.thread = wp_thread_read(session, current);
	sample.event = event->config.nr;
	/*
	 * A counter of user mode only can interrupt late, in the kernel: that is no
	 * event of the kernel, and the user did not ask for its addresses.
	 */
	if (user_mode(regs) ||
	    (event->config.attr_flags & WALLPROF_ATTR_EXCLUDE_KERNEL))
		flags = WALLPROF_AGGR_USER_MODE;
	/* A walk adds to them. */
	cpu->sample.flags = flags;
	sample.kernel_stack = wp_sample_kernel(event, cpu, epoch, regs, flags);
	sample.user_stack = wp_sample_user(event, cpu, epoch, regs, flags);
	sample.record = unlikely(event->config.record_words) ?
			wp_sample_record(event, cpu, epoch, raw) : 0;
	sample.by = by;
	sample.flags = cpu->sample.flags;
	aggr = wp_aggr_guess(&cpu->sampler, half, sample.thread.tid, sample.user_stack);
	if (likely(aggr && wp_sample_is_of(&sample, aggr))) {
		wp_aggr_add_recent(half->head, aggr, period, 0, now);
	} else {
		cpu->sample = sample;
		wp_sample_sum(session, cpu, epoch, period, now);
	}
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

/*
 * Takes an event. @counts: it is of a target, and its filter takes it; throttling is accounted
 * in any case. Context: overflow.
 */
static __always_inline void wp_sampler_take(struct wp_event *event, const struct perf_event *perf,
					    const struct perf_raw_record *raw,
					    struct pt_regs *regs, bool counts, u64 period,
					    u64 by, u64 now)
{
	struct wp_session *session = event->session;
	unsigned int nr = smp_processor_id();
	struct wp_cpu *cpu = session->cpus[nr];
	u32 epoch = wp_session_epoch(session);

	if (unlikely(cpu->sampler_busy)) {
		/* A CPU without memory has no counter. */
		if (!WARN_ON_ONCE(cpu->nomem) && counts)
			wp_sample_refuse(wp_half_of(&cpu->sampler, epoch), period);
		return;
	}
	cpu->sampler_busy = true;
	barrier();
	wp_sample_throttle(cpu, &event->counters[nr], perf, epoch, now);
	if (counts)
		wp_sample_add(event, cpu, epoch, raw, regs, period, by, now);
	barrier();
	cpu->sampler_busy = false;
}

/*
 * Whether the event's filter takes what a tracepoint has recorded of a target; @period
 * becomes its weight, if it has one, and @by what it is summed by. What is not taken is
 * counted, and is nothing that could be lost.
 *
 * perf_tp_event() alone calls the handler of a tracepoint's counter, and passes the record
 * in one piece.
 *
 * Context: overflow.
 */
static bool wp_sample_passes(struct wp_event *event, const struct perf_raw_record *raw,
			     u64 *period, u64 *by)
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

	if (event->filter.nr)
		result = wp_event_filter_run(&event->filter, &record);
	if (result == WP_FILTER_TAKEN && event->config.weight_size &&
	    !wp_event_weight(&event->config, &record, period))
		result = WP_FILTER_UNFIT;
	if (result == WP_FILTER_TAKEN && event->config.by_size &&
	    !wp_event_by(&event->config, &record, by))
		result = WP_FILTER_UNFIT;
	if (result != WP_FILTER_TAKEN)
		local64_inc(&counter->filtered);
	if (result == WP_FILTER_UNFIT)
		local64_inc(&counter->unfit);
	return result == WP_FILTER_TAKEN;
}

/* Takes an event that reads what a tracepoint has recorded. Context: overflow. */
static noinline void wp_sampler_read(struct wp_event *event, const struct perf_event *perf,
				     const struct perf_sample_data *data, struct pt_regs *regs,
				     bool counts, u64 now)
{
	u64 period = data->period, by = 0;

	counts = counts && wp_sample_passes(event, data->raw, &period, &by);
	wp_sampler_take(event, perf, data->raw, regs, counts, period, by, now);
}

/**
 * wp_sampler_overflow - handle the overflow of a counter
 * @perf: the counter; its context is the &struct wp_event
 * @data: has the period, and of an event that reads or keeps it the record
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
	unsigned long flags;
	bool counts;
	u64 now;

	local_irq_save(flags);
	now = ktime_get_mono_fast_ns();
	if (wp_session_covers(event->session, now)) {
		counts = wp_sample_wanted(event->session);
		if (unlikely(event->reads))
			wp_sampler_read(event, perf, data, regs, counts, now);
		else
			wp_sampler_take(event, perf, data->raw, regs, counts, data->period,
					0, now);
	}
	local_irq_restore(flags);
}
