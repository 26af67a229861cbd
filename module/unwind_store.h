/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_UNWIND_STORE_H
#define WALLPROF_UNWIND_STORE_H

#include <linux/types.h>

struct wallprof_push;
struct wp_mappings;
struct wp_session;
struct wp_table;

int wp_store_charge(struct wp_session *session, s64 bytes);
int wp_store_push(struct wp_session *session, struct wallprof_push *push, bool evict);
int wp_store_use(struct wp_mappings *mappings, u32 id, const struct wp_table **table);
void wp_store_unuse(const struct wp_table *table);
void wp_store_release(struct wp_session *session);

#endif /* WALLPROF_UNWIND_STORE_H */
