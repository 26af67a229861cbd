/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of threads in an interval of a live view, by stack and cause. See topshares.c.
 *
 *	struct wp_topshares s = { 0 };
 *
 *	each interval:
 *		wp_topshares_add(&s, &key, blocked, runnable)	each closed aggregate
 *		wp_topshares_sample(&s, &key, period)		each of on-CPU samples
 *		wp_topshares_open(&s, &key, blocked, runnable)	at its end, open intervals
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

#define WP_TOP_EVENTS	16	/* of one view */

/**
 * enum wp_toptime - kinds of a thread's time
 * @WP_TOP_RUN: on a CPU
 * @WP_TOP_RUNNABLE: waiting for a CPU
 * @WP_TOP_BLOCKED: waiting for something else
 * @WP_TOP_TIMES: number of kinds
 */
enum wp_toptime {
	WP_TOP_RUN,
	WP_TOP_RUNNABLE,
	WP_TOP_BLOCKED,
	WP_TOP_TIMES,
};

/**
 * struct wp_topkey - identity of a share
 * @tgid: process
 * @tid: thread
 * @start_time: the thread's start time
 * @oncpu: it ran; without cause and state then
 * @event: then, the event of the samples, below WP_TOP_EVENTS
 * @state: enum wallprof_state in which it left its CPU
 * @iowait: the kernel counts the wait as iowait
 * @lost: there was no room for the stack
 * @compat: @syscall is in the 32-bit table
 * @reason: enum wallprof_reason
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE
 * @object: what it waited for: a number of &struct wp_topnames, or 0
 * @waker: what woke it, likewise
 * @owner: the thread that held the lock, likewise
 * @lock: then, enum wallprof_lock
 * @user: user stack or NULL
 * @kernel: kernel stack or NULL
 */
struct wp_topkey {
	__u32 tgid;
	__u32 tid;
	__u64 start_time;
	bool oncpu;
	__u8 event;
	__u8 state;
	bool iowait;
	bool lost;
	bool compat;
	__u8 reason;
	__u16 syscall;
	__u8 object;
	__u8 waker;
	__u8 owner;
	__u8 lock;
	const struct wp_stack *user;
	const struct wp_stack *kernel;
};

/**
 * struct wp_topshare - a share
 * @key: its identity
 * @ns: nanoseconds, by enum wp_toptime; never negative in @shown. That of WP_TOP_RUN is a
 *	sum of periods before wp_topshares_scale()
 * @weight: in @shown, that sum
 * @owed: carried over from the interval before the last one, and not settled yet
 */
struct wp_topshare {
	struct wp_topkey key;
	__s64 ns[WP_TOP_TIMES];
	__u64 weight;
	bool owed;
};

/**
 * struct wp_topshares - shares of the previous and of the current interval
 * @shown: those of the last closed interval, by process, thread and start time; within a
 *	thread those on a CPU first, then the largest
 * @nr_shown: their number
 * @line: those of the current interval
 * @nr: their number
 * @room: allocated entries of @line
 * @slot: hash table: numbers of lines, 0 for free ones
 * @bits: log2 of its size, or 0
 * @open: what was counted for intervals that were open at the end
 * @nr_open: their number
 * @room_open: allocated entries of @open
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

/* Order of two numbers, for qsort(). */
static inline int wp_topshares_order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
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
