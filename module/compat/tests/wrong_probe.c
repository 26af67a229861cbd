// SPDX-License-Identifier: GPL-2.0
/* No kernel's: a probe with another prototype. */
#include <trace/events/sched.h>

static void probe(void *data, struct task_struct *parent)
{
}

void wp_test(void);
void wp_test(void)
{
	check_trace_callback_type_sched_process_fork(probe);
}
