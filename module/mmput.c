// SPDX-License-Identifier: GPL-2.0
/*
 * The last reference to a process's memory, given back by a worker.
 *
 * This file owns the workqueue for that. Whoever gives back the last reference takes
 * all of the memory apart: it unmaps gigabytes, and calls the release functions of what
 * was mapped, which may wait for anything. The ioctls hold session->lock meanwhile, and
 * must not.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mmput.h"

/**
 * struct wp_mmput - a reference to give back
 * @work: does it, and frees this
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
 * wp_mmput_alloc - what wp_mmput_deferred() may need, to be had before the reference is
 *
 * Context: process.
 *
 * Return: to be given to wp_mmput_deferred() or kfree(); NULL without memory.
 */
struct wp_mmput *wp_mmput_alloc(void)
{
	return kzalloc(sizeof(struct wp_mmput), GFP_KERNEL_ACCOUNT);
}

/**
 * wp_mmput_deferred - give a reference back; if it is the last one, by a worker
 * @mm: the memory, of get_task_mm() or mmget_not_zero()
 * @put: from wp_mmput_alloc(); set to NULL if it was needed
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
