// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a session, one open descriptor: configure, start, flip, stop, free.
 * configure.c has its memory, epoch.c the change of epochs.
 *
 * This file owns the order of these steps. device.c calls all of it in process context;
 * session->lock orders the calls. Sessions share nothing but the tracepoints, to which
 * each adds probes of its own, and equal unwind tables.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>

#include "compat/mm.h"
#include "configure.h"
#include "counters.h"
#include "cpus.h"
#include "epoch.h"
#include "follow.h"
#include "growth.h"
#include "mappings.h"
#include "pure/config.h"
#include "pure/intervals.h"
#include "remote_stack.h"
#include "session.h"
#include "state.h"
#include "targets.h"
#include "tracepoint.h"
#include "unwind_store.h"

static_assert(sizeof(struct wallprof_half) <= PAGE_SIZE);

/* How far ahead of the clock the start and the end of a session are set. */
#define WP_LEAD_US	200

/* Tries to unregister the probes, and the time between them. */
#define WP_DETACH_TRIES	500
#define WP_DETACH_MS	10

/* Slots that are visited between two cond_resched(). */
#define WP_SLOTS_AT_ONCE	4096

static void wp_session_wake(struct irq_work *work)
{
	struct wp_session *session = container_of(work, struct wp_session, wake);

	wake_up_interruptible_poll(&session->wait, EPOLLIN | EPOLLHUP);
}

/**
 * wp_session_new - make a session
 * @mapping: of the inode that was opened
 *
 * Context: process.
 * Return: the session, or an error pointer.
 */
struct wp_session *wp_session_new(struct address_space *mapping)
{
	struct wp_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&session->cpus_mask, GFP_KERNEL_ACCOUNT))
		goto session;
	if (!zalloc_cpumask_var(&session->counters_cpus, GFP_KERNEL_ACCOUNT))
		goto cpus_mask;
	if (!zalloc_cpumask_var(&session->counters_dead, GFP_KERNEL_ACCOUNT))
		goto counters_cpus;
	if (!zalloc_cpumask_var(&session->cpus_first, GFP_KERNEL_ACCOUNT))
		goto counters_dead;
	mutex_init(&session->lock);
	mutex_init(&session->cpus_lock);
	session->mapping = mapping;
	wp_counters_prepare(session);
	wp_mappings_init(&session->mappings);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, wp_session_wake);
	session->start = U64_MAX;
	session->stop = U64_MAX;
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	session->user_ns = get_user_ns(current_user_ns());
	return session;
counters_dead:
	free_cpumask_var(session->counters_dead);
counters_cpus:
	free_cpumask_var(session->counters_cpus);
cpus_mask:
	free_cpumask_var(session->cpus_mask);
session:
	kfree(session);
	return ERR_PTR(-ENOMEM);
}

/*
 * Unregisters the probes. If wp_tracepoints_detach() has no memory for that, it waits for
 * some: the process may be closing the descriptor since the OOM killer ends it. If none
 * comes, the session's memory is kept, and so is the module.
 */
static bool wp_session_detach(struct wp_session *session)
{
	unsigned int tries;

	/* The session may be closed without STOP. */
	WRITE_ONCE(session->stop, 0);
	for (tries = 0; !wp_tracepoints_detach(session); tries++) {
		if (tries == WP_DETACH_TRIES) {
			__module_get(THIS_MODULE);
			pr_warn_once("no memory to unregister probes: the module cannot be unloaded\n");
			return false;
		}
		msleep(WP_DETACH_MS);
	}
	return true;
}

/**
 * wp_session_free - free a session
 * @session: a session without other users
 *
 * In the order of the dependencies: first the writers, then what wakes the reader, then
 * the memory.
 *
 * Context: process.
 */
void wp_session_free(struct wp_session *session)
{
	bool detached = wp_session_detach(session);

	wp_counters_end(session);
	wp_cpus_unfollow(session);
	if (!detached)
		return;
	if (session->state != WALLPROF_SESSION_OPEN)
		wp_session_quiesce();
	irq_work_sync(&session->wake);
	wp_follow_free(session);
	if (session->mm)
		wp_mappings_release(session);
	wp_configure_release(session);
	put_pid_ns(session->pid_ns);
	put_user_ns(session->user_ns);
	free_cpumask_var(session->cpus_first);
	free_cpumask_var(session->counters_dead);
	free_cpumask_var(session->counters_cpus);
	free_cpumask_var(session->cpus_mask);
	kfree(session);
}

