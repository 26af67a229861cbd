// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel threads that wait, each in the way of its name, as long as the module is
 * loaded: kwait/loop for its next work, kwait/lock in D for a mutex that the former holds.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>

static DEFINE_MUTEX(lock);

static void until_stopped(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

static int loop(void *holds)
{
	if (holds)
		mutex_lock(&lock);
	until_stopped();
	if (holds)
		mutex_unlock(&lock);
	return 0;
}

static int take_lock(void *unused)
{
	mutex_lock(&lock);
	mutex_unlock(&lock);
	until_stopped();
	return 0;
}

static const struct kind {
	const char *name;
	int (*fn)(void *arg);
} kinds[] = {
	{ "kwait/loop", loop },
	{ "kwait/lock", take_lock },
};

static struct task_struct *threads[ARRAY_SIZE(kinds)];

/* The first one holds the lock: the others end after it. */
static void stop(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (threads[i])
			kthread_stop(threads[i]);
	}
}

static int __init kwait_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct task_struct *p = kthread_run(kinds[i].fn, i ? NULL : &lock, kinds[i].name);

		if (IS_ERR(p)) {
			stop();
			return PTR_ERR(p);
		}
		threads[i] = p;
		while (!mutex_is_locked(&lock))
			msleep(20);
	}
	return 0;
}

static void __exit kwait_exit(void)
{
	stop();
}

module_init(kwait_init);
module_exit(kwait_exit);
MODULE_DESCRIPTION("kernel threads that wait");
MODULE_LICENSE("GPL");
