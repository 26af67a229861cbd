// SPDX-License-Identifier: GPL-2.0
/*
 * The sampler: a perf counter on each CPU, and its overflow handler.
 *
 * This file owns the counters, and creates and releases them as CPUs come and go. Its
 * callers are session.c and configure.c (process context), CPU hotplug (process context, with
 * the hotplug lock held) and perf, which calls the overflow handler.
 *
 * The handler runs in NMI or, where the PMU has none and for the clocks, in hard irq; for
 * other software events and tracepoints wherever they occur, with preemption off.
 * "Context: overflow" below is any of these. A handler that interrupts another one of its
 * CPU returns at once, and is counted.
 */
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <asm/local64.h>

#include "compat/ptrace.h"
#include "kernel_stack.h"
#include "sampler.h"
#include "stack.h"
#include "state.h"
#include "targets.h"

/* Value of hw.interrupts when perf has throttled a counter. */
#define WP_THROTTLED	(~0ULL)

static enum cpuhp_state wp_cpuhp_state;	/* written once, at load */

/* Context: overflow. */
static u64 wp_sample_user(struct wp_session *session, struct wp_cpu *cpu,
			  u32 epoch, struct pt_regs *regs, u16 *flags)
{
	bool mode = *flags & WALLPROF_AGGR_USER_MODE;
	bool stack = session->config.stack_flags & WP_STACK_WALK;
	struct wp_walk walk;
	unsigned int nr;
	u64 id;

	/* Without stacks, the interrupted address is still recorded. */
	if (!stack && !mode)
		return 0;
	nr = wp_stack_user_nmi(session, &cpu->sampler_scratch, regs,
			       stack ? session->config.max_stack : 1, &walk);
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
static u64 wp_sample_kernel(struct wp_session *session, struct wp_cpu *cpu,
			    u32 epoch, struct pt_regs *regs, u16 *flags)
{
	bool walk = session->config.stack_flags & WALLPROF_STACK_KERNEL;
	struct wp_scratch *scratch = &cpu->sampler_scratch;
	unsigned int nr, skip;
	u64 id;

	if (*flags & WALLPROF_AGGR_USER_MODE)
		return 0;
	nr = wp_stack_kernel_nmi(scratch, regs,
				 walk ? session->config.max_stack : 1, &skip);
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
static void wp_sample_throttle(struct wp_cpu *cpu, struct perf_event *event,
			       u32 epoch, u64 now)
{
	struct wallprof_half *head = wp_half_of(&cpu->sampler, epoch)->head;

	if (cpu->throttled_at) {
		head->lost[WALLPROF_LOSS_THROTTLED].ns += now - cpu->throttled_at;
		cpu->throttled_at = 0;
	}
	if (event->hw.interrupts == WP_THROTTLED) {
		head->lost[WALLPROF_LOSS_THROTTLED].count++;
		cpu->throttled_at = now;
	}
}

static void wp_sample_add(struct wp_session *session, struct wp_cpu *cpu,
			  u32 epoch, u64 period, struct pt_regs *regs, u64 now)
{
	struct wallprof_aggr key = {
		.syscall = WALLPROF_SYSCALL_NONE,
		.kind = WALLPROF_AGGR_SAMPLE,
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
	    (session->config.attr_flags & WALLPROF_ATTR_EXCLUDE_KERNEL))
		key.flags = WALLPROF_AGGR_USER_MODE;
	key.kernel_stack = wp_sample_kernel(session, cpu, epoch, regs, &key.flags);
	key.user_stack = wp_sample_user(session, cpu, epoch, regs, &key.flags);
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
static void wp_sampler_overflow(struct perf_event *event,
				struct perf_sample_data *data,
				struct pt_regs *regs)
{
	struct wp_session *session = event->overflow_handler_context;
	u64 now = ktime_get_mono_fast_ns();
	struct wp_cpu *cpu;
	u32 epoch;

	if (!wp_session_covers(session, now))
		return;
	cpu = session->cpus[smp_processor_id()];
	epoch = wp_session_epoch(session);
	if (unlikely(cpu->sampler_busy)) {
		/* A CPU without memory has no counter. */
		if (!WARN_ON_ONCE(cpu->nomem))
			wp_sample_refuse(wp_half_of(&cpu->sampler, epoch),
					 data->period);
		return;
	}
	cpu->sampler_busy = true;
	barrier();
	wp_sample_throttle(cpu, event, epoch, now);
	if (wp_sample_wanted(session))
		wp_sample_add(session, cpu, epoch, data->period, regs, now);
	barrier();
	cpu->sampler_busy = false;
}

static struct perf_event_attr wp_sampler_attr(const struct wp_session *session)
{
	const struct wallprof_configure *config = &session->config;
	u32 flags = config->attr_flags;

	return (struct perf_event_attr) {
		.type = config->attr_type,
		.size = sizeof(struct perf_event_attr),
		.config = config->attr_config,
		.config1 = config->attr_config1,
		.config2 = config->attr_config2,
		.sample_period = config->attr_period,
		.freq = !!(flags & WALLPROF_ATTR_FREQ),
		.exclude_user = !!(flags & WALLPROF_ATTR_EXCLUDE_USER),
		.exclude_kernel = !!(flags & WALLPROF_ATTR_EXCLUDE_KERNEL),
		.exclude_hv = !!(flags & WALLPROF_ATTR_EXCLUDE_HV),
		.exclude_host = !!(flags & WALLPROF_ATTR_EXCLUDE_HOST),
		.exclude_guest = !!(flags & WALLPROF_ATTR_EXCLUDE_GUEST),
		.precise_ip = config->attr_precise,
		/*
		 * Idle time is no thread's. On a CPU that idles without a tick, the clock
		 * would be throttled, and miss the next thread.
		 */
		.exclude_idle = config->attr_type == PERF_TYPE_SOFTWARE,
		/* One overflow for each record: PEBS must not batch them. */
		.wakeup_events = 1,
		.disabled = 1,
	};
}

/*
 * Whether the event is a kprobe or uprobe. Its configuration points to user memory, which
 * the worker that makes the counter of a new CPU cannot read, or would read from another
 * process. Such events are refused before a counter is made: a kprobe would be planted in
 * the kernel's code, if only for a moment. These two PMUs alone follow config1, and
 * return -EFAULT for an address where no user memory can be; other errors of other PMUs
 * do not matter here.
 *
 * Context: process.
 */
static bool wp_sampler_is_probe(struct wp_session *session)
{
	struct perf_event_attr attr = wp_sampler_attr(session);
	struct perf_event *event;

	if (attr.type < PERF_TYPE_MAX)
		return false;
	attr.config1 = U64_MAX;
	event = perf_event_create_kernel_counter(&attr,
						 cpumask_first(session->cpus_mask),
						 NULL, wp_sampler_overflow,
						 session);
	if (IS_ERR(event))
		return PTR_ERR(event) == -EFAULT;
	perf_event_release_kernel(event);
	return false;
}

static struct perf_event *wp_sampler_event(struct wp_session *session,
					   unsigned int cpu)
{
	struct perf_event_attr attr = wp_sampler_attr(session);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL,
						 wp_sampler_overflow, session);
	if (IS_ERR(event))
		return event;
	/* The PMU took the event, but cannot schedule it here. */
	if (event->state == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return ERR_PTR(-ENODEV);
	}
	return event;
}

/* Whether a CPU has a counter. Context: process, counters_lock held. */
static bool wp_sampler_has(const struct wp_session *session, unsigned int nr)
{
	const struct wp_cpu *cpu = wp_session_cpu(session, nr);

	return cpu && cpu->event;
}

/* Creates a CPU's counter. Context: process, counters_lock held. */
static int wp_sampler_add(struct wp_session *session, unsigned int nr)
{
	struct wp_cpu *cpu = wp_session_cpu(session, nr);
	struct perf_event *event;

	if (!cpu)
		return -ENOMEM;
	event = wp_sampler_event(session, nr);
	if (IS_ERR(event))
		return PTR_ERR(event);
	cpu->event = event;
	atomic_inc(&session->counters);
	if (session->state == WALLPROF_SESSION_RUNNING)
		perf_event_enable(event);
	return 0;
}

/*
 * Releases a CPU's counter, if it has one, and ends an open time of throttling: nobody
 * else writes to these tables any more.
 *
 * Context: process, counters_lock held.
 */
static void wp_sampler_remove(struct wp_session *session, unsigned int nr)
{
	struct wp_cpu *cpu = wp_session_cpu(session, nr);
	u64 now;

	if (!cpu || !cpu->event)
		return;
	perf_event_release_kernel(cpu->event);
	cpu->event = NULL;
	atomic_dec(&session->counters);
	/* As an overflow: a flip's grace period waits for this. */
	preempt_disable();
	now = min(ktime_get_mono_fast_ns(), READ_ONCE(session->stop));
	if (cpu->throttled_at && now > cpu->throttled_at)
		wp_half_of(&cpu->sampler, wp_session_epoch(session))
			->head->lost[WALLPROF_LOSS_THROTTLED].ns +=
				now - cpu->throttled_at;
	cpu->throttled_at = 0;
	preempt_enable();
}

/*
 * Makes and releases counters after CPUs came or went. The counter of a CPU that went is
 * dead, even if the CPU is back: it is made anew. Context: process.
 */
static void wp_sampler_work(struct work_struct *work)
{
	struct wp_session *session = container_of(work, struct wp_session,
						  counters_work);
	unsigned int nr;

	mutex_lock(&session->counters_lock);
	for_each_cpu(nr, session->cpus_mask) {
		if (cpumask_test_and_clear_cpu(nr, session->counters_dead))
			wp_sampler_remove(session, nr);
		if (!session->counters_made || wp_sampler_has(session, nr) ||
		    !cpumask_test_cpu(nr, session->counters_cpus))
			continue;
		/* For a CPU that goes meanwhile this is no failure. */
		if (wp_sampler_add(session, nr) &&
		    cpumask_test_cpu(nr, session->counters_cpus))
			atomic_inc(&session->counters_failed);
	}
	mutex_unlock(&session->counters_lock);
}

/*
 * A CPU comes online. The work makes its counter: for some, that takes the hotplug lock,
 * which is held for writing now.
 *
 * Context: process, the hotplug lock held for writing.
 */
static int wp_sampler_online(unsigned int nr, struct hlist_node *node)
{
	struct wp_session *session = hlist_entry(node, struct wp_session,
						 cpuhp_node);

	cpumask_set_cpu(nr, session->counters_cpus);
	schedule_work(&session->counters_work);
	return 0;
}

/* A CPU goes offline. Context: process, the hotplug lock held for writing. */
static int wp_sampler_offline(unsigned int nr, struct hlist_node *node)
{
	struct wp_session *session = hlist_entry(node, struct wp_session,
						 cpuhp_node);

	cpumask_clear_cpu(nr, session->counters_cpus);
	cpumask_set_cpu(nr, session->counters_dead);
	schedule_work(&session->counters_work);
	return 0;
}

/**
 * wp_sampler_prepare - initialize a new session for the other functions
 * @session: a new session
 *
 * Context: process.
 */
void wp_sampler_prepare(struct wp_session *session)
{
	mutex_init(&session->counters_lock);
	INIT_WORK(&session->counters_work, wp_sampler_work);
}

/**
 * wp_sampler_create - create a session's counters, disabled
 * @session: being configured
 *
 * Context: process.
 * Return: 0, or the kernel's error for the counter; then there is none.
 */
int wp_sampler_create(struct wp_session *session)
{
	unsigned int nr;
	int err;

	if (!(session->config.flags & WALLPROF_SAMPLER))
		return 0;
	if (wp_sampler_is_probe(session))
		return -EOPNOTSUPP;
	/* From here on the work sees every CPU that comes or goes. */
	err = cpuhp_state_add_instance_nocalls(wp_cpuhp_state,
					       &session->cpuhp_node);
	if (err)
		return err;
	session->cpuhp_added = true;
	cpus_read_lock();
	cpumask_copy(session->counters_cpus, cpu_online_mask);
	cpus_read_unlock();
	mutex_lock(&session->counters_lock);
	for_each_cpu(nr, session->cpus_mask) {
		if (!cpumask_test_cpu(nr, session->counters_cpus) ||
		    !wp_session_cpu(session, nr) || wp_sampler_has(session, nr))
			continue;
		err = wp_sampler_add(session, nr);
		if (err && cpumask_test_cpu(nr, session->counters_cpus))
			break;
		err = 0;
	}
	if (!err && !atomic_read(&session->counters))
		err = -ENODEV;
	/* The work must not make what the user was refused. */
	session->counters_made = !err;
	mutex_unlock(&session->counters_lock);
	if (err)
		wp_sampler_release(session);
	return err;
}

/**
 * wp_sampler_start - enable a session's counters
 * @session: its state becomes WALLPROF_SESSION_RUNNING
 *
 * Context: process.
 */
void wp_sampler_start(struct wp_session *session)
{
	unsigned int nr;

	/* The work enables the counters that it makes later. */
	mutex_lock(&session->counters_lock);
	WRITE_ONCE(session->state, WALLPROF_SESSION_RUNNING);
	for_each_cpu(nr, session->cpus_mask) {
		if (wp_sampler_has(session, nr))
			perf_event_enable(session->cpus[nr]->event);
	}
	mutex_unlock(&session->counters_lock);
}

/**
 * wp_sampler_release - release a session's counters
 * @session: a session
 *
 * Context: process. When it returns, no overflow handler begins any more.
 */
void wp_sampler_release(struct wp_session *session)
{
	unsigned int nr;

	if (!session->cpuhp_added)
		return;
	cpuhp_state_remove_instance_nocalls(wp_cpuhp_state, &session->cpuhp_node);
	session->cpuhp_added = false;
	cancel_work_sync(&session->counters_work);
	mutex_lock(&session->counters_lock);
	session->counters_made = false;
	for_each_possible_cpu(nr)
		wp_sampler_remove(session, nr);
	cpumask_clear(session->counters_dead);
	mutex_unlock(&session->counters_lock);
}

/* Context: process, at load. */
int wp_sampler_init(void)
{
	int state;

	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "wallprof:online",
					wp_sampler_online, wp_sampler_offline);
	if (state < 0)
		return state;
	wp_cpuhp_state = state;
	return 0;
}

/* Context: process, at unload. */
void wp_sampler_exit(void)
{
	cpuhp_remove_multi_state(wp_cpuhp_state);
}
