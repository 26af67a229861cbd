/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses one event of -e, as perf does. Used by eventlist.c, and by eventattrs.c, which
 * writes its description to the file.
 *
 *	cycles, instructions, branch-misses, ...	hardware
 *	cpu-clock, page-faults, context-switches, ...	software
 *	L1-dcache-load-misses, LLC-loads, ...		hardware caches
 *	r01c2						raw, hexadecimal
 *	PMU/event=0x3c,umask=1/, PMU/NAME/		from sysfs
 *	sched:sched_switch				tracepoint
 *	none						no on-CPU samples
 *
 * The names of the first three kinds, and of tracepoints, may be followed by terms:
 * NAME/TERM,.../[MODIFIERS]. Those of PMUs are in the same place.
 *
 *	period=N	events per sample
 *	freq=N		samples per second
 *	max-stack=N	frames of its stacks
 *	call-graph=WORD	how user stacks are walked, as --call-graph
 *	name=NAME	its name in the file
 *
 * Modifiers: u, k, h count in user, kernel, hypervisor mode only; p, pp, ppp request
 * precise addresses. After a PMU's last slash the colon may be left out.
 */
#ifndef WP_LIB_PERFDATA_EVENTS_H
#define WP_LIB_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/perfdata/callgraph.h"
#include "lib/perfdata/tracepoint.h"

struct wp_filter;

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
 * @globbed: it is one of those that a glob names
 * @has_call_graph: @call_graph was given
 * @call_graph: how its user stacks are walked
 * @max_stack: frames of its stacks, 0: not given
 * @tracepoint: SYSTEM:NAME of a tracepoint; empty: it is none
 * @filter_text: its filter, as given, or NULL; owned by the list
 * @exclude_self: samples of this process are left out
 * @filter: both as the module takes them, or NULL; owned by the list
 * @weight: the field that its samples weigh; empty: they weigh their period
 * @weight_offset: where this is in the records
 * @weight_size: its size, 0: there is none
 * @weight_sign: it has a sign
 * @by: the field by which its samples are summed, too; no name: there is none
 * @freq: samples per second, 0: @period counts, or neither was given
 * @period: events per sample
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
	bool globbed;
	bool has_call_graph;
	enum wp_call_graph call_graph;
	unsigned int max_stack;
	char tracepoint[256];
	char *filter_text;
	bool exclude_self;
	struct wp_filter *filter;
	char weight[64];
	__u32 weight_offset;
	__u16 weight_size;
	bool weight_sign;
	struct wp_tracepoint_field by;
	__u64 freq;
	__u64 period;
};

int wp_event_parse(struct wp_event *ev, const char *spec);
bool wp_events_known(struct wp_event *ev, unsigned int nr);
const char *wp_events_devices(void);
void wp_event_settle(struct wp_event *ev, __u64 freq, __u64 period);
const char *wp_events_tracefs(unsigned int nr);
void wp_event_to_attr(const struct wp_event *ev, struct perf_event_attr *attr);
void wp_events_set_roots(const char *sysfs_devices, const char *tracefs);

#endif /* WP_LIB_PERFDATA_EVENTS_H */
