// SPDX-License-Identifier: GPL-2.0
/* 5.14: task_struct.state became __state. */
#include <linux/sched.h>

unsigned int wp_test(struct task_struct *p);
unsigned int wp_test(struct task_struct *p)
{
	return READ_ONCE(p->__state);
}
