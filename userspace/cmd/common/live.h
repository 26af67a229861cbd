/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session of a live view: times of all threads, an interval at a time. See live.c.
 *
 *	ret = wp_live_begin(&live);
 *	wp_live_drain(&live)			when tables fill up
 *	wp_live_look(&live)			at wp_live_look_at()
 *	wp_live_turn(&live, true)		at the end of each interval
 *	... live.table, live.shares, live.names
 *	wp_live_stop(&live);			for another wp_live_begin()
 *	wp_live_end(&live);
 */
#ifndef WP_CMD_COMMON_LIVE_H
#define WP_CMD_COMMON_LIVE_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "cmd/common/livecauses.h"
#include "lib/record/endedmaps.h"
#include "lib/record/session.h"
#include "lib/symbols/livenames.h"
#include "lib/top/topshares.h"
#include "lib/top/toptable.h"

/* Intervals of which mappings of processes are kept. */
#define WP_LIVE_ENDED	3

/**
 * struct wp_live - a live view's session
 * @r: the session, its sideband, stacks, and names of threads; without a file
 * @table: times of threads
 * @shares: shares of these times
 * @names: names of functions
 * @ended: mappings of processes that began in this interval, and in the last two, for those
 *	that end before they are looked up
 * @now: which of these is this interval's; the one before it is the last one's
 * @event_given: the event to sample is not the default
 * @flipped: end of the last epoch
 * @turned: end of the last interval
 * @looked: when wp_live_look() was called
 * @lost: losses in epochs since the start, by enum wallprof_loss
 * @status: the module's status of the session
 * @records_lost: records of names, forks and mappings that perf lost, or that were
 *	damaged
 * @records_before: those of an earlier session
 * @invisible: threads of other pid namespaces, which are left out
 * @forget: called for a process that is new, or runs already at the start, with its parent, or
 *	else, with 0, whose program or mappings may have changed; or NULL
 * @forget_ctx: passed to it
 * @hist: called for each aggregate of waits that has a histogram, with the name of a kernel
 *	thread or NULL; or NULL. r.o.hist must be set
 * @hist_ctx: passed to it
 * @causes: names of objects, wakers and owners of locks
 */
struct wp_live {
	struct wp_recording r;
	struct wp_toptable table;
	struct wp_topshares shares;
	struct wp_livenames *names;
	struct wp_endedmaps ended[WP_LIVE_ENDED];
	unsigned int now;
	bool event_given;
	__u64 flipped;
	__u64 turned;
	__u64 looked;
	__u64 lost[WALLPROF_LOSS_MAX];
	struct wallprof_status status;
	__u64 records_lost;
	__u64 records_before;
	__u64 invisible;
	void (*forget)(void *ctx, __u32 pid, __u32 parent);
	void *forget_ctx;
	int (*hist)(void *ctx, const struct wp_topkey *key, const char *comm,
		    const struct wallprof_aggr *aggr, const struct wallprof_hist *hist);
	void *hist_ctx;
	struct wp_livecauses causes;
};

int wp_live_begin(struct wp_live *live);
int wp_live_drain(struct wp_live *live);
__u64 wp_live_look_at(const struct wp_live *live);
int wp_live_look(struct wp_live *live);
int wp_live_turn(struct wp_live *live, bool shown);
int wp_live_new_names(struct wp_live *live);
void wp_live_stop(struct wp_live *live);
void wp_live_end(struct wp_live *live);

#endif /* WP_CMD_COMMON_LIVE_H */
