// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is open of processes in a round, or in several that follow each other soon:
 * their directories in /proc, their mappings, and the sockets of their network namespaces.
 * Each is read at most once per round, unless there are many. Called by objects.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/model/openprocs.h"
#include "lib/proc/unixpeers.h"

static void close_process(struct wp_openproc *p)
{
	if (p->tgid)
		close(p->dir);
	wp_procmaps_free(&p->text);
	free(p->map);
	memset(p, 0, sizeof(*p));
}

/**
 * wp_openprocs_forget_maps() - the mappings of a process are to be read again
 * @p: the process
 */
void wp_openprocs_forget_maps(struct wp_openproc *p)
{
	wp_procmaps_free(&p->text);
	p->nr_maps = 0;
	p->mapped = false;
}

/**
 * wp_openprocs_get() - open a process's directory
 * @o: the open processes
 * @tgid: the process
 * @exec_id: its program
 * @born: which process of this id it is
 *
 * What is open of another program, or of another process of this id, is closed.
 *
 * Return: the process, valid until others are opened; NULL if it is gone.
 */
struct wp_openproc *wp_openprocs_get(struct wp_openprocs *o, __u32 tgid, __u32 exec_id,
				     __u32 born)
{
	struct wp_openproc *p;
	char path[PATH_MAX];
	unsigned int i;
	int dir;

	for (i = 0; i < WP_OPENPROCS; i++) {
		p = &o->open[i];
		if (p->tgid != tgid)
			continue;
		if (p->exec_id == exec_id && p->born == born)
			return p;
		close_process(p);
	}
	snprintf(path, sizeof(path), "%s/%u", o->root, tgid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return NULL;
	p = &o->open[o->next_open++ % WP_OPENPROCS];
	close_process(p);
	p->tgid = tgid;
	p->exec_id = exec_id;
	p->born = born;
	p->dir = dir;
	return p;
}

/**
 * wp_openprocs_sockets() - the sockets of a process's network namespace
 * @o: the open processes
 * @dir: the process's directory
 * @sockets: set to them, or NULL
 *
 * Return: 0 or a negative errno.
 */
int wp_openprocs_sockets(struct wp_openprocs *o, int dir, const struct wp_sockets **sockets)
{
	unsigned int i;
	struct wp_opennet *n;
	struct stat st;
	int err;

	*sockets = NULL;
	if (fstatat(dir, "ns/net", &st, 0)) {
		int other = wp_procdir_living(dir);

		if (other < 0)
			return 0;
		err = wp_openprocs_sockets(o, other, sockets);
		close(other);
		return err;
	}
	for (i = 0; i < WP_OPENNETS; i++) {
		if (o->net[i].ino == st.st_ino) {
			*sockets = &o->net[i].sockets;
			return 0;
		}
	}
	n = &o->net[o->next_net++ % WP_OPENNETS];
	wp_sockets_free(&n->sockets);
	n->ino = st.st_ino;
	*sockets = &n->sockets;
	err = wp_sockets_read(&n->sockets, dir);
	if (!err)
		wp_unixpeers_read(&n->sockets, dir);
	return err;
}

static int add_map(void *ctx, int dir, const struct wp_procmap *map)
{
	struct wp_openproc *p = ctx;

	(void)dir;
	if (p->nr_maps == p->room_maps) {
		size_t room = p->room_maps ? p->room_maps * 2 : 64;
		struct wp_procmap *maps = reallocarray(p->map, room, sizeof(*maps));

		if (!maps)
			return -ENOMEM;
		p->map = maps;
		p->room_maps = room;
	}
	p->map[p->nr_maps++] = *map;
	return 0;
}

/**
 * wp_openprocs_read_maps() - read the mappings of a process, once
 * @p: the process
 *
 * Return: 0, or as wp_procmaps_each().
 */
int wp_openprocs_read_maps(struct wp_openproc *p)
{
	if (p->mapped)
		return 0;
	p->mapped = true;
	return wp_procmaps_each(&p->text, p->dir, 0, add_map, p);
}

/**
 * wp_openprocs_map() - the mapping of a process at an address
 * @p: the process, whose mappings were read
 * @address: the address
 *
 * Return: the mapping, or NULL.
 */
const struct wp_procmap *wp_openprocs_map(const struct wp_openproc *p, __u64 address)
{
	size_t low = 0, high = p->nr_maps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->map[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->nr_maps && p->map[low].start <= address ? &p->map[low] : NULL;
}

/**
 * wp_openprocs_close() - close everything, at the end of a round
 * @o: the open processes
 */
void wp_openprocs_close(struct wp_openprocs *o)
{
	unsigned int i;

	for (i = 0; i < WP_OPENPROCS; i++)
		close_process(&o->open[i]);
	for (i = 0; i < WP_OPENNETS; i++) {
		wp_sockets_free(&o->net[i].sockets);
		o->net[i].ino = 0;
	}
}
