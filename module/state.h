/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a session: what it keeps for the host, and for each CPU. Types, and
 * one-line accessors. It includes nothing of the module but the headers of its parts.
 */
#ifndef WALLPROF_STATE_H
#define WALLPROF_STATE_H

#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/wallprof.h>
#include <linux/workqueue.h>
#include <asm/local64.h>

#include "area.h"
#include "compat/build_bug.h"
#include "compat/rcupdate.h"
#include "compat/unwind.h"
#include "pure/comm_filter.h"
#include "pure/config.h"
#include "pure/event_filter.h"
#include "pure/id_filter.h"
#include "pure/interp.h"
#include "pure/intervals.h"
#include "pure/layout.h"
#include "pure/ring.h"
#include "pure/tables.h"
#include "pure/tasks.h"
#include "unwind_state.h"

struct address_space;
struct mm_struct;
struct page;
struct wp_cached_kernel;
struct wp_cached_switch;
struct wp_switch_cache;
struct wp_stack_cache;
struct user_namespace;

/**
 * struct wp_scratch - buffers in which a stack is assembled before it is interned
 * @user: user addresses
 * @kernel: kernel addresses, with room for our own frames, which are cut off
 * @runs: interpreted functions, before they are put among @user
 */
struct wp_scratch {
	u64 user[WALLPROF_MAX_STACK];
	unsigned long kernel[WALLPROF_MAX_STACK + 16];
	struct wp_interp_runs runs;
};

#define WP_ADDRESS_BITS	6	/* of the number of cached addresses */

/**
 * struct wp_sample - what identifies the sum that a sample belongs to
 * @thread: whose it is
 * @user_stack: its id, or 0
 * @kernel_stack: likewise
 * @record: likewise, of what a tracepoint recorded
 * @by: a number of this, or 0
 * @event: the event's number
 * @flags: WALLPROF_AGGR_USER_MODE, …
 */
struct wp_sample {
	struct wp_thread thread;
	u64 user_stack;
	u64 kernel_stack;
	u64 record;
	u64 by;
	u32 event;
	u16 flags;
};

/**
 * struct wp_address - a cached stack of one address
 * @ip: the address
 * @id: the stack's id, in @epoch
 * @epoch: of @id; 0: this entry is empty
 */
struct wp_address {
	u64 ip;
	u64 id;
	u32 epoch;
};

/**
 * struct wp_cpu - what a session keeps for one CPU
 * @sched: the scheduler probes' tables
 * @stack_cache: cached user stacks, if user stacks are walked at switches
 * @sample_cache: those of samples, with WALLPROF_SAMPLE_CACHE; not for NMIs
 * @switch_cache: cached switches, in a session that is wp_session_is_fast()
 * @kernel_cache: cached kernel stacks, if these are walked at switches
 * @switch_kernel: of each entry of @switch_cache, what is of its kernel stack, likewise
 * @current_key: the thread that runs here, if it has a slot
 * @current_slot: its slot
 * @current_cached: the switch cache's entry by which it came, or &wp_switch_cache.none;
 *	set if there is a @switch_cache
 * @leave: how the thread that a scheduler probe handles leaves its CPU, or wakes
 * @kernel_anchor: where the kernel stack begins of that thread: see kernel_cache.h; 0: not
 *	known, or not wanted
 * @interval: the interval, if it is not added to the aggregate that was used last
 * @key: the key of its aggregate
 * @sched_busy: a scheduler probe is at work, off the fast path
 * @sampler_busy: the overflow handler is at work
 * @sample: a sample, if it is not added to the aggregate that was used last; its flags
 *	while it is taken
 * @sampler: the overflow handler's tables
 * @ring: the timeline's records
 * @addresses: cached stacks of one address, by hash, if &wp_session.one_address
 * @sample_addresses: those of samples in the kernel, if its stack is not walked
 * @switched_at: the time of the last switch, as the timeline has it
 * @sched_scratch: the scheduler probes' buffers
 * @sampler_scratch: the overflow handler's buffers
 * @nomem: this CPU has no memory. Nothing else is set but @sched_busy and @sampler_busy,
 *	and nothing may be written
 * @other: the ring and the caches
 * @sched_areas: the halves of @sched and their indexes. Written by FLIP for the half that
 *	no event uses: see wp_growth_give()
 * @sampler_areas: those of @sampler, likewise
 * @sched_level: how often the capacities of each half of @sched have doubled, likewise
 * @sampler_level: those of @sampler
 *
 * @nomem and @other are constant once the CPU is known. The members before these are used
 * by this CPU alone, with interrupts off; the sampler's by the overflow handler, and, when
 * the CPU has no counter any more, by whoever has released these.
 */
