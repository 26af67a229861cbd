// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a recording has about the mapped files: their names and, from its BUILD_ID
 * section, their build-ids, their status if they have none, and the lists of functions of
 * processes with a JIT compiler. Called by memmaps.c.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "lib/perfdata/features.h"
#include "lib/perfdata/recordedfiles.h"

#define MISC_BUILD_ID_SIZE		(1 << 15)

/* Identity of a file, as several files can have one path. */
struct file_key {
	__u64 path;
	struct wp_inode inode;
};

/* A record of the BUILD_ID section, before the file's name. */
struct id_record {
	struct perf_event_header header;
	__s32 pid;
	__u8 id[WP_BUILDID_MAX];
	__u8 size;
	__u8 reserved[3];
};

static struct wp_buildid id_of(const struct id_record *r)
{
	struct wp_buildid id;

	/* Old records have no size: it is 20 then. */
	id.size = r->header.misc & MISC_BUILD_ID_SIZE && r->size <= sizeof(r->id) ?
		r->size : sizeof(r->id);
	memcpy(id.data, r->id, sizeof(r->id));
	return id;
}

static void add_id(struct wp_recordedfiles *f, const struct id_record *r, const char *path,
		   size_t len)
{
	__u32 nr = wp_intern(&f->paths, path, len + 1, NULL);
	struct wp_buildid *id;

	if (nr > f->nr_ids) {
		id = reallocarray(f->id, nr, sizeof(*id));
		if (!id)
			return;
		memset(id + f->nr_ids, 0, (nr - f->nr_ids) * sizeof(*id));
		f->id = id;
		f->nr_ids = nr;
	}
	if (nr)
		f->id[nr - 1] = id_of(r);
}

static void add_other(struct wp_recordedfiles *f, const struct id_record *r,
		      const struct wp_features_file *file, const char *path, size_t len)
{
	const struct file_key key = {
		.path = wp_intern(&f->paths, path, len + 1, NULL),
		.inode = { file->maj, file->min, file->ino },
	};
	__u32 nr = key.path ? wp_intern(&f->others, &key, sizeof(key), NULL) : 0;
	struct wp_buildid *id;

	if (!nr)
		return;
	if (nr > f->nr_others) {
		id = reallocarray(f->other_id, nr, sizeof(*id));
		if (!id)
			return;
		f->other_id = id;
		f->nr_others = nr;
	}
	f->other_id[nr - 1] = id_of(r);
}

static void add_stat(struct wp_recordedfiles *f, const struct wp_features_stat *stat,
		     const char *path, size_t len)
{
	const struct file_key key = {
		.path = wp_intern(&f->paths, path, len + 1, NULL),
		.inode = { stat->file.maj, stat->file.min, stat->file.ino },
	};
	__u32 nr = key.path ? wp_intern(&f->files, &key, sizeof(key), NULL) : 0;
	struct wp_filestat *more;

	if (!nr)
		return;
	if (nr > f->nr_stats) {
		more = reallocarray(f->stat, nr, sizeof(*more));
		if (!more)
			return;
		f->stat = more;
		f->nr_stats = nr;
	}
	f->stat[nr - 1] = stat->stat;
}

/* Whether a record ends in @size bytes that begin with @magic; copies them. */
static bool has_behind(const struct id_record *r, const char *name, size_t len,
		       const char *magic, void *behind, size_t size)
{
	size_t room = r->header.size - sizeof(*r);

	if (r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK || room - len - 1 < size)
		return false;
	memcpy(behind, name + room - size, size);
	return !memcmp(behind, magic, strlen(magic));
}

static void add_jit(struct wp_recordedfiles *f, const struct wp_features_jit *jit,
		    bool dump)
{
	struct wp_jitmap *last = f->nr_jit ? &f->jit[f->nr_jit - 1] : NULL, *more;

	if (jit->bytes > sizeof(jit->data))
		return;
	if (!last || last->pid != jit->pid || last->dump != dump) {
		more = f->nr_jit <= WP_JITMAPS_MAX ?
			reallocarray(f->jit, f->nr_jit + 1, sizeof(*more)) : NULL;
		if (!more)
			return;
		f->jit = more;
		last = &f->jit[f->nr_jit++];
		*last = (struct wp_jitmap){
			.pid = jit->pid, .text = jit->text, .dump = dump,
		};
	}
	wp_buf_add(&last->b, jit->data, jit->bytes);
}

/**
 * wp_recordedfiles_read() - read the BUILD_ID section
 * @f: the files
 * @b: the section
 */
