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
static int find_live(struct wp_publisher *pub, struct found *found, __u32 pid, int *dir,
		     const struct wallprof_live_map *map, struct wp_codefile **file)
{
	struct wp_procmap m = wp_live_procmap(map);
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
	err = wp_codefiles_find(pub->files, *dir, &m, 1, file);
	if (!err)
		*at = (struct found){ map, *file };
	return err;
}

/* Go through a process's mappings: look up their files or, with @p, publish them, too. */
static void look_at_live(struct wp_publisher *pub, struct found *found,
			 const struct wallprof_live_thread *t, size_t *at, struct wp_mapproc *p)
{
	const struct wallprof_live_map *map;
	int dir = -1, err = t->flags & WALLPROF_LIVE_NO_MAPS ? -EBUSY : 0;

	pub->nr_maps = 0;
	pub->unsettled = false;
	while (!err && (map = wp_live_map(pub->live, at))) {
		struct wp_procmap m = wp_live_procmap(map);
		struct wp_codefile *file;

		if (!wp_mappublish_is_told(pub, &m))
			continue;
		err = find_live(pub, found, t->pid, &dir, map, &file);
		if (!err && p)
			err = wp_mappublish_add_map_of(pub, file, &m);
	}
	if (dir >= 0)
		close(dir);
	if (!p)
		return;
	if (err == -EBUSY) {
		wp_mapprocs_set_dirty(pub, p);
		return;
	}
	if (!err && pub->nr_maps)
		err = pub->opt.maps(pub->opt.ctx, p->pid, t->start_stack, pub->map, pub->nr_maps);
	if (!pub->nr_maps || !wp_mappublish_note_told(pub, p, t->start_stack, err))
		wp_mapprocs_forget(pub, p->pid);
}

/* Tables on disk are loaded soon; @kick ends the wait earlier. */
static void wait_for_tables(struct wp_publisher *pub)
{
	__u64 until = wp_clock_now() + TABLES_NS, now, count;
	struct pollfd fds[] = {
		{ .fd = wp_codefiles_fd(pub->files), .events = POLLIN },
		{ .fd = pub->kick, .events = POLLIN },
	};

	while (wp_codefiles_busy(pub->files) && !fds[1].revents) {
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
 * @pub: the publisher, with a snapshot
 *
 * Once the tables are ready: a process that is published without tables is read again.
 */
void wp_mapsnapshot_publish(struct wp_publisher *pub)
{
	struct found *found = calloc(1 << FOUND_BITS, sizeof(*found));
	const struct wallprof_live_thread *t;
	__u64 begun = wp_clock_now();
	size_t at;

	for (at = 0; found && (t = wp_live_thread(pub->live, &at)) && !wp_mapstate_stops(pub);)
		look_at_live(pub, found, t, &at, NULL);
	wait_for_tables(pub);
	for (at = 0; found && (t = wp_live_thread(pub->live, &at)) && !wp_mapstate_stops(pub);) {
		/* Kernel threads have no memory, and others no mappings here. */
		struct wp_mapproc *p = t->start_stack ? wp_mapprocs_find_or_add(pub, t->pid) : NULL;

		if (p)
			look_at_live(pub, found, t, &at, p);
	}
	for (at = 0; found && (t = wp_live_thread(pub->live, &at));) {
		if (t->tid != t->pid)
			wp_mapprocs_note_thread(pub, t->pid);
	}
	pub->pending = true;
	pub->stats.ns += wp_clock_now() - begun;
	if (!found)
		wp_mapprocs_touch_all(pub);
	free(found);
}
