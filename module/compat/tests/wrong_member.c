// SPDX-License-Identifier: GPL-2.0
/* No kernel's: a member that is not there. */
#include <linux/sched.h>

void wp_test(struct task_struct *p);
void wp_test(struct task_struct *p)
{
	p->wallprof_has_no_such_member = 0;
}
