/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The field of a tracepoint by which samples are summed: record --by. See byfield.c.
 */
#ifndef WP_LIB_PERFDATA_BYFIELD_H
#define WP_LIB_PERFDATA_BYFIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/perfdata/tracepoint.h"

#define WP_BYFIELD_SAMPLES	"samples"	/* number of samples in a sum */
#define WP_BYFIELD_TEXT		24		/* room for a value, or for its name */

int wp_byfield_format(struct wp_tracepoint *tp, const struct wp_tracepoint_field *field,
		      unsigned int nr);
void wp_byfield_name(char *event, size_t size, const char *field);
void wp_byfield_cut(char *event);
bool wp_byfield_of(const char *event, char *field, size_t size);
void wp_byfield_text(const struct wp_tracepoint_field *field, const void *raw,
		     char text[WP_BYFIELD_TEXT]);
bool wp_byfield_is_error(const char *event, const struct wp_tracepoint_field *field);
bool wp_byfield_is_call(const char *event, const struct wp_tracepoint_field *field);
void wp_byfield_error(const struct wp_tracepoint_field *field, const void *raw,
		      char name[WP_BYFIELD_TEXT]);

#endif /* WP_LIB_PERFDATA_BYFIELD_H */