struct wp_cpu {
	struct wp_tables sched;
	struct wp_stack_cache *stack_cache;
	struct wp_stack_cache *sample_cache;
	struct wp_switch_cache *switch_cache;
	struct wp_stack_cache *kernel_cache;
	struct wp_cached_kernel *switch_kernel;
	unsigned long current_key;
	struct wallprof_task *current_slot;
	struct wp_cached_switch *current_cached;
	/* Not on the stack: kernels may fill that with zeroes each time. */
	struct wp_leave leave;
	unsigned long kernel_anchor;
	struct wp_interval interval;
	struct wallprof_aggr key;
	bool sched_busy;
	bool sampler_busy;
	struct wp_sample sample;
	struct wp_tables sampler;
	struct wp_ring ring;
	struct wp_address addresses[1 << WP_ADDRESS_BITS];
	struct wp_address sample_addresses[1 << WP_ADDRESS_BITS];
	u64 switched_at;
	struct wp_scratch sched_scratch;
	struct wp_scratch sampler_scratch;
	bool nomem;
	struct wp_area other;
	struct wp_area sched_areas[2];
	struct wp_area sampler_areas[2];
	u32 sched_level[2];
	u32 sampler_level[2];
};

/**
 * struct wp_counter - the counter of an event on one CPU
 * @event: perf's; NULL: there is none. Written and read under counters_lock
 * @throttled_at: when it was throttled; 0 if it is not. Written and read by the overflow
 *	handler, which never interrupts itself; and by whoever has released the counter
 * @filtered: records that the event's filter did not take. Written by the overflow
 *	handler, also in the middle of itself; read by WALLPROF_IOC_COUNT
 * @unfit: of these, those that could not be tested; likewise
 */
struct wp_counter {
	struct perf_event *event;
	u64 throttled_at;
	local64_t filtered;
	local64_t unfit;
};

/**
 * struct wp_event - an event that is sampled
 * @session: whose it is
 * @config: as WALLPROF_IOC_EVENT has it
 * @cached: user stacks are cached: with WALLPROF_SAMPLE_CACHE, and the session's options
 * @reads: whether what a tracepoint records decides: wp_event_reads()
 * @filter: which records of a tracepoint are samples
 * @count: what counters that were released had counted; written and read under
 *	counters_lock
 * @counters: by CPU number
 *
 * @session, @config, @cached, @reads and @filter are constant once there are counters.
 */
struct wp_event {
	struct wp_session *session;
	struct wallprof_event config;
	bool cached;
	bool reads;
	struct wp_event_filter filter;
	struct wallprof_count count;
	struct wp_counter counters[];
};

/**
 * struct wp_nomem - counts of CPUs without memory
 * @lost: losses, by enum wallprof_loss
 * @lost_ns: their times
 * @filtered: intervals left out by their state, or by the CPU that was left
 * @filtered_ns: their time
 * @out_of_range: intervals left out by their length
 * @out_of_range_ns: their time
 * @records: lost records of the timeline
 *
 * Written by all these CPUs, any context.
 */
struct wp_nomem {
	atomic64_t lost[WALLPROF_LOSS_MAX];
	atomic64_t lost_ns[WALLPROF_LOSS_MAX];
	atomic64_t filtered;
	atomic64_t filtered_ns;
	atomic64_t out_of_range;
	atomic64_t out_of_range_ns;
	atomic64_t records;
};

/**
 * struct wp_follow - threads that descend from the targets, before START
 * @keys: a hash of the addresses of their task_structs; NULL: they are not followed
 * @mask: the number of @keys less one
 * @used: how many of @keys are not 0
 * @full: some found no room
 * @lock: taken for all of that
 */
struct wp_follow {
	unsigned long *keys;
	u32 mask;
	u32 used;
	bool full;
	raw_spinlock_t lock;
};

