/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects, wakers and lock owners of waits of a live view. See livecauses.c.
 */
#ifndef WP_CMD_COMMON_LIVECAUSES_H
#define WP_CMD_COMMON_LIVECAUSES_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/top/topnames.h"
#include "lib/top/topshares.h"

struct wp_objects;
struct wp_record_opts;

/**
 * enum wp_livecause - what shares may have names of
 * @WP_LIVECAUSE_OBJECT: what was waited for, by its class
 * @WP_LIVECAUSE_WAKER: the thread that woke, by its name; or an interrupt
 * @WP_LIVECAUSE_OWNER: the thread that held the lock, by its name
 * @WP_LIVECAUSES: their number
 */
enum wp_livecause {
	WP_LIVECAUSE_OBJECT,
	WP_LIVECAUSE_WAKER,
	WP_LIVECAUSE_OWNER,
	WP_LIVECAUSES,
};

/**
 * struct wp_livecauses - these names
 * @wanted: which of them shares have; set before wp_live_begin()
 * @comm: finds the name of any thread, or NULL
 * @comm_ctx: passed to it
 * @names: the names
 * @before: @overflowed of each, of an earlier session
 * @objects: what descriptors of processes are, or NULL
 */
struct wp_livecauses {
	bool wanted[WP_LIVECAUSES];
	const char *(*comm)(void *ctx, __u32 tid);
	void *comm_ctx;
	struct wp_topnames names[WP_LIVECAUSES];
	__u64 before[WP_LIVECAUSES];
	struct wp_objects *objects;
};

/* Sums of waits since the start that have no name of their own. */
static inline __u64 wp_livecauses_overflowed(const struct wp_livecauses *c, enum wp_livecause which)
{
	return c->before[which] + c->names[which].overflowed;
}

int wp_livecauses_begin(struct wp_livecauses *c, struct wp_record_opts *o);
void wp_livecauses_record(struct wp_livecauses *c, const struct perf_event_header *rec);
int wp_livecauses_closed(struct wp_livecauses *c, const struct wallprof_aggr *aggr,
			 struct wp_topkey *key);
int wp_livecauses_open(struct wp_livecauses *c, const struct wallprof_task *task, __u64 runnable,
		       struct wp_topkey *key);
int wp_livecauses_turn(struct wp_livecauses *c);
void wp_livecauses_end(struct wp_livecauses *c);

#endif /* WP_CMD_COMMON_LIVECAUSES_H */
