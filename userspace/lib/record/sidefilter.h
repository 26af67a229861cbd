/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes whose records are wanted. See sidefilter.c.
 */
#ifndef WP_LIB_RECORD_SIDEFILTER_H
#define WP_LIB_RECORD_SIDEFILTER_H

#include "lib/record/sidestate.h"

int wp_sidefilter_want(struct wp_sideband *sb, __u32 pid);
bool wp_sidefilter_is_wanted(const struct wp_sideband *sb, __u32 pid);
bool wp_sidefilter_passes(struct wp_sideband *sb, const struct perf_event_header *rec,
			  __u64 time);

#endif /* WP_LIB_RECORD_SIDEFILTER_H */
