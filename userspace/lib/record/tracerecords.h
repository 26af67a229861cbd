/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracepoints recorded, as raw payloads of samples: record -R and --by. See
 * tracerecords.c.
 */
#ifndef WP_LIB_RECORD_TRACERECORDS_H
#define WP_LIB_RECORD_TRACERECORDS_H

#include <stdbool.h>

#include "lib/model/merge.h"
#include "lib/perfdata/eventlist.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/tracepoint.h"

/**
 * struct wp_tracerecords_event - an event whose samples have a raw payload
 * @format: its format; without text: they have none
 * @summed: the payload has nothing but what they are summed by, and their number
 * @by: what they are summed by, or NULL
 * @samples: their number, or NULL
 */
struct wp_tracerecords_event {
	struct wp_tracepoint format;
	bool summed;
	const struct wp_tracepoint_field *by;
	const struct wp_tracepoint_field *samples;
};

/**
 * struct wp_tracerecords - the payloads of events
 * @event: by number of the event
 * @nr: how many
 */
struct wp_tracerecords {
	struct wp_tracerecords_event *event;
	unsigned int nr;
};

int wp_tracerecords_read(struct wp_tracerecords *t, const struct wp_event_list *events, bool raw);
void wp_tracerecords_describe(const struct wp_tracerecords *t, unsigned int event,
			      struct wp_perfdata_event *out);
bool wp_tracerecords_encode(const struct wp_tracerecords *t, const struct wp_sample *s, void *buf,
			    struct wp_perfdata_sample *sample);
void wp_tracerecords_free(struct wp_tracerecords *t);

#endif /* WP_LIB_RECORD_TRACERECORDS_H */
