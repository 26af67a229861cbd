// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of what is sampled: one of perf for each event on each CPU.
 *
 * This file owns them, and creates and releases them as CPUs come and go. Its callers are
 * session.c and configure.c (process context), and CPU hotplug (process context, with the
 * hotplug lock held). Their overflow handler is in sampler.c.
 */
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "counters.h"
#include "pure/config.h"
#include "sampler.h"
#include "state.h"

static enum cpuhp_state wp_cpuhp_state;	/* written once, at load */

static struct perf_event_attr wp_counter_attr(const struct wallprof_event *config)
{
	u32 flags = config->attr_flags;
	u64 sample_type = 0;

	/*
	 * Some tracepoints count more than one each time, the nanoseconds of
	 * sched_stat_runtime: that is the period of one sample then, as in perf record,
	 * and not as many overflows.
	 */
	if (config->attr_period == 1 && !(flags & WALLPROF_ATTR_FREQ))
		sample_type |= PERF_SAMPLE_PERIOD;
	/* Since 6.13 the handler sees the record only then. */
	if (wp_event_reads(config) || config->record_words)
		sample_type |= PERF_SAMPLE_RAW;
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
		.sample_type = sample_type,
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
static bool wp_event_is_probe(struct wp_event *event)
{
	struct perf_event_attr attr = wp_counter_attr(&event->config);
	struct perf_event *perf;

	if (attr.type < PERF_TYPE_MAX)
		return false;
	attr.config1 = U64_MAX;
	perf = perf_event_create_kernel_counter(&attr, cpumask_first(event->session->cpus_mask),
						NULL, wp_sampler_overflow, event);
	if (IS_ERR(perf))
		return PTR_ERR(perf) == -EFAULT;
	perf_event_release_kernel(perf);
	return false;
}

/*
 * Creates the counter of an event on a CPU, unless it exists. Context: process,
 * counters_lock held.
 */
static int wp_counter_create(struct wp_event *event, unsigned int nr)
{
	struct perf_event_attr attr = wp_counter_attr(&event->config);
	struct wp_session *session = event->session;
	struct perf_event *perf;

	if (event->counters[nr].event)
		return 0;
	perf = perf_event_create_kernel_counter(&attr, nr, NULL, wp_sampler_overflow, event);
	if (IS_ERR(perf))
		return PTR_ERR(perf);
	/* The PMU took the event, but cannot schedule it here. */
	if (perf->state == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(perf);
		return -ENODEV;
	}
	event->counters[nr].event = perf;
	atomic_inc(&session->counters);
	if (session->state == WALLPROF_SESSION_RUNNING)
		perf_event_enable(perf);
	return 0;
}

/* Adds what a counter has counted. Context: process, counters_lock held. */
static void wp_counter_read(struct perf_event *perf, struct wallprof_count *count)
{
	u64 enabled, running;

	count->value += perf_event_read_value(perf, &enabled, &running);
	count->enabled_ns += enabled;
	count->running_ns += running;
}

/* Releases a counter, if there is one. Context: process, counters_lock held. */
static bool wp_counter_release(struct wp_event *event, unsigned int nr)
{
	struct wp_counter *counter = &event->counters[nr];

	if (!counter->event)
		return false;
	wp_counter_read(counter->event, &event->count);
	perf_event_release_kernel(counter->event);
	counter->event = NULL;
	atomic_dec(&event->session->counters);
	return true;
}

/*
 * Ends a counter's open time of throttling. Context: as an overflow, since a flip's grace
 * period waits for this; counters_lock held, the CPU without counters.
 */
static void wp_counter_end_throttling(struct wp_counter *counter, struct wp_half *half, u64 now)
{
	if (counter->throttled_at && now > counter->throttled_at)
		half->head->lost[WALLPROF_LOSS_THROTTLED].ns += now - counter->throttled_at;
	counter->throttled_at = 0;
}

/*
 * Releases all counters of a CPU, and ends the open times of throttling: nobody else writes
 * to these tables any more.
 *
 * Context: process, counters_lock held.
 */
static void wp_counters_release_cpu(struct wp_session *session, unsigned int nr)
{
	struct wp_cpu *cpu = wp_session_cpu(session, nr);
	struct wp_half *half;
	bool any = false;
	u64 now;
	u32 i;

	for (i = 0; i < session->nr_events; i++)
		any |= wp_counter_release(session->events[i], nr);
	if (!any || !cpu)
		return;
	preempt_disable();
	now = min(ktime_get_mono_fast_ns(), READ_ONCE(session->stop));
	half = wp_half_of(&cpu->sampler, wp_session_epoch(session));
	for (i = 0; i < session->nr_events; i++)
		wp_counter_end_throttling(&session->events[i]->counters[nr], half, now);
	preempt_enable();
}

/* Creates what a CPU that came lacks. Context: process, counters_lock held. */
static void wp_counters_create_cpu(struct wp_session *session, unsigned int nr)
{
	bool memory = wp_session_cpu(session, nr);
	u32 i;

	for (i = 0; i < session->nr_events; i++) {
		/* For a CPU that goes meanwhile this is no failure. */
		if ((!memory || wp_counter_create(session->events[i], nr)) &&
		    cpumask_test_cpu(nr, session->counters_cpus))
			atomic_inc(&session->counters_failed);
	}
}

/*
 * Makes and releases counters after CPUs came or went. The counters of a CPU that went are
 * dead, even if the CPU is back: they are made anew. Context: process.
 */
static void wp_counters_work(struct work_struct *work)
{
	struct wp_session *session = container_of(work, struct wp_session,
						  counters_work);
	unsigned int nr;

	mutex_lock(&session->counters_lock);
	for_each_cpu(nr, session->cpus_mask) {
		if (cpumask_test_and_clear_cpu(nr, session->counters_dead))
			wp_counters_release_cpu(session, nr);
		if (!session->counters_ended && cpumask_test_cpu(nr, session->counters_cpus))
			wp_counters_create_cpu(session, nr);
	}
	mutex_unlock(&session->counters_lock);
}

/*
 * A CPU comes online. The work makes its counters: for some, that takes the hotplug lock,
 * which is held for writing now.
 *
 * Context: process, the hotplug lock held for writing.
 */
static int wp_counters_online(unsigned int nr, struct hlist_node *node)
{
	struct wp_session *session = hlist_entry(node, struct wp_session,
						 cpuhp_node);

	cpumask_set_cpu(nr, session->counters_cpus);
	schedule_work(&session->counters_work);
	return 0;
}

/* A CPU goes offline. Context: process, the hotplug lock held for writing. */
static int wp_counters_offline(unsigned int nr, struct hlist_node *node)
{
	struct wp_session *session = hlist_entry(node, struct wp_session,
						 cpuhp_node);

	cpumask_clear_cpu(nr, session->counters_cpus);
	cpumask_set_cpu(nr, session->counters_dead);
	schedule_work(&session->counters_work);
	return 0;
}

/**
 * wp_counters_prepare - initialize a new session for the other functions
 * @session: a new session
 *
 * Context: process.
 */
void wp_counters_prepare(struct wp_session *session)
{
	mutex_init(&session->counters_lock);
	INIT_WORK(&session->counters_work, wp_counters_work);
}

/*
 * Creates the counters of a new event, where the session's CPUs are online. Context:
 * process, counters_lock held.
 */
static int wp_event_create(struct wp_event *event)
{
	struct wp_session *session = event->session;
	unsigned int nr, made = 0;
	int err;

	for_each_cpu(nr, session->cpus_mask) {
		if (!cpumask_test_cpu(nr, session->counters_cpus) || !wp_session_cpu(session, nr))
			continue;
		err = wp_counter_create(event, nr);
		if (err && cpumask_test_cpu(nr, session->counters_cpus))
			return err;
		made += !err;
	}
	return made ? 0 : -ENODEV;
}

/* Copies the filter of an event from the user, and checks it. Context: process. */
static int wp_event_read_filter(struct wp_event *event)
{
	const struct wallprof_event *config = &event->config;
	size_t bytes = config->nr_filter * sizeof(struct wallprof_filter_test);
	struct wallprof_filter_test *tests;

	if (!config->nr_filter)
		return 0;
	/* The texts follow the tests. */
	tests = kvmalloc(bytes + config->filter_text_bytes, GFP_KERNEL_ACCOUNT);
	if (!tests)
		return -ENOMEM;
	event->filter = (struct wp_event_filter) {
		.tests = tests,
		.text = (char *)tests + bytes,
		.nr = config->nr_filter,
		.text_bytes = config->filter_text_bytes,
	};
	if (copy_from_user(tests, u64_to_user_ptr(config->filter), bytes) ||
	    copy_from_user((char *)tests + bytes, u64_to_user_ptr(config->filter_text),
			   config->filter_text_bytes))
		return -EFAULT;
	return wp_event_filter_ok(&event->filter) ? 0 : -EINVAL;
}

/* Frees an event that has no counter. Context: process. */
static void wp_event_free(struct wp_event *event)
{
	kvfree(event->filter.tests);
	kvfree(event);
}

/**
 * wp_counters_add - add an event, with its counters, disabled
 * @session: the session, locked, configured or being so
 * @config: the event, checked; out: its number
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header; then there is no such event.
 */
int wp_counters_add(struct wp_session *session, struct wallprof_event *config)
{
	struct wp_event *event;
	unsigned int nr;
	int err;

	if (session->nr_events == WALLPROF_MAX_EVENTS)
		return -ENOSPC;
	event = kvzalloc(struct_size(event, counters, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!event)
		return -ENOMEM;
	config->nr = session->nr_events;
	event->session = session;
	event->config = *config;
	event->cached = session->config.flags & WALLPROF_SAMPLE_CACHE &&
			config->max_stack == session->config.max_stack &&
			!((config->stack_flags ^ session->config.stack_flags) & WP_STACK_WALK);
	event->reads = wp_event_reads(config);
	err = wp_event_read_filter(event);
	if (!err && wp_event_is_probe(event))
		err = -EOPNOTSUPP;
	if (err) {
		wp_event_free(event);
		return err;
	}
	mutex_lock(&session->counters_lock);
	err = wp_event_create(event);
	/* The work must not make what the user was refused. */
	if (!err) {
		session->events[session->nr_events++] = event;
	} else {
		for_each_possible_cpu(nr)
			wp_counter_release(event, nr);
	}
	mutex_unlock(&session->counters_lock);
	if (err)
		wp_event_free(event);
	return err;
}

/* Adds the event of CONFIGURE, if there is one. */
static int wp_counters_add_first(struct wp_session *session)
{
	const struct wallprof_configure *config = &session->config;
	struct wallprof_event event = {
		.size = sizeof(event),
		.attr_flags = config->attr_flags,
		.attr_type = config->attr_type,
		.attr_precise = config->attr_precise,
		.stack_flags = config->stack_flags,
		.max_stack = config->max_stack,
		.attr_config = config->attr_config,
		.attr_config1 = config->attr_config1,
		.attr_config2 = config->attr_config2,
		.attr_period = config->attr_period,
	};

	return config->attr_period ? wp_counters_add(session, &event) : 0;
}

/**
 * wp_counters_follow - follow the CPUs, and create the counters that CONFIGURE asks for
 * @session: being configured
 *
 * Context: process.
 * Return: 0, or the kernel's error for the counter; then nothing is left.
 */
int wp_counters_follow(struct wp_session *session)
{
	int err;

	if (!(session->config.flags & WALLPROF_SAMPLER))
		return 0;
	session->counters_ended = false;
	session->events = kvcalloc(WALLPROF_MAX_EVENTS, sizeof(*session->events),
				   GFP_KERNEL_ACCOUNT);
	if (!session->events)
		return -ENOMEM;
	/* From here on the work sees every CPU that comes or goes. */
	err = cpuhp_state_add_instance_nocalls(wp_cpuhp_state,
					       &session->cpuhp_node);
	if (err)
		return err;
	session->cpuhp_added = true;
	cpus_read_lock();
	cpumask_copy(session->counters_cpus, cpu_online_mask);
	cpus_read_unlock();
	err = wp_counters_add_first(session);
	if (err)
		wp_counters_end(session);
	return err;
}

/**
 * wp_counters_start - enable a session's counters
 * @session: its state becomes WALLPROF_SESSION_RUNNING
 *
 * Context: process.
 */
void wp_counters_start(struct wp_session *session)
{
	unsigned int nr;
	u32 i;

	/* The work enables the counters that it makes later. */
	mutex_lock(&session->counters_lock);
	WRITE_ONCE(session->state, WALLPROF_SESSION_RUNNING);
	for (i = 0; i < session->nr_events; i++) {
		for_each_cpu(nr, session->cpus_mask) {
			if (session->events[i]->counters[nr].event)
				perf_event_enable(session->events[i]->counters[nr].event);
		}
	}
	mutex_unlock(&session->counters_lock);
}

/**
 * wp_counters_count - WALLPROF_IOC_COUNT
 * @session: the session, locked
 * @count: the number of an event; out: the rest
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_counters_count(struct wp_session *session, struct wallprof_count *count)
{
	struct wallprof_count sum;
	struct wp_event *event;
	unsigned int nr;

	if (session->state == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	if (count->nr >= session->nr_events)
		return -ENOENT;
	mutex_lock(&session->counters_lock);
	event = session->events[count->nr];
	sum = event->count;
	for_each_possible_cpu(nr) {
		struct wp_counter *counter = &event->counters[nr];

		if (counter->event)
			wp_counter_read(counter->event, &sum);
		sum.filtered += local64_read(&counter->filtered);
		sum.unfit += local64_read(&counter->unfit);
	}
	mutex_unlock(&session->counters_lock);
	count->value = sum.value;
	count->enabled_ns = sum.enabled_ns;
	count->running_ns = sum.running_ns;
	count->filtered = sum.filtered;
	count->unfit = sum.unfit;
	return 0;
}

/**
 * wp_counters_end - release a session's counters
 * @session: a session
 *
 * The events stay: what they have counted can still be read.
 *
 * Context: process. When it returns, no overflow handler begins any more.
 */
void wp_counters_end(struct wp_session *session)
{
	unsigned int nr;

	if (!session->cpuhp_added)
		return;
	cpuhp_state_remove_instance_nocalls(wp_cpuhp_state, &session->cpuhp_node);
	session->cpuhp_added = false;
	cancel_work_sync(&session->counters_work);
	mutex_lock(&session->counters_lock);
	session->counters_ended = true;
	for_each_possible_cpu(nr)
		wp_counters_release_cpu(session, nr);
	cpumask_clear(session->counters_dead);
	mutex_unlock(&session->counters_lock);
}

/**
 * wp_counters_free - forget a session's events
 * @session: a session after wp_counters_end()
 *
 * Context: process; no overflow handler runs any more.
 */
void wp_counters_free(struct wp_session *session)
{
	while (session->nr_events)
		wp_event_free(session->events[--session->nr_events]);
	kvfree(session->events);
	session->events = NULL;
}

/* Context: process, at load. */
int wp_counters_init(void)
{
	int state;

	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "wallprof:online",
					wp_counters_online, wp_counters_offline);
	if (state < 0)
		return state;
	wp_cpuhp_state = state;
	return 0;
}

/* Context: process, at unload. */
void wp_counters_exit(void)
{
	cpuhp_remove_multi_state(wp_cpuhp_state);
}
