// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the positions of the mapping records of a perf.data file while it is written, and
 * inserts build-ids into those of a path that several files have, as in containers: perf
 * uses the table's build-id for all files of a path. A file that is known to be another
 * than the one at its path, but not by its build-id, gets one that no file has, or perf
 * would take names from the wrong file. Called by perfdata.c.
 *
 * The build-id replaces device and inode (PERF_RECORD_MISC_MMAP_BUILD_ID of
 * include/uapi/linux/perf_event.h), so that a record keeps its size and is changed in
 * place at the end, when all build-ids are known. Records of a compressed file cannot be
 * changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/fullio.h"
#include "lib/perfdata/mapids.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/symbols/buildids.h"

/* So many take about a second to process; later records are left unchanged. */
#define MAX_NOTED	(1U << 18)

#define MAX_RECORD	0xffff		/* header.size is 16 bits */

/**
 * wp_mapids_note() - note the position of a record
 * @maps: the positions
 * @rec: a record of any type
 * @at: its offset in the file
 *
 * A record that finds no room, or no memory, is not noted.
 */
void wp_mapids_note(struct wp_mapids *maps, const struct perf_event_header *rec, __u64 at)
{
	const struct wp_mmap2_record *map = (const void *)rec;
	size_t room = maps->room ? 2 * maps->room : 256;
	__u64 *grown;

	if (rec->type != PERF_RECORD_MMAP2 || rec->size <= sizeof(*map) ||
	    !(map->prot & PROT_EXEC) || map->filename[0] != '/')
		return;
	if (maps->nr == maps->room) {
		grown = room <= MAX_NOTED ? realloc(maps->at, room * sizeof(*grown)) : NULL;
		if (!grown)
			return;
		maps->at = grown;
		maps->room = room;
	}
	maps->at[maps->nr++] = at;
}

/* What is in place of a build-id. */
static struct wp_buildid no_id(const struct wp_mmap2_record *map)
{
	struct wp_nobuildid none = {
		.magic = WP_NO_BUILDID, .maj = map->maj, .min = map->min, .ino = map->ino,
	};
	struct wp_buildid id = { .size = sizeof(none) };

	memcpy(id.data, &none, sizeof(none));
	return id;
}

/* Update the record at @at if its path has another file, too. */
static int write_one(int fd, __u64 at, const struct wp_buildids *ids, void *buf)
{
	struct wp_mmap2_record *map = buf;
	const struct wp_dso *dso;
	struct wp_buildid id;
	int ret;

	ret = wp_pread_all(fd, map, sizeof(*map), at);
	if (!ret && map->header.size <= sizeof(*map))
		ret = -EIO;
	if (!ret)
		ret = wp_pread_all(fd, map + 1, map->header.size - sizeof(*map),
				   at + sizeof(*map));
	if (ret)
		return ret;
	/* A record ends with an id, which must not be taken for the end of the name. */
	if (!memchr(map->filename, 0, map->header.size - sizeof(*map)))
		return 0;
	dso = wp_buildids_find_one_of(ids, map->filename, &(struct wp_fileid){
		.maj = map->maj, .min = map->min, .ino = map->ino });
	if (!dso || (!dso->id.size && !wp_buildids_is_another(dso)))
		return 0;
	id = dso->id.size ? dso->id : no_id(map);
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	map->build_id_size = id.size;
	memset(map->reserved, 0, sizeof(map->reserved));
	memcpy(map->build_id, id.data, sizeof(map->build_id));
	return wp_pwrite_all(fd, map, sizeof(*map), at);
}

/**
 * wp_mapids_write() - insert build-ids into the records of ambiguous paths
 * @maps: the positions of all records
 * @fd: the file, which is complete
 * @ids: the build-ids, resolved
 *
 * Return: 0 or a negative errno; prints nothing.
 */
int wp_mapids_write(const struct wp_mapids *maps, int fd, const struct wp_buildids *ids)
{
	void *buf;
	size_t i;
	int ret = 0;

	if (!wp_buildids_are_ambiguous(ids))
		return 0;
	buf = malloc(MAX_RECORD);
	if (!buf)
		return -ENOMEM;
	for (i = 0; i < maps->nr && !ret; i++)
		ret = write_one(fd, maps->at[i], ids, buf);
	free(buf);
	return ret;
}

/**
 * wp_mapids_free() - free the positions
 * @maps: empty again
 */
void wp_mapids_free(struct wp_mapids *maps)
{
	free(maps->at);
	*maps = (struct wp_mapids){ 0 };
}
