// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what WALLPROF_IOC_LIVE told: its memory, and the way through its records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/record/snapshot.h"

#define FIRST_ROOM	(1UL << 18)

/* One thread with all that its process has mapped has to fit in there. */
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
 * wp_live_read() - ask the module what runs
 * @dev: a session
 *
 * Return: what it told, to be given back by wp_live_put(); NULL if it could not: /proc
 * tells the same.
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
 * wp_live_get() - another user
 * @live: what was told, or NULL
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
 * wp_live_put() - a user needs it no more; may be called from any thread
 * @live: what was told, or NULL
 */
void wp_live_put(struct wp_live *live)
{
	if (!live || __atomic_sub_fetch(&live->users, 1, __ATOMIC_ACQ_REL))
		return;
	free(live->data);
	free(live);
}

/* The record at a place, if there is one that is whole. */
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
 * @live: what was told
 * @at: 0 at first; set to what comes after the thread
 *
 * What else comes before is skipped.
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
 * @live: what was told
 * @at: as wp_live_thread() or this function set it; set to what comes after
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
 * wp_live_procmap() - a mapping, as /proc/PID/maps tells it
 * @map: the mapping
 *
 * Return: the same; its name points into @map.
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
