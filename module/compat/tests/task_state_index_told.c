// SPDX-License-Identifier: GPL-2.0
/* Linux 5.18; also taken over into 5.15. */
#include <linux/sched.h>

int wp_test(struct task_struct *p, unsigned int state);
int wp_test(struct task_struct *p, unsigned int state)
{
	return __task_state_index(state, p->exit_state);
}
