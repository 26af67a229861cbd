// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the table of build-ids. Called by siderecords.c, synthesize.c and ksyms.c during the
 * recording, by perfdata.c at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/elf/jitdump.h"
#include "lib/sandbox/disk.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/buildids.h"
#include "lib/symbols/jitmaps.h"
#include "lib/symbols/mappedfile.h"

/*
 * After the end was requested: time limit for reading build-ids, and number of files that
 * are read in any case.
 */
#define HURRY_NS	500000000ULL
#define FIRST_FILES	16

struct wp_buildids {
	struct wp_keepfiles *keep;	/* or NULL */
	struct wp_jitmaps *jit;		/* or NULL */
	struct wp_dso **dso;	/* in order of appearance */
	size_t nr, room;
	size_t *slot;		/* index + 1 into @dso of a path's first file, 0: free */
	size_t nr_slots;	/* a power of two */
};

/* FNV-1a */
static size_t hash_path(const char *path)
{
	__u64 h = 0xcbf29ce484222325ULL;

	while (*path)
		h = (h ^ (unsigned char)*path++) * 0x100000001b3ULL;
	return h ^ (h >> 32);
}

/* The slot that holds @path, or the free slot for it. */
static size_t find_slot(const struct wp_buildids *ids, const char *path, bool kernel)
{
	size_t i = (hash_path(path) + kernel) & (ids->nr_slots - 1);

	while (ids->slot[i]) {
		const struct wp_dso *dso = ids->dso[ids->slot[i] - 1];

		if (dso->kernel == kernel && !strcmp(dso->path, path))
			break;
		i = (i + 1) & (ids->nr_slots - 1);
	}
	return i;
}

static struct wp_dso *first_of(const struct wp_buildids *ids, const char *path, bool kernel)
{
	size_t i = find_slot(ids, path, kernel);

	return ids->slot[i] ? ids->dso[ids->slot[i] - 1] : NULL;
}

static struct wp_dso *next_of(const struct wp_buildids *ids, const struct wp_dso *dso)
{
	return dso->next ? ids->dso[dso->next - 1] : NULL;
}

