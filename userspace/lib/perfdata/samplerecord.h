/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sample, and its record in a perf.data file. See samplerecord.c.
 */
#ifndef WP_LIB_PERFDATA_SAMPLERECORD_H
#define WP_LIB_PERFDATA_SAMPLERECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Maximum size of a record: header.size is 16 bits. */
#define WP_SAMPLERECORD_MAX	0xffff

/**
 * struct wp_perfdata_sample - one sample
 * @event: index of the event
 * @pid: process
 * @tid: thread
 * @cpu: CPU
 * @time: ns of CLOCK_MONOTONIC
 * @period: its weight; nanoseconds for offcpu-time, runnable-time, wakeup-time and
 *	cpu-clock
 * @ip: address of the sample; 0: the first frame of the stack selected by @kernel_mode;
 *	if there is none, unknown
 * @kernel_mode: @ip is in the kernel
 * @nr_kernel: frames in @kernel_ips, 0 for none
 * @kernel_ips: kernel stack, the leaf first
 * @nr_user: frames in @user_ips, 0 for none
 * @user_ips: user stack, the leaf first
 * @raw: raw payload, of an event of wp_perfdata_event_raw() or _tracepoint()
 * @nr_raw: its size; plus 4, a multiple of 8
 *
 * A sample without stacks whose @ip is known gets @ip as its only frame. A sample without
 * either has no frame and ip 0, and all readers show it as [unknown].
 */
struct wp_perfdata_sample {
	unsigned int event;
	__u32 pid;
	__u32 tid;
	__u32 cpu;
	__u64 time;
	__u64 period;
	__u64 ip;
	bool kernel_mode;
	unsigned int nr_kernel;
	const __u64 *kernel_ips;
	unsigned int nr_user;
	const __u64 *user_ips;
	const void *raw;
	__u32 nr_raw;
};

size_t wp_samplerecord_encode(const struct wp_perfdata_sample *s, __u64 id, bool has_raw, void *buf,
			      size_t size);
void wp_samplerecord_again(void *to, const void *from, size_t len, __u64 id, __u64 period);

#endif /* WP_LIB_PERFDATA_SAMPLERECORD_H */
