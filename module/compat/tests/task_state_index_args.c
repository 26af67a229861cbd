// SPDX-License-Identifier: GPL-2.0
/* The function that sched_switch reports by, if it is passed the state: not 5.10. */
#include <linux/sched.h>

int wp_test(struct task_struct *p, unsigned int state);
int wp_test(struct task_struct *p, unsigned int state)
{
	return __task_state_index(state, p->exit_state);
}
