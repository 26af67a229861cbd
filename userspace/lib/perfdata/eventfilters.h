/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filters and weights of the events of a list, and what they are summed by: --filter,
 * --exclude-perf, --weight and --by, which follow -e, and are of its events. See
 * eventfilters.c.
 *
 *	wp_event_list_parse(&list, "sched:sched_switch");
 *	wp_event_filters_add(&list, "prev_prio < 100");
 *	...
 *	wp_event_filters_compile(&list);	once, behind all options
 */
#ifndef WP_LIB_PERFDATA_EVENTFILTERS_H
#define WP_LIB_PERFDATA_EVENTFILTERS_H

#include "lib/perfdata/eventlist.h"

int wp_event_filters_add(struct wp_event_list *list, const char *text);
int wp_event_filters_exclude_self(struct wp_event_list *list);
int wp_event_filters_weigh(struct wp_event_list *list, const char *field);
int wp_event_filters_sum_by(struct wp_event_list *list, const char *field);
int wp_event_filters_compile(struct wp_event_list *list);

#endif /* WP_LIB_PERFDATA_EVENTFILTERS_H */