/**
 * wp_session_configure - WALLPROF_IOC_CONFIGURE
 * @session: the session, locked
 * @config: the options; the out fields are filled
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_configure(struct wp_session *session,
			 struct wallprof_configure *config)
{
	int err;

	if (session->state != WALLPROF_SESSION_OPEN)
		return -EBUSY;
	if (!wp_config_ok(config))
		return -EINVAL;
	session->config = *config;
	wp_config_fill(&session->config);
	session->targets_change = wp_config_targets_change(config);
	session->one_address = config->max_stack == 1 &&
			       (config->stack_flags & WP_STACK_WALK) == WALLPROF_STACK_USER;
	session->range = wp_range_of(config->min_ns, config->max_ns);
	session->summed = wp_range_below(&session->range, config->wait_ns);
	err = wp_configure_set_up(session);
	if (err) {
		wp_cpus_unfollow(session);
		wp_configure_release(session);
		session->epoch = 0;
		atomic_set(&session->counters_failed, 0);
		return err;
	}
	*config = session->config;
	/* Pairs with wp_session_mmap(). */
	smp_store_release(&session->state, WALLPROF_SESSION_CONFIGURED);
	return 0;
}

/*
 * Sets session->start or session->stop. The time lies ahead by so much that all CPUs see
 * the new value before that time comes: none compares a later event with the old value.
 *
 * Unless this CPU stood still between the read of the clock and the store, as a virtual
 * CPU may. Then some events were compared with the old value: for each thread the first
 * ones, none of them later than the time that is returned.
 *
 * Returns the time, or a later one, after it has passed.
 */
static u64 wp_session_set_time(u64 *time)
{
	const u64 lead = WP_LEAD_US * NSEC_PER_USEC;
	unsigned long flags;
	u64 at, seen;

	local_irq_save(flags);
	at = ktime_get_mono_fast_ns() + lead;
	WRITE_ONCE(*time, at);
	/*
	 * All CPUs see the store before the clock is read. The probes have no barrier
	 * that this pairs with: they may load the time before they read the clock, but
	 * not by as much as the lead.
	 */
	smp_mb();
	seen = ktime_get_mono_fast_ns();
	if (unlikely(seen >= at))
		at = seen + lead;
	local_irq_restore(flags);
	while (ktime_get_mono_fast_ns() <= at)
		usleep_range(WP_LEAD_US, 2 * WP_LEAD_US);
	return at;
}

/* Undoes a START that found no target, as if it had not been called. */
static void wp_session_unstart(struct wp_session *session)
{
	struct wp_cpu *cpu;
	unsigned int nr;

	/* A probe that cannot be unregistered finds that the session has ended. */
	WRITE_ONCE(session->stop, 0);
	WRITE_ONCE(session->start, U64_MAX);
	WRITE_ONCE(session->following, false);
	session->later = false;
	wp_tracepoints_detach(session);
	wp_tasks_clear(&session->tasks);
	for_each_possible_cpu(nr) {
		cpu = wp_session_cpu(session, nr);
		if (!cpu)
			continue;
		cpu->current_key = 0;
		if (session->tails)
			wp_ring_reset(&cpu->ring);
	}
	memset(&session->nomem, 0, sizeof(session->nomem));
	if (session->tails)
		memset(session->tails, 0, session->layout.tails_bytes);
	atomic_set(&session->signalled, 0);
	atomic_set(&session->live_targets, 0);
	atomic64_set(&session->tasks_failed, 0);
	atomic64_set(&session->untracked_off, 0);
	atomic64_set(&session->untracked_ns, 0);
	atomic64_set(&session->untracked_count, 0);
	WRITE_ONCE(session->passed_over, false);
	atomic_set(&session->targets_gone, 0);
	/* The current half may hold records of the probes. */
	wp_epoch_begin(session, session->epoch + 1);
}

