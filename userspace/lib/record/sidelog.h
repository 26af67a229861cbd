/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of threads in the last seconds, in bounded memory: the names as of the start of
 * the rings, and the records of names, forks and exits since. See sidelog.c.
 *
 *	wp_sidelog_open(&log, max)
 *	wp_proc_synthesize_all(), wp_sideband_drain()	with wp_sidelog_add()
 *	each round:
 *		wp_sidelog_fold(&log, horizon)
 *	for a file, from @begin on:
 *		wp_sidelog_fold(&log, begin)
 *		wp_sidelog_names(&log, fn, ctx)
 *		wp_sidelog_feed(&log, &pos, upto, fn, ctx)	repeatedly
 *	wp_sidelog_close()
 */
#ifndef WP_LIB_RECORD_SIDELOG_H
#define WP_LIB_RECORD_SIDELOG_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/model/comms.h"
#include "lib/record/sideband.h"

/**
 * struct wp_sidelog - names of threads, and their changes
 * @base: names as of the start of the log
 * @now: current names
 * @data: the log: records in order of arrival, each after its time
 * @at: offset of the first one
 * @len: end of the last one
 * @room: bytes allocated
 * @max: maximum number of bytes
 * @cut: time of the last record that was dropped for want of room, or 0
 * @latest: time of the last record
 * @swept: time of the last sweep of @base
 * @swept_now: time of the last sweep of @now
 */
struct wp_sidelog {
	struct wp_comms base;
	struct wp_comms now;
	char *data;
	size_t at;
	size_t len;
	size_t room;
	size_t max;
	__u64 cut;
	__u64 latest;
	__u64 swept;
	__u64 swept_now;
};

void wp_sidelog_open(struct wp_sidelog *log, size_t max);
int wp_sidelog_add(void *ctx, const struct perf_event_header *rec, __u64 time);
int wp_sidelog_fold(struct wp_sidelog *log, __u64 upto);
int wp_sidelog_reap(struct wp_sidelog *log, bool (*is_alive)(__u32 tid), __u64 time);
int wp_sidelog_names(const struct wp_sidelog *log, wp_record_fn fn, void *ctx);
int wp_sidelog_feed(const struct wp_sidelog *log, size_t *pos, __u64 upto, wp_record_fn fn,
		    void *ctx);
void wp_sidelog_close(struct wp_sidelog *log);

#endif /* WP_LIB_RECORD_SIDELOG_H */
