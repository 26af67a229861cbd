/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of the module's tables, made up: stacks, and aggregates that name them. Included by
 * the tests of what reads them: merge.c, longsession.c and stacks.c.
 */
#ifndef WP_TESTS_UNIT_TABLES_H
#define WP_TESTS_UNIT_TABLES_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/model/stacks.h"

static struct {
	struct wallprof_stack head;
	__u64 ips[WALLPROF_MAX_STACK];
} buf;

static inline const struct wallprof_stack *make(unsigned int nr, __u64 seed, bool kernel)
{
	unsigned int i;

	memset(&buf, 0, sizeof(buf));
	buf.head.nr = nr;
	buf.head.flags = kernel ? WALLPROF_STACK_IS_KERNEL : 0;
	for (i = 0; i < nr; i++)
		buf.ips[i] = seed + i * 16;
	return &buf.head;
}

static inline const struct wallprof_stack *make_waker(__u64 user, __u64 kernel, __u32 tgid)
{
	memset(&buf, 0, sizeof(buf));
	buf.head.nr = WALLPROF_WAKER_NR;
	buf.head.flags = WALLPROF_STACK_IS_WAKER;
	buf.ips[WALLPROF_WAKER_USER_STACK] = user;
	buf.ips[WALLPROF_WAKER_KERNEL_STACK] = kernel;
	buf.ips[WALLPROF_WAKER_TGID] = tgid;
	return &buf.head;
}

static inline __u64 id_of(__u32 epoch, __u32 cpu, __u32 index)
{
	return (__u64)epoch << 36 | (__u64)cpu << 22 | index;
}

/* What a record of a waker's says, looked up by its id. */
static inline struct wp_waker waker_of(const struct wp_stacks *s, __u64 id)
{
	const struct wp_stack *stack;
	struct wp_waker w;

	wp_stacks_find(s, id, &stack);
	wp_stack_waker(stack, &w);
	return w;
}

static inline struct wallprof_aggr aggr_of(__u32 tid, __u64 user, __u64 total, __u64 first,
					   __u64 last)
{
	return (struct wallprof_aggr){
		.tid = tid, .tgid = tid, .start_time = 7, .exec_id = 1,
		.kind = WALLPROF_AGGR_OFFCPU, .state = WALLPROF_STATE_SLEEPING,
		.user_stack = user, .count = 1, .total = total, .min = total, .max = total,
		.first = first, .last = last, .syscall = WALLPROF_SYSCALL_NONE,
	};
}

#endif /* WP_TESTS_UNIT_TABLES_H */
