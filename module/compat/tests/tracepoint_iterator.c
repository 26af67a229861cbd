// SPDX-License-Identifier: GPL-2.0
/* 5.10: several probes of a tracepoint are called by a function of its own. */
#include <linux/tracepoint.h>

void *wp_test(struct tracepoint *tp);
void *wp_test(struct tracepoint *tp)
{
	return tp->iterator;
}
