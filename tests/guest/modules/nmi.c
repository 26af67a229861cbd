// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows in true NMI context, on x86 machines without a PMU.
 *
 * This test module owns no counter. It finds a running session of wallprof by
 * the data pointer of its sched_switch probe, and from within NMIs calls the
 * overflow handler of the session's own counter, with the registers that the
 * NMI interrupted: what perf would do if the counter overflowed right there.
 * Two things bring it into NMI context:
 *
 *  - write watchpoints on words that wallprof's probes, its overflow handler
 *    and its flip write. The debug exception that follows the write is one,
 *    as far as kernels from 5.8 on are concerned, and comes in the middle of
 *    them;
 *  - true NMIs, as QEMU's monitor sends them: anywhere, in user mode, too.
 *
 * The point "switch" calls the sched_switch probe instead, in the middle of
 * itself, which the scheduler never does: the guard must refuse it.
 *
 * wp_nmi.point (one of the names below, or "off") chooses the words;
 * wp_nmi.counts has what happened. Whoever closes the session says "off"
 * first: nothing else keeps it alive.
 */
#include <linux/hw_breakpoint.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <asm/nmi.h>

#include "counts.h"
#include "find.h"
#include "state.h"

/* Watchpoints that a CPU has. */
#define WP_NMI_WORDS	4

struct wp_nmi_word {
	void *at;
	unsigned int len;
};

enum wp_nmi_point {
	WP_NMI_SWITCH,
	WP_NMI_SCHED_BUSY,
	WP_NMI_SCHED_CURRENT,
	WP_NMI_SCHED_STACKS,
	WP_NMI_SCHED_AGGRS,
	WP_NMI_SCHED_EXITS,
	WP_NMI_TASKS_LOCK,
	WP_NMI_TASKS_USED,
	WP_NMI_SAMPLER_BUSY,
	WP_NMI_SAMPLER_STACKS,
	WP_NMI_SAMPLER_AGGRS,
	WP_NMI_RING_RECORD,
	WP_NMI_RING_NEXT,
	WP_NMI_RING_HEAD,
	WP_NMI_RING_GAP,
	WP_NMI_FLIP_HEADS,
	WP_NMI_FLIP_EPOCH,
	WP_NMI_NOWHERE,
	WP_NMI_POINTS,
};

static const char * const wp_nmi_points[WP_NMI_POINTS] = {
	[WP_NMI_SWITCH]		= "switch",
	[WP_NMI_SCHED_BUSY]	= "sched-busy",
	[WP_NMI_SCHED_CURRENT]	= "sched-current",
	[WP_NMI_SCHED_STACKS]	= "sched-stacks",
	[WP_NMI_SCHED_AGGRS]	= "sched-aggrs",
	[WP_NMI_SCHED_EXITS]	= "sched-exits",
	[WP_NMI_TASKS_LOCK]	= "tasks-lock",
	[WP_NMI_TASKS_USED]	= "tasks-used",
	[WP_NMI_SAMPLER_BUSY]	= "sampler-busy",
	[WP_NMI_SAMPLER_STACKS]	= "sampler-stacks",
	[WP_NMI_SAMPLER_AGGRS]	= "sampler-aggrs",
	[WP_NMI_RING_RECORD]	= "ring-record",
	[WP_NMI_RING_NEXT]	= "ring-next",
	[WP_NMI_RING_HEAD]	= "ring-head",
	[WP_NMI_RING_GAP]	= "ring-gap",
	[WP_NMI_FLIP_HEADS]	= "flip-heads",
	[WP_NMI_FLIP_EPOCH]	= "flip-epoch",
	[WP_NMI_NOWHERE]	= "nowhere",
};

/*
 * What happened on a CPU. A true NMI may come in the middle of a debug
 * exception: both count with this_cpu_inc(). Printed in this order.
 */
struct wp_nmi_counts {
	unsigned long hits;	/* writes to a watched word */
	unsigned long nmis;	/* of QEMU's monitor */
	unsigned long idle;	/* of QEMU's monitor, when no point was chosen */
	unsigned long not_nmi;	/* of QEMU's monitor, without in_nmi() */
	unsigned long plain;	/* of the hits, those without in_nmi() */
	unsigned long calls;	/* of the overflow handler */
	unsigned long nested;	/* of these, in the middle of another one */
	unsigned long user;	/* of those that were not, in user mode */
	unsigned long switches;	/* calls of the sched_switch probe */
	unsigned long rings;	/* calls of the handler that changed a ring */
};

#define WP_NMI_COUNT(what)	this_cpu_inc(wp_nmi_counts.what)

static DEFINE_PER_CPU(struct wp_nmi_counts, wp_nmi_counts);
static DEFINE_PER_CPU(struct perf_event * [WP_NMI_WORDS], wp_nmi_events);

static DEFINE_MUTEX(wp_nmi_lock);	/* orders the changes of what follows */
static enum wp_nmi_point wp_nmi_point = WP_NMI_POINTS;
static struct wp_session *wp_nmi_session;	/* NULL: do nothing */
static void *wp_nmi_probe;

