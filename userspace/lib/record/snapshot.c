// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the result of WALLPROF_IOC_LIVE: its memory, and the iteration over its records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/record/snapshot.h"

#define FIRST_ROOM	(1UL << 18)

/* One thread with all mappings of its process must fit. */
#define LEAST_ROOM	(1UL << 16)

static bool grow(struct wp_snapshot *snap, size_t *room)
{
	char *data = realloc(snap->data, 2 * *room);

	if (!data)
		return false;
	snap->data = data;
	*room *= 2;
	return true;
}

/**
 * wp_snapshot_read() - take a snapshot of what runs
 * @dev: a session
 *
 * Return: the snapshot, to be released by wp_snapshot_put(); NULL on failure: /proc has the
 * same data.
 */
struct wp_snapshot *wp_snapshot_read(const struct wp_device *dev)
{
	struct wp_snapshot *snap = calloc(1, sizeof(*snap));
	size_t room = FIRST_ROOM / 2;
	__u32 tid = 0;
	int err = -ENOMEM;

	if (!snap)
		return NULL;
	snap->users = 1;
	if (!grow(snap, &room))
		goto fail;
	do {
		size_t left = room - snap->bytes;
		__u32 bytes = left < 1U << 30 ? left : 1U << 30;

		err = wp_device_snapshot(dev, &tid, snap->data + snap->bytes, &bytes);
		if (!err)
			snap->bytes += bytes;
		if ((err == -ENOSPC || (!err && tid && room - snap->bytes < LEAST_ROOM))) {
			err = -ENOMEM;
			if (!grow(snap, &room))
				goto fail;
			err = 0;
			tid = tid ? : 1;
		}
	} while (!err && tid);
	if (!err)
		return snap;
fail:
	wp_debug("the module has no snapshot of what runs (%s): reading /proc", strerror(-err));
	wp_snapshot_put(snap);
	return NULL;
}

/**
 * wp_snapshot_get() - take a reference
 * @snap: the snapshot, or NULL
 *
 * Return: @snap.
 */
struct wp_snapshot *wp_snapshot_get(struct wp_snapshot *snap)
{
	if (snap)
		__atomic_add_fetch(&snap->users, 1, __ATOMIC_RELAXED);
	return snap;
}

/**
 * wp_snapshot_put() - drop a reference; may be called from any thread
 * @snap: the snapshot, or NULL
 */
void wp_snapshot_put(struct wp_snapshot *snap)
{
	if (!snap || __atomic_sub_fetch(&snap->users, 1, __ATOMIC_ACQ_REL))
		return;
	free(snap->data);
	free(snap);
}

/* The record at an offset, or NULL if there is no complete one. */
static const struct wallprof_live_head *record(const struct wp_snapshot *snap, size_t at)
{
	const struct wallprof_live_head *head = (const void *)(snap->data + at);

	if (snap->bytes - at < sizeof(*head) || head->bytes < sizeof(*head) ||
	    head->bytes % 8 || head->bytes > snap->bytes - at)
		return NULL;
	return head;
}

/**
 * wp_snapshot_thread() - the next thread
 * @snap: the snapshot
 * @at: 0 at first; set to the position after the thread
 *
 * Records of other types are skipped.
 *
 * Return: the thread, or NULL.
 */
const struct wallprof_live_thread *wp_snapshot_thread(const struct wp_snapshot *snap, size_t *at)
{
	const struct wallprof_live_head *head;

	while ((head = record(snap, *at))) {
		*at += head->bytes;
		if (head->type == WALLPROF_LIVE_THREAD &&
		    head->bytes >= sizeof(struct wallprof_live_thread))
			return (const void *)head;
	}
	return NULL;
}

/**
 * wp_snapshot_map() - the next mapping of the same process
 * @snap: the snapshot
 * @at: set by wp_snapshot_thread() or this function; set to the position after the mapping
 *
 * Return: the mapping, or NULL.
 */
const struct wallprof_live_map *wp_snapshot_map(const struct wp_snapshot *snap, size_t *at)
{
	const struct wallprof_live_head *head;

	while ((head = record(snap, *at)) && head->type != WALLPROF_LIVE_THREAD) {
		*at += head->bytes;
		if (head->type == WALLPROF_LIVE_MAP &&
		    head->bytes > sizeof(struct wallprof_live_map) &&
		    !((const char *)head)[head->bytes - 1])
			return (const void *)head;
	}
	return NULL;
}

/**
 * wp_snapshot_procmap() - convert a mapping to the form of /proc/PID/maps
 * @map: the mapping
 *
 * Return: the converted mapping; its name points into @map.
 */
struct wp_procmap wp_snapshot_procmap(const struct wallprof_live_map *map)
{
	return (struct wp_procmap){
		.start = map->start,
		.end = map->end,
		.pgoff = map->pgoff,
		.ino = map->ino,
		.maj = map->major,
		.min = map->minor,
		.prot = map->prot,
		.flags = map->flags,
		.name = (char *)map->name,
	};
}

/**
 * wp_snapshot_each() - call a function for each thread
 * @snap: the snapshot, or NULL: there are none
 * @fn: the function
 * @ctx: passed to it
 */
void wp_snapshot_each(const struct wp_snapshot *snap, wp_snapshot_fn fn, void *ctx)
{
	const struct wallprof_live_thread *thread;
	size_t at = 0;

	while (snap && (thread = wp_snapshot_thread(snap, &at)))
		fn(ctx, thread);
}