/**
 * struct wp_session - one open descriptor
 * @lock: orders the ioctls
 * @state: WALLPROF_SESSION_OPEN, …; written under @lock, read by poll and mmap
 * @last_retired: the last epoch of a stopped session was retired
 * @config: as validated; constant from CONFIGURE on
 * @ids: the targets, unless they are names
 * @names: the targets, if they are names
 * @targets_change: wp_config_targets_change(); written at CONFIGURE
 * @one_address: a user stack is the address where the thread is, and nothing else decides
 *	it; written at CONFIGURE
 * @cpus_mask: CPUs to record
 * @all_cpus: @cpus_mask holds all of them
 * @passed_over: some thread found no slot; set by the first one that does not
 * @pid_ns: the opener's
 * @user_ns: the opener's
 * @limited: the opener's share of sessions is WALLPROF_MAX_SESSIONS_LIMITED; written
 *	at open
 * @epoch: the epoch that is written to. Written by FLIP with a release store, which
 *	publishes the heads of the new halves; read once by each event with an acquire
 *	load
 * @start: events before this are not recorded; U64_MAX until START
 * @stop: events after this are not recorded; U64_MAX until STOP. Every event compares its
 *	own time with both, so that all CPUs agree on what belongs to the session; see
 *	wp_session_set_time()
 * @summed: lengths of the intervals that go into aggregates; constant from CONFIGURE on
 * @range: lengths of the intervals that are recorded; likewise
 * @end: when the session ended, as STOP returns it: @stop, or later. 0 until STOP
 * @tasks: the task table
 * @claiming: START gives slots to the targets; read by the fork probe
 * @hints: a bit for each slot: its thread was on a CPU when STOP looked
 * @layout: offsets in the mapping
 * @cpus: by CPU number. A CPU without memory has the one that is &wp_cpu.nomem. Written at
 *	CONFIGURE, and with a release store when a CPU comes; then constant
 * @cpus_lock: orders the coming of CPUs with the start of an epoch. Nests inside the
 *	hotplug lock
 * @cpus_first: CPUs that were online at CONFIGURE
 * @cpus_failed: times that a CPU came and there was no memory for it
 * @cpus_node: entry of the hotplug state
 * @cpus_followed: whether @cpus_node is registered
 * @late_pages: pages of CPUs that came after CONFIGURE; charged beside @mm_pages. Written
 *	with the hotplug lock held
 * @grown_pages: pages that tables took as they grew, charged beside @mm_pages. Written
 *	under @lock
 * @halves_grown: times that a half has grown; likewise
 * @grow_failed: it cannot be done any more; likewise
 * @owed_pages: those of @late_pages and @grown_pages that are not charged yet; see
 *	wp_cpus_pay()
 * @empty: page mapped for CPUs without memory, and where tables may still grow; its page
 *	lock orders that with their coming, and their growth
 * @mapping: of the device's inode
 * @tails: how far the reader has read the rings; mapped writable
 * @mappings: the processes' mappings, and their unwind tables
 * @mm: charged with @mm_pages, and for @mappings
 * @mm_pages: locked pages
 * @mm_limit: how many the owner may have, of all kinds
 * @nomem: counts of CPUs without memory
 * @tasks_failed: threads that found no slot
 * @untracked_off: how many of these are off their CPU
 * @untracked_ns: time of WALLPROF_LOSS_NO_TASK that is in no CPU's tables
 * @untracked_count: number of losses, likewise
 * @live_targets: targets alive, if not everything is a target
 * @events: what is sampled, by number; the user was allowed to have counters of these, so
 *	the worker may make them, too. Allocated at CONFIGURE; written under @lock and
 *	@counters_lock, read under either
 * @nr_events: how many; likewise
 * @counters: counters that exist
 * @counters_failed: failures on CPUs that came online
 * @counters_lock: orders the making and releasing of counters
 * @counters_ended: they were released for good; written and read under @counters_lock
 * @counters_work: makes and releases counters after CPUs came or went
 * @counters_cpus: CPUs that are online; written by the hotplug callbacks
 * @counters_dead: CPUs that went since; set by the hotplug callback, cleared by the work
 * @signalled: the reader was woken for the watermark since the last flip
 * @targets_gone: the reader was woken since no target is left
 * @wake: wakes the reader
 * @wait: where the reader waits
 * @cpuhp_node: entry of the hotplug state
 * @cpuhp_added: whether @cpuhp_node is registered
 * @probes: what is registered, a mask of enum wp_probe_nr
 * @later: WALLPROF_START_LATER was called; written and read under @lock
 * @following: the probes of fork and exit keep @follow
 * @follow: who descends from the targets; see follow.c
 */