void wp_recordedfiles_read(struct wp_recordedfiles *f, const struct wp_buf *b)
{
	struct wp_features_file file;
	struct wp_features_stat stat;
	struct wp_features_jit jit;
	struct id_record r;
	const char *name;
	size_t at, len;

	for (at = 0; b->len - at >= sizeof(r); at += r.header.size) {
		memcpy(&r, b->data + at, sizeof(r));
		if (r.header.size < sizeof(r) || r.header.size > b->len - at)
			return;
		name = b->data + at + sizeof(r);
		len = strnlen(name, r.header.size - sizeof(r));
		if (!len || len == r.header.size - sizeof(r))
			continue;
		if (has_behind(&r, name, len, WP_FEATURES_JIT, &jit, sizeof(jit)))
			add_jit(f, &jit, false);
		else if (has_behind(&r, name, len, WP_FEATURES_DUMP, &jit, sizeof(jit)))
			add_jit(f, &jit, true);
		else if (has_behind(&r, name, len, WP_FEATURES_STAT, &stat, sizeof(stat)))
			add_stat(f, &stat, name, len);
		else if (has_behind(&r, name, len, WP_FEATURES_FILE, &file, sizeof(file)))
			add_other(f, &r, &file, name, len);
		else
			add_id(f, &r, name, len);
	}
}

/**
 * wp_recordedfiles_find() - set the build-id that the section has for a mapping's file
 * @f: the files
 * @map: the mapping
 * @inode: the file's device and inode
 */
void wp_recordedfiles_find(struct wp_recordedfiles *f, struct wp_memmap *map,
			   const struct wp_inode *inode)
{
	const struct file_key key = { .path = map->path, .inode = *inode };
	__u32 nr = f->nr_others ? wp_intern(&f->others, &key, sizeof(key), NULL) : 0;

	if (nr && nr <= f->nr_others) {
		map->id = f->other_id[nr - 1];
		map->other = !map->id.size;
	} else if (map->path <= f->nr_ids) {
		map->id = f->id[map->path - 1];
	}
	if (!map->id.size)
		map->file = wp_intern(&f->files, &key, sizeof(key), NULL);
}

/**
 * wp_recordedfiles_jit() - list of functions of a process with a JIT compiler
 * @f: the files
 * @pid: the process
 *
 * Return: the list, empty if the process left none; NULL if there are no lists at all.
 */
const struct wp_jitmap *wp_recordedfiles_jit(const struct wp_recordedfiles *f, __s32 pid)
{
	static const struct wp_jitmap none;
	size_t i;

	for (i = 0; i < f->nr_jit; i++) {
		if (f->jit[i].pid == (__u32)pid)
			return &f->jit[i];
	}
	return f->nr_jit ? &none : NULL;
}

/**
 * wp_recordedfiles_stat() - status of a file without a build-id
 * @f: the files
 * @file: its number, of struct wp_memmap
 *
 * Return: its status at the time of the recording; at least its device and inode, if its
 * mapping had them, and the time after which it must not have changed.
 */
struct wp_filestat wp_recordedfiles_stat(const struct wp_recordedfiles *f, __u32 file)
{
	struct wp_filestat stat = { .kind = WP_FILESTAT_NONE };
	const struct file_key *key;

	if (file && file <= f->nr_stats && f->stat[file - 1].kind != WP_FILESTAT_NONE)
		return f->stat[file - 1];
	key = file ? wp_intern_bytes(&f->files, file, NULL) : NULL;
	if (!key || (!key->inode.maj && !key->inode.min && !key->inode.ino))
		return stat;
	stat.kind = WP_FILESTAT_INODE;
	stat.maj = key->inode.maj;
	stat.min = key->inode.min;
	stat.ino = key->inode.ino;
	stat.mtime_sec = f->written.tv_sec;
	stat.mtime_nsec = f->written.tv_nsec;
	return stat;
}

/**
 * wp_recordedfiles_id() - the build-id for a path
 * @f: the files
 * @path: the path
 * @id: set to the build-id; empty if there is none
 */
void wp_recordedfiles_id(struct wp_recordedfiles *f, const char *path, struct wp_buildid *id)
{
	__u32 nr = wp_intern(&f->paths, path, strlen(path) + 1, NULL);

	memset(id, 0, sizeof(*id));
	if (nr && nr <= f->nr_ids)
		*id = f->id[nr - 1];
}

/**
 * wp_recordedfiles_free() - free everything
 * @f: the files
 */
void wp_recordedfiles_free(struct wp_recordedfiles *f)
{
	size_t i;

	free(f->id);
	free(f->other_id);
	free(f->stat);
	for (i = 0; i < f->nr_jit; i++)
		wp_buf_free(&f->jit[i].b);
	free(f->jit);
	wp_intern_free(&f->files);
	wp_intern_free(&f->others);
	wp_intern_free(&f->paths);
}
