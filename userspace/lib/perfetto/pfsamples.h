/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples with call stacks in a Perfetto trace. See pfsamples.c.
 *
 *	ret = wp_pfsamples_new(&s, trace, maps, functions, events);
 *	ret = wp_pfsamples_add(s, rec);		each sample, in order of time
 *	wp_pfsamples_free(s);
 */
#ifndef WP_LIB_PERFETTO_PFSAMPLES_H
#define WP_LIB_PERFETTO_PFSAMPLES_H

#include <linux/types.h>

#include "lib/perfdata/memmaps.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/perfetto/pftrace.h"
#include "lib/profile/profstacks.h"

struct wp_pfsamples;

/**
 * struct wp_pfsamples_stats - statistics
 * @samples: samples
 * @lost: records that are missing, according to the recording
 * @left_out: samples on CPUs with numbers that Perfetto refuses
 */
struct wp_pfsamples_stats {
	__u64 samples;
	__u64 lost;
	__u64 left_out;
};

int wp_pfsamples_new(struct wp_pfsamples **out, struct wp_pftrace *trace,
		     const struct wp_memmaps *maps, struct wp_profstacks *functions,
		     const struct wp_perfevents *events);
int wp_pfsamples_add(struct wp_pfsamples *s, const struct wp_perfrecord *rec);
int wp_pfsamples_lost(struct wp_pfsamples *s, const struct wp_perfrecord *rec, __u64 lost);
void wp_pfsamples_stats(const struct wp_pfsamples *s, struct wp_pfsamples_stats *stats);
void wp_pfsamples_free(struct wp_pfsamples *s);

#endif /* WP_LIB_PERFETTO_PFSAMPLES_H */