/**
 * wp_session_event - WALLPROF_IOC_EVENT
 * @session: the session, locked
 * @event: the event; out: its number
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_event(struct wp_session *session, struct wallprof_event *event)
{
	if (session->state == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	if (session->state != WALLPROF_SESSION_CONFIGURED)
		return -EBUSY;
	if (!wp_config_event_ok(&session->config, event))
		return -EINVAL;
	return wp_counters_add(session, event);
}

/* START, with WALLPROF_START_LATER. */
static int wp_session_start_later(struct wp_session *session)
{
	int err;

	if (session->later)
		return -EBUSY;
	/* Probes of a START that failed may still be registered. */
	if (!wp_tracepoints_detach(session))
		return -ENOMEM;
	err = wp_follow_begin(session);
	if (!err && session->follow.keys) {
		WRITE_ONCE(session->following, true);
		err = wp_tracepoints_follow(session);
		if (err)
			WRITE_ONCE(session->following, false);
	}
	session->later = !err;
	return err;
}

/* Registers the probes, if need be beside those that follow. */
static int wp_session_attach(struct wp_session *session)
{
	int err;

	/* Probes of a START that failed may still be registered. */
	if (!session->following && !wp_tracepoints_detach(session))
		return -ENOMEM;
	WRITE_ONCE(session->stop, U64_MAX);
	err = wp_tracepoints_attach(session);
	if (err) {
		WRITE_ONCE(session->following, false);
		session->later = false;
	}
	return err;
}

/* Gives slots to the targets. Their START's time has come. */
static int wp_session_claim(struct wp_session *session)
{
	if (!session->following)
		return wp_targets_claim(session);
	wp_follow_settle(session);
	return session->follow.full ? -ENOSPC : wp_targets_claim(session);
}

/**
 * wp_session_start - WALLPROF_IOC_START
 * @session: the session, locked
 * @start: out: the time
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_start(struct wp_session *session, struct wallprof_start *start)
{
	bool tasks = wp_session_has_tasks(session);
	int err;

	if (start->flags & ~WALLPROF_START_LATER || session->state == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	if (session->state != WALLPROF_SESSION_CONFIGURED)
		return -EBUSY;
	if (start->flags & WALLPROF_START_LATER) {
		start->time = 0;
		return wp_session_start_later(session);
	}
	if (session->config.flags & WALLPROF_SAMPLER && !session->nr_events)
		return -EINVAL;
	err = wp_session_attach(session);
	if (err)
		return err;
	/* A child that is forked when the time has come is a target, as its parent will be. */
	WRITE_ONCE(session->claiming, tasks);
	/* All probes are live before the first event counts, so no event is missed. */
	wp_session_set_time(&session->start);
	err = tasks ? wp_session_claim(session) : 0;
	WRITE_ONCE(session->claiming, false);
	WRITE_ONCE(session->following, false);
	if (err) {
		wp_session_unstart(session);
		return err;
	}
	wp_counters_start(session);
	start->time = session->start;
	return 0;
}

/**
 * wp_session_flip - WALLPROF_IOC_FLIP
 * @session: the session, locked
 * @flip: out: what was retired
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_flip(struct wp_session *session, struct wallprof_flip *flip)
{
	u32 epoch = session->epoch;

	if (flip->flags || flip->reserved)
		return -EINVAL;
	switch (session->state) {
	case WALLPROF_SESSION_RUNNING:
		if (epoch == WP_EPOCH_MAX)
			return -EOVERFLOW;
		wp_growth_give(session, epoch + 1);
		wp_epoch_begin(session, epoch + 1);
		wp_mappings_retire_dead(session);
		/*
		 * After this no event writes to the old half, or reads what was retired.
		 */
		wp_session_quiesce();
		wp_epoch_settle(session, epoch);
		wp_mappings_settle(session);
		atomic_set(&session->signalled, 0);
		flip->time = ktime_get_mono_fast_ns();
		break;
	case WALLPROF_SESSION_STOPPED:
		if (session->last_retired)
			return -ENODATA;
		session->last_retired = true;
		flip->time = session->end;
		break;
	default:
		return -EINVAL;
	}
	flip->epoch = epoch;
	return 0;
}

