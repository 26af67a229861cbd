// SPDX-License-Identifier: GPL-2.0
/* 6.12: a thread that has blocked may stay queued for a while. */
#include <linux/sched.h>

int wp_test(struct task_struct *p);
int wp_test(struct task_struct *p)
{
	return READ_ONCE(p->se.sched_delayed);
}
