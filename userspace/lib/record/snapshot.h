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
 * struct wp_live - a snapshot
 * @data: records of WALLPROF_IOC_LIVE
 * @bytes: size of @data
 * @users: reference count
 */
struct wp_live {
	char *data;
	size_t bytes;
	unsigned int users;
};

struct wp_live *wp_live_read(const struct wp_device *dev);
struct wp_live *wp_live_get(struct wp_live *live);
void wp_live_put(struct wp_live *live);

const struct wallprof_live_thread *wp_live_thread(const struct wp_live *live, size_t *at);
const struct wallprof_live_map *wp_live_map(const struct wp_live *live, size_t *at);
struct wp_procmap wp_live_procmap(const struct wallprof_live_map *map);

#endif /* WP_LIB_RECORD_SNAPSHOT_H */