struct wp_session {
	struct mutex lock;	/* orders the ioctls */
	u32 state;
	bool last_retired;
	struct wallprof_configure config ____cacheline_aligned_in_smp;
	struct wp_ids ids;
	struct wp_names names;
	bool targets_change;
	bool one_address;
	cpumask_var_t cpus_mask;
	bool all_cpus;
	bool passed_over;
	struct pid_namespace *pid_ns;
	struct user_namespace *user_ns;
	bool limited;

	u32 epoch;
	u64 start;
	u64 stop;
	struct wp_range summed;
	struct wp_range range;
	u64 end;

	struct wp_tasks tasks;
	bool claiming;
	unsigned long *hints;
	struct wp_layout layout;
	struct wp_cpu **cpus;
	struct mutex cpus_lock;		/* orders their coming with epochs */
	cpumask_var_t cpus_first;
	atomic_t cpus_failed;
	struct hlist_node cpus_node;
	bool cpus_followed;
	atomic_long_t late_pages;
	atomic_long_t grown_pages;
	atomic_long_t owed_pages;
	u32 halves_grown;
	bool grow_failed;
	struct page *empty;
	struct address_space *mapping;
	struct wallprof_tail *tails;

	struct wp_mappings mappings;

	struct mm_struct *mm;
	unsigned long mm_pages;
	unsigned long mm_limit;
	struct wp_nomem nomem;

	atomic64_t tasks_failed;
	atomic64_t untracked_off;
	atomic64_t untracked_ns;
	atomic64_t untracked_count;
	atomic_t live_targets;
	struct wp_event **events;
	u32 nr_events;
	atomic_t counters;
	atomic_t counters_failed;
	struct mutex counters_lock;	/* orders making and releasing */
	bool counters_ended;
	struct work_struct counters_work;
	cpumask_var_t counters_cpus;
	cpumask_var_t counters_dead;

	atomic_t signalled;
	atomic_t targets_gone;
	struct irq_work wake;
	wait_queue_head_t wait;

	struct hlist_node cpuhp_node;
	bool cpuhp_added;
	unsigned int probes;
	bool later;
	bool following;
	struct wp_follow follow;
};

#ifdef CONFIG_SMP
/*
 * What every switch reads is on other cache lines than what births, deaths, forks and
 * ioctls write.
 */
#define WP_LINE(member)	(offsetof(struct wp_session, member) / SMP_CACHE_BYTES)

static_assert(WP_LINE(last_retired) < WP_LINE(config));
static_assert(WP_LINE(tasks.bucket_mask) < WP_LINE(tasks.lock));
static_assert(WP_LINE(tasks.used) < WP_LINE(claiming));
static_assert(WP_LINE(mappings.nr_lived) < WP_LINE(mappings.by_mm));
static_assert(WP_LINE(mappings.changes) < WP_LINE(mappings.lock));
static_assert(WP_LINE(mappings.nr_missed) < WP_LINE(mm));
static_assert(WP_LINE(passed_over) < WP_LINE(tasks.lock));
static_assert(WP_LINE(cpus) < WP_LINE(nomem));
#endif

/* Flags that keep a session off the fast path. */
#define WP_FLAGS_NOT_FAST	(WALLPROF_TIMELINE | WALLPROF_WAKER_CHAINS | \
				 WALLPROF_LOCK_OWNERS)

/*
 * Whether most switches of a session are handled by the switch cache. Which states, CPUs
 * and targets are recorded is decided where an entry is learned, and what may change
 * later where it is used. An entry has a user stack, and a kernel stack beside it. Constant
 * after CONFIGURE. Context: process.
 */
static inline bool wp_session_is_fast(const struct wp_session *session)
{
	const struct wallprof_configure *config = &session->config;

	return config->flags & WALLPROF_REASONS &&
	       !(config->flags & WP_FLAGS_NOT_FAST) &&
	       (!(config->stack_flags & WALLPROF_STACK_KERNEL) ||
		(WP_HAS_KERNEL_CACHE && config->stack_flags & WP_STACK_WALK));
}

