/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens to processes while a session runs: mappings, names, forks and
 * exits, as perf's own records, from one software dummy event per CPU. Used by
 * the record command:
 *
 *	wp_sideband_open()		before anything is synthesized
 *	wp_proc_synthesize_all()	what runs already (synthesize.h)
 *	each round:
 *		wp_sideband_drain(sb, &upto, false, fn, ctx)
 *		wp_batch_flush(batch, upto)
 *	at the end:
 *		wp_sideband_drain(sb, &upto, true, fn, ctx)
 *	wp_sideband_close()
 *
 * Records come out in order of time over all CPUs, ready for the file: with
 * the file's ids, and without inline build-ids, which perf 5.10 cannot read;
 * these go into the table of build-ids.
 */
#ifndef WP_LIB_RECORD_SIDEBAND_H
#define WP_LIB_RECORD_SIDEBAND_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <poll.h>

#include "lib/symbols/buildids.h"

#define WP_SIDEBAND_PAGES	128	/* perf's default: 512 KiB */

struct wp_sideband;

/**
 * struct wp_sideband_options - what to collect and for whom
 * @pages: data pages of a CPU's ring (record -m), a power of two; 0: default
 * @ids: table that gets each executable mapping; NULL: none
 * @file_id: gives the id that the file has for the sideband event on a CPU;
 *	NULL: the kernel's id is kept
 * @wanted: decides about a process seen for the first time, if a filter is
 *	set; NULL: only wp_sideband_want() and descent decide
 * @ctx: handed to @file_id and @wanted
 * @proc: instead of /proc, and as if kernel threads had names from birth, for tests;
 *	NULL: /proc, if they have
 * @filter: drop the records of processes that nobody wants (record -p)
 * @eager: wake the reader at each record, and hand out at once what there is,
 *	for the price that the records of different CPUs are not in order. Names
 *	of threads are left out
 */
struct wp_sideband_options {
	unsigned int pages;
	struct wp_buildids *ids;
	__u64 (*file_id)(void *ctx, int cpu);
	bool (*wanted)(void *ctx, __u32 pid);
	void *ctx;
	const char *proc;
	bool filter;
	bool eager;
};

/**
 * struct wp_sideband_stats - what happened so far
 * @records: handed out, LOST included
 * @filtered: dropped as nobody wants the process
 * @lost: records that the kernel had to drop, as it says in LOST records
 * @bad: records that were damaged, with some of them all that stood in their ring then
 * @unknown: records of a type that was not asked for
 * @late: handed out although later ones had been
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
 * Takes a record. @time is its time. Must copy what it wants to keep. A return
 * other than 0 ends the drain and is returned.
 */
typedef int (*wp_record_fn)(void *ctx, const struct perf_event_header *rec, __u64 time);

int wp_sideband_open(struct wp_sideband **out, const struct wp_sideband_options *opt);
int wp_sideband_drain(struct wp_sideband *sb, __u64 *upto, bool final, wp_record_fn fn,
		      void *ctx);
unsigned int wp_sideband_pollfds(const struct wp_sideband *sb, struct pollfd *fds,
				 unsigned int max);
int wp_sideband_want(struct wp_sideband *sb, __u32 pid);
bool wp_sideband_is_wanted(const struct wp_sideband *sb, __u32 pid);
void wp_sideband_stats(const struct wp_sideband *sb, struct wp_sideband_stats *st);
void wp_sideband_close(struct wp_sideband *sb);

/* For tests: without rings, and a ring that is not the kernel's. */
struct wp_sideband *wp_sideband_new(const struct wp_sideband_options *opt);
int wp_sideband_feed(struct wp_sideband *sb, int cpu, const void *data, size_t size,
		     __u64 head, __u64 *tail);

#endif /* WP_LIB_RECORD_SIDEBAND_H */
