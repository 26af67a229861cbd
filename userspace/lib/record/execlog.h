/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes have executed a program lately. See execlog.c.
 */
#ifndef WP_LIB_RECORD_EXECLOG_H
#define WP_LIB_RECORD_EXECLOG_H

#include <stddef.h>
#include <linux/types.h>

#define WP_EXECLOG_BUCKETS	1024

struct wp_exec;

/**
 * struct wp_execlog - the processes; all zero: none
 * @bucket: them, by pid
 * @nr: their number
 * @lost: the last time of one that found no room, or 0
 */
struct wp_execlog {
	struct wp_exec *bucket[WP_EXECLOG_BUCKETS];
	size_t nr;
	__u64 lost;
};

void wp_execlog_add(struct wp_execlog *log, __u32 pid, __u64 time);
__u64 wp_execlog_find(const struct wp_execlog *log, __u32 pid);
void wp_execlog_drop(struct wp_execlog *log, __u64 upto);

#endif /* WP_LIB_RECORD_EXECLOG_H */