/* Completes the per-thread totals at the end. The probes are gone. */
static void wp_session_end_tasks(struct wp_session *session)
{
	struct wp_tasks *tasks = &session->tasks;
	struct wallprof_task *slot;
	u32 i;

	for (i = 0; i < wp_tasks_nr(tasks); i++) {
		slot = &tasks->slots[i];
		if (!(i % WP_SLOTS_AT_ONCE))
			cond_resched();
		if (slot->phase == WALLPROF_TASK_FREE ||
		    slot->flags & WALLPROF_TASK_ARMED)
			continue;
		if (slot->phase == WALLPROF_TASK_UNSEEN &&
		    !(session->config.states & BIT(slot->state)))
			slot->flags |= WALLPROF_TASK_FILTERED;
		wp_interval_end(slot, session->end,
				test_bit(i, session->hints), &session->range);
	}
	/* Threads without a slot that are off their CPUs: their time ends now. */
	atomic64_add(atomic64_read(&session->untracked_off) * session->end,
		     &session->untracked_ns);
	atomic64_set(&session->untracked_off, 0);
}

/**
 * wp_session_push - WALLPROF_IOC_PUSH
 * @session: the session, locked
 * @push: the table; out: its id
 *
 * Processes that have ended use their tables until a grace period has passed. If there is
 * no room, that is waited for before tables are dropped.
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_push(struct wp_session *session, struct wallprof_push *push)
{
	int err;

	if (push->flags & ~WALLPROF_PUSH_ONCE || session->state == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	err = wp_store_push(session, push, false);
	if ((err != -ENOSPC && err != -ENOMEM) || !session->mappings.nr_tables)
		return err;
	wp_mappings_retire_dead(session);
	/* Not for each table that finds no room. */
	if (session->mappings.nr_retired) {
		wp_session_quiesce();
		wp_mappings_free_retired(session);
	}
	return wp_store_push(session, push, true);
}

/**
 * wp_session_maps - WALLPROF_IOC_MAPS
 * @session: the session, locked
 * @maps: the mappings of a process
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_maps(struct wp_session *session, struct wallprof_maps *maps)
{
	const struct wp_code *code;
	struct mm_struct *mm;
	int err;

	err = wp_mappings_map(session, maps, &mm, &code);
	/* The published mappings stay, as long as the session is locked. */
	if (!err && code)
		wp_remote_walk(session, maps->pid, mm, code);
	return err;
}

/**
 * wp_session_stop - WALLPROF_IOC_STOP
 * @session: the session, locked
 * @stop: out: the time
 *
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_stop(struct wp_session *session, struct wallprof_stop *stop)
{
	bool offcpu = session->config.flags & WALLPROF_OFFCPU;

	if (stop->flags)
		return -EINVAL;
	if (session->state == WALLPROF_SESSION_STOPPED)
		return -EBUSY;
	if (session->state != WALLPROF_SESSION_RUNNING)
		return -EINVAL;
	if (offcpu)
		wp_targets_look(session);
	session->end = wp_session_set_time(&session->stop);
	wp_tracepoints_detach(session);
	wp_counters_end(session);
	wp_cpus_unfollow(session);
	wp_session_quiesce();
	wp_epoch_settle(session, session->epoch);
	if (offcpu)
		wp_session_end_tasks(session);
	WRITE_ONCE(session->state, WALLPROF_SESSION_STOPPED);
	stop->time = session->end;
	wake_up_interruptible_poll(&session->wait, EPOLLHUP);
	return 0;
}

/* Of a session that is to start later no thread has a slot yet. */
static u32 wp_session_live_targets(struct wp_session *session)
{
	if (session->state == WALLPROF_SESSION_CONFIGURED && session->later &&
	    session->config.target != WALLPROF_TARGET_ALL)
		return !wp_targets_set(session);
	return atomic_read(&session->live_targets);
}

/**
 * wp_session_status - WALLPROF_IOC_STATUS
 * @session: the session, locked
 * @status: out
 *
 * Context: process; may sleep.
 * Return: 0.
 */
