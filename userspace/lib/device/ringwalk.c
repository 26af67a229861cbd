// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the reading of rings in overwrite mode, while the module writes them: records are
 * copied, and those overwritten meanwhile are dropped. Called by the sched commands, from
 * one thread. Documentation/abi.rst describes the protocol.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/device/ringwalk.h"

static const struct wallprof_ring *head_of(const struct wp_device *dev, __u32 cpu)
{
	return (const void *)(dev->map + dev->conf.rings_offset + dev->conf.ring_stride * cpu);
}

static const char *records_of(const struct wp_device *dev, __u32 cpu)
{
	return (const char *)head_of(dev, cpu) + dev->info.page_size;
}

/* All records written before are visible. */
static __u64 load_head(const struct wp_device *dev, __u32 cpu)
{
	return __atomic_load_n(&head_of(dev, cpu)->head, __ATOMIC_ACQUIRE);
}

/* The first record that was still there when all loads before this were made. */
static __u64 first_whole(const struct wp_device *dev, __u32 cpu)
{
	__u64 head;

	/* Pairs with the module's barrier between a head and the next record. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	head = load_head(dev, cpu);
	return head >= dev->conf.nr_records ? head - dev->conf.nr_records + 1 : 0;
}

static const void *place(const struct wp_device *dev, const char *records, __u64 nr)
{
	return records + (nr & (dev->conf.nr_records - 1)) * dev->conf.record_bytes;
}

/* Copy the next records; those overwritten meanwhile are skipped. */
static bool fill(struct wp_ringwalk *w, struct wp_ringwalk_cpu *c)
{
	c->at = 0;
	c->nr = 0;
	while (c->next < c->end) {
		__u64 left = c->end - c->next, first = 0, to;
		unsigned int i, nr = left < WP_RINGWALK_CHUNK ? left : WP_RINGWALK_CHUNK;

		for (i = 0; i < nr; i++)
			memcpy(&c->chunk[i], place(w->dev, c->records, c->next + i),
			       sizeof(c->chunk[i]));
		if (w->live)
			first = first_whole(w->dev, c->cpu);
		if (first > c->next) {
			to = first < c->end ? first : c->end;
			w->missed += to - c->next;
			if (to - c->next >= nr) {
				c->next = to;
				continue;
			}
			c->at = to - c->next;
		}
		c->next += nr;
		c->nr = nr;
		return true;
	}
	return false;
}

static __u64 time_of(const struct wp_ringwalk_cpu *c)
{
	return c->chunk[c->at].time;
}

/* Restore the heap order below @at. */
static void sift_down(struct wp_ringwalk *w, __u32 at)
{
	struct wp_ringwalk_cpu *c = w->heap[at];

	for (;;) {
		__u32 child = 2 * at + 1;

		if (child + 1 < w->nr_heap && time_of(w->heap[child + 1]) < time_of(w->heap[child]))
			child++;
		if (child >= w->nr_heap || time_of(w->heap[child]) >= time_of(c))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = c;
}

static void build_heap(struct wp_ringwalk *w)
{
	__u32 i;

	w->nr_heap = 0;
	for (i = 0; i < w->nr_cpus; i++) {
		struct wp_ringwalk_cpu *c = &w->cpus[i];

		if (c->at < c->nr || fill(w, c))
			w->heap[w->nr_heap++] = c;
	}
	for (i = w->nr_heap / 2; i--;)
		sift_down(w, i);
}

static int allocate(struct wp_ringwalk *w, const struct wp_device *dev)
{
	__u32 cpu;

	*w = (struct wp_ringwalk){ .dev = dev };
	w->cpus = calloc(dev->info.nr_cpus, sizeof(*w->cpus));
	w->heap = calloc(dev->info.nr_cpus, sizeof(*w->heap));
	if (!w->cpus || !w->heap) {
		wp_err("out of memory for reading the rings of %u CPUs", dev->info.nr_cpus);
		wp_ringwalk_close(w);
		return -ENOMEM;
	}
	for (cpu = 0; cpu < dev->info.nr_cpus; cpu++) {
		if (wp_device_has_cpu(dev, cpu))
			w->cpus[w->nr_cpus++] = (struct wp_ringwalk_cpu){
				.cpu = cpu, .records = records_of(dev, cpu),
			};
	}
	return 0;
}

/**
 * wp_ringwalk_open() - begin a walk after the current contents of the rings
 * @walk: filled in
 * @dev: the session, mapped, with TIMELINE and OVERWRITE
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_ringwalk_open(struct wp_ringwalk *walk, const struct wp_device *dev)
{
	int err = allocate(walk, dev);
	__u32 i;

	if (err)
		return err;
	walk->live = true;
	for (i = 0; i < walk->nr_cpus; i++) {
		struct wp_ringwalk_cpu *c = &walk->cpus[i];

		c->end = load_head(dev, c->cpu);
		c->next = c->end;
	}
	return 0;
}

/**
 * wp_ringwalk_refresh() - read the current heads of the rings
 * @walk: a walk of wp_ringwalk_open()
 */
void wp_ringwalk_refresh(struct wp_ringwalk *walk)
{
	__u32 i;

	walk->burst = 0;
	for (i = 0; i < walk->nr_cpus; i++) {
		struct wp_ringwalk_cpu *c = &walk->cpus[i];
		__u64 head = load_head(walk->dev, c->cpu);

		if (head - c->end > walk->burst)
			walk->burst = head - c->end;
		c->end = head;
	}
	build_heap(walk);
}

/* Set up the walk over a stopped ring, or a copy of a ring. */
static void freeze(struct wp_ringwalk *w, struct wp_ringwalk_cpu *c, char *copy)
{
	size_t bytes = (size_t)w->dev->conf.nr_records * w->dev->conf.record_bytes;
	__u64 nr = w->dev->conf.nr_records;

	c->end = load_head(w->dev, c->cpu);
	c->next = c->end > nr ? c->end - nr : 0;
	if (copy) {
		__u64 first;

		memcpy(copy, c->records, bytes);
		c->records = copy;
		first = first_whole(w->dev, c->cpu);
		if (first > c->next)
			c->next = first < c->end ? first : c->end;
	}
	if (c->next && fill(w, c))
		c->first = time_of(c);
	else if (c->next)
		c->first = ~0ULL;
}

/**
 * wp_ringwalk_freeze() - begin a walk over the current contents of the rings
 * @walk: filled in
 * @dev: the session, mapped, with TIMELINE and OVERWRITE
 * @copy: it is not stopped: copy the rings, which takes their memory once more
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_ringwalk_freeze(struct wp_ringwalk *walk, const struct wp_device *dev, bool copy)
{
	size_t bytes = (size_t)dev->conf.nr_records * dev->conf.record_bytes;
	int err = allocate(walk, dev);
	__u32 i;

	if (err)
		return err;
	if (copy)
		walk->memory = calloc(walk->nr_cpus, bytes);
	if (copy && !walk->memory) {
		wp_err("no memory for a copy of the rings of %u CPUs: try a smaller -m",
		       walk->nr_cpus);
		wp_ringwalk_close(walk);
		return -ENOMEM;
	}
	for (i = 0; i < walk->nr_cpus; i++)
		freeze(walk, &walk->cpus[i], copy ? walk->memory + bytes * i : NULL);
	build_heap(walk);
	return 0;
}

/**
 * wp_ringwalk_begin() - time from which on a frozen walk has all CPUs
 * @walk: a walk of wp_ringwalk_freeze(), not run yet
 *
 * Return: the time; ~0 if a ring was overwritten completely while it was copied; 0 if
 * nothing was overwritten at all.
 */
__u64 wp_ringwalk_begin(const struct wp_ringwalk *walk)
{
	__u64 begin = 0;
	__u32 i;

	for (i = 0; i < walk->nr_cpus; i++) {
		if (walk->cpus[i].first > begin)
			begin = walk->cpus[i].first;
	}
	return begin;
}

/**
 * wp_ringwalk_run() - deliver records
 * @walk: the walk
 * @upto: records up to and including this time; later ones wait for the next round
 * @fn: called for each, in order of time
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_ringwalk_run(struct wp_ringwalk *walk, __u64 upto, wp_ringwalk_fn fn, void *ctx)
{
	int err = 0;

	while (walk->nr_heap && !err) {
		struct wp_ringwalk_cpu *c = walk->heap[0];

		if (time_of(c) > upto)
			break;
		if (c->chunk[c->at].type < WALLPROF_RECORD_MAX)
			err = fn(ctx, c->cpu, &c->chunk[c->at]);
		c->at++;
		if (c->at == c->nr && !fill(walk, c))
			walk->heap[0] = walk->heap[--walk->nr_heap];
		if (walk->nr_heap)
			sift_down(walk, 0);
	}
	return err;
}

/**
 * wp_ringwalk_close() - end a walk
 * @walk: the walk, or all zero
 */
void wp_ringwalk_close(struct wp_ringwalk *walk)
{
	free(walk->cpus);
	free(walk->heap);
	free(walk->memory);
	*walk = (struct wp_ringwalk){ 0 };
}

/**
 * wp_ringwalk_horizon() - time from which on the rings of all CPUs are complete
 * @dev: the session, mapped, with TIMELINE and OVERWRITE
 *
 * It only moves forward.
 *
 * Return: the time, or 0 if nothing was overwritten so far.
 */
__u64 wp_ringwalk_horizon(const struct wp_device *dev)
{
	__u64 horizon = 0;
	__u32 cpu;

	for (cpu = 0; cpu < dev->info.nr_cpus; cpu++) {
		struct wallprof_record record;
		__u64 head, oldest;

		if (!wp_device_has_cpu(dev, cpu))
			continue;
		head = load_head(dev, cpu);
		if (head < dev->conf.nr_records)
			continue;
		oldest = head - dev->conf.nr_records + 1;
		memcpy(&record, place(dev, records_of(dev, cpu), oldest), sizeof(record));
		/* If it is overwritten meanwhile, the next call finds it. */
		if (first_whole(dev, cpu) <= oldest && record.time > horizon)
			horizon = record.time;
	}
	return horizon;
}
