/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file to write to: of an on-CPU event, the off-CPU event and the sideband, on three
 * CPUs.
 */
#ifndef WP_TESTS_UNIT_NEWFILE_H
#define WP_TESTS_UNIT_NEWFILE_H

#include <stddef.h>

#include "lib/perfdata/attrsize.h"
#include "lib/perfdata/events.h"
#include "lib/perfdata/perfdata.h"

/* Of the file; not the running kernel's. */
static unsigned int new_file_attr_size = WP_ATTRSIZE;

static inline struct wp_perfdata *new_file(const char *path, size_t buffer)
{
	struct wp_perfdata_event ev[3];
	struct wp_perfdata *pd = NULL;
	struct wp_event e;

	wp_event_parse(&e, "cycles:u");
	wp_event_settle(&e, 99, 0);
	wp_perfdata_event_oncpu(&ev[0], &e);
	wp_perfdata_event_offcpu(&ev[1]);
	wp_perfdata_event_sideband(&ev[2]);
	wp_perfdata_open(&pd, &(struct wp_perfdata_options){
		.path = path, .events = ev, .nr_events = 3, .buffer_size = buffer,
		.cpus = (int []){ 0, 1, 5 }, .nr_cpus = 3,
		.attr_size = new_file_attr_size });
	return pd;
}

#endif /* WP_TESTS_UNIT_NEWFILE_H */
