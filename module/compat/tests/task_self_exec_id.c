// SPDX-License-Identifier: GPL-2.0
/* All but EL8's 4.18, which keeps it beside task_struct. */
#include <linux/sched.h>

u32 wp_test(struct task_struct *p);
u32 wp_test(struct task_struct *p)
{
	return p->self_exec_id;
}
