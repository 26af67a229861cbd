/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of -e: EVENT[,EVENT...], each as in events.h; a glob of tracepoints stands for
 * all of them, "ext4:*"; events in braces are taken one by one. See eventlist.c.
 */
#ifndef WP_LIB_PERFDATA_EVENTLIST_H
#define WP_LIB_PERFDATA_EVENTLIST_H

#include <stdbool.h>

#include "lib/perfdata/events.h"

#define WP_EVENT_FIELD	64	/* room for the name of a field */

/**
 * struct wp_event_list - events, in the order in which they were given
 * @event: the events
 * @nr: how many
 * @last: the first one of the last -e
 * @none: "none" was given: there is no other
 */
struct wp_event_list {
	struct wp_event *event;
	unsigned int nr;
	unsigned int last;
	bool none;
};

int wp_event_list_parse(struct wp_event_list *list, const char *arg);
void wp_event_list_remove(struct wp_event_list *list, unsigned int nr);
void wp_event_list_free(struct wp_event_list *list);
bool wp_event_field(const char *name, char field[WP_EVENT_FIELD]);

#endif /* WP_LIB_PERFDATA_EVENTLIST_H */
