/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sample of off-CPU time carries beside its time. See rawsample.c.
 */
#ifndef WP_LIB_RAWSAMPLE_H
#define WP_LIB_RAWSAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/merge.h"

/* The tracepoint as which it is described. No kernel's have so large an id. */
#define WP_RAW_SYSTEM	"wallprof"
#define WP_RAW_NAME	"offcpu"
#define WP_RAW_ID	65500

/* The system call's name, the object, two histograms, and all else. */
#define WP_RAW_MAX	(144 + 32 + 512 + 2 * WP_HIST_TEXT_MAX + 8)

/* What perf script is told to show: */
#define WP_RAW_HIST	(1U << 0)	/* histograms */
#define WP_RAW_SINGLE	(1U << 1)	/* what is known of single intervals only */
#define WP_RAW_CHAINS	(1U << 2)	/* their ids, and those of their wakers' own */

/**
 * struct wp_raw_cause - what a sample carries without -R, of an event that is no tracepoint
 * @magic: WP_RAW_CAUSE
 * @state: enum wallprof_state
 * @reason: enum wallprof_reason
 * @compat: 1: @syscall is of the 32-bit table
 * @reserved: 0
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE or _OTHER
 * @lock: address of the futex; 0 if it is about none
 * @count: the intervals that the sample stands for
 * @blocked_max: the longest time blocked in one of them, ns
 * @runnable_max: the longest time runnable
 *
 * With the 4 bytes before it that say how long it is, a multiple of 8.
 */
struct wp_raw_cause {
	__u32 magic;
	__u8 state;
	__u8 reason;
	__u8 compat;
	__u8 reserved;
	__u32 syscall;
	__u64 lock;
	__u64 count;
	__u64 blocked_max;
	__u64 runnable_max;
} __attribute__((packed));

#define WP_RAW_CAUSE	0x31435057	/* "WPC1" */

struct wp_buf;

void wp_raw_format(struct wp_buf *b, unsigned int shows);
size_t wp_raw_encode(const struct wp_sample *s, const char *object,
		     const struct wp_hist *hist, void *buf, size_t size);
void wp_raw_cause_make(struct wp_raw_cause *raw, const struct wp_sample *s);
bool wp_raw_cause_read(struct wp_raw_cause *raw, const void *buf, size_t size);

#endif /* WP_LIB_RAWSAMPLE_H */
