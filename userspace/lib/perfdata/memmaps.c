// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the mappings of a recording's processes, to translate addresses into file and
 * offset. Called by converters of recordings, with every record in order of time.
 *
 * A child shares its parent's mappings until either gets another one. An exec drops all
 * mappings of before. The total is bounded, as a recording is not trusted; what does not
 * fit is counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/memmaps.h"
#include "lib/perfdata/mmaprecord.h"

#define FIRST_ROOM	64

#define MISC_BUILD_ID_SIZE		(1 << 15)

/* PERF_RECORD_MMAP; PERF_RECORD_MMAP2 has more fields before the name. */
struct mmap_record {
	struct perf_event_header header;
	__s32 pid;
	__s32 tid;
	__u64 start;
	__u64 len;
	__u64 offset;
};

struct mmap2_record {
	struct mmap_record mmap;
	__u8 id_size;
	__u8 reserved[3];
	__u8 id[WP_BUILDID_MAX];
	__u32 prot;
	__u32 flags;
};

struct fork_record {
	struct perf_event_header header;
	__s32 pid;
	__s32 ppid;
	__s32 tid;
	__s32 ptid;
};

/* Alternative to @id_size and the following fields. */
struct inode {
	__u32 maj;
	__u32 min;
	__u64 ino;
};

_Static_assert(sizeof(struct mmap2_record) - offsetof(struct mmap2_record, id_size) >=
	       sizeof(struct inode), "an inode is where a build-id can be");

/* Identity of a file, as several files can have one path. */
struct file_key {
	__u64 path;
	struct inode inode;
};

/* A record of the BUILD_ID section, before the file's name. */
struct id_record {
	struct perf_event_header header;
	__s32 pid;
	__u8 id[WP_BUILDID_MAX];
	__u8 size;
	__u8 reserved[3];
};

/**
 * struct space - mappings of one or more processes
 * @refs: number of processes
 * @nr: number of mappings
 * @room: allocated mappings
 * @map: the mappings, by address; they do not overlap
 */
struct space {
	size_t refs;
	size_t nr;
	size_t room;
	struct wp_memmap *map;
};

/**
 * struct process - a process
 * @pid: its number
 * @space: its mappings
 * @before: those of the program before, while an exec may be going on; or NULL
 * @nr_new: number of mappings since that exec
 */
struct process {
	__s32 pid;
	struct space *space;
	struct space *before;
	unsigned int nr_new;
};

/* Mappings with code that an exec makes: the program, its interpreter, the vdso. */
#define EXEC_MAPS	3

/**
 * struct wp_memmaps - mappings of all processes
 * @entry: processes, a hash table by pid; free entries have no space
 * @nr: used entries
 * @room: all entries, a power of two, or 0
 * @total: number of mappings in all spaces
 * @dropped: number of mappings that found no room
 * @paths: names of files
 * @id: build-ids of the section, by the numbers of their paths less 1
 * @nr_ids: their number
 * @others: further files with a path that another file has
 * @other_id: their build-ids, by the numbers of these less 1
 * @nr_others: their number
 * @files: files without a build-id, by path and inode
 * @stat: their status, by the numbers of these less 1
 * @nr_stats: their number
 * @jit: lists of functions of processes
 * @nr_jit: their number
 * @label: a symbol of the kernel's, as a number of @paths; or 0
 * @label_at: its address
 */
