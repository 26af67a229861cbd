/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event as the time base of samples in a Perfetto trace. See pftimebase.c; used by
 * pfsamples.c only.
 */
#ifndef WP_LIB_PERFETTO_PFTIMEBASE_H
#define WP_LIB_PERFETTO_PFTIMEBASE_H

#include "lib/perfdata/perfevents.h"
#include "lib/perfetto/pfpacket.h"

/**
 * struct wp_pftimebase - an event
 * @base: the message
 * @tracepoint: for @base, if the event is a tracepoint
 * @raw: for @base, if Perfetto has no number for the counter
 */
struct wp_pftimebase {
	Pf__PerfEvents__Timebase base;
	Pf__PerfEvents__Tracepoint tracepoint;
	Pf__PerfEvents__RawEvent raw;
};

void wp_pftimebase_init(struct wp_pftimebase *t, const struct wp_perfevent *event, char *name);

#endif /* WP_LIB_PERFETTO_PFTIMEBASE_H */