/*
 * Whether, of a session that is wp_session_is_fast(), intervals of any length are summed,
 * and targets stay targets. The probe that the scheduler calls most often does not test
 * what is known here. Constant after CONFIGURE. Context: process.
 */
static inline bool wp_session_is_unfiltered(const struct wp_session *session)
{
	const struct wallprof_configure *config = &session->config;

	return !config->min_ns && !config->max_ns && !config->wait_ns &&
	       !session->targets_change;
}

/* Whether threads have slots; samples of the whole host need none. */
static inline bool wp_session_has_tasks(const struct wp_session *session)
{
	return session->config.flags & WALLPROF_OFFCPU ||
	       session->config.target != WALLPROF_TARGET_ALL;
}

/* Whether the session sees a thread's last switch, which gives its slot back. */
static inline bool wp_session_sees_switches(const struct wp_session *session)
{
	return session->config.flags & (WALLPROF_OFFCPU | WALLPROF_TIMELINE);
}

/* Whether an event at @time belongs to the session. Any context. */
static inline bool wp_session_covers(const struct wp_session *session, u64 time)
{
	return time >= READ_ONCE(session->start) &&
	       time <= READ_ONCE(session->stop);
}

/*
 * Sets the wakeup of a thread that was off its CPU at START: if no wakeup is seen before
 * it comes to a CPU, it was woken before START. Context: under the task table's lock.
 */
static inline void wp_session_assume_woken(const struct wp_session *session,
					   struct wallprof_task *slot)
{
	if (session->config.flags & WALLPROF_WAKEUPS)
		slot->woken = slot->born;
}

/* What a session has for any CPU; NULL if that has no memory. Any context. */
static inline struct wp_cpu *wp_session_cpu(const struct wp_session *session,
					    unsigned int nr)
{
	/* Pairs with the release store in wp_cpus_publish(). */
	struct wp_cpu *cpu = smp_load_acquire(&session->cpus[nr]);

	return cpu->nomem ? NULL : cpu;
}

/* Makes a CPU's halves ready for an epoch. Context: process, cpus_lock held. */
static inline void wp_session_begin_cpu(const struct wp_session *session,
					struct wp_cpu *cpu, u32 epoch)
{
	if (session->config.flags & WALLPROF_OFFCPU)
		wp_half_begin(&cpu->sched, epoch);
	if (session->config.flags & WALLPROF_SAMPLER)
		wp_half_begin(&cpu->sampler, epoch);
}

/* Counts a loss on a CPU without memory. Any context. */
static inline void wp_session_lose(struct wp_session *session, enum wallprof_loss loss,
				   u64 ns)
{
	atomic64_inc(&session->nomem.lost[loss]);
	atomic64_add(ns, &session->nomem.lost_ns[loss]);
}

/* The epoch to write to. Any context. */
static inline u32 wp_session_epoch(const struct wp_session *session)
{
	/* Pairs with the release store in wp_epoch_begin(). */
	return smp_load_acquire(&session->epoch);
}

/*
 * Waits until every event that had begun is over: events have interrupts off or are NMIs,
 * which it waits for. The grace period is expedited since the callback of a normal one
 * is queued behind all those of a fork bomb, whose threads keep callbacks from running:
 * on the debug kernel a flip took minutes then, and takes seconds now. A kernel that must
 * not expedite (rcupdate.rcu_normal, PREEMPT_RT once it has booted) does not.
 * Context: process.
 */
static inline void wp_session_quiesce(void)
{
	wp_synchronize_irqs_off_expedited();
}

/* Wakes the reader, once an epoch. Any context, NMI included. */
static inline void wp_session_signal(struct wp_session *session, atomic_t *once)
{
	if (!atomic_read(once) && !atomic_xchg(once, 1))
		irq_work_queue(&session->wake);
}

/*
 * Wakes the reader, outside of the probe, if the tables of a half have filled up to their
 * watermarks. Context: the half's writer, any.
 */
static inline void wp_session_grew(struct wp_session *session, const struct wp_half *half)
{
	if (wp_half_above_watermark(half))
		wp_session_signal(session, &session->signalled);
}

#endif /* WALLPROF_STATE_H */