/* Context: NMI. */
static void wp_nmi_overflow(struct wp_session *session, struct pt_regs *regs)
{
	unsigned int nr = smp_processor_id();
	struct wp_cpu *cpu = session->cpus[nr];
	struct wp_event *first = READ_ONCE(session->nr_events) ? session->events[0] : NULL;
	struct perf_event *event = first ? READ_ONCE(first->counters[nr].event) : NULL;
	u64 next = cpu->ring.next, gap = cpu->ring.gap;
	struct perf_sample_data data;

	if (!event)
		return;
	perf_sample_data_init(&data, 0, 1);
	WP_NMI_COUNT(calls);
	if (READ_ONCE(cpu->sampler_busy))
		WP_NMI_COUNT(nested);
	else if (user_mode(regs))
		WP_NMI_COUNT(user);
	event->overflow_handler(event, &data, regs);
	if (cpu->ring.next != next || cpu->ring.gap != gap)
		WP_NMI_COUNT(rings);
}

/* Context: NMI, in the middle of the probe. */
static void wp_nmi_switch(struct wp_session *session)
{
	/* Old kernels' probe has an argument less and does not see the last. */
	void (*probe)(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state);

	probe = wp_nmi_probe;
	WP_NMI_COUNT(switches);
	probe(session, false, current, current, TASK_INTERRUPTIBLE);
}

/* Context: NMI, as far as the kernel is concerned. */
static void wp_nmi_hit(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct wp_session *session = READ_ONCE(wp_nmi_session);

	if (!session)
		return;
	WP_NMI_COUNT(hits);
	if (!in_nmi())
		WP_NMI_COUNT(plain);
	/* A flip clears the word that is watched for the former, too. */
	if (READ_ONCE(wp_nmi_point) == WP_NMI_SWITCH &&
	    READ_ONCE(session->cpus[smp_processor_id()]->sched_busy))
		wp_nmi_switch(session);
	else
		wp_nmi_overflow(session, regs);
}

/* Context: NMI. */
static int wp_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct wp_session *session = READ_ONCE(wp_nmi_session);

	if (!session) {
		WP_NMI_COUNT(idle);
		return NMI_HANDLED;
	}
	WP_NMI_COUNT(nmis);
	if (!in_nmi())
		WP_NMI_COUNT(not_nmi);
	wp_nmi_overflow(session, regs);
	return NMI_HANDLED;
}

/* The same word of both halves. */
static void wp_nmi_words_of(struct wp_tables *tables, struct wp_nmi_word *words,
			    size_t offset, unsigned int len)
{
	int i;

	for (i = 0; i < 2; i++) {
		words[i].at = (void *)tables->half[i].head + offset;
		words[i].len = len;
	}
}

/* Which words are watched on a CPU. */
static void wp_nmi_words(struct wp_session *session, enum wp_nmi_point point,
			 unsigned int nr, struct wp_nmi_word *words)
{
	struct wp_cpu *cpu = session->cpus[nr];
	struct wp_tables *sched = &cpu->sched;
	struct wp_tables *sampler = &cpu->sampler;
	struct wp_ring *ring = &cpu->ring;
	int i;

#define WP_NMI_WORD(word)						\
	(words[0] = (struct wp_nmi_word){ &(word), sizeof(word) })
	switch (point) {
	case WP_NMI_SCHED_BUSY:
		WP_NMI_WORD(cpu->sched_busy);
		break;
	case WP_NMI_SCHED_CURRENT:
		WP_NMI_WORD(cpu->current_key);
		break;
	case WP_NMI_SCHED_STACKS:
		wp_nmi_words_of(sched, words,
				offsetof(struct wallprof_half, stack_words), 4);
		break;
	case WP_NMI_SWITCH:
	case WP_NMI_SCHED_AGGRS:
		wp_nmi_words_of(sched, words,
				offsetof(struct wallprof_half, events), 8);
		break;
	case WP_NMI_SCHED_EXITS:
		wp_nmi_words_of(sched, words,
				offsetof(struct wallprof_half, nr_exits), 4);
		break;
	case WP_NMI_TASKS_LOCK:
		words[0] = (struct wp_nmi_word){ &session->tasks.lock, 4 };
		break;
	case WP_NMI_TASKS_USED:
		WP_NMI_WORD(session->tasks.used);
		break;
	case WP_NMI_SAMPLER_BUSY:
		WP_NMI_WORD(cpu->sampler_busy);
		break;
	case WP_NMI_SAMPLER_STACKS:
		wp_nmi_words_of(sampler, words,
				offsetof(struct wallprof_half, stack_words), 4);
		break;
	case WP_NMI_SAMPLER_AGGRS:
		wp_nmi_words_of(sampler, words,
				offsetof(struct wallprof_half, events), 8);
		break;
	case WP_NMI_RING_RECORD:
		/* Some of them: each comes when the ring has gone round. */
		for (i = 0; i < WP_NMI_WORDS; i++) {
			words[i].at = &ring->records[i * ring->nr / WP_NMI_WORDS].time;
			words[i].len = 8;
		}
		break;
	case WP_NMI_RING_NEXT:
		/* Counted, but not published. */
		WP_NMI_WORD(ring->next);
		break;
	case WP_NMI_RING_HEAD:
		WP_NMI_WORD(ring->head->head);
		break;
	case WP_NMI_RING_GAP:
		WP_NMI_WORD(ring->gap);
		break;
	case WP_NMI_FLIP_HEADS:
		/* One CPU's, watched by all: any of them may flip. */
		cpu = session->cpus[cpumask_first(cpu_possible_mask)];
		wp_nmi_words_of(&cpu->sched, words,
				offsetof(struct wallprof_half, epoch), 4);
		wp_nmi_words_of(&cpu->sampler, words + 2,
				offsetof(struct wallprof_half, epoch), 4);
		break;
	case WP_NMI_FLIP_EPOCH:
		WP_NMI_WORD(session->epoch);
		break;
	default:
		break;
	}
}

