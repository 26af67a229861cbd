// SPDX-License-Identifier: GPL-2.0
/*
 * Where the overflow handler runs on machines whose PMU interrupts.
 *
 * This test module finds a running session of wallprof by the data pointer of
 * its sched_switch probe, puts itself between perf and the overflow handler of
 * the session's counters, and counts: calls, how many of them in NMI context,
 * how many interrupted one of the session's own scheduler probes, how many came
 * while the reader was in an ioctl, which is a flip most of the time, how many
 * interrupted a program, and how many the scheduler on its way from one
 * program's memory to another's.
 *
 * pmu.watch is 1 or 0; pmu.counts has the counts. Whoever closes the session writes 0
 * first: nothing else keeps it alive.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "compat/mmu_context.h"
#include "counts.h"
#include "find.h"
#include "state.h"

/* Printed in this order. */
struct wp_pmu_counts {
	unsigned long calls;
	unsigned long nmi;
	unsigned long probe;
	unsigned long ioctl;
	unsigned long user;
	unsigned long between;
};

static DEFINE_PER_CPU(struct wp_pmu_counts, wp_pmu_counts);

static DEFINE_MUTEX(wp_pmu_lock);	/* orders the changes of what follows */
static struct wp_session *wp_pmu_session;
static perf_overflow_handler_t wp_pmu_handler;

/* Context: overflow. */
static void wp_pmu_overflow(struct perf_event *event,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	struct wp_event *of = event->overflow_handler_context;
	struct wp_session *session = of->session;
	struct wp_cpu *cpu = session->cpus[smp_processor_id()];

	this_cpu_inc(wp_pmu_counts.calls);
	if (in_nmi())
		this_cpu_inc(wp_pmu_counts.nmi);
	if (READ_ONCE(cpu->sched_busy))
		this_cpu_inc(wp_pmu_counts.probe);
	if (mutex_is_locked(&session->lock))
		this_cpu_inc(wp_pmu_counts.ioctl);
	if (user_mode(regs))
		this_cpu_inc(wp_pmu_counts.user);
	if (current->mm && !wp_user_loaded())
		this_cpu_inc(wp_pmu_counts.between);
	wp_pmu_handler(event, data, regs);
}

/* Context: process, wp_pmu_lock held. */
static void wp_pmu_put(perf_overflow_handler_t handler)
{
	struct perf_event *event;
	unsigned int nr;

	mutex_lock(&wp_pmu_session->counters_lock);
	for_each_possible_cpu(nr) {
		if (!wp_pmu_session->nr_events)
			break;
		event = wp_pmu_session->events[0]->counters[nr].event;
		if (!event)
			continue;
		if (!wp_pmu_handler)
			wp_pmu_handler = event->overflow_handler;
		WRITE_ONCE(event->overflow_handler, handler);
	}
	mutex_unlock(&wp_pmu_session->counters_lock);
}

/* Context: process, wp_pmu_lock held. */
static void wp_pmu_stop(void)
{
	if (!wp_pmu_session)
		return;
	wp_pmu_put(wp_pmu_handler);
	/* Those that are in ours. */
	synchronize_rcu();
	wp_pmu_session = NULL;
}

static int wp_pmu_watch_set(const char *text, const struct kernel_param *kp)
{
	void *probe;
	bool watch;
	int err = kstrtobool(text, &watch);

	if (err)
		return err;
	mutex_lock(&wp_pmu_lock);
	wp_pmu_stop();
	if (watch) {
		wp_pmu_session = wp_find_session(&probe);
		if (wp_pmu_session)
			wp_pmu_put(wp_pmu_overflow);
		else
			err = -ESRCH;
	}
	mutex_unlock(&wp_pmu_lock);
	return err;
}

static const struct kernel_param_ops wp_pmu_watch_ops = {
	.set = wp_pmu_watch_set,
};

module_param_cb(watch, &wp_pmu_watch_ops, NULL, 0200);
MODULE_PARM_DESC(watch, "1: count the overflows of a session, 0: no more");

static int wp_pmu_counts_get(char *text, const struct kernel_param *kp)
{
	return wp_counts_get(text, &wp_pmu_counts, sizeof(struct wp_pmu_counts));
}

static const struct kernel_param_ops wp_pmu_counts_ops = {
	.get = wp_pmu_counts_get,
};

module_param_cb(counts, &wp_pmu_counts_ops, NULL, 0400);
MODULE_PARM_DESC(counts, "calls nmi probe ioctl user between");

static int __init wp_pmu_init(void)
{
	return 0;
}

static void __exit wp_pmu_exit(void)
{
	mutex_lock(&wp_pmu_lock);
	wp_pmu_stop();
	mutex_unlock(&wp_pmu_lock);
}

module_init(wp_pmu_init);
module_exit(wp_pmu_exit);

MODULE_DESCRIPTION("wallprof test: the contexts of overflows");
MODULE_AUTHOR("The wallprof authors");
MODULE_LICENSE("GPL");
