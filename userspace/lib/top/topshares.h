/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads did in an interval of a live view, by stack and cause. See topshares.c.
 *
 *	struct wp_topshares s = { 0 };
 *
 *	each interval:
 *		wp_topshares_add(&s, &key, blocked, runnable)	each aggregate that closed
 *		wp_topshares_sample(&s, &key, period)		each of on-CPU samples
 *		wp_topshares_open(&s, &key, blocked, runnable)	at its end, what is open
 *		wp_topshares_turn(&s, true)
 *		... s.shown
 *	wp_topshares_free(&s);
 */
#ifndef WP_LIB_TOP_TOPSHARES_H
#define WP_LIB_TOP_TOPSHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/model/cause.h"
#include "lib/model/stacks.h"

/**
 * enum wp_toptime - the kinds of a thread's time
 * @WP_TOP_RUN: on a CPU
 * @WP_TOP_RUNNABLE: waiting for one
 * @WP_TOP_BLOCKED: waiting for something else
 * @WP_TOP_TIMES: how many there are
 */
enum wp_toptime {
	WP_TOP_RUN,
	WP_TOP_RUNNABLE,
	WP_TOP_BLOCKED,
	WP_TOP_TIMES,
};

/**
 * struct wp_topkey - what makes two shares different
 * @tgid: process
 * @tid: thread
 * @start_time: when it was born
 * @oncpu: it ran; without cause and state then
 * @state: enum wallprof_state in which it left its CPU
 * @iowait: the kernel calls it iowait
 * @lost: there was no room for the stack
 * @compat: @syscall is of the 32-bit table
 * @reason: enum wallprof_reason
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE
 * @user: user stack or NULL
 * @kernel: kernel stack or NULL
 */
struct wp_topkey {
	__u32 tgid;
	__u32 tid;
	__u64 start_time;
	bool oncpu;
	__u8 state;
	bool iowait;
	bool lost;
	bool compat;
	__u8 reason;
	__u16 syscall;
	const struct wp_stack *user;
	const struct wp_stack *kernel;
};

/**
 * struct wp_topshare - a share
 * @key: whose, and of what
 * @ns: nanoseconds, by enum wp_toptime; of those shown none is below 0. That of
 *	WP_TOP_RUN is a sum of periods before wp_topshares_scale()
 * @owed: from the interval before the last one, and has not come since
 */
struct wp_topshare {
	struct wp_topkey key;
	__s64 ns[WP_TOP_TIMES];
	bool owed;
};

/**
 * struct wp_topshares - shares of the interval before, and of this one
 * @shown: those of the interval that was closed last, by process, thread and birth;
 *	of a thread those on a CPU first, then the largest
 * @nr_shown: how many
 * @line: those of this interval so far
 * @nr: how many
 * @room: for how many there is memory
 * @slot: hash table: numbers of lines, 0 for free ones
 * @bits: log2 of its size, or 0
 * @open: what was counted of intervals that were open at the end
 * @nr_open: how many
 * @room_open: for how many there is memory
 */
struct wp_topshares {
	struct wp_topshare *shown;
	size_t nr_shown;
	struct wp_topshare *line;
	size_t nr;
	size_t room;
	__u32 *slot;
	unsigned int bits;
	struct wp_topshare *open;
	size_t nr_open;
	size_t room_open;
};

static inline __u64 wp_topshare_ns(const struct wp_topshare *s)
{
	return s->ns[WP_TOP_RUN] + s->ns[WP_TOP_RUNNABLE] + s->ns[WP_TOP_BLOCKED];
}

void wp_topkey_cause(const struct wp_topkey *key, struct wp_cause *cause);
int wp_topshares_add(struct wp_topshares *s, const struct wp_topkey *key, __u64 blocked,
		     __u64 runnable);
int wp_topshares_sample(struct wp_topshares *s, const struct wp_topkey *key, __u64 period);
int wp_topshares_open(struct wp_topshares *s, const struct wp_topkey *key, __u64 blocked,
		      __u64 runnable);
int wp_topshares_turn(struct wp_topshares *s, bool show);
size_t wp_topshares_of(const struct wp_topshares *s, __u32 tgid, __u32 tid, __u64 start_time,
		       size_t *first);
void wp_topshares_scale(struct wp_topshares *s, size_t first, size_t nr, __u64 run);
void wp_topshares_rename(struct wp_topshares *s, size_t first, size_t nr, __u32 tid);
void wp_topshares_sort(struct wp_topshares *s);
void wp_topshares_free(struct wp_topshares *s);

#endif /* WP_LIB_TOP_TOPSHARES_H */