/* Context: process, wp_nmi_lock held. */
static void wp_nmi_disarm(void)
{
	unsigned int nr;
	int i;

	WRITE_ONCE(wp_nmi_session, NULL);
	for_each_possible_cpu(nr) {
		struct perf_event **events = per_cpu(wp_nmi_events, nr);

		for (i = 0; i < WP_NMI_WORDS; i++) {
			if (events[i])
				perf_event_release_kernel(events[i]);
			events[i] = NULL;
		}
	}
	/* NMIs that saw the session. */
	synchronize_rcu();
	wp_nmi_point = WP_NMI_POINTS;
}

static int wp_nmi_watch(unsigned int nr, int i, const struct wp_nmi_word *word)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)word->at;
	attr.bp_len = word->len;
	attr.bp_type = HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, nr, NULL, wp_nmi_hit,
						 NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(wp_nmi_events, nr)[i] = event;
	return 0;
}

/* Context: process, wp_nmi_lock held. */
static int wp_nmi_arm(enum wp_nmi_point point)
{
	struct wp_session *session = wp_find_session(&wp_nmi_probe);
	unsigned int nr;
	int i, err;

	if (!session || !(session->config.flags & WALLPROF_SAMPLER))
		return -ESRCH;
	if (point >= WP_NMI_RING_RECORD && point <= WP_NMI_RING_GAP &&
	    !(session->config.flags & WALLPROF_TIMELINE))
		return -ESRCH;
	WRITE_ONCE(wp_nmi_point, point);
	for_each_online_cpu(nr) {
		struct wp_nmi_word words[WP_NMI_WORDS] = {};

		wp_nmi_words(session, point, nr, words);
		for (i = 0; i < WP_NMI_WORDS && words[i].at; i++) {
			err = wp_nmi_watch(nr, i, &words[i]);
			if (err)
				return err;
		}
	}
	WRITE_ONCE(wp_nmi_session, session);
	return 0;
}

static int wp_nmi_point_set(const char *text, const struct kernel_param *kp)
{
	int point = sysfs_match_string(wp_nmi_points, text);
	int err = 0;

	if (point < 0 && !sysfs_streq(text, "off"))
		return -EINVAL;
	mutex_lock(&wp_nmi_lock);
	wp_nmi_disarm();
	if (point >= 0)
		err = wp_nmi_arm(point);
	if (err)
		wp_nmi_disarm();
	mutex_unlock(&wp_nmi_lock);
	return err;
}

static const struct kernel_param_ops wp_nmi_point_ops = {
	.set = wp_nmi_point_set,
};

module_param_cb(point, &wp_nmi_point_ops, NULL, 0200);
MODULE_PARM_DESC(point, "where to interrupt wallprof, or off");

static int wp_nmi_counts_get(char *text, const struct kernel_param *kp)
{
	return wp_counts_get(text, &wp_nmi_counts, sizeof(struct wp_nmi_counts));
}

static const struct kernel_param_ops wp_nmi_counts_ops = {
	.get = wp_nmi_counts_get,
};

module_param_cb(counts, &wp_nmi_counts_ops, NULL, 0400);
MODULE_PARM_DESC(counts, "hits nmis idle not-nmi calls nested user switches rings");

static int __init wp_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, wp_nmi_handler, 0, "wp_nmi");
}

static void __exit wp_nmi_exit(void)
{
	mutex_lock(&wp_nmi_lock);
	wp_nmi_disarm();
	mutex_unlock(&wp_nmi_lock);
	unregister_nmi_handler(NMI_LOCAL, "wp_nmi");
}

module_init(wp_nmi_init);
module_exit(wp_nmi_exit);

MODULE_DESCRIPTION("wallprof test: overflows in NMI context");
MODULE_AUTHOR("The wallprof authors");
MODULE_LICENSE("GPL");
