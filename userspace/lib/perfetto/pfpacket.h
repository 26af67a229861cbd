/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of a Perfetto trace, in protobuf-c's structures. For pfsched.c and pfsamples.c;
 * see pftrace.c.
 */
#ifndef WP_LIB_PERFETTO_PFPACKET_H
#define WP_LIB_PERFETTO_PFPACKET_H

#include <linux/types.h>

#include "perfetto.pb-c.h"

struct wp_pftrace;

/* Packet sequences: one for the host, and one for each event's samples. */
#define WP_PF_SEQUENCE		1
#define WP_PF_SAMPLES_SEQUENCE	2

int wp_pftrace_packet(struct wp_pftrace *t, Pf__TracePacket *packet, __u32 sequence, __u64 time);

#endif /* WP_LIB_PERFETTO_PFPACKET_H */