int wp_session_status(struct wp_session *session, struct wallprof_status *status)
{
	struct wallprof_lost *no_task = &status->lost[WALLPROF_LOSS_NO_TASK];
	struct wp_nomem *nomem = &session->nomem;
	unsigned int i;

	for (i = 0; i < WALLPROF_LOSS_MAX; i++) {
		status->lost[i].count = atomic64_read(&nomem->lost[i]);
		status->lost[i].ns = atomic64_read(&nomem->lost_ns[i]);
	}
	for_each_possible_cpu(i)
		status->cpus += session->cpus && wp_session_cpu(session, i);
	status->cpus_failed = atomic_read(&session->cpus_failed);
	status->cpus_bytes = (u64)atomic_long_read(&session->late_pages) << PAGE_SHIFT;
	status->grown_bytes = (u64)atomic_long_read(&session->grown_pages) << PAGE_SHIFT;
	status->grow_failed = session->grow_failed;
	status->halves_grown = session->halves_grown;
	status->filtered.count = atomic64_read(&nomem->filtered);
	status->filtered.ns = atomic64_read(&nomem->filtered_ns);
	status->out_of_range.count = atomic64_read(&nomem->out_of_range);
	status->out_of_range.ns = atomic64_read(&nomem->out_of_range_ns);
	status->records_lost = atomic64_read(&nomem->records);
	status->state = session->state;
	status->epoch = session->epoch;
	status->nr_tasks = READ_ONCE(session->tasks.used);
	status->tasks_failed = atomic64_read(&session->tasks_failed);
	status->counters = atomic_read(&session->counters);
	status->counters_failed = atomic_read(&session->counters_failed);
	status->nr_live_targets = wp_session_live_targets(session);
	status->start = session->start == U64_MAX ? 0 : session->start;
	status->stop = session->end;
	no_task->count = atomic64_read(&session->untracked_count);
	no_task->ns = atomic64_read(&session->untracked_ns);
	wp_mappings_status(session, status);
	return 0;
}

/*
 * Context: process, the mmap lock held. The mapping holds the descriptor, and the
 * session's memory stays until that is closed: no lock is needed.
 */
static vm_fault_t wp_session_fault(struct vm_fault *vmf)
{
	struct wp_session *session = vmf->vma->vm_file->private_data;
	struct wp_place place;
	char *part;

	if (!wp_layout_find(&session->layout, (u64)vmf->pgoff << PAGE_SHIFT, &place))
		return VM_FAULT_SIGBUS;
	if (place.part == WP_PART_TABLES || place.part == WP_PART_RING)
		return wp_cpus_fault(session, &place, vmf);
	part = place.part == WP_PART_TASKS ? (char *)session->tasks.slots :
					     (char *)session->tails;
	vmf->page = vmalloc_to_page(part + place.rest);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct wp_session_vm_ops = {
	.fault = wp_session_fault,
};

/**
 * wp_session_mmap - map the tables
 * @session: the session, not locked
 * @vma: the mapping
 *
 * Context: process, the mmap lock held.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_session_mmap(struct wp_session *session, struct vm_area_struct *vma)
{
	const struct wallprof_configure *config = &session->config;
	u64 bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	bool writable;

	/*
	 * session->lock is held by ioctls that may wait for the mmap lock, which is held
	 * here. All that is read is constant once the session is configured. Pairs with
	 * the release store in wp_session_configure().
	 */
	if (smp_load_acquire(&session->state) == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	/* VM_SHARED is dropped for a descriptor that cannot be written. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	writable = config->flags & WALLPROF_TIMELINE && offset >= config->tails_offset;
	if (vma->vm_flags & VM_WRITE && !writable)
		return -EACCES;
	if (offset > config->map_bytes || bytes > config->map_bytes - offset)
		return -EINVAL;
	/*
	 * A read-only mapping must not be made writable. None may grow, be dumped, or be
	 * copied by fork: a child that closes the descriptor must not keep the session.
	 */
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
		     VM_MAYEXEC | (writable ? 0 : VM_MAYWRITE));
	vma->vm_ops = &wp_session_vm_ops;
	return 0;
}
