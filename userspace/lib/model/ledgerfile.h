/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger in the recording's own file, behind all that perf knows of: no perf reads
 * it, and none is disturbed. See ledgerfile.c.
 *
 *	struct wp_ledgerfile_head, then its accounts, struct wp_ledgerfile_account each,
 *	then what processes were blocked in, struct wp_procwait each: those that are
 *	alike but for the count and the time are to be summed;
 *	struct wp_ledgerfile_trailer, which ends the file and tells where they begin.
 *
 * Numbers are little-endian, as all of perf.data is on the machines that are recorded.
 */
#ifndef WP_LIB_MODEL_LEDGERFILE_H
#define WP_LIB_MODEL_LEDGERFILE_H

#include <linux/types.h>

#include "lib/model/ledger.h"
#include "lib/model/procwaits.h"

#define WP_LEDGERFILE_MAGIC	"wallprof ledger"	/* 16 bytes with its zero */
#define WP_LEDGERFILE_ENDED	(1U << 31)
#define WP_LEDGERFILE_SOME_CPUS	(1U << 0)	/* samples are of some CPUs only */

/**
 * struct wp_ledgerfile_head - what stands before the accounts
 * @head_size: bytes of this structure; what is behind those that one knows is skipped
 * @account_size: bytes of an account; the same
 * @nr: number of accounts
 * @start: when the recording began, ns of CLOCK_MONOTONIC
 * @stop: when it ended
 * @lost: accounts of threads that ended which found no room, and are missing
 * @lost_ns: off-CPU time in them
 * @untracked: intervals of threads that found no room in the table of threads: there
 *	is no account of these
 * @untracked_ns: their time
 * @nr_waits: number of waits. What comes from here on is missing in older files
 * @wait_size: bytes of each; what is behind those that one knows is skipped
 * @flags: WP_LEDGERFILE_SOME_CPUS; 0 in older files
 */
struct wp_ledgerfile_head {
	__u32 head_size;
	__u32 account_size;
	__u64 nr;
	__u64 start;
	__u64 stop;
	__u64 lost;
	__u64 lost_ns;
	__u64 untracked;
	__u64 untracked_ns;
	__u64 nr_waits;
	__u32 wait_size;
	__u32 flags;
};

/**
 * struct wp_ledgerfile_account - an account: see struct wp_account
 * @tid: thread id
 * @tgid: process id
 * @comm: its name; what is behind a zero means nothing
 * @flags: WALLPROF_TASK_*, and WP_LEDGERFILE_ENDED
 * @reserved: 0
 * @born: from when on it was accounted, ns of CLOCK_MONOTONIC
 * @end: when it or the session ended
 * @run_ns: time on a CPU
 * @off_ns: time off its CPU
 * @nr_off: intervals in @off_ns
 * @unknown_ns: time of which it is not known which of the two it was
 * @spill_ns: part of @off_ns that is in no sample with a stack
 * @runnable_ns: part of @off_ns in which it was runnable
 * @runnable_max: the longest of these times
 * @blocked_max: the longest time in which it was blocked
 * @asleep_since: when it had left its CPU, if it slept when the session began; or 0
 */
struct wp_ledgerfile_account {
	__u32 tid;
	__u32 tgid;
	char comm[WP_COMM_LEN];
	__u32 flags;
	__u32 reserved;
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
 * struct wp_ledgerfile_trailer - the last bytes of the file
 * @offset: of struct wp_ledgerfile_head, from the beginning of the file
 * @size: bytes from there up to here
 * @magic: WP_LEDGERFILE_MAGIC
 */
struct wp_ledgerfile_trailer {
	__u64 offset;
	__u64 size;
	char magic[16];
};

int wp_ledgerfile_open(int fd, struct wp_ledgerfile_head *head, __u64 *offset);
int wp_ledgerfile_read(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
		       int (*fn)(void *ctx, const struct wp_account *a), void *ctx);
int wp_ledgerfile_read_waits(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
			     struct wp_procwaits *waits);

#endif /* WP_LIB_MODEL_LEDGERFILE_H */
