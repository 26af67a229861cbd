// SPDX-License-Identifier: GPL-2.0
/* Kernels for several CPUs, and all from 6.17 on. */
#include <linux/sched.h>

int wp_test(struct task_struct *p);
int wp_test(struct task_struct *p)
{
	return READ_ONCE(p->on_cpu);
}
