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
#include "lib/perfdata/recordedfiles.h"

#define FIRST_ROOM	64

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

_Static_assert(sizeof(struct mmap2_record) - offsetof(struct mmap2_record, id_size) >=
	       sizeof(struct wp_inode), "an inode is where a build-id can be");

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
 * @files: what the recording has about their files
 * @label: a symbol of the kernel's, as a number of the paths; or 0
 * @label_at: its address
 */
struct wp_memmaps {
	struct process *entry;
	size_t nr;
	size_t room;
	size_t total;
	__u64 dropped;
	struct wp_recordedfiles files;
	__u32 label;
	__u64 label_at;
};

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
	m->files.written = file->written;
	if (!wp_perffile_feature(file, WP_FEAT_BUILD_ID, &b)) {
		wp_recordedfiles_read(&m->files, &b);
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

static int add_map(struct wp_memmaps *m, __s32 pid, struct wp_memmap *map, const char *path,
		   size_t len, const struct wp_inode *inode)
{
	struct space *s;

	map->path = wp_intern(&m->files.paths, path, len + 1, NULL);
	s = map->path ? own_space(m, pid) : NULL;
	if (!s)
		return wp_no_memory("the mappings of processes");
	if (!map->id.size)
		wp_recordedfiles_find(&m->files, map, inode);
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
	m->label = wp_intern(&m->files.paths, path + sizeof(name) - 2,
			     strlen(path + sizeof(name) - 2) + 1, NULL);
	m->label_at = at;
}

/* Count a mapping of a process towards the end of its exec. */
static void end_exec(struct wp_memmaps *m, __s32 pid)
{
	struct process *p = &m->entry[place_of(m, pid)];

	if (!p->before || ++p->nr_new <= EXEC_MAPS)
		return;
	put_space(m, p->before);
	p->before = NULL;
}

/* Read a build-id, or what mapids.c writes in place of one. */
static void take_id(const struct mmap2_record *r, struct wp_buildid *id,
		    struct wp_inode *inode)
{
	struct wp_nobuildid none;

	memcpy(&none, r->id, sizeof(none));
	if (r->id_size == sizeof(none) && none.magic == WP_NO_BUILDID) {
		*inode = (struct wp_inode){ none.maj, none.min, none.ino };
		return;
	}
	id->size = r->id_size;
	memcpy(id->data, r->id, sizeof(r->id));
}

/* Mappings of the kernel have the process -1, and only the kernel's address is kept. */
static int mmap_event(struct wp_memmaps *m, const struct perf_event_header *rec)
{
	size_t fixed = rec->type == PERF_RECORD_MMAP ? sizeof(struct mmap_record) :
		sizeof(struct mmap2_record);
	struct mmap2_record r = { .mmap.header = *rec };
	const char *path = (const char *)rec + fixed;
	struct wp_memmap map = { 0 };
	struct wp_inode inode = { 0 };
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
	if (rec->type == PERF_RECORD_MMAP2 && !(rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		memcpy(&inode, &r.id_size, sizeof(inode));
	else if (rec->type == PERF_RECORD_MMAP2 && wp_mmap2_is_id(&r.id_size))
		take_id(&r, &map.id, &inode);
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
	return wp_no_memory("the mappings of processes");
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
	if (!s)
		return wp_no_memory("the mappings of processes");
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
	return m->label ? wp_intern_bytes(&m->files.paths, m->label, NULL) : NULL;
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
	return wp_intern_bytes(&m->files.paths, path, NULL);
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
	return wp_recordedfiles_jit(&m->files, pid);
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
	return wp_recordedfiles_stat(&m->files, file);
}

/**
 * wp_memmaps_id() - the build-id in the recording for a path
 * @m: the mappings
 * @path: the path; for the kernel [kernel.kallsyms]
 * @id: set to the build-id; empty if there is none
 */
void wp_memmaps_id(struct wp_memmaps *m, const char *path, struct wp_buildid *id)
{
	wp_recordedfiles_id(&m->files, path, id);
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
	wp_recordedfiles_free(&m->files);
	free(m);
}