struct wp_memmaps {
	struct process *entry;
	size_t nr;
	size_t room;
	size_t total;
	__u64 dropped;
	struct wp_intern paths;
	struct wp_buildid *id;
	size_t nr_ids;
	struct wp_intern others;
	struct wp_buildid *other_id;
	size_t nr_others;
	struct wp_intern files;
	struct wp_filestat *stat;
	size_t nr_stats;
	struct wp_jitmap *jit;
	size_t nr_jit;
	__u32 label;
	__u64 label_at;
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

static void add_id(struct wp_memmaps *m, const struct id_record *r, const char *path, size_t len)
{
	__u32 nr = wp_intern(&m->paths, path, len + 1, NULL);
	struct wp_buildid *id;

	if (nr > m->nr_ids) {
		id = reallocarray(m->id, nr, sizeof(*id));
		if (!id)
			return;
		memset(id + m->nr_ids, 0, (nr - m->nr_ids) * sizeof(*id));
		m->id = id;
		m->nr_ids = nr;
	}
	if (nr)
		m->id[nr - 1] = id_of(r);
}

static void add_other(struct wp_memmaps *m, const struct id_record *r,
		      const struct wp_features_file *file, const char *path, size_t len)
{
	const struct file_key key = {
		.path = wp_intern(&m->paths, path, len + 1, NULL),
		.inode = { file->maj, file->min, file->ino },
	};
	__u32 nr = key.path ? wp_intern(&m->others, &key, sizeof(key), NULL) : 0;
	struct wp_buildid *id;

	if (!nr)
		return;
	if (nr > m->nr_others) {
		id = reallocarray(m->other_id, nr, sizeof(*id));
		if (!id)
			return;
		m->other_id = id;
		m->nr_others = nr;
	}
	m->other_id[nr - 1] = id_of(r);
}

static void add_stat(struct wp_memmaps *m, const struct wp_features_stat *stat,
		     const char *path, size_t len)
{
	const struct file_key key = {
		.path = wp_intern(&m->paths, path, len + 1, NULL),
		.inode = { stat->file.maj, stat->file.min, stat->file.ino },
	};
	__u32 nr = key.path ? wp_intern(&m->files, &key, sizeof(key), NULL) : 0;
	struct wp_filestat *more;

	if (!nr)
		return;
	if (nr > m->nr_stats) {
		more = reallocarray(m->stat, nr, sizeof(*more));
		if (!more)
			return;
		m->stat = more;
		m->nr_stats = nr;
	}
	m->stat[nr - 1] = stat->stat;
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

static void add_jit(struct wp_memmaps *m, const struct wp_features_jit *jit)
{
	struct wp_jitmap *last = m->nr_jit ? &m->jit[m->nr_jit - 1] : NULL, *more;

	if (jit->bytes > sizeof(jit->data))
		return;
	if (!last || last->pid != jit->pid) {
		more = m->nr_jit <= WP_JITMAPS_MAX ?
			reallocarray(m->jit, m->nr_jit + 1, sizeof(*more)) : NULL;
		if (!more)
			return;
		m->jit = more;
		last = &m->jit[m->nr_jit++];
		*last = (struct wp_jitmap){ .pid = jit->pid, .text = jit->text };
	}
	wp_buf_add(&last->b, jit->data, jit->bytes);
}

static void read_ids(struct wp_memmaps *m, const struct wp_buf *b)
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
			add_jit(m, &jit);
		else if (has_behind(&r, name, len, WP_FEATURES_STAT, &stat, sizeof(stat)))
			add_stat(m, &stat, name, len);
		else if (has_behind(&r, name, len, WP_FEATURES_FILE, &file, sizeof(file)))
			add_other(m, &r, &file, name, len);
		else
			add_id(m, &r, name, len);
	}
}

/**
 * wp_memmaps_new() - allocate an empty table
 * @file: the recording, whose build-ids apply to mappings without one
 *
 * Return: the mappings, to be freed with wp_memmaps_free(), or NULL after a message.
 */
struct wp_memmaps *wp_memmaps_new(const struct wp_perffile *file)
{
	struct wp_memmaps *m = calloc(1, sizeof(*m));
	struct wp_buf b;

	if (!m) {
		wp_err("no memory for the mappings of processes");
		return NULL;
	}
	if (!wp_perffile_feature(file, WP_FEAT_BUILD_ID, &b)) {
		read_ids(m, &b);
		wp_buf_free(&b);
	}
	return m;
}

static size_t place_of(const struct wp_memmaps *m, __s32 pid)
{
	size_t i = (__u32)pid * 2654435761U & (m->room - 1);

	while (m->entry[i].space && m->entry[i].pid != pid)
		i = (i + 1) & (m->room - 1);
	return i;
}

static int grow(struct wp_memmaps *m)
{
	struct wp_memmaps more = *m;
	size_t i;

	if (m->nr < m->room / 2)
		return 0;
	more.room = m->room ? m->room * 2 : FIRST_ROOM;
	more.entry = calloc(more.room, sizeof(*more.entry));
	if (!more.entry)
		return -ENOMEM;
	for (i = 0; i < m->room; i++) {
		if (m->entry[i].space)
			more.entry[place_of(&more, m->entry[i].pid)] = m->entry[i];
	}
	free(m->entry);
	*m = more;
	return 0;
}

static void put_space(struct wp_memmaps *m, struct space *s)
{
	if (!s || --s->refs)
		return;
	m->total -= s->nr;
	free(s->map);
	free(s);
}

/* Replace the space of @pid; takes over the reference. */
static int set_space(struct wp_memmaps *m, __s32 pid, struct space *s)
{
	struct process *p;

	if (!s || grow(m)) {
		put_space(m, s);
		return -ENOMEM;
	}
	p = &m->entry[place_of(m, pid)];
	if (p->space)
		put_space(m, p->space);
	else
		m->nr++;
	put_space(m, p->before);
	p->pid = pid;
	p->space = s;
	p->before = NULL;
	return 0;
}

