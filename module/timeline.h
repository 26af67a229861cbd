/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_TIMELINE_H
#define WALLPROF_TIMELINE_H

#include "probe.h"
#include "pure/intervals.h"

struct task_struct;
struct wp_session;

#define WP_TIMELINE_PROBES	4

extern struct wp_probe_desc wp_timeline_probe_descs[WP_TIMELINE_PROBES];

void wp_timeline_write_stacks(struct wp_session *session, struct task_struct *prev,
			      const struct wp_leave *leave);

#endif /* WALLPROF_TIMELINE_H */
