/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is who in the last seconds, in bounded memory: names of threads as they were
 * when the rings begin, and the records of names, forks and exits since. See sidelog.c.
 *
 *	wp_sidelog_open(&log, max)
 *	wp_proc_synthesize_all(), wp_sideband_drain()	with wp_sidelog_add()
 *	each round:
 *		wp_sidelog_fold(&log, horizon)
 *	for a file, from @begin on:
 *		wp_sidelog_fold(&log, begin)
 *		wp_sidelog_names(&log, fn, ctx)
 *		wp_sidelog_feed(&log, &pos, upto, fn, ctx)	again and again
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
 * struct wp_sidelog - who is who
 * @base: names as they were when the log begins
 * @now: names as they are
 * @data: the log: records in the order in which they came, each behind its time
 * @at: where the first one is
 * @len: where the last one ends
 * @room: bytes allocated
 * @max: so many bytes at most
 * @cut: the time of the last record that had to go for want of room, or 0
 * @latest: the time of the last record
 * @swept: when @base was swept
 * @swept_now: when @now was swept
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
int wp_sidelog_bury(struct wp_sidelog *log, bool (*lives)(__u32 tid), __u64 time);
int wp_sidelog_names(const struct wp_sidelog *log, wp_record_fn fn, void *ctx);
int wp_sidelog_feed(const struct wp_sidelog *log, size_t *pos, __u64 upto, wp_record_fn fn,
		    void *ctx);
void wp_sidelog_close(struct wp_sidelog *log);

#endif /* WP_LIB_RECORD_SIDELOG_H */
