/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a perf.data file that is written. See eventattrs.c.
 */
#ifndef WP_LIB_PERFDATA_EVENTATTRS_H
#define WP_LIB_PERFDATA_EVENTATTRS_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct wp_event;
struct wp_tracepoint;

/**
 * struct wp_perfdata_event - an event of the file
 * @name: the name shown by readers
 * @attr: type, config and the like; wp_perfdata_open() sets the common fields
 * @raw_shows: parts of its raw payload that readers print: see wp_raw_format()
 * @tracepoint: the kernel's tracepoint of its samples, or NULL; must stay valid until
 *	wp_perfdata_open() returns
 */
struct wp_perfdata_event {
	char name[256];
	struct perf_event_attr attr;
	unsigned int raw_shows;
	const struct wp_tracepoint *tracepoint;
};

void wp_perfdata_event_oncpu(struct wp_perfdata_event *out, const struct wp_event *ev);
void wp_perfdata_event_offcpu(struct wp_perfdata_event *out);
void wp_perfdata_event_runnable(struct wp_perfdata_event *out);
void wp_perfdata_event_wakeup(struct wp_perfdata_event *out);
void wp_perfdata_event_raw(struct wp_perfdata_event *out, unsigned int shows);
void wp_perfdata_event_cause(struct wp_perfdata_event *out);
void wp_perfdata_event_tracepoint(struct wp_perfdata_event *out,
				  const struct wp_tracepoint *tp);
void wp_perfdata_event_sideband(struct wp_perfdata_event *out);

#endif /* WP_LIB_PERFDATA_EVENTATTRS_H */
