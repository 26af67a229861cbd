// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the scheduler's events of a Perfetto trace: bundles of each CPU's events, as the
 * kernel's own tracer writes them, from which Perfetto builds its tables of slices and
 * states. Called by the export command.
 *
 * Times are in the bundles' own clock, see pftrace.c. Perfetto sorts by time, so a bundle
 * may wait until it is full.
 *
 * The function that a thread is blocked in follows the switch by which the thread leaves.
 * The kernel's own event for this comes with the wakeup; Perfetto expects it between the
 * two.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/text.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pfsched.h"
#include "lib/perfetto/pfthreads.h"

#define PER_BUNDLE	64

/**
 * struct slot - an event of a bundle, with all that it refers to
 * @event: the event
 * @comm: storage of its names
 */
struct slot {
	Pf__FtraceEvent event;
	union {
		Pf__SchedSwitchFtraceEvent switched;
		Pf__SchedWakingFtraceEvent waking;
		Pf__SchedWakeupNewFtraceEvent wakeup_new;
		Pf__SchedMigrateTaskFtraceEvent migrate;
		Pf__SchedProcessExitFtraceEvent exits;
		Pf__SchedProcessFreeFtraceEvent freed;
		Pf__TaskNewtaskFtraceEvent newtask;
		Pf__TaskRenameFtraceEvent rename;
		Pf__SchedBlockedReasonFtraceEvent blocked;
	};
	char comm[2][WP_SCHED_COMM];
};

/**
 * struct bundle - contents of a CPU's next packet
 * @nr: number of events
 * @gap: events are missing before them
 * @running: the thread that runs there, -1 if unknown
 * @time: time of the last event
 * @lost: number of events lost there so far
 * @slot: the events
 */
struct bundle {
	unsigned int nr;
	bool gap;
	__s32 running;
	__u64 time;
	__u64 lost;
	struct slot slot[PER_BUNDLE];
};

/**
 * struct wp_pfsched - the events
 * @trace: the output
 * @timeline: the recording has switches and wakeups
 * @threads_written: the threads known from the start have been written
 * @threads: all threads
 * @bundle: by CPU, NULL while there is none
 * @functions: interned names of kernel functions
 * @stats: statistics
 */
struct wp_pfsched {
	struct wp_pftrace *trace;
	bool timeline;
	bool threads_written;
	struct wp_pfthreads threads;
	struct bundle *bundle[WP_PF_CPUS];
	struct wp_intern functions;
	struct wp_pfsched_stats stats;
};

/**
 * wp_pfsched_new() - allocate the events of a trace
 * @out: set to the events, to be freed with wp_pfsched_free()
 * @trace: the trace
 * @timeline: the recording has switches and wakeups; if not, threads are written, and no
 *	events
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsched_new(struct wp_pfsched **out, struct wp_pftrace *trace, bool timeline)
{
	struct wp_pfsched *s = calloc(1, sizeof(*s));

	if (!s)
		return wp_no_memory("the scheduler's events");
	s->trace = trace;
	s->timeline = timeline;
	*out = s;
	return 0;
}

static int flush(struct wp_pfsched *s, __u32 cpu)
{
	Pf__FtraceEvent *events[PER_BUNDLE];
	Pf__FtraceEventBundle out = PF__FTRACE_EVENT_BUNDLE__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	struct bundle *b = s->bundle[cpu];
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		events[i] = &b->slot[i].event;
	out.has_cpu = true;
	out.cpu = cpu;
	out.n_event = b->nr;
	out.event = events;
	out.has_lost_events = b->gap;
	out.lost_events = b->gap;
	out.has_ftrace_clock = true;
	out.ftrace_clock = PF__FTRACE_CLOCK__FTRACE_CLOCK_GLOBAL;
	packet.data_case = PF__TRACE_PACKET__DATA_FTRACE_EVENTS;
	packet.ftrace_events = &out;
	packet.has_sequence_flags = s->functions.nr;
	packet.sequence_flags = PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	b->nr = 0;
	b->gap = false;
	return wp_pftrace_packet(s->trace, &packet, WP_PF_SEQUENCE, b->time);
}

static struct bundle *bundle_of(struct wp_pfsched *s, __u32 cpu)
{
	struct bundle *b = s->bundle[cpu];

	if (b)
		return b;
	b = calloc(1, sizeof(*b));
	if (!b) {
		wp_err("no memory for the events of CPU %u", cpu);
		return NULL;
	}
	b->running = -1;
	s->bundle[cpu] = b;
	return b;
}

/*
 * Allocate an event; @tid is the thread that ran there, -1 if its id is gone: then it is
 * the thread that was switched to. NULL if there is no memory.
 */
