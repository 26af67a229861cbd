/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses -e EVENT[:MODIFIERS] as perf does. Used by the record command for the event of
 * the on-CPU samples, and by eventattrs.c, which writes its description to the file.
 *
 *	cycles, instructions, branch-misses, ...	hardware
 *	cpu-clock, page-faults, context-switches, ...	software
 *	L1-dcache-load-misses, LLC-loads, ...		hardware caches
 *	r01c2						raw, hexadecimal
 *	PMU/event=0x3c,umask=1/, PMU/NAME/		from sysfs
 *	sched:sched_switch				tracepoint
 *	none						no on-CPU samples
 *
 * Modifiers: u, k, h count in user, kernel, hypervisor mode only; p, pp, ppp request
 * precise addresses. After a PMU's last slash the colon may be left out.
 */
#ifndef WP_LIB_PERFDATA_EVENTS_H
#define WP_LIB_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct wp_event - a parsed event
 * @name: its name in EVENT_DESC: aliases resolved, modifiers as given
 * @none: "none": no event, the other fields are 0
 * @type: PERF_TYPE_* or a PMU's number
 * @config: as in perf_event_attr
 * @config1: the same
 * @config2: the same
 * @exclude_user: do not count in user mode
 * @exclude_kernel: do not count in kernel mode
 * @exclude_hv: do not count in hypervisor mode
 * @precise_ip: 0 to 3
 */
struct wp_event {
	char name[256];
	bool none;
	__u32 type;
	__u64 config;
	__u64 config1;
	__u64 config2;
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
	__u8 precise_ip;
};

int wp_event_parse(struct wp_event *ev, const char *spec);
void wp_event_to_attr(const struct wp_event *ev, struct perf_event_attr *attr);
void wp_events_set_roots(const char *sysfs_devices, const char *tracefs);

#endif /* WP_LIB_PERFDATA_EVENTS_H */
