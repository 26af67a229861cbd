/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run time of each thread, by the ledger, and how much of it its samples represent. See
 * oncpu.c.
 *
 *	err = wp_oncpu_read(&oncpu, fd);
 *	err = wp_oncpu_sample(&oncpu, pid, tid, ns);	for each sample of a clock
 *	ns = wp_oncpu_scale(&oncpu, pid, tid, ns);
 *	err = wp_oncpu_without(&oncpu, fn, ctx);
 *	wp_oncpu_free(&oncpu);
 */
#ifndef WP_LIB_PROFILE_ONCPU_H
#define WP_LIB_PROFILE_ONCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/model/ledger.h"

/**
 * struct wp_oncpu_thread - a thread
 * @pid: its process
 * @tid: the thread
 * @comm: its name at its end
 * @middle: middle of its lifetime, ns of CLOCK_MONOTONIC
 * @run_ns: its run time
 * @sampled_ns: time that its samples represent
 * @scaled_ns: part of @sampled_ns that has been scaled
 */
struct wp_oncpu_thread {
	__s32 pid;
	__s32 tid;
	char comm[WP_COMM_LEN];
	__u64 middle;
	__u64 run_ns;
	__u64 sampled_ns;
	__u64 scaled_ns;
};

/**
 * struct wp_oncpu - the threads; all zero: empty
 * @known: there is a ledger, and it covers the samples' time
 * @ids: pid and tid
 * @thread: by the numbers of @ids, less 1
 * @room: of @thread
 */
struct wp_oncpu {
	bool known;
	struct wp_intern ids;
	struct wp_oncpu_thread *thread;
	size_t room;
};

int wp_oncpu_read(struct wp_oncpu *o, int fd);
int wp_oncpu_sample(struct wp_oncpu *o, __s32 pid, __s32 tid, __u64 ns);
__u64 wp_oncpu_scale(struct wp_oncpu *o, __s32 pid, __s32 tid, __u64 ns);
int wp_oncpu_without(const struct wp_oncpu *o,
		     int (*fn)(void *ctx, const struct wp_oncpu_thread *t), void *ctx);
void wp_oncpu_free(struct wp_oncpu *o);

#endif /* WP_LIB_PROFILE_ONCPU_H */