static struct space *new_space(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s)
		s->refs = 1;
	return s;
}

static struct space *space_of(const struct wp_memmaps *m, __s32 pid)
{
	return m->room ? m->entry[place_of(m, pid)].space : NULL;
}

/*
 * Make the process's space private, with a copy of its mappings; NULL if there is no
 * memory.
 */
static struct space *own_space(struct wp_memmaps *m, __s32 pid)
{
	struct space *s = space_of(m, pid), *own;

	if (s && s->refs == 1)
		return s;
	own = new_space();
	if (own && s && s->nr > WP_MEMMAPS_MAX - m->total) {
		m->dropped += s->nr;
	} else if (own && s && s->nr) {
		own->map = calloc(s->nr, sizeof(*s->map));
		if (!own->map) {
			free(own);
			return NULL;
		}
		memcpy(own->map, s->map, s->nr * sizeof(*s->map));
		own->nr = s->nr;
		own->room = s->nr;
		m->total += s->nr;
	}
	return set_space(m, pid, own) ? NULL : own;
}

/* The first mapping that ends after @address. */
static size_t first_behind(const struct space *s, __u64 address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->map[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make room for two more: the new one, and the rest of one that it splits. */
static bool more_maps(struct wp_memmaps *m, struct space *s)
{
	size_t room = s->room ? s->room * 2 : 16;
	struct wp_memmap *map;

	if (m->total + 2 > WP_MEMMAPS_MAX)
		return false;
	if (s->nr + 2 <= s->room)
		return true;
	map = reallocarray(s->map, room, sizeof(*map));
	if (!map)
		return false;
	s->map = map;
	s->room = room;
	return true;
}

/* Add a mapping, and remove what it covers of others. */
static void insert(struct wp_memmaps *m, struct space *s, const struct wp_memmap *map)
{
	struct wp_memmap left, right;
	size_t first = first_behind(s, map->start), last = first, nr = 0;
	struct wp_memmap added[3];

	while (last < s->nr && s->map[last].start < map->end)
		last++;
	if (last > first) {
		left = s->map[first];
		right = s->map[last - 1];
		if (left.start < map->start) {
			left.end = map->start;
			added[nr++] = left;
		}
	}
	added[nr++] = *map;
	if (last > first && right.end > map->end) {
		right.offset += map->end - right.start;
		right.start = map->end;
		added[nr++] = right;
	}
	if (last < s->nr)
		memmove(s->map + first + nr, s->map + last, (s->nr - last) * sizeof(*s->map));
	memcpy(s->map + first, added, nr * sizeof(*added));
	m->total += nr - (last - first);
	s->nr += nr - (last - first);
}

/* Set the build-id that the section has for a mapping's file. */
static void find_id(struct wp_memmaps *m, struct wp_memmap *map, const struct inode *inode)
{
	const struct file_key key = { .path = map->path, .inode = *inode };
	__u32 nr = m->nr_others ? wp_intern(&m->others, &key, sizeof(key), NULL) : 0;

	if (nr && nr <= m->nr_others) {
		map->id = m->other_id[nr - 1];
		map->other = !map->id.size;
	} else if (map->path <= m->nr_ids) {
		map->id = m->id[map->path - 1];
	}
	if (!map->id.size)
		map->file = wp_intern(&m->files, &key, sizeof(key), NULL);
}

static int add_map(struct wp_memmaps *m, __s32 pid, struct wp_memmap *map, const char *path,
		   size_t len, const struct inode *inode)
{
	struct space *s;

	map->path = wp_intern(&m->paths, path, len + 1, NULL);
	s = map->path ? own_space(m, pid) : NULL;
	if (!s) {
		wp_err("no memory for the mappings of processes");
		return -ENOMEM;
	}
	if (!map->id.size)
		find_id(m, map, inode);
	if (more_maps(m, s))
		insert(m, s, map);
	else
		m->dropped++;
	return 0;
}

/* The kernel's path ends with one of its symbols, whose address is the offset. */
static void note_kernel(struct wp_memmaps *m, const char *path, __u64 at)
{
	static const char name[] = "[kernel.kallsyms]_";

	if (m->label || strncmp(path, name, sizeof(name) - 1) || !at)
		return;
	m->label = wp_intern(&m->paths, path + sizeof(name) - 2,
			     strlen(path + sizeof(name) - 2) + 1, NULL);
	m->label_at = at;
}

/* Mappings of the kernel have the process -1, and only the kernel's address is kept. */
/* Count a mapping of a process towards the end of its exec. */
static void end_exec(struct wp_memmaps *m, __s32 pid)
{
	struct process *p = &m->entry[place_of(m, pid)];

	if (!p->before || ++p->nr_new <= EXEC_MAPS)
		return;
	put_space(m, p->before);
	p->before = NULL;
}

static int mmap_event(struct wp_memmaps *m, const struct perf_event_header *rec)
{
	size_t fixed = rec->type == PERF_RECORD_MMAP ? sizeof(struct mmap_record) :
		sizeof(struct mmap2_record);
	struct mmap2_record r = { .mmap.header = *rec };
	const char *path = (const char *)rec + fixed;
	struct wp_memmap map = { 0 };
	struct inode inode = { 0 };
	size_t len;

	if (rec->size <= fixed)
		return 0;
	memcpy(&r, rec, fixed);
	len = strnlen(path, rec->size - fixed);
	if (len < rec->size - fixed && r.mmap.pid == -1)
		note_kernel(m, path, r.mmap.offset);
	if (len == rec->size - fixed || r.mmap.pid < 0 || !r.mmap.len ||
	    r.mmap.start + r.mmap.len < r.mmap.start || rec->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	if (rec->type == PERF_RECORD_MMAP2 && !(r.prot & PROT_EXEC))
		return 0;
	map.start = r.mmap.start;
	map.end = r.mmap.start + r.mmap.len;
	map.offset = r.mmap.offset;
	if (rec->type == PERF_RECORD_MMAP2 && !(rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		memcpy(&inode, &r.id_size, sizeof(inode));
	} else if (rec->type == PERF_RECORD_MMAP2 && r.id_size <= sizeof(r.id)) {
		map.id.size = r.id_size;
		memcpy(map.id.data, r.id, sizeof(r.id));
	}
	if (space_of(m, r.mmap.pid))
		end_exec(m, r.mmap.pid);
	return add_map(m, r.mmap.pid, &map, path, len, &inode);
}

static int fork_event(struct wp_memmaps *m, const struct perf_event_header *rec)
{
	struct fork_record r;
	struct space *s;

	if (rec->size < sizeof(r))
		return 0;
	memcpy(&r, rec, sizeof(r));
	if (r.pid == r.ppid || r.pid < 0)
		return 0;
	/* The synthesized state of a process includes its mappings. */
	s = rec->misc & PERF_RECORD_MISC_FORK_EXEC ? NULL : space_of(m, r.ppid);
	if (s)
		s->refs++;
	else
		s = new_space();
	if (!set_space(m, r.pid, s))
		return 0;
	wp_err("no memory for the mappings of processes");
	return -ENOMEM;
}

/*
 * An exec drops all earlier mappings, but a sample taken during it has the stack of the
 * caller: for stacks they stay until it must be over.
 */
static int comm_event(struct wp_memmaps *m, const struct perf_event_header *rec)
{
	struct process *p;
	struct space *s;
	__s32 pid;

	if (rec->size < sizeof(*rec) + sizeof(pid) || !(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
		return 0;
	memcpy(&pid, rec + 1, sizeof(pid));
	if (pid < 0 || !space_of(m, pid))
		return 0;
	s = new_space();
	if (!s) {
		wp_err("no memory for the mappings of processes");
		return -ENOMEM;
	}
	p = &m->entry[place_of(m, pid)];
	put_space(m, p->before);
	p->before = p->space;
	p->space = s;
	p->nr_new = 0;
	return 0;
}

/**
 * wp_memmaps_record() - update the mappings from a record
 * @m: the mappings
 * @rec: the record
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_memmaps_record(struct wp_memmaps *m, const struct perf_event_header *rec)
{
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mmap_event(m, rec);
	case PERF_RECORD_FORK:
		return fork_event(m, rec);
	case PERF_RECORD_COMM:
		return comm_event(m, rec);
	}
	return 0;
}

/**
 * wp_memmaps_kernel() - address of the kernel
 * @m: the mappings
 * @at: set to the symbol's address
 *
 * Return: a symbol of its image, valid until the next record; NULL if it is not recorded.
 */
const char *wp_memmaps_kernel(const struct wp_memmaps *m, __u64 *at)
{
	*at = m->label_at;
	return m->label ? wp_intern_bytes(&m->paths, m->label, NULL) : NULL;
}

static const struct wp_memmap *map_at(const struct space *s, __u64 address)
{
	size_t i = first_behind(s, address);

	return i < s->nr && s->map[i].start <= address ? &s->map[i] : NULL;
}

/**
 * wp_memmaps_find() - the mapping at an address
 * @m: the mappings
 * @pid: the process
 * @address: the address
 *
 * Return: the mapping, valid until the next record; NULL if there is none.
 */
const struct wp_memmap *wp_memmaps_find(const struct wp_memmaps *m, __s32 pid, __u64 address)
{
	const struct space *s = space_of(m, pid);
	const struct wp_memmap *map = s ? map_at(s, address) : NULL;

	if (!map && s && m->entry[place_of(m, pid)].before)
		map = map_at(m->entry[place_of(m, pid)].before, address);
	return map;
}

/**
 * wp_memmaps_below() - the mapping at an address, or the next one below it
 * @m: the mappings
 * @pid: the process
 * @address: the address
 *
 * Return: the last mapping that does not begin after @address, valid until the next
 * record; NULL if there is none.
 */
const struct wp_memmap *wp_memmaps_below(const struct wp_memmaps *m, __s32 pid, __u64 address)
{
	const struct space *s = space_of(m, pid);
	size_t i = s ? first_behind(s, address) : 0;

	if (s && i < s->nr && s->map[i].start <= address)
		return &s->map[i];
	return i ? &s->map[i - 1] : NULL;
}

/**
 * wp_memmaps_path() - name of a mapped file
 * @m: the mappings
 * @path: its number
 *
 * Return: the name, as in the recording, valid until the next record.
 */
const char *wp_memmaps_path(const struct wp_memmaps *m, __u32 path)
{
	return wp_intern_bytes(&m->paths, path, NULL);
}

/**
 * wp_memmaps_jit() - list of functions of a process with a JIT compiler
 * @m: the mappings
 * @pid: the process
 *
 * Return: the list, empty if the process left none; NULL if the recording has no lists at
 * all.
 */
const struct wp_jitmap *wp_memmaps_jit(const struct wp_memmaps *m, __s32 pid)
{
	static const struct wp_jitmap none;
	size_t i;

	for (i = 0; i < m->nr_jit; i++) {
		if (m->jit[i].pid == (__u32)pid)
			return &m->jit[i];
	}
	return m->nr_jit ? &none : NULL;
}

/**
 * wp_memmaps_stat() - status of a file without a build-id
 * @m: the mappings
 * @file: its number, of struct wp_memmap
 *
 * Return: its status at the time of the recording; at least its device and inode, if its
 * mapping had them.
 */
struct wp_filestat wp_memmaps_stat(const struct wp_memmaps *m, __u32 file)
{
	struct wp_filestat stat = { .how = WP_FILESTAT_NONE };
	const struct file_key *key;

	if (file && file <= m->nr_stats && m->stat[file - 1].how != WP_FILESTAT_NONE)
		return m->stat[file - 1];
	key = file ? wp_intern_bytes(&m->files, file, NULL) : NULL;
	if (!key || (!key->inode.maj && !key->inode.min && !key->inode.ino))
		return stat;
	stat.how = WP_FILESTAT_INODE;
	stat.maj = key->inode.maj;
	stat.min = key->inode.min;
	stat.ino = key->inode.ino;
	return stat;
}

/**
 * wp_memmaps_id() - the build-id in the recording for a path
 * @m: the mappings
 * @path: the path; for the kernel [kernel.kallsyms]
 * @id: set to the build-id; empty if there is none
 */
void wp_memmaps_id(struct wp_memmaps *m, const char *path, struct wp_buildid *id)
{
	__u32 nr = wp_intern(&m->paths, path, strlen(path) + 1, NULL);

	memset(id, 0, sizeof(*id));
	if (nr && nr <= m->nr_ids)
		*id = m->id[nr - 1];
}

/**
 * wp_memmaps_dropped() - number of mappings that found no room
 * @m: the mappings
 *
 * Return: their number.
 */
__u64 wp_memmaps_dropped(const struct wp_memmaps *m)
{
	return m->dropped;
}

/**
 * wp_memmaps_free() - free the mappings
 * @m: the mappings, or NULL
 */
void wp_memmaps_free(struct wp_memmaps *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->room; i++) {
		put_space(m, m->entry[i].space);
		put_space(m, m->entry[i].before);
	}
	free(m->entry);
	free(m->id);
	free(m->other_id);
	free(m->stat);
	for (i = 0; i < m->nr_jit; i++)
		wp_buf_free(&m->jit[i].b);
	free(m->jit);
	wp_intern_free(&m->files);
	wp_intern_free(&m->others);
	wp_intern_free(&m->paths);
	free(m);
}
