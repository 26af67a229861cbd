// SPDX-License-Identifier: GPL-2.0
/* 5.18: sched_switch passes the state that the scheduler read, as second argument. */
#include <trace/events/sched.h>

static void probe(void *data, bool preempt, unsigned int prev_state,
		  struct task_struct *prev, struct task_struct *next)
{
}

void wp_test(void);
void wp_test(void)
{
	check_trace_callback_type_sched_switch(probe);
}
