/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Format of the ledger in a recording. It follows all data that perf knows of, so perf
 * ignores it. See ledgerfile.c.
 *
 *	struct wp_ledgerfile_head, then per-thread totals, struct wp_ledgerfile_totals
 *	each, then the waits of processes, struct wp_procwait each: those that are
 *	equal but for the count and the time are to be summed;
 *	struct wp_ledgerfile_trailer, which ends the file and has the offset of the head.
 *
 * Numbers are little-endian, as all of perf.data is on the supported machines.
 */
#ifndef WP_LIB_MODEL_LEDGERFILE_H
#define WP_LIB_MODEL_LEDGERFILE_H

#include <linux/types.h>

#include "lib/model/ledger.h"
#include "lib/model/procwaits.h"

#define WP_LEDGERFILE_MAGIC	"wallprof ledger"	/* 16 bytes with its zero */
#define WP_LEDGERFILE_ENDED	(1U << 31)
#define WP_LEDGERFILE_SOME_CPUS	(1U << 0)	/* only samples of some CPUs */

/**
 * struct wp_ledgerfile_head - header of the ledger
 * @head_size: size of this structure; skip what follows the known fields
 * @totals_size: size of a thread's totals; the same
 * @nr: number of threads
 * @start: start of the recording, ns of CLOCK_MONOTONIC
 * @stop: end of the recording
 * @lost: ended threads whose totals found no room, and are missing
 * @lost_ns: their off-CPU time
 * @untracked: intervals of threads that found no room in the table of threads: they have
 *	no totals
 * @untracked_ns: their time
 * @nr_waits: number of waits. The fields from here on are missing in older files
 * @wait_size: size of a wait; skip what follows the known fields
 * @flags: WP_LEDGERFILE_SOME_CPUS; 0 in older files
 */
struct wp_ledgerfile_head {
	__u32 head_size;
	__u32 totals_size;
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
 * struct wp_ledgerfile_totals - totals of a thread: see struct wp_totals
 * @tid: thread id
 * @tgid: process id
 * @comm: its name; bytes after a zero have no meaning
 * @flags: WALLPROF_TASK_*, and WP_LEDGERFILE_ENDED
 * @reserved: 0
 * @born: start of its totals, ns of CLOCK_MONOTONIC
 * @end: time at which it or the session ended
 * @run_ns: time on a CPU
 * @off_ns: time off its CPU
 * @nr_off: intervals in @off_ns
 * @unknown_ns: time that may be either
 * @spill_ns: part of @off_ns that is in no sample with a stack
 * @runnable_ns: part of @off_ns in which it was runnable
 * @runnable_max: the longest of these times
 * @blocked_max: the longest time in which it was blocked
 * @asleep_since: time at which it left its CPU, if it was blocked when the session began;
 *	or 0
 */
struct wp_ledgerfile_totals {
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
 * @offset: offset of struct wp_ledgerfile_head in the file
 * @size: bytes from there to the end of the trailer
 * @magic: WP_LEDGERFILE_MAGIC
 */
struct wp_ledgerfile_trailer {
	__u64 offset;
	__u64 size;
	char magic[16];
};

int wp_ledgerfile_open(int fd, struct wp_ledgerfile_head *head, __u64 *offset);
int wp_ledgerfile_read(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
		       int (*fn)(void *ctx, const struct wp_totals *a), void *ctx);
int wp_ledgerfile_read_waits(int fd, const struct wp_ledgerfile_head *head, __u64 offset,
			     struct wp_procwaits *waits);

#endif /* WP_LIB_MODEL_LEDGERFILE_H */
