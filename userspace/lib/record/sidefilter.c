// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the set of processes whose records are wanted, if there is a filter. Called by the
 * other parts of sideband.c.
 */
#include <errno.h>

#include "lib/record/sidefilter.h"

/**
 * wp_sidefilter_want() - add a process to the set
 * @sb: the sideband
 * @pid: process
 *
 * Return: 0, or -EINVAL without a filter or if @pid is no pid.
 */
int wp_sidefilter_want(struct wp_sideband *sb, __u32 pid)
{
	if (pid >= WP_SIDE_MAX_PID || !sb->wanted)
		return -EINVAL;
	sb->wanted[pid / 8] |= 1 << pid % 8;
	return 0;
}

/**
 * wp_sidefilter_is_wanted() - check whether a process is in the set
 * @sb: the sideband
 * @pid: process
 *
 * Return: true without a filter, or if the process or an ancestor was wanted.
 */
bool wp_sidefilter_is_wanted(const struct wp_sideband *sb, __u32 pid)
{
	if (!sb->wanted)
		return true;
	return pid < WP_SIDE_MAX_PID && sb->wanted[pid / 8] >> pid % 8 & 1;
}

static bool ask_wanted(struct wp_sideband *sb, __u32 pid)
{
	if (wp_sidefilter_is_wanted(sb, pid))
		return true;
	if (!sb->opt.wanted || !sb->opt.wanted(sb->opt.ctx, pid))
		return false;
	return !wp_sidefilter_want(sb, pid);
}

/**
 * wp_sidefilter_passes() - check whether a record is wanted
 * @sb: the sideband
 * @rec: the record
 * @time: its time
 *
 * A fork or exit record also updates the set of wanted processes.
 */
bool wp_sidefilter_passes(struct wp_sideband *sb, const struct perf_event_header *rec,
			  __u64 time)
{
	const struct wp_side_task *task = (const void *)rec;

	if (!sb->wanted)
		return true;
	switch (rec->type) {
	case PERF_RECORD_FORK:
		if (task->pid == task->ppid)
			return ask_wanted(sb, task->pid);
		/*
		 * A reused pid says nothing about the new process, unless that was wanted
		 * in the meantime.
		 */
		if (task->pid < WP_SIDE_MAX_PID && time > sb->want_time)
			sb->wanted[task->pid / 8] &= ~(1 << task->pid % 8);
		if (ask_wanted(sb, task->ppid))
			return !wp_sidefilter_want(sb, task->pid);
		return ask_wanted(sb, task->pid);
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return ask_wanted(sb, task->pid);
	default:
		return true;
	}
}
