/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracepoints recorded, as raw payloads of samples: record -R. See tracerecords.c.
 */
#ifndef WP_LIB_RECORD_TRACERECORDS_H
#define WP_LIB_RECORD_TRACERECORDS_H

#include <stdbool.h>

#include "lib/model/stacks.h"
#include "lib/perfdata/eventlist.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/tracepoint.h"

/**
 * struct wp_tracerecords - the formats of the events that are tracepoints
 * @formats: by number of the event; those of other events have no text
 * @nr: how many events
 */
struct wp_tracerecords {
	struct wp_tracepoint *formats;
	unsigned int nr;
};

int wp_tracerecords_read(struct wp_tracerecords *t, const struct wp_event_list *events);
void wp_tracerecords_describe(const struct wp_tracerecords *t, unsigned int event,
			      struct wp_perfdata_event *out);
bool wp_tracerecords_encode(const struct wp_tracerecords *t, unsigned int event,
			    const struct wp_stack *record, __u32 tid, void *buf,
			    struct wp_perfdata_sample *sample);
void wp_tracerecords_free(struct wp_tracerecords *t);

#endif /* WP_LIB_RECORD_TRACERECORDS_H */
