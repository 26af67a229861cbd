// SPDX-License-Identifier: GPL-2.0
/*
 * The task table: from a thread to its slot.
 *
 * This file owns where a thread's slot is; the members of a slot belong to intervals.c.
 * It is pure: no tracing header, no allocation. Its callers are the probes (irqs off),
 * the overflow handler (NMI; it only finds) and process context at START and STOP.
 *
 * The key is the address of the thread's task_struct: unique among living threads, and
 * constant where a pid is not (an exec by another thread than the leader changes it). A
 * slot is freed at the thread's last switch, before the memory of its task_struct can be
 * used again.
 *
 * Keys are in buckets of one cache line. Keys that do not fit into a bucket go to the
 * next ones, and a bit of the bucket records that, so that a thread that is not in the
 * table is nearly always known not to be after one line.
 *
 * Claims and frees are rare (once in a thread's life) and take the lock. Finding takes
 * none: a claim fills the slot before it publishes the key with a release store, which
 * pairs with the read barriers in wp_tasks_find(). A published slot is written only by
 * the CPU that switches its thread, except for the waker's members: see
 * wp_interval_wake(). The scheduler hands a thread, and with it the slot, from one CPU to
 * the next with release and acquire of task_struct.on_cpu.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/tasks.h"

#define WP_BUCKETS_SEARCHED	8

/**
 * wp_tasks_set - initialize a task table
 * @tasks: to fill
 * @keys: @nr zeroed words
 * @slots: @nr zeroed slots
 * @overflowed: a zeroed bitmap with a bit for each bucket
 * @nr: slots, a power of two, at least WALLPROF_MIN_TASKS
 *
 * Context: process, before anyone else knows the table.
 */
void wp_tasks_set(struct wp_tasks *tasks, unsigned long *keys,
		  struct wallprof_task *slots, unsigned long *overflowed, u32 nr)
{
	tasks->keys = keys;
	tasks->slots = slots;
	tasks->overflowed = overflowed;
	tasks->bucket_mask = nr / WP_BUCKET_WAYS - 1;
	tasks->used = 0;
	raw_spin_lock_init(&tasks->lock);
}

/**
 * wp_tasks_clear - free all slots
 * @tasks: the table
 *
 * Context: process; nobody else uses the table.
 */
void wp_tasks_clear(struct wp_tasks *tasks)
{
	u32 nr = wp_tasks_nr(tasks);

	memset(tasks->keys, 0, nr * sizeof(*tasks->keys));
	memset(tasks->slots, 0, nr * sizeof(*tasks->slots));
	bitmap_zero(tasks->overflowed, tasks->bucket_mask + 1);
	tasks->used = 0;
}

static struct wallprof_task *wp_tasks_search(const struct wp_tasks *tasks,
					     unsigned long key)
{
	u32 bucket = wp_tasks_bucket(tasks, key);
	int i, way;

	for (i = 0; i < WP_BUCKETS_SEARCHED; i++) {
		const unsigned long *keys = &tasks->keys[bucket * WP_BUCKET_WAYS];

		for (way = 0; way < WP_BUCKET_WAYS; way++) {
			if (READ_ONCE(keys[way]) == key)
				return &tasks->slots[bucket * WP_BUCKET_WAYS + way];
		}
		if (!test_bit(bucket, tasks->overflowed))
			break;
		bucket = (bucket + 1) & tasks->bucket_mask;
	}
	return NULL;
}

/**
 * wp_tasks_find_rest - find a thread's slot at any place
 * @tasks: the table
 * @key: the thread
 *
 * Context: any, NMI included.
 * Return: the slot, or NULL.
 */
struct wallprof_task *wp_tasks_find_rest(const struct wp_tasks *tasks,
					 unsigned long key)
{
	struct wallprof_task *slot = wp_tasks_search(tasks, key);

	/* Pairs with smp_store_release() of the key in wp_tasks_claim(). */
	if (slot)
		smp_acquire__after_ctrl_dep();
	return slot;
}

/**
 * wp_tasks_claim - find a thread's slot, or give it one
 * @tasks: the table
 * @key: the thread, not 0
 * @init: fills a new slot, under the table's lock
 * @arg: for @init
 * @found: set to whether the thread had a slot already
 *
 * Context: interrupts off, not NMI.
 * Return: the slot, or NULL if there is no room.
 */
struct wallprof_task *wp_tasks_claim(struct wp_tasks *tasks, unsigned long key,
				     wp_task_init_fn init, void *arg, bool *found)
{
	struct wallprof_task *slot;
	u32 bucket, at;
	int i, way;

	raw_spin_lock(&tasks->lock);
	slot = wp_tasks_search(tasks, key);
	*found = slot;
	if (slot)
		goto unlock;
	bucket = wp_tasks_bucket(tasks, key);
	for (i = 0; i < WP_BUCKETS_SEARCHED; i++) {
		for (way = 0; way < WP_BUCKET_WAYS; way++) {
			at = bucket * WP_BUCKET_WAYS + way;
			if (tasks->keys[at])
				continue;
			slot = &tasks->slots[at];
			init(slot, arg);
			WRITE_ONCE(tasks->used, tasks->used + 1);
			/* Pairs with the barriers in wp_tasks_find(). */
			smp_store_release(&tasks->keys[at], key);
			goto unlock;
		}
		if (!test_bit(bucket, tasks->overflowed))
			set_bit(bucket, tasks->overflowed);
		bucket = (bucket + 1) & tasks->bucket_mask;
	}
unlock:
	raw_spin_unlock(&tasks->lock);
	return slot;
}

/**
 * wp_tasks_free - free a thread's slot
 * @tasks: the table
 * @key: the thread
 *
 * Context: interrupts off, not NMI; by the only writer of the slot.
 * Return: whether the thread had one.
 */
bool wp_tasks_free(struct wp_tasks *tasks, unsigned long key)
{
	struct wallprof_task *slot;

	raw_spin_lock(&tasks->lock);
	slot = wp_tasks_search(tasks, key);
	if (slot) {
		slot->phase = WALLPROF_TASK_FREE;
		WRITE_ONCE(tasks->used, tasks->used - 1);
		WRITE_ONCE(tasks->keys[slot - tasks->slots], 0);
	}
	raw_spin_unlock(&tasks->lock);
	return slot;
}
