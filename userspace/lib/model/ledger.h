/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger: run + runnable + blocked + unknown = wall time, for every thread. See ledger.c.
 */
#ifndef WP_LIB_MODEL_LEDGER_H
#define WP_LIB_MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#define WP_COMM_LEN	16

/**
 * struct wp_totals - totals of one thread
 * @tid: thread id
 * @tgid: process id
 * @comm: its name, or ""
 * @flags: WALLPROF_TASK_*
 * @ended: it ended before the session did
 * @born: start of its totals
 * @end: time at which it or the session ended
 * @run_ns: time on a CPU
 * @off_ns: time off its CPU
 * @nr_off: intervals in @off_ns
 * @unknown_ns: time that may be either
 * @spill_ns: part of @off_ns that found no aggregate
 * @runnable_ns: part of @off_ns in which it was runnable
 * @runnable_max: the longest of these times
 * @blocked_max: the longest time in which it was blocked
 * @asleep_since: time at which it left its CPU, if it was blocked when the session began;
 *	or 0
 */
struct wp_totals {
	__u32 tid;
	__u32 tgid;
	char comm[WP_COMM_LEN];
	__u16 flags;
	bool ended;
	__u64 born;
	__u64 end;
	__u64 run_ns;
	__u64 off_ns;
	__u64 nr_off;
	__u64 unknown_ns;
	__u64 spill_ns;
	__u64 runnable_ns;
	__u64 runnable_max;
	__u64 blocked_max;
	__u64 asleep_since;
};

/**
 * struct wp_ledger - sums over all threads, and lines of some of them
 * @threads: number of threads
 * @ended: threads that ended before the session did
 * @unbalanced: threads with run + off-CPU + unknown != wall, or runnable > off-CPU
 * @wall_ns: sum over the threads
 * @run_ns: the same
 * @off_ns: the same
 * @nr_off: the same
 * @unknown_ns: the same
 * @spill_ns: the same
 * @nr_spilled: the same
 * @runnable_ns: the same
 * @worst_ns: the largest difference of one thread
 * @lines: the threads with the longest off-CPU time
 * @nr: number of lines
 * @room: allocated lines
 * @keep: minimum number of lines to keep
 */
struct wp_ledger {
	__u64 threads;
	__u64 ended;
	__u64 unbalanced;
	__u64 wall_ns;
	__u64 run_ns;
	__u64 off_ns;
	__u64 nr_off;
	__u64 unknown_ns;
	__u64 spill_ns;
	__u64 nr_spilled;
	__u64 runnable_ns;
	__s64 worst_ns;
	struct wp_totals *lines;
	size_t nr;
	size_t room;
	size_t keep;
};

static inline __u64 wp_totals_wall(const struct wp_totals *a)
{
	return a->end - a->born;
}

/* Below zero, modulo 2^64, if the totals are wrong: see wp_totals_diff(). */
static inline __u64 wp_totals_blocked(const struct wp_totals *a)
{
	return a->off_ns - a->runnable_ns;
}

/* Difference of run + runnable + blocked + unknown and wall time: should be 0. */
static inline __s64 wp_totals_diff(const struct wp_totals *a)
{
	__s64 blocked = wp_totals_blocked(a);

	if (blocked < 0)
		return blocked;
	return (__s64)(wp_totals_wall(a) - a->run_ns - a->off_ns - a->unknown_ns);
}

void wp_ledger_init(struct wp_ledger *l, size_t keep);
void wp_ledger_free(struct wp_ledger *l);
bool wp_ledger_read(const struct wallprof_task *task, __u64 stop, const char *comm,
		    struct wp_totals *a);
int wp_ledger_add(struct wp_ledger *l, const struct wp_totals *a, __u64 nr_spilled);
void wp_ledger_sort(struct wp_ledger *l);

#endif /* WP_LIB_MODEL_LEDGER_H */
