// SPDX-License-Identifier: GPL-2.0
/*
 * Holds the memory maps of processes locked for writing, as a driver that is stuck
 * does: those whose numbers are written to /sys/module/hold/parameters/pids, separated
 * by commas, until something else is written there, or the module is unloaded. Whoever
 * has written knows that all of them are locked; who reads there finds which are.
 */
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

/* Older kernels have it by another name, and the macro not at all. */
#ifndef MMAP_LOCK_INITIALIZER
#define mmap_lock	mmap_sem
#endif

#define MAX_HELD	256

/**
 * struct held - a memory map that is held
 * @pid: of the process
 * @mm: its memory
 */
struct held {
	int pid;
	struct mm_struct *mm;
};

/* All written under the lock of the module's parameters. */
static struct held held[MAX_HELD];
static unsigned int nr_held;
static struct task_struct *holder;
static DECLARE_COMPLETION(locked);

/* Held by who takes the locks of several maps: lockdep wants to know who may. */
static DEFINE_MUTEX(several);

/* A lock is given back by who took it. */
static int hold(void *arg)
{
	unsigned int i;

	mutex_lock(&several);
	/* Not mmap_write_lock(), which has no such form on all kernels. */
	for (i = 0; i < nr_held; i++)
		down_write_nest_lock(&held[i].mm->mmap_lock, &several);
	complete(&locked);
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	for (i = 0; i < nr_held; i++)
		up_write(&held[i].mm->mmap_lock);
	mutex_unlock(&several);
	return 0;
}

static void let_go(void)
{
	if (holder)
		kthread_stop(holder);
	holder = NULL;
	while (nr_held)
		mmput(held[--nr_held].mm);
}

static int take(int pid)
{
	struct task_struct *p = get_pid_task(find_vpid(pid), PIDTYPE_PID);
	struct mm_struct *mm = p ? get_task_mm(p) : NULL;

	if (p)
		put_task_struct(p);
	if (!mm)
		return -ESRCH;
	held[nr_held++] = (struct held){ pid, mm };
	return 0;
}

static int set_pids(const char *text, const struct kernel_param *kp)
{
	char *words = kstrdup(text, GFP_KERNEL), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	let_go();
	while (!err && (word = strsep(&rest, ",\n"))) {
		int pid;

		if (!*word)
			continue;
		err = nr_held == MAX_HELD ? -ENOSPC : kstrtoint(word, 10, &pid);
		if (!err)
			err = take(pid);
	}
	kfree(words);
	if (!err && nr_held) {
		reinit_completion(&locked);
		holder = kthread_run(hold, NULL, "hold");
		if (IS_ERR(holder)) {
			err = PTR_ERR(holder);
			holder = NULL;
		} else {
			wait_for_completion(&locked);
		}
	}
	if (err)
		let_go();
	return err;
}

static int get_pids(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < nr_held; i++)
		len += scnprintf(buffer + len, PAGE_SIZE - len, "%s%d", i ? "," : "",
				 held[i].pid);
	return len + scnprintf(buffer + len, PAGE_SIZE - len, "\n");
}

static const struct kernel_param_ops pids_ops = { .set = set_pids, .get = get_pids };
module_param_cb(pids, &pids_ops, NULL, 0600);
MODULE_PARM_DESC(pids, "processes whose memory maps are held locked");

static int __init hold_init(void)
{
	return 0;
}

static void __exit hold_exit(void)
{
	let_go();
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("holds memory maps of processes locked");
MODULE_LICENSE("GPL");
