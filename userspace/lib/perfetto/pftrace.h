/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writer of a Perfetto trace, packet by packet. See pftrace.c.
 *
 *	ret = wp_pftrace_open(&t, path, file, clockid);
 *	ret = wp_pftrace_begin(t, time);	before the first packet
 *	ret = wp_pftrace_packet(t, packet);	lib/perfetto/pfpacket.h
 *	ret = wp_pftrace_close(t, &bytes);
 */
#ifndef WP_LIB_PERFETTO_PFTRACE_H
#define WP_LIB_PERFETTO_PFTRACE_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/perfdata/perffile.h"

/* Perfetto's importer refuses a trace with a higher CPU number. */
#define WP_PF_CPUS	1024

/* Clockid of a recording that does not state one: perf's own clock. */
#define WP_PF_NO_CLOCKID	(-1)

/**
 * enum wp_pf_layout - meaning of the bits of prev_state, by the kernel's release
 * @WP_PF_BEFORE_4_8: before 4.8, or of an unknown release
 * @WP_PF_BEFORE_4_14: from 4.8 on
 * @WP_PF_SINCE_4_14: from 4.14 on
 */
enum wp_pf_layout {
	WP_PF_BEFORE_4_8,
	WP_PF_BEFORE_4_14,
	WP_PF_SINCE_4_14,
};

struct wp_pftrace;

int wp_pftrace_open(struct wp_pftrace **out, const char *path, const struct wp_perffile *file,
		    int clockid);
int wp_pftrace_begin(struct wp_pftrace *t, __u64 time);
bool wp_pftrace_begun(const struct wp_pftrace *t);
enum wp_pf_layout wp_pftrace_layout(const struct wp_pftrace *t);
int wp_pftrace_close(struct wp_pftrace *t, __u64 *bytes);
void wp_pftrace_abandon(struct wp_pftrace *t);

enum wp_pf_layout wp_pf_layout_of(const char *release);
__u32 wp_pf_state(enum wp_pf_layout layout, char state, bool preempted);

#endif /* WP_LIB_PERFETTO_PFTRACE_H */
