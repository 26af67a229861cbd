/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All off-CPU time by cause and by waker. See waits.c.
 */
#ifndef WP_LIB_MODEL_WAITS_H
#define WP_LIB_MODEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/model/cause.h"
#include "lib/model/comms.h"

/* Maximum number of distinct wakers; beyond it those that ended least are summed. */
#define WP_WAKERS_MAX	8192
/* The waker_tid of these. */
#define WP_WAKER_OTHERS	(~0U)

/**
 * struct wp_wait - equal intervals
 * @cause: their cause; in a table the other fields are as in wp_cause_none
 * @tgid: their process; not in tables
 * @state: enum wallprof_state in which they began; not in tables
 * @object: their object, as numbered by lib/model/objects.h, or 0
 * @iowait: the kernel counts it as iowait; not in tables
 * @used: the entry is in use
 * @comm: last known name of a waker that is a thread, or ""
 * @count: number of intervals
 * @total: their length in nanoseconds
 * @runnable: the part of it in which the threads were runnable
 */
struct wp_wait {
	struct wp_cause cause;
	__u32 tgid;
	unsigned int state;
	__u32 object;
	bool iowait;
	bool used;
	char comm[WP_COMM_LEN];
	__u64 count;
	__u64 total;
	__u64 runnable;
};

/**
 * struct wp_wait_table - a table of them
 * @entry: hash table by cause; after wp_waits_sort() the first @nr are sorted
 * @nr: used entries
 * @room: all entries, a power of two, or 0
 */
struct wp_wait_table {
	struct wp_wait *entry;
	size_t nr;
	size_t room;
};

/**
 * struct wp_waits - the sums; all zero: empty
 * @comms: current names of wakers; or NULL
 * @no_idle: leave out the blocked time of idle waits (wp_cause_idle())
 * @reasons: by reason and system call
 * @objects: by reason, system call and object, where the object is known
 * @wakers: by waker; intervals that nobody ended are not here
 * @iowait: all that the kernel counts as iowait
 */
struct wp_waits {
	const struct wp_comms *comms;
	bool no_idle;
	struct wp_wait_table reasons;
	struct wp_wait_table objects;
	struct wp_wait_table wakers;
	struct wp_wait iowait;
};

void wp_wait_aggr(struct wp_wait *wait, const struct wallprof_aggr *aggr);
void wp_wait_single(struct wp_wait *wait, const struct wallprof_wait *single);
void wp_wait_open(struct wp_wait *wait, const struct wallprof_task *task);
void wp_wait_spill(struct wp_wait *wait, const struct wallprof_task *task);

int wp_waits_add(struct wp_waits *w, const struct wp_wait *wait);
void wp_waits_sort(struct wp_waits *w);
void wp_waits_free(struct wp_waits *w);

#endif /* WP_LIB_MODEL_WAITS_H */
