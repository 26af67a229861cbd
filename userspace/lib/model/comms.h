/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of threads, from a stream of records. See comms.c.
 */
#ifndef WP_LIB_MODEL_COMMS_H
#define WP_LIB_MODEL_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/model/ledger.h"

/**
 * struct wp_comm - a thread's name
 * @tid: thread, 0 in a free entry
 * @pid: its process
 * @name: its name
 * @ended: it has ended, and its id has not been reused so far
 */
struct wp_comm {
	__u32 tid;
	__u32 pid;
	char name[WP_COMM_LEN];
	bool ended;
};

/**
 * struct wp_comms - the names; all zero is an empty table
 * @entry: hash table by @tid
 * @nr: used entries
 * @room: all entries, a power of two, or 0
 * @ended: threads that ended, whose names wp_comms_sweep() drops
 * @nr_ended: number of @ended
 * @ended_room: allocated entries of @ended
 * @nr_old: number of these at the last sweep
 */
struct wp_comms {
	struct wp_comm *entry;
	size_t nr;
	size_t room;
	__u32 *ended;
	size_t nr_ended;
	size_t ended_room;
	size_t nr_old;
};

int wp_comms_record(struct wp_comms *c, const struct perf_event_header *rec);
const char *wp_comms_find(const struct wp_comms *c, __u32 tid);
void wp_comms_sweep(struct wp_comms *c);
void wp_comms_free(struct wp_comms *c);

#endif /* WP_LIB_MODEL_COMMS_H */