static int grow(struct wp_buildids *ids)
{
	size_t room = ids->room ? 2 * ids->room : 256;
	struct wp_dso **dso;
	size_t *slot, i;

	dso = realloc(ids->dso, room * sizeof(*dso));
	if (!dso)
		return -ENOMEM;
	ids->dso = dso;
	slot = calloc(2 * room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(ids->slot);
	ids->slot = slot;
	ids->nr_slots = 2 * room;
	ids->room = room;
	for (i = 0; i < ids->nr; i++) {
		size_t at = find_slot(ids, dso[i]->path, dso[i]->kernel);

		if (!slot[at])
			slot[at] = i + 1;
	}
	return 0;
}

/**
 * wp_buildids_new() - allocate an empty table
 *
 * Return: the table, or NULL when memory ran out.
 */
struct wp_buildids *wp_buildids_new(void)
{
	struct wp_buildids *ids = calloc(1, sizeof(*ids));

	if (ids && grow(ids)) {
		wp_buildids_free(ids);
		ids = NULL;
	}
	if (!ids)
		wp_err("out of memory for the table of build-ids");
	return ids;
}

/**
 * wp_buildids_free() - free a table
 * @ids: the table, or NULL
 */
void wp_buildids_free(struct wp_buildids *ids)
{
	size_t i;

	if (!ids)
		return;
	for (i = 0; i < ids->nr; i++) {
		free(ids->dso[i]->path);
		free(ids->dso[i]);
	}
	wp_jitmaps_free(ids->jit);
	free(ids->dso);
	free(ids->slot);
	free(ids);
}

/**
 * wp_buildids_code() - record that a process has code in memory without a file
 * @ids: the table
 * @path: the name as in the mapping record
 * @pid: the process
 */
void wp_buildids_code(struct wp_buildids *ids, const char *path, __u32 pid)
{
	if (path[0] == '/')
		wp_jitmaps_see(&ids->jit, pid);
}

/**
 * wp_buildids_loads() - have names of generated code listed that were found in memory
 * @ids: the table
 * @pid: the process
 * @loads: the code
 */
void wp_buildids_loads(struct wp_buildids *ids, __u32 pid, const struct wp_jitloads *loads)
{
	wp_jitmaps_loads(&ids->jit, pid, loads);
}

/**
 * wp_buildids_jit() - the function lists of such processes
 * @ids: the table
 *
 * Return: the lists, owned by the table; NULL if there are none.
 */
struct wp_jitmaps *wp_buildids_jit(const struct wp_buildids *ids)
{
	return ids ? ids->jit : NULL;
}

/**
 * wp_buildids_keep() - enable copies of files that no path of ours leads to
 * @ids: the table
 * @keep: destination; NULL: disable
 */
void wp_buildids_keep(struct wp_buildids *ids, struct wp_keepfiles *keep)
{
	ids->keep = keep;
}

static struct wp_dso *new_dso(struct wp_buildids *ids, const char *path, bool kernel)
{
	struct wp_dso *dso, *last;
	size_t i;

	if (ids->nr == ids->room && grow(ids))
		return NULL;
	dso = calloc(1, sizeof(*dso));
	if (!dso)
		return NULL;
	dso->path = strdup(path);
	if (!dso->path) {
		free(dso);
		return NULL;
	}
	dso->kernel = kernel;
	ids->dso[ids->nr++] = dso;
	i = find_slot(ids, path, kernel);
	if (!ids->slot[i]) {
		ids->slot[i] = ids->nr;
		return dso;
	}
	last = ids->dso[ids->slot[i] - 1];
	while (last->next)
		last = ids->dso[last->next - 1];
	last->next = ids->nr;
	return dso;
}

static bool same_file(const struct wp_fileid *a, const struct wp_fileid *b)
{
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min;
}

/* Whether it can be the file of a mapping with an unknown inode. */
static bool may_be(const struct wp_dso *dso, const struct wp_buildid *id)
{
	if (id->size && wp_buildid_same(&dso->id, id))
		return true;
	return !dso->last.file.ino && (!id->size || !dso->id.size);
}

/**
 * wp_buildids_map() - record an executable mapping of a file
 * @ids: the table
 * @path: the name as in the mapping record
 * @map: where it is mapped, and its file
 * @id: its build-id; NULL, or empty: wp_buildids_resolve() reads it
 *
 * A file that was overwritten has another build-id, and counts as another file from then
 * on. It gets an inode number of ours, as a file with an unknown inode does.
 *
 * Return: the entry, whose @last.file goes into the mapping record; valid until the table
 * is freed; NULL if memory ran out.
 */
struct wp_dso *wp_buildids_map(struct wp_buildids *ids, const char *path,
			       const struct wp_mapped *map, const struct wp_buildid *id)
{
	static const struct wp_buildid none;
	struct wp_dso *first = first_of(ids, path, false), *dso = NULL, *d;
	struct wp_fileid file = map->file;
	bool is_dump = map->pid && wp_jitdump_is_name(path, 0);
	unsigned int nr = 0;

	if (!id)
		id = &none;
	for (d = first; d && file.ino && !dso; d = next_of(ids, d)) {
		if (!same_file(&d->last.file, &file))
			continue;
		if (!id->size || !d->id.size || wp_buildid_same(&d->id, id))
			dso = d;
		else
			file = (struct wp_fileid){ 0 };
	}
	/* Match by the build-id, or by the name alone. */
	for (d = first; d && !dso; d = next_of(ids, d)) {
		nr++;
		/* The last one is shared by all that find no room. */
		if ((!file.ino && may_be(d, id)) || nr > WP_BUILDIDS_OF_PATH)
			dso = d;
	}
	if (dso && nr > WP_BUILDIDS_OF_PATH)
		return dso;
	if (!dso) {
		dso = new_dso(ids, path, false);
		if (!dso)
			return NULL;
		if (nr == WP_BUILDIDS_OF_PATH) {
			dso->last.file.ino = ids->nr;
			dso->tried = true;
			return dso;
		}
		dso->last.file = file;
		dso->time = map->time;
		if (!file.ino && id->size)
			dso->last.file.ino = ids->nr;
	}
	dso->nr_maps++;
	if (map->pid) {
		dso->last.pid = map->pid;
		dso->last.start = map->start;
		dso->last.end = map->end;
	}
	if (id->size)
		dso->id = *id;
	/* It grows, and is no code. */
	if (is_dump)
		wp_jitmaps_dump(&ids->jit, map->pid, dso);
	else if (map->pid && path[0] == '/')
		wp_mappedfile_look(dso, ids->keep);
	return dso;
}

/**
 * wp_buildids_add() - record a mapped file of which only the name is known
 * @ids: the table
 * @path: the name as in the mapping record
 * @pid: the process, to find the file through its root; 0 for none
 * @kernel: the kernel or a module
 * @id: its build-id, or NULL to let wp_buildids_resolve() read it
 *
 * Return: see wp_buildids_map().
 */
struct wp_dso *wp_buildids_add(struct wp_buildids *ids, const char *path, __u32 pid,
			       bool kernel, const struct wp_buildid *id)
{
	const struct wp_mapped map = { .pid = pid };
	struct wp_dso *dso;

	if (!kernel)
		return wp_buildids_map(ids, path, &map, id);
	dso = first_of(ids, path, true);
	if (!dso)
		dso = new_dso(ids, path, true);
	if (dso && id && id->size)
		dso->id = *id;
	return dso;
}

static void resolve(struct wp_dso *dso)
{
	if (dso->id.size || dso->tried || dso->kernel || dso->changed)
		return;
	dso->tried = true;
	if (!strcmp(dso->path, "[vdso]")) {
		wp_buildid_of_vdso(&dso->id);
		return;
	}
	if (!wp_buildid_wants_path(dso->path))
		return;
	wp_mappedfile_read(dso);
}

/**
 * wp_buildids_find_id() - look up a file by its name and its build-id
 * @ids: the table
 * @path: the name as in the mapping record
 * @id: the build-id
 *
 * Reads unknown build-ids of files with that name on disks, which cannot block for long.
 *
 * Return: the entry or NULL.
 */
struct wp_dso *wp_buildids_find_id(struct wp_buildids *ids, const char *path,
				   const struct wp_buildid *id)
{
	struct wp_dso *dso;

	for (dso = first_of(ids, path, false); dso; dso = next_of(ids, dso)) {
		if (wp_disk_is(makedev(dso->last.file.maj, dso->last.file.min)))
			resolve(dso);
		if (id->size && wp_buildid_same(&dso->id, id))
			return dso;
	}
	return NULL;
}

/**
 * wp_buildids_is_another() - whether a file is not the one that its path leads to here
 * @dso: the file, after wp_buildids_resolve()
 *
 * Return: true if its build-id is unknown and it is another one, or has changed.
 */
bool wp_buildids_is_another(const struct wp_dso *dso)
{
	return !dso->kernel && !dso->id.size && (dso->elsewhere || dso->changed);
}

/* Whether the path alone does not identify the file. */
static bool is_ambiguous(const struct wp_dso *first)
{
	return first->next || wp_buildids_is_another(first);
}

/**
 * wp_buildids_find_one_of() - look up one of the files of a path that leads to others, too
 * @ids: the table, resolved
 * @path: the name as in the mapping record
 * @file: the file in the mapping record
 *
 * Return: the entry; NULL if there is none, or neither another one in the table with that
 * name nor, in place of this one, here.
 */
const struct wp_dso *wp_buildids_find_one_of(const struct wp_buildids *ids, const char *path,
					     const struct wp_fileid *file)
{
	const struct wp_dso *first = first_of(ids, path, false), *dso;

	if (!first || !is_ambiguous(first))
		return NULL;
	for (dso = first; dso && !same_file(&dso->last.file, file);)
		dso = next_of(ids, dso);
	return dso;
}

/**
 * wp_buildids_are_ambiguous() - whether wp_buildids_find_one_of() can find any
 * @ids: the table, resolved
 *
 * Return: true if it can.
 */
bool wp_buildids_are_ambiguous(const struct wp_buildids *ids)
{
	size_t i;

	for (i = 0; i < ids->nr; i++)
		if (is_ambiguous(ids->dso[i]))
			return true;
	return false;
}

/* Of the files of one path, our own represents it, or else the one that is mapped most. */
static void choose(const struct wp_buildids *ids, struct wp_dso *first)
{
	struct wp_buildid here = { 0 };
	struct wp_dso *dso, *best = NULL;
	int score, best_score = -1;
	struct stat st = { 0 };

	wp_mappedfile_here(first->path, &st, &here);
	for (dso = first; dso; dso = next_of(ids, dso)) {
		score = here.size && wp_buildid_same(&dso->id, &here) ? 2 : 0;
		score += dso->last.file.ino && wp_mappedfile_is(&dso->last.file, &st, true);
		if (score < best_score ||
		    (score == best_score && dso->nr_maps <= best->nr_maps))
			continue;
		best = dso;
		best_score = score;
	}
	for (dso = first; dso; dso = next_of(ids, dso)) {
		dso->repeats = dso != best && dso->id.size &&
			wp_buildid_same(&dso->id, &best->id);
		dso->other = dso != best && !dso->repeats;
	}
}

/* An entry, and the number of earlier ones of the same process. */
struct turn {
	size_t index;
	__u32 pid;
	size_t rank;
};

static int by_pid(const void *va, const void *vb)
{
	const struct turn *a = va, *b = vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int by_rank(const void *va, const void *vb)
{
	const struct turn *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/*
 * After the end was requested. Processes take turns, and after a time limit only the
 * first files of each are read: a process with 65000 mapped files does not block those of
 * others.
 */
static void resolve_in_turns(struct wp_buildids *ids)
{
	__u64 until = wp_clock_now() + HURRY_NS;
	struct turn *turn = calloc(ids->nr, sizeof(*turn));
	size_t i, nr = 0, left = 0;

	for (i = 0; i < ids->nr && turn; i++) {
		const struct wp_dso *dso = ids->dso[i];

		if (!dso->id.size && !dso->tried && !dso->kernel)
			turn[nr++] = (struct turn){ .index = i, .pid = dso->last.pid };
	}
	if (nr)
		qsort(turn, nr, sizeof(*turn), by_pid);
	for (i = 1; i < nr; i++)
		turn[i].rank = turn[i].pid == turn[i - 1].pid ? turn[i - 1].rank + 1 : 0;
	if (nr)
		qsort(turn, nr, sizeof(*turn), by_rank);
	for (i = 0; i < nr; i++) {
		if (turn[i].rank < FIRST_FILES || wp_clock_now() < until)
			resolve(ids->dso[turn[i].index]);
		else
			left += wp_buildid_wants_path(ids->dso[turn[i].index]->path);
	}
	if (left)
		wp_warn("%zu file%s no build-id in the recording: reading all would have taken too long",
			left, left == 1 ? " has" : "s have");
	free(turn);
}

/**
 * wp_buildids_resolve() - read all unknown build-ids
 * @ids: the table
 *
 * A file is looked up in the mount namespace of a process that mapped it or, if that
 * process is gone, in ours; its identity is checked. Then one of the files of each path
 * is chosen to represent it.
 */
void wp_buildids_resolve(struct wp_buildids *ids)
{
	size_t i;

	for (i = 0; i < ids->nr && !wp_opener_hurries(); i++)
		resolve(ids->dso[i]);
	if (i < ids->nr)
		resolve_in_turns(ids);
	for (i = 0; i < ids->nr; i++) {
		struct wp_dso *first = ids->dso[i];

		if (first->next && first == first_of(ids, first->path, first->kernel))
			choose(ids, first);
	}
}

/**
 * wp_buildids_for_each() - iterate over the table in order of appearance
 * @ids: the table
 * @fn: called for each file; a return value other than 0 ends the iteration
 * @ctx: passed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_buildids_for_each(const struct wp_buildids *ids,
			 int (*fn)(void *ctx, const struct wp_dso *dso), void *ctx)
{
	size_t i;
	int ret;

	for (i = 0; i < ids->nr; i++) {
		ret = fn(ctx, ids->dso[i]);
		if (ret)
			return ret;
	}
	return 0;
}
