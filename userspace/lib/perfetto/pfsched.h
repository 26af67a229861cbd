/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's events in a Perfetto trace. See pfsched.c.
 *
 *	ret = wp_pfsched_new(&s, trace, timeline);
 *	ret = wp_pfsched_event(s, &ev);		each, in order of time
 *	ret = wp_pfsched_end(s, time);
 *	wp_pfsched_free(s);
 */
#ifndef WP_LIB_PERFETTO_PFSCHED_H
#define WP_LIB_PERFETTO_PFSCHED_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/perfetto/pftrace.h"
#include "lib/profile/schedevents.h"

struct wp_pfsched;

/**
 * struct wp_pfsched_stats - statistics
 * @events: events of the scheduler
 * @switches: of them, switches, each of which begins a slice
 * @blocked: of them, functions that threads were blocked in
 * @lost: events that are missing, according to the recording
 * @left_out: events on CPUs with numbers that Perfetto refuses
 */
struct wp_pfsched_stats {
	__u64 events;
	__u64 switches;
	__u64 blocked;
	__u64 lost;
	__u64 left_out;
};

int wp_pfsched_new(struct wp_pfsched **out, struct wp_pftrace *trace, bool timeline);
int wp_pfsched_event(struct wp_pfsched *s, const struct wp_schedevent *ev);
int wp_pfsched_blocked(struct wp_pfsched *s, const struct wp_schedevent *ev,
		       const char *function, bool io);
__s32 wp_pfsched_running(const struct wp_pfsched *s, __u32 cpu);
int wp_pfsched_sample(struct wp_pfsched *s, __s32 pid, __s32 tid, __u64 time);
int wp_pfsched_end(struct wp_pfsched *s, __u64 time);
void wp_pfsched_stats(const struct wp_pfsched *s, struct wp_pfsched_stats *stats);
void wp_pfsched_free(struct wp_pfsched *s);

#endif /* WP_LIB_PERFETTO_PFSCHED_H */
