/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of the summary about the events that were sampled. See eventlines.c.
 */
#ifndef WP_CMD_RECORD_EVENTLINES_H
#define WP_CMD_RECORD_EVENTLINES_H

#include <stddef.h>

#include "lib/record/sessionopts.h"
#include "lib/record/sessionstats.h"

const char *wp_record_event_name(const struct wp_record_opts *o, char *buf, size_t size);
void wp_record_event_lines(const struct wp_record_opts *o, const struct wp_record_stats *s);

#endif /* WP_CMD_RECORD_EVENTLINES_H */
