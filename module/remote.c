// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of the memory of other processes, by workers.
 *
 * This file owns how they are made: a worker, a kernel thread, uses the process's memory
 * with page faults disabled. What is not in the page tables cannot be read then: no page
 * is made present, no memory is charged to the process, and neither its mmap_lock nor one
 * of its pages is held. get_user_pages_remote() guarantees none of that: FOLL_NOWAIT reads
 * from swap, FOLL_NOFAULT is not on all kernels and, on some, not for huge pages.
 *
 * Its callers are remote_stack.c and remote_read.c, which have the rules of who may read
 * what.
 */
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/compiler.h"
#include "compat/kthread.h"
#include "compat/uaccess.h"
#include "mmput.h"
#include "remote.h"
#include "stack.h"

/*
 * Not the queue of mmput.c, whose work may block. Written at load and unload only.
 */
static struct workqueue_struct *wp_remote_workers;

/* Context: a worker, for an ioctl that waits. */
static void wp_remote_work(struct work_struct *work)
{
	struct wp_remote *remote = container_of(work, struct wp_remote, work);

	kthread_use_mm(remote->mm);
	remote->fn(remote);
	kthread_unuse_mm(remote->mm);
	complete(&remote->done);
}

/**
 * wp_remote_init - allocate the workqueue
 *
 * Context: process, at load.
 * Return: 0 or -ENOMEM.
 */
int wp_remote_init(void)
{
	wp_remote_workers = alloc_workqueue("wallprof_walk", WQ_UNBOUND, 0);
	return wp_remote_workers ? 0 : -ENOMEM;
}

/**
 * wp_remote_exit - free the workqueue
 *
 * Context: process, at unload; no session is left.
 */
void wp_remote_exit(void)
{
	destroy_workqueue(wp_remote_workers);
}

/**
 * wp_remote_run - do something with the memory of another process
 * @remote: what; @fn looks at @cancel between parts that take long
 *
 * Context: process; waits for a worker.
 * Return: 0; -ENOMEM; -ESRCH: the process has ended; -EINTR: the caller was killed, and
 * @fn has not been called, or not to its end.
 */
int wp_remote_run(struct wp_remote *remote)
{
	/* Allocated before a reference is taken that could become the last one. */
	struct wp_mmput *put = wp_mmput_alloc();
	int err = 0;

	if (!put)
		return -ENOMEM;
	if (!mmget_not_zero(remote->mm)) {
		kfree(put);
		return -ESRCH;
	}
	remote->cancel = false;
	init_completion(&remote->done);
	INIT_WORK(&remote->work, wp_remote_work);
	queue_work(wp_remote_workers, &remote->work);
	if (wait_for_completion_killable(&remote->done)) {
		WRITE_ONCE(remote->cancel, true);
		cancel_work_sync(&remote->work);
		err = -EINTR;
	}
	wp_mmput_deferred(remote->mm, &put);
	kfree(put);
	return err;
}

/**
 * wp_remote_copy - read memory of the process that the worker uses
 * @to: where to
 * @from: the address, any
 * @bytes: how many
 *
 * Context: &wp_remote.fn.
 * Return: whether all of it was present.
 */
bool wp_remote_copy(void *to, u64 from, size_t bytes)
{
	return !copy_from_user_nofault(to, (const void __user *)wp_user_nospec(from), bytes);
}
