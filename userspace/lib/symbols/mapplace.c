// SPDX-License-Identifier: GPL-2.0
/*
 * Opens files that a process has mapped: by the mapping or, without the right to follow that,
 * by their names in the process's root. Called by livejvm.c and jvmmethods.c.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/proc/procmaps.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/mapplace.h"
#include "lib/symbols/mappedfile.h"

/*
 * struct search - the mapping of an address
 * @fd: its file; -1: none
 */
struct search {
	__u32 pid;
	__u64 address;
	__u64 offset;
	int fd;
};

/* The file by its name, if that still leads to the same one. */
static int place_by_name(__u32 pid, const char *name, __u64 ino)
{
	int root = name ? wp_openfile_root(pid) : -1, place;
	struct stat st;

	if (root < 0)
		return -1;
	place = wp_openfile_place(root, name);
	close(root);
	if (place < 0 || (!wp_openfile_known(place, &st) && st.st_ino == ino))
		return place;
	close(place);
	return -1;
}

/**
 * wp_mapplace_open() - open the file of a mapping
 * @pid: the process
 * @start: where the mapping begins
 * @end: where it ends
 * @name: its name, or NULL
 * @ino: its inode
 * @is_served: set to whether its file system need not answer
 *
 * Return: a descriptor for reading; -1: it cannot be opened, or is no regular file.
 */
int wp_mapplace_open(__u32 pid, __u64 start, __u64 end, const char *name, __u64 ino,
		     bool *is_served)
{
	int place = wp_mappedfile_place(pid, start, end), fd = -1;
	struct stat st;

	if (place < 0)
		place = place_by_name(pid, name, ino);
	if (place < 0)
		return -1;
	if (!wp_openfile_known(place, &st) && S_ISREG(st.st_mode)) {
		*is_served = !wp_openfile_has_owner(&st);
		fd = wp_openfile_found(place, &st);
	}
	close(place);
	return fd < 0 ? -1 : fd;
}

static int look_at(void *ctx, int dir, const struct wp_procmap *map)
{
	struct search *s = ctx;
	bool is_served = true;

	(void)dir;
	if (s->address < map->start || s->address >= map->end)
		return 0;
	if (map->ino && map->flags == MAP_SHARED)
		s->fd = wp_mapplace_open(s->pid, map->start, map->end, map->name, map->ino,
					 &is_served);
	if (s->fd >= 0 && is_served) {
		close(s->fd);
		s->fd = -1;
	}
	s->offset = map->pgoff + (s->address - map->start);
	return -ECANCELED;
}

/**
 * wp_mapplace_find() - open the file that a process shares at an address
 * @pid: the process
 * @address: the address
 * @offset: set to the place in the file
 *
 * Return: a descriptor for reading; -1: there is none, or its file system need not answer.
 */
int wp_mapplace_find(__u32 pid, __u64 address, __u64 *offset)
{
	struct search s = { .pid = pid, .address = address, .fd = -1 };
	int dir = wp_procdir_open(pid);
	struct wp_procmaps text = { 0 };

	if (dir < 0)
		return -1;
	wp_procmaps_each(&text, dir, PROT_READ, look_at, &s);
	wp_procmaps_free(&text);
	close(dir);
	*offset = s.offset;
	return s.fd;
}
