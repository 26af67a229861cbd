/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue of files whose unwind tables are to be built. For codefiles.c.
 */
#ifndef WP_LIB_RECORD_TABLEQUEUE_H
#define WP_LIB_RECORD_TABLEQUEUE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/record/tablejob.h"

struct wp_tablequeue;

struct wp_tablequeue *wp_tablequeue_new(const struct wp_tablequeue_options *opt);
void wp_tablequeue_free(struct wp_tablequeue *q);
bool wp_tablequeue_has_room(struct wp_tablequeue *q, uid_t owner, dev_t dev);
int wp_tablequeue_add(struct wp_tablequeue *q, struct wp_tablejob *job);
void wp_tablequeue_forget(struct wp_tablequeue *q);
int wp_tablequeue_fd(const struct wp_tablequeue *q);
bool wp_tablequeue_busy(struct wp_tablequeue *q);
void wp_tablequeue_stats(struct wp_tablequeue *q, struct wp_tablequeue_stats *stats);

#endif /* WP_LIB_RECORD_TABLEQUEUE_H */
