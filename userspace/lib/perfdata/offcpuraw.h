/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload of a sample of off-CPU time without record -R. See offcpuraw.c.
 */
#ifndef WP_LIB_PERFDATA_OFFCPURAW_H
#define WP_LIB_PERFDATA_OFFCPURAW_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/model/merge.h"

/**
 * struct wp_offcpu_raw - payload without -R, in an event that is no tracepoint
 * @magic: WP_OFFCPU_RAW_MAGIC
 * @state: enum wallprof_state
 * @reason: enum wallprof_reason
 * @compat: 1: @syscall is in the 32-bit table
 * @memory: enum wp_lockmemory: kind of memory at @lock; 0 in older recordings
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE or _OTHER
 * @lock: address of the futex; 0 if there is none
 * @count: number of intervals in the sample
 * @blocked_max: the longest blocked time of one of them, ns
 * @runnable_max: the longest runnable time
 * @owner: who held the lock, as of &struct wallprof_aggr.lock_owner. Only with
 *	--lock-owner, if it is known; else the payload ends before
 *
 * Together with the 4 bytes of the size before it, a multiple of 8, with @owner or without.
 */
struct wp_offcpu_raw {
	__u32 magic;
	__u8 state;
	__u8 reason;
	__u8 compat;
	__u8 memory;
	__u32 syscall;
	__u64 lock;
	__u64 count;
	__u64 blocked_max;
	__u64 runnable_max;
	__u64 owner;
} __attribute__((packed));

_Static_assert((sizeof(struct wp_offcpu_raw) + 4) % 8 == 0, "see above");

#define WP_OFFCPU_RAW_MAGIC	0x31435057	/* "WPC1" */

size_t wp_offcpu_raw_make(struct wp_offcpu_raw *raw, const struct wp_sample *s, __u8 memory);
bool wp_offcpu_raw_read(struct wp_offcpu_raw *raw, const void *buf, size_t size);

#endif /* WP_LIB_PERFDATA_OFFCPURAW_H */
