/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's snapshot of what already runs: threads, and the code that processes have
 * mapped. Used by the record command; synthesize.c writes records of it to the file,
 * mapsync.c publishes the code's unwind tables to the module.
 */
#ifndef WP_LIB_RECORD_SNAPSHOT_H
#define WP_LIB_RECORD_SNAPSHOT_H

#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/proc/procmaps.h"

struct wp_device;

/**
 * struct wp_snapshot - a snapshot
 * @data: records of WALLPROF_IOC_LIVE
 * @bytes: size of @data
 * @users: reference count
 */
struct wp_snapshot {
	char *data;
	size_t bytes;
	unsigned int users;
};

/* Called for a thread. */
typedef void (*wp_snapshot_fn)(void *ctx, const struct wallprof_live_thread *thread);

struct wp_snapshot *wp_snapshot_read(const struct wp_device *dev);
struct wp_snapshot *wp_snapshot_get(struct wp_snapshot *snap);
void wp_snapshot_put(struct wp_snapshot *snap);

const struct wallprof_live_thread *wp_snapshot_thread(const struct wp_snapshot *snap, size_t *at);
const struct wallprof_live_map *wp_snapshot_map(const struct wp_snapshot *snap, size_t *at);
struct wp_procmap wp_snapshot_procmap(const struct wallprof_live_map *map);
void wp_snapshot_each(const struct wp_snapshot *snap, wp_snapshot_fn fn, void *ctx);

#endif /* WP_LIB_RECORD_SNAPSHOT_H */
