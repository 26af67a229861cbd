// SPDX-License-Identifier: GPL-2.0
/* 5.2, and EL8's 4.18: a stack is stored in an array. */
#include <linux/stacktrace.h>

unsigned int wp_test(unsigned long *ips);
unsigned int wp_test(unsigned long *ips)
{
	return stack_trace_save(ips, 1, 0);
}
