/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sideband.c is called with, and its statistics.
 */
#ifndef WP_LIB_RECORD_SIDEOPTS_H
#define WP_LIB_RECORD_SIDEOPTS_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/symbols/buildids.h"

/**
 * struct wp_sideband_options - what to collect
 * @pages: data pages of a CPU's ring (record -m), a power of two; 0: default
 * @ids: table that gets each executable mapping; NULL: none
 * @file_id: returns the file's id of the sideband event on a CPU; NULL: keep the kernel's
 *	id
 * @wanted: whether to follow a process that is seen for the first time, if a filter is
 *	set; NULL: only wp_sideband_want() and descent decide
 * @skip: whether a record can be dropped before it is sorted; NULL: none
 * @ctx: passed to @file_id, @wanted and @skip
 * @proc: for tests: directory instead of /proc, and kernel threads have names from birth;
 *	NULL: /proc, where needed
 * @filter: drop the records of processes that are not wanted (record -p)
 * @eager: wake the reader at each mapping, and deliver records at once; those of
 *	different CPUs are then not sorted. Names of threads are left out
 * @followed: another sideband is to read the same rings: see wp_sideband_follow()
 */
struct wp_sideband_options {
	unsigned int pages;
	struct wp_buildids *ids;
	__u64 (*file_id)(void *ctx, int cpu);
	bool (*wanted)(void *ctx, __u32 pid);
	bool (*skip)(void *ctx, const struct perf_event_header *rec);
	void *ctx;
	const char *proc;
	bool filter;
	bool eager;
	bool followed;
};

/**
 * struct wp_sideband_stats - statistics
 * @records: records delivered, LOST included
 * @filtered: records dropped because their process is not wanted
 * @lost: records dropped by the kernel, according to LOST records
 * @bad: damaged records; some cost the rest of their ring's contents, too
 * @unknown: records of a type that was not requested
 * @late: records delivered after later ones
 * @cpus: CPUs that have a ring now
 * @cpus_failed: CPUs that came online and could not get one
 */
struct wp_sideband_stats {
	__u64 records;
	__u64 filtered;
	__u64 lost;
	__u64 bad;
	__u64 unknown;
	__u64 late;
	unsigned int cpus;
	unsigned int cpus_failed;
};

/*
 * Takes a record. @time is its time. Must copy what it keeps. A return value other than 0
 * ends the drain and is returned.
 */
typedef int (*wp_record_fn)(void *ctx, const struct perf_event_header *rec, __u64 time);

#endif /* WP_LIB_RECORD_SIDEOPTS_H */