static struct slot *add(struct wp_pfsched *s, const struct wp_schedevent *ev, __s32 tid)
{
	struct bundle *b = bundle_of(s, ev->cpu);
	struct slot *slot;

	if (!b || (b->nr == PER_BUNDLE && flush(s, ev->cpu)))
		return NULL;
	slot = &b->slot[b->nr++];
	memset(slot, 0, sizeof(*slot));
	pf__ftrace_event__init(&slot->event);
	slot->event.has_timestamp = true;
	slot->event.timestamp = ev->time;
	slot->event.has_pid = true;
	slot->event.pid = tid < 0 ? b->running : tid;
	b->time = ev->time;
	s->stats.events++;
	return slot;
}

static char *comm_of(struct slot *slot, int nr, const struct wp_schedthread *who)
{
	memcpy(slot->comm[nr], who->comm, WP_SCHED_COMM);
	slot->comm[nr][WP_SCHED_COMM - 1] = 0;
	wp_text_clean(slot->comm[nr], false);
	return slot->comm[nr];
}

static int add_switch(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct slot *slot = add(s, ev, ev->who.tid);
	Pf__SchedSwitchFtraceEvent *e;

	if (!slot)
		return -EIO;
	e = &slot->switched;
	pf__sched_switch_ftrace_event__init(e);
	e->prev_comm = comm_of(slot, 0, &ev->who);
	e->has_prev_pid = true;
	e->prev_pid = ev->who.tid;
	e->has_prev_prio = ev->who.prio >= 0;
	e->prev_prio = ev->who.prio;
	e->has_prev_state = true;
	e->prev_state = wp_pf_state(wp_pftrace_layout(s->trace), ev->state, ev->preempted);
	e->next_comm = comm_of(slot, 1, &ev->other);
	e->has_next_pid = true;
	e->next_pid = ev->other.tid;
	e->has_next_prio = ev->other.prio >= 0;
	e->next_prio = ev->other.prio;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_SWITCH;
	slot->event.sched_switch = e;
	s->bundle[ev->cpu]->running = ev->other.tid;
	s->stats.switches++;
	return 0;
}

static int add_waking(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct slot *slot = add(s, ev, ev->other.tid);
	Pf__SchedWakingFtraceEvent *e;

	if (!slot)
		return -EIO;
	e = &slot->waking;
	pf__sched_waking_ftrace_event__init(e);
	e->comm = comm_of(slot, 0, &ev->who);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->has_prio = ev->who.prio >= 0;
	e->prio = ev->who.prio;
	e->has_success = true;
	e->success = 1;
	e->has_target_cpu = true;
	e->target_cpu = ev->to_cpu;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_WAKING;
	slot->event.sched_waking = e;
	return 0;
}

/* Write a function's name once; events refer to it by number. */
static int write_function(struct wp_pfsched *s, __u32 nr, const char *name, __u64 time)
{
	Pf__InternedString string = PF__INTERNED_STRING__INIT, *strings[] = { &string };
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	string.has_iid = true;
	string.iid = nr;
	string.has_str = true;
	string.str.data = (uint8_t *)name;
	string.str.len = strlen(name);
	data.n_kernel_symbols = 1;
	data.kernel_symbols = strings;
	packet.interned_data = &data;
	packet.has_sequence_flags = true;
	packet.sequence_flags = nr == 1 ?
		PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED :
		PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	return wp_pftrace_packet(s->trace, &packet, WP_PF_SEQUENCE, time);
}

