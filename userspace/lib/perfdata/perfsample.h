/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a record in a perf.data file. See perfsample.c.
 */
#ifndef WP_LIB_PERFDATA_PERFSAMPLE_H
#define WP_LIB_PERFDATA_PERFSAMPLE_H

#include <stdbool.h>
#include <linux/perf_event.h>

#include "lib/perfdata/perfevents.h"
#include "lib/perfdata/perfrecord.h"

bool wp_perfsample_parse(const struct wp_perfevents *events,
			 const struct perf_event_header *header, struct wp_perfrecord *rec);

#endif /* WP_LIB_PERFDATA_PERFSAMPLE_H */
