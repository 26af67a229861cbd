/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whom to record: lists of processes, threads and users. See target.c.
 */
#ifndef WP_LIB_TARGET_H
#define WP_LIB_TARGET_H

#include <linux/types.h>

/**
 * struct wp_target - whom to record
 * @kind: enum wallprof_target
 * @ids: process, thread or user ids, or NULL for WALLPROF_TARGET_ALL
 * @nr: their number
 * @tgids: of processes and threads: the process of each of @ids
 */
struct wp_target {
	__u32 kind;
	__u32 *ids;
	__u32 nr;
	__u32 *tgids;
};

void wp_target_free(struct wp_target *t);
int wp_target_parse(struct wp_target *t, __u32 kind, const char *list);
int wp_target_set(struct wp_target *t, __u32 pid);
int wp_target_resolve(struct wp_target *t);
__u32 wp_count_threads(void);

#endif /* WP_LIB_TARGET_H */