static int add_blocked(struct wp_pfsched *s, const struct wp_schedevent *ev,
		       const char *function, bool io)
{
	Pf__SchedBlockedReasonFtraceEvent *e;
	struct slot *slot;
	bool is_new;
	__u32 nr;
	int err;

	nr = wp_intern(&s->functions, function, strlen(function), &is_new);
	if (!nr)
		return wp_no_memory("the names of functions");
	err = is_new ? write_function(s, nr, function, ev->time) : 0;
	if (err)
		return err;
	slot = add(s, ev, ev->who.tid);
	if (!slot)
		return -EIO;
	e = &slot->blocked;
	pf__sched_blocked_reason_ftrace_event__init(e);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->has_caller = true;
	e->caller = nr;
	e->has_io_wait = true;
	e->io_wait = io;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_BLOCKED_REASON;
	slot->event.sched_blocked_reason = e;
	s->stats.blocked++;
	return 0;
}

/*
 * Perfetto treats a new thread as runnable from its fork on, and ignores this event. If
 * the fork is missing, write an ordinary wakeup instead.
 */
static int add_wakeup_new(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	const struct wp_pfthread *thread = wp_pfthreads_find(&s->threads, ev->who.tid);
	Pf__SchedWakeupNewFtraceEvent *e;
	struct slot *slot;

	if (!thread || !thread->born)
		return add_waking(s, ev);
	slot = add(s, ev, ev->other.tid);
	if (!slot)
		return -EIO;
	e = &slot->wakeup_new;
	pf__sched_wakeup_new_ftrace_event__init(e);
	e->comm = comm_of(slot, 0, &ev->who);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->has_prio = ev->who.prio >= 0;
	e->prio = ev->who.prio;
	e->has_success = true;
	e->success = 1;
	e->has_target_cpu = true;
	e->target_cpu = ev->to_cpu;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_WAKEUP_NEW;
	slot->event.sched_wakeup_new = e;
	return 0;
}

static int add_migrate(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct slot *slot = add(s, ev, ev->other.tid);
	Pf__SchedMigrateTaskFtraceEvent *e;

	if (!slot)
		return -EIO;
	e = &slot->migrate;
	pf__sched_migrate_task_ftrace_event__init(e);
	e->comm = comm_of(slot, 0, &ev->who);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->has_prio = ev->who.prio >= 0;
	e->prio = ev->who.prio;
	e->has_orig_cpu = true;
	e->orig_cpu = ev->from_cpu;
	e->has_dest_cpu = true;
	e->dest_cpu = ev->to_cpu;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_MIGRATE_TASK;
	slot->event.sched_migrate_task = e;
	return 0;
}

static int add_name(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct slot *slot = add(s, ev, ev->who.tid);
	Pf__TaskRenameFtraceEvent *e;

	if (!slot)
		return -EIO;
	e = &slot->rename;
	pf__task_rename_ftrace_event__init(e);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->newcomm = comm_of(slot, 0, &ev->who);
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_TASK_RENAME;
	slot->event.task_rename = e;
	return 0;
}

/* The process ids of parent and child show whether the child is a process or a thread. */
static int add_fork(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct wp_pfthread *thread = wp_pfthreads_find(&s->threads, ev->who.tid);
	Pf__TaskNewtaskFtraceEvent *e;
	struct slot *slot;

	if (!thread || ev->who.pid < 0)
		return 0;
	slot = add(s, ev, ev->other.tid);
	if (!slot)
		return -EIO;
	e = &slot->newtask;
	pf__task_newtask_ftrace_event__init(e);
	e->has_pid = true;
	e->pid = ev->who.tid;
	memcpy(slot->comm[0], thread->comm, WP_SCHED_COMM);
	e->comm = slot->comm[0];
	e->has_clone_flags = true;
	e->clone_flags = ev->who.tid == ev->who.pid ? 0 : CLONE_THREAD;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_TASK_NEWTASK;
	slot->event.task_newtask = e;
	thread->born = true;
	return 0;
}

static int add_exit(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct wp_pfthread *thread = wp_pfthreads_find(&s->threads, ev->who.tid);
	Pf__SchedProcessExitFtraceEvent *e;
	struct slot *slot;

	if (thread)
		thread->exits = true;
	slot = add(s, ev, ev->who.tid);
	if (!slot)
		return -EIO;
	e = &slot->exits;
	pf__sched_process_exit_ftrace_event__init(e);
	e->comm = comm_of(slot, 0, &ev->who);
	e->has_pid = true;
	e->pid = ev->who.tid;
	e->has_tgid = ev->who.pid >= 0;
	e->tgid = ev->who.pid;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_PROCESS_EXIT;
	slot->event.sched_process_exit = e;
	return 0;
}

