// SPDX-License-Identifier: GPL-2.0
/*
 * Several kernel threads at once.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "threads.h"

struct thread {
	struct task_struct *task;
	struct completion done;
	void (*run)(u32 who);
	u32 who;
};

static DECLARE_COMPLETION(gate);

static int thread_run(void *arg)
{
	struct thread *thread = arg;

	wait_for_completion(&gate);
	thread->run(thread->who);
	complete(&thread->done);
	return 0;
}

bool threads_run(u32 nr, void (*run)(u32 who))
{
	struct thread threads[THREADS_MAX];
	u32 made, i;

	if (nr > THREADS_MAX)
		return false;
	reinit_completion(&gate);
	for (made = 0; made < nr; made++) {
		struct thread *thread = &threads[made];

		thread->run = run;
		thread->who = made;
		init_completion(&thread->done);
		thread->task = kthread_create(thread_run, thread, "wallprof-kunit/%u",
					      made);
		if (IS_ERR(thread->task))
			break;
		/* It may have ended when it is stopped. */
		get_task_struct(thread->task);
		wake_up_process(thread->task);
	}
	complete_all(&gate);
	for (i = 0; i < made; i++) {
		wait_for_completion(&threads[i].done);
		/* Returns when the thread runs none of this module's code any more. */
		kthread_stop(threads[i].task);
		put_task_struct(threads[i].task);
	}
	return made == nr;
}
