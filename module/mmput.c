// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred mmput(): a worker drops the last reference to a process's memory.
 *
 * This file owns the workqueue for that. The task that drops the last reference tears
 * down all of the memory: it unmaps gigabytes, and calls the release functions of what
 * was mapped, which may wait for anything. An ioctl must not, as it holds session->lock.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mmput.h"

/**
 * struct wp_mmput - a reference to drop
 * @work: drops it, and frees this
 * @mm: the memory
 */
struct wp_mmput {
	struct work_struct work;
	struct mm_struct *mm;
};

static struct workqueue_struct *wp_mmput_queue;

/* Context: a worker. */
static void wp_mmput_work(struct work_struct *work)
{
	struct wp_mmput *put = container_of(work, struct wp_mmput, work);

	mmput(put->mm);
	kfree(put);
}

/**
 * wp_mmput_alloc - allocate what wp_mmput_deferred() may need
 *
 * To be called before the reference is taken.
 *
 * Context: process.
 * Return: for wp_mmput_deferred() or kfree(); NULL without memory.
 */
struct wp_mmput *wp_mmput_alloc(void)
{
	return kzalloc(sizeof(struct wp_mmput), GFP_KERNEL_ACCOUNT);
}

/**
 * wp_mmput_deferred - drop a reference; the last one in a worker
 * @mm: the memory, of get_task_mm() or mmget_not_zero()
 * @put: from wp_mmput_alloc(); set to NULL if it was used
 *
 * Context: any that may take a spinlock.
 */
void wp_mmput_deferred(struct mm_struct *mm, struct wp_mmput **put)
{
	if (atomic_add_unless(&mm->mm_users, -1, 1))
		return;
	(*put)->mm = mm;
	INIT_WORK(&(*put)->work, wp_mmput_work);
	queue_work(wp_mmput_queue, &(*put)->work);
	*put = NULL;
}

/* Context: process, at load. */
int wp_mmput_init(void)
{
	wp_mmput_queue = alloc_workqueue("wallprof_mmput", WQ_UNBOUND, 0);
	return wp_mmput_queue ? 0 : -ENOMEM;
}

/* Waits for what was deferred. Context: process, at unload; no session is left. */
void wp_mmput_exit(void)
{
	destroy_workqueue(wp_mmput_queue);
}
