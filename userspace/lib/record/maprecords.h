/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of mappings, forks and exits, for mapsync.c. See maprecords.c.
 */
#ifndef WP_LIB_RECORD_MAPRECORDS_H
#define WP_LIB_RECORD_MAPRECORDS_H

#include "lib/record/mapstate.h"

bool wp_maprecords_skips(void *ctx, const struct perf_event_header *rec);
int wp_maprecords_drain(struct wp_mapsync *sync);
__u64 wp_maprecords_ask_for_missed(struct wp_mapsync *sync);

#endif /* WP_LIB_RECORD_MAPRECORDS_H */
