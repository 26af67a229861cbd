// SPDX-License-Identifier: GPL-2.0
/*
 * Priority of the reader, for hosts where so many threads want a CPU that the tables are full
 * before it has one.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/common/realtime.h"
#include "lib/base/err.h"

/**
 * wp_realtime_parse() - parse the value of -r
 * @arg: the text
 * @priority: set to the priority
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_realtime_parse(const char *arg, int *priority)
{
	return wp_value_int("-r", arg, sched_get_priority_min(SCHED_FIFO),
			    sched_get_priority_max(SCHED_FIFO), priority);
}

/**
 * wp_realtime_set() - give this thread a realtime priority, and those that it starts
 * @priority: from wp_realtime_parse(); 0: none was given
 *
 * Processes that were forked before keep theirs, as the command that is recorded.
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_realtime_set(int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	int err;

	if (!priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	err = errno;
	wp_err("-r %d: could not set realtime priority: %s%s", priority, strerror(err),
	       err == EPERM ? " (it needs CAP_SYS_NICE, or RLIMIT_RTPRIO)" : "");
	return -err;
}
