/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads and processes of a Perfetto trace. See pfthreads.c.
 */
#ifndef WP_LIB_PERFETTO_PFTHREADS_H
#define WP_LIB_PERFETTO_PFTHREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/perfetto/pftrace.h"
#include "lib/profile/schedevents.h"

/**
 * struct wp_pfthread - a thread
 * @tid: its id
 * @pid: its process, or WP_SCHED_NO_PID
 * @ppid: of a process: its parent, 0 if unknown
 * @comm: its name, empty if unknown
 * @used: the entry is in use
 * @born: the trace has its fork
 * @exits: it is about to end
 * @ended: it is gone
 * @unwritten: the trace does not have all of this yet
 * @since: time of that change
 * @others: of a process: number of other threads that are not gone
 */
struct wp_pfthread {
	__s32 tid;
	__s32 pid;
	__s32 ppid;
	char comm[WP_SCHED_COMM];
	bool used;
	bool born;
	bool exits;
	bool ended;
	bool unwritten;
	__u64 since;
	__u32 others;
};

/**
 * struct wp_pfthreads - all threads; all zero is an empty table
 * @entry: hash table by @tid
 * @nr: used entries
 * @room: all entries, a power of two, or 0
 */
struct wp_pfthreads {
	struct wp_pfthread *entry;
	size_t nr;
	size_t room;
};

struct wp_pfthread *wp_pfthreads_find(const struct wp_pfthreads *t, __s32 tid);
int wp_pfthreads_learn(struct wp_pfthreads *t, const struct wp_schedthread *who, __u64 time);
int wp_pfthreads_fork(struct wp_pfthreads *t, const struct wp_schedevent *ev);
int wp_pfthreads_write(struct wp_pfthreads *t, struct wp_pftrace *trace, __s32 tid, __u64 time);
int wp_pfthreads_write_all(struct wp_pfthreads *t, struct wp_pftrace *trace, __u64 time);
__s32 wp_pfthreads_end(struct wp_pfthreads *t, __s32 tid);
void wp_pfthreads_free(struct wp_pfthreads *t);

#endif /* WP_LIB_PERFETTO_PFTHREADS_H */
