// SPDX-License-Identifier: GPL-2.0
/* 7.2: whether it may be dumped is kept for a thread, not for its memory. */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/exec_state.h>

int wp_test(struct task_struct *p, struct user_namespace **ns);
int wp_test(struct task_struct *p, struct user_namespace **ns)
{
	const struct task_exec_state *state = rcu_dereference(p->exec_state);

	*ns = state->user_ns;
	return state->dumpable == TASK_DUMPABLE_OWNER;
}
