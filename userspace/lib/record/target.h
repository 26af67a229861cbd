/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Target options: lists of processes, threads, users, names and control groups. See
 * target.c.
 */
#ifndef WP_LIB_RECORD_TARGET_H
#define WP_LIB_RECORD_TARGET_H

#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/base/cpumask.h"
#include "lib/device/device.h"

/**
 * struct wp_target - the threads to record
 * @kind: enum wallprof_target
 * @ids: process, thread or user ids, else NULL
 * @names: names of threads, else NULL
 * @groups: ids of control groups, else NULL
 * @nr: number of entries
 * @tgids: for processes and threads: the process of each of @ids
 */
struct wp_target {
	__u32 kind;
	__u32 *ids;
	char (*names)[WALLPROF_COMM_LEN];
	__u64 *groups;
	__u32 nr;
	__u32 *tgids;
};

void wp_target_free(struct wp_target *t);
int wp_target_parse(struct wp_target *t, __u32 kind, const char *list);
int wp_target_set(struct wp_target *t, __u32 pid);
int wp_target_resolve(struct wp_target *t);
__u64 wp_target_list(const struct wp_target *t);
const char *wp_target_awaited(const struct wp_target *t);
int wp_target_set_cpus(struct wallprof_configure *c, const struct wp_device *dev,
		       const struct wp_cpumask *cpus);
__u32 wp_count_threads(void);

#endif /* WP_LIB_RECORD_TARGET_H */