static int add_freed(struct wp_pfsched *s, const struct wp_schedevent *ev, __s32 tid)
{
	struct slot *slot = add(s, ev, ev->who.tid);
	Pf__SchedProcessFreeFtraceEvent *e;

	if (!slot)
		return -EIO;
	e = &slot->freed;
	pf__sched_process_free_ftrace_event__init(e);
	e->comm = comm_of(slot, 0, &ev->who);
	e->has_pid = true;
	e->pid = tid;
	slot->event.event_case = PF__FTRACE_EVENT__EVENT_SCHED_PROCESS_FREE;
	slot->event.sched_process_free = e;
	return 0;
}

/* A dead thread is gone once it has left its CPU, and perhaps its process, too. */
static int add_ends(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	const struct wp_pfthread *leader;
	__s32 gone, pid;
	int err;

	if (!strchr("XZx", ev->state) || !ev->state || ev->preempted || ev->who.tid <= 0 ||
	    !wp_pfthreads_find(&s->threads, ev->who.tid))
		return 0;
	pid = wp_pfthreads_find(&s->threads, ev->who.tid)->pid;
	gone = wp_pfthreads_end(&s->threads, ev->who.tid);
	err = gone ? add_freed(s, ev, gone) : 0;
	leader = pid > 0 && pid != gone ? wp_pfthreads_find(&s->threads, pid) : NULL;
	if (err || !gone || !leader || !leader->ended || leader->others)
		return err;
	return add_freed(s, ev, pid);
}

static int add_lost(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	struct bundle *b = bundle_of(s, ev->cpu);
	int err;

	if (!b)
		return -ENOMEM;
	err = b->nr ? flush(s, ev->cpu) : 0;
	b->gap = true;
	b->running = -1;
	b->time = ev->time;
	b->lost += ev->lost;
	s->stats.lost += ev->lost;
	return err;
}

static int add_event(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	int err;

	switch (ev->type) {
	case WP_SCHED_SWITCH:
		err = add_switch(s, ev);
		return err ? err : add_ends(s, ev);
	case WP_SCHED_WAKING:
		return add_waking(s, ev);
	case WP_SCHED_WAKEUP_NEW:
		return add_wakeup_new(s, ev);
	case WP_SCHED_MIGRATE:
		return add_migrate(s, ev);
	case WP_SCHED_NAME:
		return add_name(s, ev);
	case WP_SCHED_FORK:
		return add_fork(s, ev);
	case WP_SCHED_EXIT:
		return add_exit(s, ev);
	case WP_SCHED_LOST:
		return add_lost(s, ev);
	}
	return 0;
}

static int learn(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	int err;

	if (ev->type == WP_SCHED_LOST)
		return 0;
	if (ev->type == WP_SCHED_FORK)
		err = wp_pfthreads_fork(&s->threads, ev);
	else
		err = wp_pfthreads_learn(&s->threads, &ev->who, ev->time);
	if (!err && ev->type != WP_SCHED_NAME && ev->type != WP_SCHED_EXIT)
		err = wp_pfthreads_learn(&s->threads, &ev->other, ev->time);
	return err;
}

/*
 * The trace begins with the first event that has a time; write the threads known by then.
 */
static int begin(struct wp_pfsched *s, __u64 time)
{
	int err = wp_pftrace_begin(s->trace, time);

	if (err || s->threads_written)
		return err;
	s->threads_written = true;
	return wp_pfthreads_write_all(&s->threads, s->trace, time);
}

/**
 * wp_pfsched_event() - add an event
 * @s: the events
 * @ev: the event; without a time it describes the state before the recording
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsched_event(struct wp_pfsched *s, const struct wp_schedevent *ev)
{
	int err;

	if (!ev->time)
		return learn(s, ev);
	err = begin(s, ev->time);
	if (!err)
		err = learn(s, ev);
	if (!err && s->timeline) {
		if (ev->cpu < WP_PF_CPUS)
			err = add_event(s, ev);
		else
			s->stats.left_out++;
	}
	if (!err && ev->type != WP_SCHED_LOST)
		err = wp_pfthreads_write(&s->threads, s->trace, ev->who.tid, ev->time);
	if (!err && ev->type != WP_SCHED_LOST)
		err = wp_pfthreads_write(&s->threads, s->trace, ev->other.tid, ev->time);
	return err;
}

/**
 * wp_pfsched_blocked() - add the function that a thread is blocked in
 * @s: the events
 * @ev: the last event, the switch by which the thread left its CPU
 * @function: the kernel's function
 * @io: the kernel counts the wait as iowait
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsched_blocked(struct wp_pfsched *s, const struct wp_schedevent *ev,
		       const char *function, bool io)
{
	if (!s->timeline || ev->cpu >= WP_PF_CPUS || ev->who.tid <= 0)
		return 0;
	return add_blocked(s, ev, function, io);
}

/**
 * wp_pfsched_running() - the thread that runs on a CPU
 * @s: the events
 * @cpu: the CPU
 *
 * Return: the thread that was switched to last; -1 if unknown.
 */
