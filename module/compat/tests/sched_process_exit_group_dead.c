// SPDX-License-Identifier: GPL-2.0
/* 6.16: sched_process_exit passes whether it is the process's last thread. */
#include <trace/events/sched.h>

static void probe(void *data, struct task_struct *p, bool group_dead)
{
}

void wp_test(void);
void wp_test(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}
