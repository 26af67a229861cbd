/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of a ring. See siderecords.c.
 */
#ifndef WP_LIB_RECORD_SIDERECORDS_H
#define WP_LIB_RECORD_SIDERECORDS_H

#include "lib/record/sidestate.h"

int wp_siderecords_take(struct wp_sideband *sb, int cpu, struct perf_event_header *rec);
int wp_siderecords_take_loss(struct wp_sideband *sb, int cpu, __u64 lost);
int wp_siderecords_feed(struct wp_sideband *sb, int cpu, const void *data, size_t size,
			__u64 head, __u64 *tail);
int wp_siderecords_deliver(void *ctx, struct perf_event_header *rec, __u64 time);

#endif /* WP_LIB_RECORD_SIDERECORDS_H */