__s32 wp_pfsched_running(const struct wp_pfsched *s, __u32 cpu)
{
	return cpu < WP_PF_CPUS && s->bundle[cpu] ? s->bundle[cpu]->running : -1;
}

/**
 * wp_pfsched_sample() - add the thread of a sample
 * @s: the events
 * @pid: its process, or WP_SCHED_NO_PID
 * @tid: the thread
 * @time: time of the sample
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsched_sample(struct wp_pfsched *s, __s32 pid, __s32 tid, __u64 time)
{
	const struct wp_schedthread who = { .tid = tid, .pid = pid };
	int err = begin(s, time);

	if (!err)
		err = wp_pfthreads_learn(&s->threads, &who, time);
	return err ? err : wp_pfthreads_write(&s->threads, s->trace, tid, time);
}

/* Write the number of lost events of each CPU, at the beginning (none) or at the end. */
static int write_stats(struct wp_pfsched *s, Pf__FtraceStats__Phase phase, __u64 time)
{
	static Pf__FtraceCpuStats cpu[WP_PF_CPUS], *cpus[WP_PF_CPUS];
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__FtraceStats stats = PF__FTRACE_STATS__INIT;
	__u32 i;

	for (i = 0; i < WP_PF_CPUS; i++) {
		if (!s->bundle[i])
			continue;
		pf__ftrace_cpu_stats__init(&cpu[i]);
		cpu[i].has_cpu = true;
		cpu[i].cpu = i;
		cpu[i].has_overrun = true;
		if (phase == PF__FTRACE_STATS__PHASE__END_OF_TRACE)
			cpu[i].overrun = s->bundle[i]->lost;
		cpus[stats.n_cpu_stats++] = &cpu[i];
	}
	stats.cpu_stats = cpus;
	stats.has_phase = true;
	stats.phase = phase;
	packet.data_case = PF__TRACE_PACKET__DATA_FTRACE_STATS;
	packet.ftrace_stats = &stats;
	return wp_pftrace_packet(s->trace, &packet, WP_PF_SEQUENCE, time);
}

/**
 * wp_pfsched_end() - write all pending events
 * @s: the events
 * @time: time of the last one
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pfsched_end(struct wp_pfsched *s, __u64 time)
{
	__u32 cpu;
	int err;

	err = begin(s, time);
	for (cpu = 0; cpu < WP_PF_CPUS && !err; cpu++) {
		if (s->bundle[cpu] && (s->bundle[cpu]->nr || s->bundle[cpu]->gap))
			err = flush(s, cpu);
	}
	if (!err && s->timeline)
		err = write_stats(s, PF__FTRACE_STATS__PHASE__START_OF_TRACE, time);
	if (!err && s->timeline)
		err = write_stats(s, PF__FTRACE_STATS__PHASE__END_OF_TRACE, time);
	return err;
}

/**
 * wp_pfsched_stats() - read the statistics
 * @s: the events
 * @stats: filled in
 */
void wp_pfsched_stats(const struct wp_pfsched *s, struct wp_pfsched_stats *stats)
{
	*stats = s->stats;
}

/**
 * wp_pfsched_free() - free the events
 * @s: the events, or NULL
 */
void wp_pfsched_free(struct wp_pfsched *s)
{
	__u32 cpu;

	if (!s)
		return;
	for (cpu = 0; cpu < WP_PF_CPUS; cpu++)
		free(s->bundle[cpu]);
	wp_pfthreads_free(&s->threads);
	wp_intern_free(&s->functions);
	free(s);
}
