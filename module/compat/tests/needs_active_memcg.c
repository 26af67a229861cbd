// SPDX-License-Identifier: GPL-2.0
/* 4.19, and EL8's 4.18: who is charged for what current allocates. */
#include <linux/sched.h>

void *wp_test(struct task_struct *p);
void *wp_test(struct task_struct *p)
{
#ifdef CONFIG_MEMCG
	return p->active_memcg;
#else
	return p;
#endif
}
