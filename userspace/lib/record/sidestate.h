/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the sideband, for sideband.c and its parts: sidefilter.c, siderecords.c and
 * siderings.c.
 */
#ifndef WP_LIB_RECORD_SIDESTATE_H
#define WP_LIB_RECORD_SIDESTATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/base/sorter.h"
#include "lib/record/sideopts.h"

#define WP_SIDE_MAX_CPUS	65536
#define WP_SIDE_MAX_PID		(1 << 22)	/* PID_MAX_LIMIT */
#define WP_SIDE_RECORD_ROOM	(1 << 16)

/* Newer headers have this as an enumerator, which #ifdef cannot test. */
#define WP_READ_LOST	(1U << 4)	/* PERF_FORMAT_LOST */

struct wp_sidering {
	int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	size_t map_size;
	__u64 enabled;		/* time_enabled at the last check */
	__u64 lost;		/* according to LOST records */
	__u64 seen;		/* how far the follower has read; under @lock */
};

struct wp_sideband {
	struct wp_sideband_options opt;
	size_t data_size;
	struct perf_event_attr attr;
	bool inline_ids;	/* the events ask for build-ids */
	struct wp_sidering *ring;	/* changed under @lock */
	unsigned int nr_rings;
	pthread_mutex_t lock;	/* the follower reads the rings in another thread */
	bool has_follower;	/* it waits for records, instead of us; under @lock */
	bool cut;		/* a ring was closed that it may not have read; under @lock */
	bool nudged;		/* @full_fd was written, and no drain has begun since */
	int full_fd;		/* eventfd of the follower: a ring is a quarter full; or -1 */
	struct wp_sideband *leader;	/* whose rings are read; or NULL: our own */
	__u64 drained;		/* time of the last drain, if @opt.followed */
	char online[4096];	/* the list of CPUs at the last check */
	unsigned char *failed;	/* by CPU: failure has been reported */
	__u64 last_check;
	struct wp_sorter sorter;
	__u64 delivered;	/* the latest time delivered */
	unsigned char *wanted;	/* bitmap by pid */
	__u64 want_time;	/* time of the last wp_sideband_want() */
	const char *proc;	/* directory for names of new kernel threads; or NULL */
	struct wp_sideband_stats stats;
	wp_record_fn fn;
	void *fn_ctx;
	char scratch[WP_SIDE_RECORD_ROOM] __attribute__((aligned(8)));
};

/* Fixed parts of the records that are parsed. */
struct wp_side_task {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
};

struct wp_side_lost {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

#endif /* WP_LIB_RECORD_SIDESTATE_H */
