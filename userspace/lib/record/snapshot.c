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

static bool grow(struct wp_live *live, size_t *room)
{
	char *data = realloc(live->data, 2 * *room);

	if (!data)
		return false;
	live->data = data;
	*room *= 2;
	return true;
}

/**
 * wp_live_read() - take a snapshot of what runs
 * @dev: a session
 *
 * Return: the snapshot, to be released by wp_live_put(); NULL on failure: /proc has the
 * same data.
 */
struct wp_live *wp_live_read(const struct wp_device *dev)
{
	struct wp_live *live = calloc(1, sizeof(*live));
	size_t room = FIRST_ROOM / 2;
	__u32 tid = 0;
	int err = -ENOMEM;

	if (!live)
		return NULL;
	live->users = 1;
	if (!grow(live, &room))
		goto fail;
	do {
		size_t left = room - live->bytes;
		__u32 bytes = left < 1U << 30 ? left : 1U << 30;

		err = wp_device_live(dev, &tid, live->data + live->bytes, &bytes);
		if (!err)
			live->bytes += bytes;
		if ((err == -ENOSPC || (!err && tid && room - live->bytes < LEAST_ROOM))) {
			err = -ENOMEM;
			if (!grow(live, &room))
				goto fail;
			err = 0;
			tid = tid ? : 1;
		}
	} while (!err && tid);
	if (!err)
		return live;
fail:
	wp_debug("the module does not tell what runs (%s): asking /proc", strerror(-err));
	wp_live_put(live);
	return NULL;
}

/**
 * wp_live_get() - take a reference
 * @live: the snapshot, or NULL
 *
 * Return: @live.
 */
struct wp_live *wp_live_get(struct wp_live *live)
{
	if (live)
		__atomic_add_fetch(&live->users, 1, __ATOMIC_RELAXED);
	return live;
}

/**
 * wp_live_put() - drop a reference; may be called from any thread
 * @live: the snapshot, or NULL
 */
void wp_live_put(struct wp_live *live)
{
	if (!live || __atomic_sub_fetch(&live->users, 1, __ATOMIC_ACQ_REL))
		return;
	free(live->data);
	free(live);
}

/* The record at an offset, or NULL if there is no complete one. */
static const struct wallprof_live_head *record(const struct wp_live *live, size_t at)
{
	const struct wallprof_live_head *head = (const void *)(live->data + at);

	if (live->bytes - at < sizeof(*head) || head->bytes < sizeof(*head) ||
	    head->bytes % 8 || head->bytes > live->bytes - at)
		return NULL;
	return head;
}

/**
 * wp_live_thread() - the next thread
 * @live: the snapshot
 * @at: 0 at first; set to the position after the thread
 *
 * Records of other types are skipped.
 *
 * Return: the thread, or NULL.
 */
const struct wallprof_live_thread *wp_live_thread(const struct wp_live *live, size_t *at)
{
	const struct wallprof_live_head *head;

	while ((head = record(live, *at))) {
		*at += head->bytes;
		if (head->type == WALLPROF_LIVE_THREAD &&
		    head->bytes >= sizeof(struct wallprof_live_thread))
			return (const void *)head;
	}
	return NULL;
}

/**
 * wp_live_map() - the next mapping of the same process
 * @live: the snapshot
 * @at: set by wp_live_thread() or this function; set to the position after the mapping
 *
 * Return: the mapping, or NULL.
 */
const struct wallprof_live_map *wp_live_map(const struct wp_live *live, size_t *at)
{
	const struct wallprof_live_head *head;

	while ((head = record(live, *at)) && head->type != WALLPROF_LIVE_THREAD) {
		*at += head->bytes;
		if (head->type == WALLPROF_LIVE_MAP &&
		    head->bytes > sizeof(struct wallprof_live_map) &&
		    !((const char *)head)[head->bytes - 1])
			return (const void *)head;
	}
	return NULL;
}

/**
 * wp_live_procmap() - convert a mapping to the form of /proc/PID/maps
 * @map: the mapping
 *
 * Return: the converted mapping; its name points into @map.
 */
struct wp_procmap wp_live_procmap(const struct wallprof_live_map *map)
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
