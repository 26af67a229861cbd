/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of equal samples. See profsum.c.
 *
 *	struct wp_profsum sum;
 *
 *	wp_profsum_init(&sum, from, to, slots);
 *	ret = wp_profsum_add(&sum, &sample);		for each sample
 *	for (i = 0; i < sum.nr; i++)
 *		... sum.line[i]
 *	wp_profsum_free(&sum);
 */
#ifndef WP_LIB_PROFILE_PROFSUM_H
#define WP_LIB_PROFILE_PROFSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/profile/profile.h"

/**
 * struct wp_profline - equal samples
 * @kind: CPU, OFFCPU, WAKER or OTHER: runnable time is in OFFCPU
 * @event: their event; of OFFCPU 0
 * @thread: wp_profile_thread()
 * @stack: wp_profile_stack(), 0: none
 * @cause: wp_profile_cause(), 0: unknown
 * @slot: number of the time slot
 * @weight: sum of their periods, in the event's unit
 * @ns: sum of the times that they represent; of OFFCPU runnable and blocked
 * @runnable: of OFFCPU: the part in which the thread was runnable
 * @count: number of samples or intervals
 * @blocked_max: of OFFCPU: the longest blocked time; 0: unknown
 * @runnable_max: the longest runnable time; 0: unknown
 * @samples: number of samples in the file, including those of runnable time
 */
struct wp_profline {
	enum wp_profile_kind kind;
	__u32 event;
	__u32 thread;
	__u32 stack;
	__u32 cause;
	__u32 slot;
	__u64 weight;
	__u64 ns;
	__u64 runnable;
	__u64 count;
	__u64 blocked_max;
	__u64 runnable_max;
	__u64 samples;
};

/**
 * struct wp_profsum - the sums
 * @line: the lines
 * @nr: their number
 * @room: allocated lines
 * @hash: hash table of line numbers; 0: free
 * @bits: log2 of the size of @hash
 * @from: the time at which slot 0 begins
 * @to: the time at which the last one ends
 * @slots: number of slots, 1 or more
 */
struct wp_profsum {
	struct wp_profline *line;
	size_t nr;
	size_t room;
	__u32 *hash;
	unsigned int bits;
	__u64 from;
	__u64 to;
	__u32 slots;
};

/* The part of an OFFCPU line in which the thread was blocked. */
static inline __u64 wp_profline_blocked(const struct wp_profline *l)
{
	return l->ns > l->runnable ? l->ns - l->runnable : 0;
}

void wp_profsum_init(struct wp_profsum *s, __u64 from, __u64 to, __u32 slots);
int wp_profsum_add(struct wp_profsum *s, const struct wp_profile_sample *sample);
__u32 wp_profsum_slot(const struct wp_profsum *s, __u64 time);
void wp_profsum_free(struct wp_profsum *s);

#endif /* WP_LIB_PROFILE_PROFSUM_H */
