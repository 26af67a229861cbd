// SPDX-License-Identifier: GPL-2.0
/*
 * The merge of one epoch. Every CPU has counted for itself, with stack ids of
 * its own; here aggregates that are equal by thread, exec, kind, state, flags
 * and the content of both stacks become one sample. The record command fills
 * it with every half of an epoch, sorts, writes, and resets it; at the end it
 * adds the intervals that are still open and the time that found no room.
 *
 * Pure: no I/O, no clock. Memory is the only thing that can fail.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/merge.h"

#define MIN_SIZE	1024

#ifndef hash_key	/* A test wants most to collide. */
static __u64 mix(__u64 hash, __u64 x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static __u64 hash_key(const struct wp_sample *s)
{
	__u64 hash = mix(0, (__u64)s->tid << 32 | s->tgid);

	hash = mix(hash, s->start_time);
	hash = mix(hash, (__u64)s->exec_id << 32 | s->kind << 24 | s->state << 16 | s->flags);
	hash = mix(hash, (__u64)(uintptr_t)s->user);
	return mix(hash, (__u64)(uintptr_t)s->kernel);
}
#endif

static bool same_key(const struct wp_sample *a, const struct wp_sample *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->start_time == b->start_time &&
	       a->exec_id == b->exec_id && a->kind == b->kind && a->state == b->state &&
	       a->flags == b->flags && a->user == b->user && a->kernel == b->kernel;
}

/* The slot of the sample with this key, or the one where it belongs. */
static __u32 *find_slot(struct wp_merge *m, const struct wp_sample *s)
{
	size_t i;

	for (i = hash_key(s) & m->mask; m->slots[i]; i = (i + 1) & m->mask) {
		if (same_key(&m->samples[m->slots[i] - 1], s))
			break;
	}
	return &m->slots[i];
}

/* Twice the room. The hash table is always four times as large. */
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
	for (i = 0; i < m->nr; i++)
		*find_slot(m, &m->samples[i]) = i + 1;
	return 0;
}

/**
 * wp_merge_init - make an empty merge
 * @m: the merge
 *
 * Return: 0 or -ENOMEM; then there is nothing to free.
 */
int wp_merge_init(struct wp_merge *m)
{
	memset(m, 0, sizeof(*m));
	return grow(m);
}

/**
 * wp_merge_free - free a merge
 * @m: the merge, or all zeroes
 */
void wp_merge_free(struct wp_merge *m)
{
	free(m->samples);
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

/**
 * wp_merge_reset - forget all samples
 * @m: the merge
 */
void wp_merge_reset(struct wp_merge *m)
{
	m->nr = 0;
	memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
}

/**
 * wp_merge_push - add a sample to the one that is like it
 * @m: the merge
 * @sample: the sample
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_push(struct wp_merge *m, const struct wp_sample *sample)
{
	__u32 *slot = find_slot(m, sample);
	struct wp_sample *s;

	if (!*slot) {
		if (m->nr == m->room) {
			int err = grow(m);

			if (err)
				return err;
			slot = find_slot(m, sample);
		}
		m->samples[m->nr++] = *sample;
		*slot = m->nr;
		return 0;
	}
	s = &m->samples[*slot - 1];
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
	return 0;
}

/* Look a sample's stacks up; an id that stands for nothing is a lost stack. */
static void resolve(struct wp_merge *m, const struct wp_stacks *stacks, struct wp_sample *s,
		    __u64 user, __u64 kernel)
{
	bool known = wp_stacks_find(stacks, user, &s->user);

	known &= wp_stacks_find(stacks, kernel, &s->kernel);
	if (!known) {
		m->unknown++;
		s->flags |= WALLPROF_AGGR_NO_STACK;
	}
}

/**
 * wp_merge_aggr - add an aggregate
 * @m: the merge
 * @stacks: all stacks of this epoch are in it
 * @aggr: the aggregate
 * @cpu: whose table it is from
 *
 * Return: 0 or -ENOMEM.
 */
int wp_merge_aggr(struct wp_merge *m, const struct wp_stacks *stacks,
		  const struct wallprof_aggr *aggr, __u32 cpu)
{
	struct wp_sample s = {
		.tid = aggr->tid,
		.tgid = aggr->tgid,
		.start_time = aggr->start_time,
		.exec_id = aggr->exec_id,
		.kind = aggr->kind,
		.state = aggr->state,
		.flags = aggr->flags,
		.cpu = cpu,
		.count = aggr->count,
		.total = aggr->total,
		.min = aggr->min,
		.max = aggr->max,
		.first = aggr->first,
		.last = aggr->last,
	};

	resolve(m, stacks, &s, aggr->user_stack, aggr->kernel_stack);
	return wp_merge_push(m, &s);
}

/**
 * wp_merge_spill - add the off-CPU time of a thread that found no aggregate
 * @m: the merge
 * @task: the thread: one that ended, or any after STOP
 * @time: of the sample
 *
 * The intervals' states, stacks and lengths are not known.
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
	};

	if (!task->nr_spilled && !task->spill_ns)
		return 0;
	return wp_merge_push(m, &s);
}

/**
 * wp_merge_open - add an interval that had not ended when the session did
 * @m: the merge
 * @stacks: all stacks of the session are in it
 * @task: the thread, after STOP
 * @time: of STOP
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
		/* Where it left, as far as that is known. */
		.cpu = WALLPROF_STACK_CPU(task->user_stack ? : task->kernel_stack),
		.count = 1,
		.total = task->open_ns,
		.min = task->open_ns,
		.max = task->open_ns,
		.first = time,
		.last = time,
	};

	if (!(task->flags & WALLPROF_TASK_OPEN) || task->flags & WALLPROF_TASK_FILTERED)
		return 0;
	if (task->flags & WALLPROF_TASK_SINCE_START)
		s.flags |= WALLPROF_AGGR_SINCE_START;
	if (task->flags & WALLPROF_TASK_NO_STACK)
		s.flags |= WALLPROF_AGGR_NO_STACK;
	resolve(m, stacks, &s, task->user_stack, task->kernel_stack);
	return wp_merge_push(m, &s);
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
 * wp_merge_sort - sort the samples by their time
 * @m: the merge; nothing can be added to it before wp_merge_reset()
 */
void wp_merge_sort(struct wp_merge *m)
{
	qsort(m->samples, m->nr, sizeof(*m->samples), by_time);
}
