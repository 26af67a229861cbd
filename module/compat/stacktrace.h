/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/stacktrace.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_STACKTRACE_H
#define WALLPROF_COMPAT_STACKTRACE_H

#include <linux/kernel.h>
#include <linux/stacktrace.h>

#include "features.h"

#ifndef WP_HAS_STACK_TRACE_SAVE
/* In a stack that is shorter than the array, ULONG_MAX follows the last address. */
static inline unsigned int stack_trace_save(unsigned long *ips, unsigned int max,
					    unsigned int skip)
{
	struct stack_trace trace = { .entries = ips, .max_entries = max, .skip = skip };

	save_stack_trace(&trace);
	if (trace.nr_entries && ips[trace.nr_entries - 1] == ULONG_MAX)
		trace.nr_entries--;
	return trace.nr_entries;
}
#endif

#endif /* WALLPROF_COMPAT_STACKTRACE_H */
