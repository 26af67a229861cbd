// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the merge of one epoch. Every CPU counts on its own, with stack ids of its own;
 * here aggregates that are equal by thread, exec, kind, event, state, flags and the contents
 * of both stacks become one sample. Causes and wakers are only distinguished on request, as
 * perf.data cannot hold causes and would only grow. Single intervals stay single. The
 * record command adds every half of an epoch, sorts, writes, and resets the merge; at the
 * end it adds the open intervals and the spilled time.
 *
 * Pure: no I/O, no clock. Only a lack of memory can make it fail.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/merge.h"
#include "lib/model/syscalls.h"

#define MIN_SIZE	1024

/**
 * wp_sample_flag_name() - name of a flag of a sample of off-CPU time
 * @bit: the bit's number, below WP_SAMPLE_FLAGS
 *
 * Return: the name, or NULL for a bit without one.
 */
const char *wp_sample_flag_name(unsigned int bit)
{
	static const char *const names[WP_SAMPLE_FLAGS] = {
		[0] = "no-stack",
		[1] = "since-start",
		[3] = "iowait",
		[4] = "32bit",
		[12] = "idle",
		[13] = "single",
		[14] = "spilled",
		[15] = "open",
	};

	return names[bit];
}

#ifndef hash_key	/* Tests override this to provoke collisions. */
static __u64 mix(__u64 hash, __u64 x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static __u64 rotate(__u64 x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

/* What most samples differ by is mixed; what few of them have is added to that. */
static __u64 hash_key(const struct wp_sample *s)
{
	const struct wp_cause *c = &s->cause;
	__u64 hash;

	hash = mix(s->start_time, (__u64)s->tid << 32 | s->tgid);
	hash = mix(hash, ((__u64)s->exec_id << 32 | s->kind << 24 | s->state << 16 | s->flags) ^
			 (__u64)s->event << 48);
	hash = mix(hash, c->arg ^ rotate((__u64)c->waker_tid << 32 | (__u32)c->syscall << 16 |
					 c->reason << 8 | c->waker, 20) ^
			 rotate(c->lock_owner, 24));
	return mix(hash, (__u64)(uintptr_t)s->user ^ rotate((__u64)(uintptr_t)s->kernel, 13) ^
			 rotate((__u64)(uintptr_t)s->waker, 29) ^ rotate(s->id, 41) ^
			 rotate(s->waker_id, 53));
}
#endif

static bool same_key(const struct wp_sample *a, const struct wp_sample *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->start_time == b->start_time &&
	       a->exec_id == b->exec_id && a->kind == b->kind && a->state == b->state &&
	       a->event == b->event && a->flags == b->flags && a->user == b->user &&
	       a->kernel == b->kernel &&
	       a->waker == b->waker && a->id == b->id && a->waker_id == b->waker_id &&
	       wp_cause_same(&a->cause, &b->cause);
}

/* The slot of the sample with this key, or the free slot for it. */
static __u32 *find_slot(struct wp_merge *m, const struct wp_sample *s)
{
	size_t i;

	for (i = hash_key(s) & m->mask; m->slots[i]; i = (i + 1) & m->mask) {
		if (same_key(&m->samples[m->slots[i] - 1], s))
			break;
	}
	return &m->slots[i];
}

/* Double the room. The hash table is always four times as large. */
static int grow(struct wp_merge *m)
{
	size_t room = m->room ? m->room * 2 : MIN_SIZE, i;
	struct wp_sample *samples;
	__u32 *slots;

	slots = calloc(room * 4, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	samples = reallocarray(m->samples, room, sizeof(*samples));
	if (!samples) {
		free(slots);
		return -ENOMEM;
	}
	free(m->slots);
	m->samples = samples;
	m->room = room;
	m->slots = slots;
	m->mask = room * 4 - 1;
	for (i = 0; i < m->nr; i++) {
		if (!(m->samples[i].flags & WP_SAMPLE_SINGLE))
			*find_slot(m, &m->samples[i]) = i + 1;
	}
	return 0;
}

/**
 * wp_merge_init() - initialize an empty merge
 * @m: the merge
 * @by: what to distinguish beside threads and stacks: WP_MERGE_CAUSES, …
 *
 * Return: 0 or -ENOMEM; then there is nothing to free.
 */
int wp_merge_init(struct wp_merge *m, unsigned int by)
{
	memset(m, 0, sizeof(*m));
	m->by = by;
	return grow(m);
}

/**
 * wp_merge_free() - free a merge
 * @m: the merge, or all zeroes
 */
void wp_merge_free(struct wp_merge *m)
{
	free(m->samples);
	free(m->slots);
	free(m->hists);
	memset(m, 0, sizeof(*m));
}

/**
 * wp_merge_reset() - drop all samples
 * @m: the merge
 */
void wp_merge_reset(struct wp_merge *m)
{
	m->nr = 0;
	m->nr_hists = 0;
	memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
}

/* Append a sample without looking for an equal one. */
static int append(struct wp_merge *m, const struct wp_sample *sample)
{
	int err = m->nr == m->room ? grow(m) : 0;

	if (err)
		return err;
	m->last = m->nr++;
	m->samples[m->last] = *sample;
	m->samples[m->last].hist = 0;
	return 0;
}

/*
 * wp_merge_push() - add a sample to the equal one, or append it
 * @m: the merge
 * @sample: the sample; WP_SAMPLE_SINGLE ones are never merged
 *
 * Return: 0 or -ENOMEM.
 */
static int wp_merge_push(struct wp_merge *m, const struct wp_sample *sample)
{
	struct wp_sample *s;
	__u32 *slot;
	int err;

	if (sample->flags & WP_SAMPLE_SINGLE)
		return append(m, sample);
	/* Before the slot is looked up, which moves then. */
	err = m->nr == m->room ? grow(m) : 0;
	if (err)
		return err;
	slot = find_slot(m, sample);
	if (!*slot) {
		*slot = m->nr + 1;
		return append(m, sample);
	}
	m->last = *slot - 1;
	s = &m->samples[m->last];
	s->count += sample->count;
	s->total += sample->total;
	if (sample->min < s->min)
		s->min = sample->min;
	if (sample->max > s->max)
		s->max = sample->max;
	if (sample->first < s->first)
		s->first = sample->first;
	if (sample->last >= s->last) {
		s->last = sample->last;
		s->cpu = sample->cpu;
	}
	s->runnable += sample->runnable;
	if (sample->runnable_max > s->runnable_max)
		s->runnable_max = sample->runnable_max;
	if (sample->blocked_max > s->blocked_max)
		s->blocked_max = sample->blocked_max;
	return 0;
}

/* Subtract the blocked time; while the thread was runnable it was not idle. */
static void leave_idle(struct wp_merge *m, struct wp_sample *s)
{
	m->idle += s->count;
	m->idle_ns += s->total - s->runnable;
	s->total = s->runnable;
	s->max = s->runnable_max;
	s->blocked_max = 0;
	/* The shortest one of a sum is unknown. */
	s->min = s->count == 1 ? s->runnable : 0;
}

/* Copy the system call and the lock of a cause. */
static void take_lock(struct wp_cause *to, const struct wp_cause *cause)
{
	to->reason = cause->reason;
	to->syscall = cause->syscall;
	to->compat = cause->compat;
	if (cause->reason == WALLPROF_REASON_SYSCALL &&
	    wp_syscall_arg(cause->syscall, cause->compat) == WP_ARG_FUTEX)
		to->arg = cause->arg;
	to->lock_owner = cause->lock_owner;
}

/* Push a sample of an aggregate, of spilled time or of an open interval. */
static int push(struct wp_merge *m, struct wp_sample *s, const struct wp_cause *cause)
{
	m->last_idle = m->no_idle && s->kind == WALLPROF_AGGR_OFFCPU &&
		       wp_cause_idle(cause, s->state);
	if (m->last_idle) {
		leave_idle(m, s);
		if (!s->total) {
			m->last = SIZE_MAX;
			return 0;
		}
	}
	if (m->by & WP_MERGE_CAUSES) {
		s->cause = *cause;
	} else {
		s->cause = wp_cause_none;
		/* What a sample is summed by, if it is. */
		if (s->kind == WALLPROF_AGGR_SAMPLE)
			s->cause.arg = cause->arg;
		s->flags &= ~(WALLPROF_AGGR_IOWAIT | WALLPROF_AGGR_32BIT);
		if (m->by & WP_MERGE_REASONS)
			take_lock(&s->cause, cause);
		if (m->by & WP_MERGE_WAKERS) {
			s->cause.waker = cause->waker;
			s->cause.waker_tid = cause->waker_tid;
		}
	}
	if (!(m->by & WP_MERGE_CHAINS) && !(s->flags & WP_SAMPLE_SINGLE)) {
		s->id = 0;
		s->waker_id = 0;
	}
	return wp_merge_push(m, s);
}

/*
 * Look up a sample's stacks; an unknown id is a lost stack. A waker's lost stack is not
 * flagged in the sample of the blocked thread, but counted.
 */
static void resolve(struct wp_merge *m, const struct wp_stacks *stacks, struct wp_sample *s,
		    __u64 user, __u64 kernel, __u64 waker)
{
	bool known = wp_stacks_find(stacks, user, &s->user);

	known &= wp_stacks_find(stacks, kernel, &s->kernel);
	if (!known) {
		m->unknown++;
		s->flags |= WALLPROF_AGGR_NO_STACK;
	}
	/* A sample has what its tracepoint recorded there. */
	if (((m->by & (WP_MERGE_WAKERS | WP_MERGE_OWNERS)) == WP_MERGE_WAKERS ||
	     s->kind == WALLPROF_AGGR_SAMPLE) &&
	    !wp_stacks_find(stacks, waker, &s->waker))
		m->unknown++;
}

/**
 * wp_merge_aggr() - add an aggregate
 * @m: the merge
 * @stacks: has all stacks of this epoch
 * @aggr: the aggregate
 * @cpu: the CPU of its table
 * @id: its id
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_aggr(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_aggr *aggr, __u32 cpu, __u64 id)
{
	struct wp_sample s = {
		.tid = aggr->tid,
		.tgid = aggr->tgid,
		.start_time = aggr->start_time,
		.exec_id = aggr->exec_id,
		.kind = aggr->kind,
		.state = aggr->state,
		.event = aggr->kind == WALLPROF_AGGR_SAMPLE ? aggr->event : 0,
		.flags = aggr->flags,
		.id = id,
		.waker_id = aggr->waker_aggr,
		.cpu = cpu,
		.count = aggr->count,
		.total = aggr->total,
		.min = aggr->min,
		.max = aggr->max,
		.first = aggr->first,
		.last = aggr->last,
		.runnable = aggr->runnable,
		.runnable_max = aggr->runnable_max,
		.blocked_max = aggr->blocked_max,
	};
	struct wp_cause cause;

	resolve(m, stacks, &s, aggr->user_stack, aggr->kernel_stack, aggr->waker_stack);
	wp_cause_aggr(&cause, aggr);
	if (m->by & WP_MERGE_OWNERS && aggr->kind == WALLPROF_AGGR_OFFCPU)
		cause.lock_owner = aggr->lock_owner;
	return push(m, &s, &cause);
}

/**
 * wp_merge_wait() - add a single interval
 * @m: the merge
 * @stacks: has all stacks of this epoch
 * @wait: the interval
 * @cpu: the CPU of its table
 * @id: its id; 0 without WALLPROF_WAKER_CHAINS
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_wait(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_wait *wait, __u32 cpu, __u64 id)
{
	__u64 ns = wait->end - wait->begin;
	struct wp_sample s = {
		.tid = wait->tid,
		.tgid = wait->tgid,
		.start_time = wait->start_time,
		.exec_id = wait->exec_id,
		.kind = WALLPROF_AGGR_OFFCPU,
		.state = wait->state,
		.flags = wait->flags | WP_SAMPLE_SINGLE,
		.id = id,
		.waker_id = wait->waker_aggr,
		.cpu = cpu,
		.count = 1,
		.total = ns,
		.min = ns,
		.max = ns,
		.first = wait->end,
		.last = wait->end,
		.runnable = wait->runnable,
		.runnable_max = wait->runnable,
		.blocked_max = ns - wait->runnable,
	};
	struct wp_cause cause;

	resolve(m, stacks, &s, wait->user_stack, wait->kernel_stack, wait->waker_stack);
	wp_cause_wait(&cause, wait);
	if (m->by & WP_MERGE_OWNERS)
		cause.lock_owner = wait->lock_owner;
	return push(m, &s, &cause);
}

/**
 * wp_merge_hist() - add the histogram of what was added last
 * @m: the merge
 * @h: the histogram; time that was left out as idle is left out here, too
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_hist(struct wp_merge *m, const struct wp_hist *h)
{
	struct wp_hist more = *h, *hists;
	struct wp_sample *s;

	if (m->last == SIZE_MAX)
		return 0;
	s = &m->samples[m->last];
	if (m->last_idle)
		memset(more.blocked, 0, sizeof(more.blocked));
	if (s->hist) {
		wp_hist_add(&m->hists[s->hist - 1], &more);
		return 0;
	}
	if (m->nr_hists == m->room_hists) {
		size_t room = m->room_hists ? m->room_hists * 2 : MIN_SIZE;

		hists = reallocarray(m->hists, room, sizeof(*hists));
		if (!hists)
			return -ENOMEM;
		m->hists = hists;
		m->room_hists = room;
	}
	m->hists[m->nr_hists++] = more;
	s->hist = m->nr_hists;
	return 0;
}

/**
 * wp_merge_spill() - add the off-CPU time of a thread that found no aggregate
 * @m: the merge
 * @task: the thread: one that ended, or any after STOP
 * @time: time of the sample
 *
 * The intervals' states, stacks, causes and lengths are unknown.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_spill(struct wp_merge *m, const struct wallprof_task *task, __u64 time)
{
	struct wp_sample s = {
		.tid = task->tid,
		.tgid = task->tgid,
		.start_time = task->start_time,
		.exec_id = task->exec_id,
		.kind = WALLPROF_AGGR_OFFCPU,
		.state = WALLPROF_STATE_UNKNOWN,
		.flags = WALLPROF_AGGR_NO_STACK | WP_SAMPLE_SPILL,
		.count = task->nr_spilled,
		.total = task->spill_ns,
		.max = task->spill_ns,
		.first = time,
		.last = time,
		.runnable = task->spill_runnable_ns,
		.runnable_max = task->spill_runnable_ns,
		.blocked_max = task->spill_ns - task->spill_runnable_ns,
	};

	if (!task->nr_spilled && !task->spill_ns)
		return 0;
	return push(m, &s, &wp_cause_none);
}

/**
 * wp_merge_open() - add an interval that was open when the session ended
 * @m: the merge
 * @stacks: has all stacks of the session
 * @task: the thread, after STOP
 * @time: time of STOP
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_open(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_task *task, __u64 time)
{
	struct wp_sample s = {
		.tid = task->tid,
		.tgid = task->tgid,
		.start_time = task->start_time,
		.exec_id = task->exec_id,
		.kind = WALLPROF_AGGR_OFFCPU,
		.state = task->state,
		.flags = WP_SAMPLE_OPEN,
		.waker_id = task->waker_aggr,
		/* The CPU that it left, if known. */
		.cpu = WALLPROF_STACK_CPU(task->user_stack ? : task->kernel_stack),
		.count = 1,
		.total = task->open_ns,
		.min = task->open_ns,
		.max = task->open_ns,
		.first = time,
		.last = time,
		.runnable = task->open_runnable_ns,
		.runnable_max = task->open_runnable_ns,
		.blocked_max = task->open_ns - task->open_runnable_ns,
	};
	struct wp_cause cause;

	if (!wp_task_is_open(task))
		return 0;
	if (task->flags & WALLPROF_TASK_SINCE_START)
		s.flags |= WALLPROF_AGGR_SINCE_START;
	if (task->flags & WALLPROF_TASK_NO_STACK)
		s.flags |= WALLPROF_AGGR_NO_STACK;
	if (task->flags & WALLPROF_TASK_IOWAIT)
		s.flags |= WALLPROF_AGGR_IOWAIT;
	if (task->flags & WALLPROF_TASK_32BIT)
		s.flags |= WALLPROF_AGGR_32BIT;
	resolve(m, stacks, &s, task->user_stack, task->kernel_stack, task->waker_stack);
	wp_cause_open(&cause, task);
	return push(m, &s, &cause);
}

static int by_time(const void *pa, const void *pb)
{
	const struct wp_sample *a = pa, *b = pb;

	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return 0;
}

/**
 * wp_merge_sort() - sort the samples by time
 * @m: the merge; nothing can be added before wp_merge_reset()
 */
void wp_merge_sort(struct wp_merge *m)
{
	size_t i;

	/* The samples of one CPU are mostly in order. */
	for (i = 1; i < m->nr && by_time(&m->samples[i - 1], &m->samples[i]) <= 0; i++)
		;
	if (i < m->nr)
		qsort(m->samples, m->nr, sizeof(*m->samples), by_time);
}
