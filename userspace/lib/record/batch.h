/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sorts samples and sideband records by time on their way into a perf.data file. Used by
 * the record command: in each round, records of all sources are added in any order;
 * wp_batch_flush() then writes those up to the time up to which every source is known to
 * be complete, and keeps the rest.
 */
#ifndef WP_LIB_RECORD_BATCH_H
#define WP_LIB_RECORD_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfdata/perfdata.h"

struct wp_batch;

struct wp_batch *wp_batch_new(struct wp_perfdata *pd, bool rounds);
void wp_batch_set_file(struct wp_batch *b, struct wp_perfdata *pd);
void wp_batch_free(struct wp_batch *b);
int wp_batch_add_record(struct wp_batch *b, const struct perf_event_header *rec, __u64 time);
int wp_batch_add_sample(struct wp_batch *b, const struct wp_perfdata_sample *s);
int wp_batch_write_sample(struct wp_batch *b, const struct wp_perfdata_sample *s, __u64 upto);
int wp_batch_write_again(struct wp_batch *b, const struct wp_perfdata_sample *s, __u64 upto);
int wp_batch_flush(struct wp_batch *b, __u64 upto);
__u64 wp_batch_late(const struct wp_batch *b);

#endif /* WP_LIB_RECORD_BATCH_H */
