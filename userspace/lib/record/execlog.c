// SPDX-License-Identifier: GPL-2.0
/*
 * Notes which processes have executed a program in the samples that are not written yet. Any
 * process may have had a JVM before that, whose stacks come later: so all are noted, and a host
 * can have many. Called by jvmmethods.c.
 */
#include <stdlib.h>

#include "lib/record/execlog.h"

/* Of more, it is not known which they are. */
#define MAX_EXECS	65536

/**
 * struct wp_exec - a process
 * @next: in its bucket
 * @pid: its number
 * @time: when it executed a program for the first time
 */
struct wp_exec {
	struct wp_exec *next;
	__u32 pid;
	__u64 time;
};

static struct wp_exec *find(const struct wp_execlog *log, __u32 pid)
{
	struct wp_exec *e = log->bucket[pid % WP_EXECLOG_BUCKETS];

	while (e && e->pid != pid)
		e = e->next;
	return e;
}

/**
 * wp_execlog_add() - note that a process has executed a program
 * @log: the log
 * @pid: the process
 * @time: when
 */
void wp_execlog_add(struct wp_execlog *log, __u32 pid, __u64 time)
{
	struct wp_exec *e = find(log, pid);

	if (e) {
		e->time = time < e->time ? time : e->time;
		return;
	}
	e = log->nr < MAX_EXECS ? malloc(sizeof(*e)) : NULL;
	if (!e) {
		log->lost = time > log->lost ? time : log->lost;
		return;
	}
	*e = (struct wp_exec){ log->bucket[pid % WP_EXECLOG_BUCKETS], pid, time };
	log->bucket[pid % WP_EXECLOG_BUCKETS] = e;
	log->nr++;
}

/**
 * wp_execlog_find() - when a process has executed a program
 * @log: the log
 * @pid: the process
 *
 * Return: the time, or an earlier one if that is not known; 0: it has executed none.
 */
__u64 wp_execlog_find(const struct wp_execlog *log, __u32 pid)
{
	const struct wp_exec *e = find(log, pid);

	return e ? e->time : log->lost ? 1 : 0;
}

/**
 * wp_execlog_drop() - forget what samples do not need any more
 * @log: the log
 * @upto: all samples up to this time are written
 */
void wp_execlog_drop(struct wp_execlog *log, __u64 upto)
{
	struct wp_exec **at, *e;
	unsigned int i;

	if (log->lost <= upto)
		log->lost = 0;
	for (i = 0; i < WP_EXECLOG_BUCKETS && log->nr; i++) {
		for (at = &log->bucket[i]; (e = *at);) {
			if (e->time > upto) {
				at = &e->next;
				continue;
			}
			*at = e->next;
			free(e);
			log->nr--;
		}
	}
}
