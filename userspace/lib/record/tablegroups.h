/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of files, and their order. See tablegroups.c.
 */
#ifndef WP_LIB_RECORD_TABLEGROUPS_H
#define WP_LIB_RECORD_TABLEGROUPS_H

#include "lib/record/tablestate.h"

/* CPU time by which users may differ before the one that has used more waits. */
#define WP_TABLE_QUANTUM_NS	50000000ULL

/* Groups beyond which those without files are forgotten. */
#define WP_TABLEGROUPS_KEPT	1024

struct wp_tableuser *wp_tablegroups_user(struct wp_tablequeue *q, uid_t owner, dev_t dev,
					 bool add);
struct wp_tablegroup *wp_tablegroups_group(struct wp_tablequeue *q, uid_t owner, dev_t dev);
void wp_tablegroups_sweep(struct wp_tablequeue *q);
void wp_tablegroups_push_job(struct wp_tablejob **list, struct wp_tablejob *job);
struct wp_tablejob *wp_tablegroups_take_smallest(struct wp_tablejob **list);
bool wp_tablegroups_has_work(const struct wp_tablegroup *g);
bool wp_tablegroups_goes_before(const struct wp_tableuser *a, const struct wp_tableuser *b);
struct wp_tablegroup *wp_tablegroups_next(struct wp_tablequeue *q, __u64 *when);
bool wp_tablegroups_has_room(const struct wp_tablequeue *q, const struct wp_tableuser *u);

#endif /* WP_LIB_RECORD_TABLEGROUPS_H */
