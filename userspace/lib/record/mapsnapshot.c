// SPDX-License-Identifier: GPL-2.0
/*
 * Publishes what the module's snapshot reports: the processes that run at the start. Called
 * by mapsync.c, in its thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/procdir.h"
#include "lib/record/mapprocs.h"
#include "lib/record/mappublish.h"
#include "lib/record/mapsnapshot.h"

#define NSEC_PER_MSEC	1000000ULL

/*
 * Maximum wait for the tables of what runs at the start; then it is published without
 * them. Tables that are on disk are loaded by then.
 */
#define TABLES_NS	(400 * NSEC_PER_MSEC)

/*
 * Cache of lookups. Mappings that exist at the same time are of the same file if their
 * inode numbers are equal and their names are, too, as some file systems assign numbers
 * twice. A lookup per mapping would cost more than everything else here.
 */
struct found {
	const struct wallprof_live_map *map;
	struct wp_codefile *file;
};

#define FOUND_BITS	12

static struct found *found_at(struct found *found, const struct wallprof_live_map *map)
{
	__u64 hash = (map->ino ^ (__u64)map->major << 52 ^ (__u64)map->minor << 32) *
		     0x9e3779b97f4a7c15ULL;

	return &found[hash >> (64 - FOUND_BITS)];
}

static bool is_same_file(const struct wallprof_live_map *a, const struct wallprof_live_map *b)
{
	return a->ino == b->ino && a->major == b->major && a->minor == b->minor &&
	       !strcmp(a->name, b->name);
}

/*
 * Look up the file of a mapping that the module reported. @dir: descriptor of the
 * process's directory, -1 until opened.
 */
static int find_reported(struct wp_mapsync *sync, struct found *found, __u32 pid, int *dir,
			 const struct wallprof_live_map *map, struct wp_codefile **file)
{
	struct wp_procmap m = wp_snapshot_procmap(map);
	struct found *at = found_at(found, map);
	int err;

	*file = at->file;
	if (at->file && is_same_file(at->map, map))
		return 0;
	*file = NULL;
	if (*dir < 0)
		*dir = wp_procdir_open(pid);
	if (*dir < 0)
		return 0;
	err = wp_codefiles_find(sync->files, *dir, &m, 1, file);
	if (!err)
		*at = (struct found){ map, *file };
	return err;
}

/* Go through a process's mappings: look up their files or, with @p, publish them, too. */
static void look_at_snapshot(struct wp_mapsync *sync, struct found *found,
			     const struct wallprof_live_thread *t, size_t *at, struct wp_mapproc *p)
{
	const struct wallprof_live_map *map;
	int dir = -1, err = t->flags & WALLPROF_LIVE_NO_MAPS ? -EBUSY : 0;

	sync->nr_maps = 0;
	sync->nr_interps = 0;
	sync->nr_jvms = 0;
	sync->looked_ns = 0;
	sync->unsettled = false;
	while (!err && (map = wp_snapshot_map(sync->snap, at))) {
		struct wp_procmap m = wp_snapshot_procmap(map);
		struct wp_codefile *file;

		if (!wp_mappublish_is_published(sync, &m))
			continue;
		err = find_reported(sync, found, t->pid, &dir, map, &file);
		if (!err && p)
			err = wp_mappublish_add_map_of(sync, file, &m);
	}
	if (dir >= 0)
		close(dir);
	if (!p)
		return;
	if (err == -EBUSY) {
		wp_mapprocs_set_dirty(sync, p);
		return;
	}
	if (!err && sync->nr_maps)
		err = wp_mappublish_maps(sync, p, t->start_stack);
	if (!sync->nr_maps || !wp_mappublish_note_published(sync, p, t->start_stack, err))
		wp_mapprocs_forget(sync, p->pid);
	else
		wp_mappublish_look_again(sync, p);
}

/* Tables on disk are loaded soon; @kick ends the wait earlier. */
static void wait_for_tables(struct wp_mapsync *sync)
{
	__u64 until = wp_clock_now() + TABLES_NS, now, count;
	struct pollfd fds[] = {
		{ .fd = wp_codefiles_fd(sync->files), .events = POLLIN },
		{ .fd = sync->kick, .events = POLLIN },
	};

	while (wp_codefiles_busy(sync->files) && !fds[1].revents) {
		struct timespec timeout = { 0 };

		now = wp_clock_now();
		if (now >= until)
			break;
		timeout.tv_nsec = until - now;
		if (ppoll(fds, 2, &timeout, NULL) < 0)
			break;
		if (fds[0].revents && read(fds[0].fd, &count, sizeof(count)) != sizeof(count))
			break;
	}
}

/**
 * wp_mapsnapshot_publish() - publish what the module reported
 * @sync: the state of mapsync.c, with a snapshot
 *
 * Once the tables are ready: a process that is published without tables is read again.
 */
void wp_mapsnapshot_publish(struct wp_mapsync *sync)
{
	struct found *found = calloc(1 << FOUND_BITS, sizeof(*found));
	const struct wallprof_live_thread *t;
	__u64 begun = wp_clock_now();
	size_t at;

	for (at = 0; found && (t = wp_snapshot_thread(sync->snap, &at)) &&
	     !wp_mapstate_stops(sync);)
		look_at_snapshot(sync, found, t, &at, NULL);
	wait_for_tables(sync);
	for (at = 0; found && (t = wp_snapshot_thread(sync->snap, &at)) &&
	     !wp_mapstate_stops(sync);) {
		/* Kernel threads have no memory, and others no mappings here. */
		struct wp_mapproc *p = t->start_stack ?
			wp_mapprocs_find_or_add(sync, t->pid) : NULL;

		if (p)
			look_at_snapshot(sync, found, t, &at, p);
	}
	for (at = 0; found && (t = wp_snapshot_thread(sync->snap, &at));) {
		if (t->tid != t->pid)
			wp_mapprocs_note_thread(sync, t->pid);
	}
	sync->pending = true;
	sync->stats.ns += wp_clock_now() - begun;
	if (!found)
		wp_mapprocs_touch_all(sync);
	free(found);
}
