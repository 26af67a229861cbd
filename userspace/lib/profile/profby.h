/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What samples of an event are summed by: record --by. See profby.c.
 */
#ifndef WP_LIB_PROFILE_PROFBY_H
#define WP_LIB_PROFILE_PROFBY_H

#include "lib/perfdata/byfield.h"
#include "lib/perfdata/perfevents.h"
#include "lib/perfdata/perfrecords.h"

/**
 * struct wp_profby - what samples of an event are summed by
 * @field: the field; NULL: none
 * @samples: number of samples in a sum; NULL: unknown
 * @errors: negative values of @field are errors
 * @calls: those of @field are numbers of system calls
 */
struct wp_profby {
	const struct wp_tracepoint_field *field;
	const struct wp_tracepoint_field *samples;
	bool errors;
	bool calls;
};

void wp_profby_set(struct wp_profby *by, const struct wp_perfevent *event);
bool wp_profby_read(const struct wp_profby *by, const struct wp_perfrecord *rec,
		    char value[WP_BYFIELD_TEXT], char error[WP_BYFIELD_TEXT], __u64 *samples);
const char *wp_profby_label(const struct wp_profby *by, const char *value, const char *error,
			    char *text, size_t size);

#endif /* WP_LIB_PROFILE_PROFBY_H */
