// SPDX-License-Identifier: GPL-2.0
/* Before 4.20: a kind of RCU of its own for code with interrupts or preemption off. */
#include <linux/rcupdate.h>

void wp_test(void);
void wp_test(void)
{
	synchronize_sched_expedited();
}
