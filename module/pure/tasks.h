/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_TASKS_H
#define WALLPROF_PURE_TASKS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#define WP_BUCKET_WAYS	8	/* keys of a bucket: one cache line */

/**
 * struct wp_tasks - the task table of a session: from a thread to its slot
 * @keys: a word for each slot, 0 if free; written under @lock, read by anyone
 * @slots: the slots, mapped; each has one writer at a time, see tasks.c
 * @overflowed: a bit for each bucket that a key did not fit into; written under @lock,
 *	never cleared, read by anyone
 * @bucket_mask: number of buckets - 1
 * @lock: orders claims and frees; taken with interrupts off, never in NMI
 * @used: slots in use; written under @lock, also read without it
 *
 * All switches read the members before @lock; births and deaths write the others, which
 * are on other cache lines.
 */
struct wp_tasks {
	unsigned long *keys;
	struct wallprof_task *slots;
	unsigned long *overflowed;
	u32 bucket_mask;
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	u32 used;
};

/* Fills a slot that was just claimed, before anyone else can find it. */
typedef void (*wp_task_init_fn)(struct wallprof_task *slot, void *arg);

void wp_tasks_set(struct wp_tasks *tasks, unsigned long *keys,
		  struct wallprof_task *slots, unsigned long *overflowed, u32 nr);
void wp_tasks_clear(struct wp_tasks *tasks);
struct wallprof_task *wp_tasks_find_rest(const struct wp_tasks *tasks,
					 unsigned long key);
struct wallprof_task *wp_tasks_claim(struct wp_tasks *tasks, unsigned long key,
				     wp_task_init_fn init, void *arg, bool *found);
bool wp_tasks_free(struct wp_tasks *tasks, unsigned long key);

/* Number of slots. Any context. */
static inline u32 wp_tasks_nr(const struct wp_tasks *tasks)
{
	return (tasks->bucket_mask + 1) * WP_BUCKET_WAYS;
}

static __always_inline u32 wp_tasks_bucket(const struct wp_tasks *tasks,
					   unsigned long key)
{
	/* task_structs are far apart: the low bits differ little. */
	return hash_64(key >> 6, 32) & tasks->bucket_mask;
}

/**
 * wp_tasks_find_first - find a thread's slot at its most likely place
 * @tasks: the table
 * @key: the thread
 *
 * Context: any, NMI included.
 * Return: the slot, if it is the first of its bucket, or NULL.
 */
static __always_inline struct wallprof_task *
wp_tasks_find_first(const struct wp_tasks *tasks, unsigned long key)
{
	unsigned long at = wp_tasks_bucket(tasks, key) * (unsigned long)WP_BUCKET_WAYS;

	if (unlikely(READ_ONCE(tasks->keys[at]) != key))
		return NULL;
	/* Pairs with smp_store_release() of the key in wp_tasks_claim(). */
	smp_acquire__after_ctrl_dep();
	return &tasks->slots[at];
}

/**
 * wp_tasks_find - find a thread's slot
 * @tasks: the table
 * @key: the thread
 *
 * Context: any, NMI included.
 * Return: the slot, or NULL.
 */
static __always_inline struct wallprof_task *
wp_tasks_find(const struct wp_tasks *tasks, unsigned long key)
{
	struct wallprof_task *slot = wp_tasks_find_first(tasks, key);

	return likely(slot) ? slot : wp_tasks_find_rest(tasks, key);
}

#endif /* WALLPROF_PURE_TASKS_H */
