// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the symbols of running processes: the mappings of each, read once, at the first
 * lookup, and the files, each once. Called by commands for live views; readers of a
 * recording use its data instead.
 *
 * A process may have ended, or changed its mappings, since the address was recorded: then
 * there is no name or, if another file is mapped there now, a wrong one. So callers must
 * look up addresses soon, and forget processes whose mappings change.
 *
 * Above 700 lines: all of it is one table, of processes, mappings and files, and its lookups.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/base/siphash.h"
#include "lib/proc/procmaps.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/framename.h"
#include "lib/symbols/livenames.h"
#include "lib/symbols/mappedfile.h"
#include "lib/symbols/symbols.h"

/* Limits; beyond them, addresses are shown. */
#define MAX_MAPS	4194304
#define MAX_FILES	65536

/* Parents that are looked for. */
#define MAX_PARENTS	8

/* Share of the processes of one user, except root. */
#define MAX_FILES_USER	(MAX_FILES / 4)

/* Limit of files without a path that are kept open. */
#define MAX_OPEN	512

/**
 * struct code - a mapped file
 * @kind: its kind
 * @maj: device
 * @min: the same
 * @ino: its inode number; for JIT code, the process
 * @file: its number in wp_symbols_file()
 * @data: the same for its variables, once they are needed; or 0
 * @fd: O_PATH descriptor, if no path leads to it; or -1
 * @path: its path, as in the mapping
 * @name: its name, without directories; in @path
 * @id: its build-id in hexadecimal digits; or NULL
 */
struct code {
	enum wp_symbols_kind kind;
	__u32 maj;
	__u32 min;
	__u64 ino;
	__u32 file;
	__u32 data;
	int fd;
	char *path;
	const char *name;
	char *id;
};

/**
 * struct map - a mapping of a process
 * @start: first address
 * @end: end, exclusive
 * @shift: offset from address to position in @code
 * @code: index of the file
 * @memory: label of memory without a file, or NULL
 * @jit: index + 1 of the list of generated code, if @code is a file without a name; or 0
 */
struct map {
	__u64 start;
	__u64 end;
	__u64 shift;
	__u32 code;
	const char *memory;
	__u32 jit;
};

/* A process that was not looked up for more sweeps is dropped. */
#define SWEEPS		8

/**
 * struct process - a process that was looked up
 * @pid: its id
 * @first: index of its first mapping
 * @nr: number of its mappings
 * @unused: sweeps since it was looked up
 */
struct process {
	__u32 pid;
	unsigned int unused;
	size_t first;
	size_t nr;
};

/* Number of files that were first seen in processes of a user. */
struct user {
	uid_t uid;
	size_t files;
};

/**
 * struct wp_livenames - symbols of running processes
 * @symbols: names by file
 * @text: buffer for mappings
 * @code: the files
 * @nr_codes: their number
 * @slot: hash table of their indices + 1, or 0
 * @nr_slots: a power of two, or 0
 * @key: key of the hash
 * @user: users, with their numbers of files
 * @nr_users: their number
 * @map: mappings of all processes, those of each sorted by address
 * @nr_maps: their number
 * @room_maps: allocated mappings
 * @stale: of @nr_maps, those of forgotten processes
 * @process: by pid
 * @nr_processes: their number
 * @memory: labels of memory without a file
 * @nr_open: number of @code with a descriptor
 * @pid: the process whose mappings are being read
 * @uid: its user, once known; -1
 * @kernel: index of the kernel in @code, if @has_kernel
 * @has_kernel: the kernel was looked up
 * @wants_ids: build-ids are read
 * @gone: mappings of processes that are gone; or NULL
 * @gone_ctx: passed to it
 */
struct wp_livenames {
	struct wp_symbols *symbols;
	struct wp_procmaps text;
	struct code *code;
	size_t nr_codes;
	__u32 *slot;
	size_t nr_slots;
	__u64 key[2];
	struct user *user;
	size_t nr_users;
	struct map *map;
	size_t nr_maps;
	size_t room_maps;
	size_t stale;
	struct process *process;
	size_t nr_processes;
	struct wp_framelabels memory;
	unsigned int nr_open;
	__u32 pid;
	uid_t uid;
	__u32 kernel;
	bool has_kernel;
	bool wants_ids;
	wp_livenames_gone_fn gone;
	void *gone_ctx;
};

/**
 * wp_livenames_new() - allocate an empty table
 * @out: set to the table
 * @only: see struct wp_symbols_options
 *
 * Return: 0 or a negative errno.
 */
int wp_livenames_new(struct wp_livenames **out, const char *only)
{
	/* Use the running kernel, whatever its build-id. */
	const struct wp_symbols_options options = {
		.kallsyms = "/proc/kallsyms", .live = true, .only = only,
	};
	struct wp_livenames *n = calloc(1, sizeof(*n));
	int err;

	if (!n)
		return -ENOMEM;
	err = wp_symbols_new(&n->symbols, &options);
	if (err) {
		free(n);
		return err;
	}
	/* Without a random key the hash would be predictable. */
	if (getrandom(n->key, sizeof(n->key), GRND_NONBLOCK) < 0)
		n->key[0] = (__u64)(uintptr_t)n;
	*out = n;
	return 0;
}

/**
 * wp_livenames_set_gone() - from here on, processes that are gone have mappings
 * @n: the table
 * @gone: has them
 * @ctx: passed to it
 */
void wp_livenames_set_gone(struct wp_livenames *n, wp_livenames_gone_fn gone, void *ctx)
{
	n->gone = gone;
	n->gone_ctx = ctx;
}

/**
 * wp_livenames_want_ids() - from here on, results have build-ids
 * @n: the table, empty
 */
void wp_livenames_want_ids(struct wp_livenames *n)
{
	n->wants_ids = true;
}

/**
 * wp_livenames_files() - how many files the table has
 * @n: the table
 *
 * Return: their number; what it needs of memory is mostly the symbols of these.
 */
size_t wp_livenames_files(const struct wp_livenames *n)
{
	return n->nr_codes;
}

/**
 * wp_livenames_free() - free a table
 * @n: from wp_livenames_new(), or NULL
 */
void wp_livenames_free(struct wp_livenames *n)
{
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n->nr_codes; i++) {
		free(n->code[i].path);
		free(n->code[i].id);
		if (n->code[i].fd >= 0)
			close(n->code[i].fd);
	}
	wp_framelabels_free(&n->memory);
	wp_symbols_free(n->symbols);
	wp_procmaps_free(&n->text);
	free(n->code);
	free(n->slot);
	free(n->user);
	free(n->map);
	free(n->process);
	free(n);
}

/*
 * A path to the mapped file: by its name, if that leads to the same file for us; else, as
 * for another mount namespace, through a link of the kernel's. Such a link is followed
 * now, as that takes a lock of the process, and symbols are read later. Returns 0, or
 * -EBUSY. @dir: descriptor of /proc/PID. @fd: set to a descriptor, or -1.
 */
static int find_path(const struct wp_livenames *n, char *path, size_t size, int dir,
		     const struct wp_procmap *map, int *fd)
{
	struct stat st;

	*fd = -1;
	snprintf(path, size, "%s", map->name);
	if (map->name[0] == '/' && !wp_openfile_stat(WP_OPENFILE_HERE, map->name, &st) &&
	    st.st_ino == map->ino &&
	    major(st.st_dev) == map->maj && minor(st.st_dev) == map->min)
		return 0;
	*path = '\0';
	if (n->nr_open == MAX_OPEN)
		return 0;
	*fd = wp_procdir_mapping(dir, map->start, map->end);
	if (*fd == -EBUSY)
		return -EBUSY;
	if (*fd < 0)
		*fd = -1;
	return 0;
}

/* The build-id of a file; NULL if it is not known. @path: as in find_path(). */
static char *read_id(const struct code *code, const char *path)
{
	struct wp_buildid id = { 0 };
	char *digits = NULL;
	struct stat st;
	unsigned int i;
	int fd;

	if (code->kind == WP_SYMBOLS_KERNEL) {
		wp_buildid_from_notes_file("/sys/kernel/notes", &id);
	} else if (code->kind == WP_SYMBOLS_VDSO) {
		wp_buildid_of_vdso(&id);
	} else if (code->kind == WP_SYMBOLS_ELF && code->fd < 0) {
		wp_mappedfile_here(path, &st, &id);
	} else if (code->kind == WP_SYMBOLS_ELF) {
		fd = wp_openfile_found(code->fd, &st);
		if (fd >= 0) {
			wp_filereader_loaded_id(fd, &id);
			close(fd);
		}
	}
	if (id.size)
		digits = malloc(2 * id.size + 1);
	for (i = 0; digits && i < id.size; i++)
		sprintf(digits + 2 * i, "%02x", id.data[i]);
	return digits;
}

static int add_code(struct wp_livenames *n, const struct code *code, const char *path,
		    const char *name)
{
	const char *slash;
	struct code *more;

	more = reallocarray(n->code, n->nr_codes + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	n->code = more;
	more[n->nr_codes] = *code;
	more[n->nr_codes].path = strdup(name);
	if (!more[n->nr_codes].path)
		return -ENOMEM;
	slash = strrchr(more[n->nr_codes].path, '/');
	more[n->nr_codes].name = slash ? slash + 1 : more[n->nr_codes].path;
	more[n->nr_codes].id = n->wants_ids ? read_id(code, path) : NULL;
	more[n->nr_codes].file = wp_symbols_file(n->symbols, code->kind, path, NULL, n->pid);
	if (code->fd >= 0 && more[n->nr_codes].file)
		wp_symbols_found(n->symbols, more[n->nr_codes].file, code->fd);
	n->nr_codes++;
	n->nr_open += code->fd >= 0;
	return 0;
}

static bool same_code(const struct code *a, const struct code *b)
{
	return a->kind == b->kind && a->ino == b->ino && a->maj == b->maj && a->min == b->min;
}

/* The slot of a file, or the free slot for it. */
static __u32 *slot_of(const struct wp_livenames *n, const struct code *code)
{
	const __u64 key[] = { code->kind, code->maj, code->min, code->ino };
	struct wp_siphash h;
	size_t i;

	wp_siphash_begin(&h, n->key);
	wp_siphash_add(&h, key, sizeof(key));
	i = wp_siphash_end(&h) & (n->nr_slots - 1);
	while (n->slot[i] && !same_code(&n->code[n->slot[i] - 1], code))
		i = (i + 1) & (n->nr_slots - 1);
	return &n->slot[i];
}

/* Make room for one more. */
static int grow_slots(struct wp_livenames *n)
{
	size_t room = n->nr_slots ? 2 * n->nr_slots : 1024, i;

	if (2 * (n->nr_codes + 1) <= n->nr_slots)
		return 0;
	free(n->slot);
	n->nr_slots = 0;
	n->slot = calloc(room, sizeof(*n->slot));
	if (!n->slot)
		return -ENOMEM;
	n->nr_slots = room;
	for (i = 0; i < n->nr_codes; i++)
		*slot_of(n, &n->code[i]) = i + 1;
	return 0;
}

/* Check the limit of the process's user for one more file, and count it. */
static int charge(struct wp_livenames *n, int dir)
{
	struct user *more;
	size_t i;

	if (n->uid == (uid_t)-1)
		n->uid = wp_procfile_user(dir);
	for (i = 0; i < n->nr_users && n->user[i].uid != n->uid; i++)
		;
	if (i == n->nr_users) {
		more = reallocarray(n->user, i + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		n->user = more;
		more[n->nr_users++] = (struct user){ .uid = n->uid };
	}
	if (n->uid && n->user[i].files >= MAX_FILES_USER)
		return -ENOSPC;
	n->user[i].files++;
	return 0;
}

/* Look up or add the file; sets @index; -ENOSPC if there are too many. */
static int find_code(struct wp_livenames *n, int dir, const struct wp_procmap *map,
		     __u32 *index)
{
	struct code code = {
		.kind = map->ino ? WP_SYMBOLS_ELF :
			!strcmp(map->name, "[vdso]") ? WP_SYMBOLS_VDSO : WP_SYMBOLS_JIT,
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.fd = -1,
	};
	char path[4096];
	__u32 *slot;
	int err;

	/* The kernel's page is one for all, and has no names. */
	if (code.kind == WP_SYMBOLS_JIT && strcmp(map->name, "[vsyscall]"))
		code.ino = n->pid;
	err = grow_slots(n);
	if (err)
		return err;
	slot = slot_of(n, &code);
	*index = *slot ? *slot - 1 : n->nr_codes;
	if (*slot)
		return 0;
	err = n->nr_codes >= MAX_FILES ? -ENOSPC : charge(n, dir);
	if (err)
		return err;
	if (map->ino) {
		err = find_path(n, path, sizeof(path), dir, map, &code.fd);
		if (err)
			return err;
	} else {
		snprintf(path, sizeof(path), "%s", map->name);
	}
	err = add_code(n, &code, path, map->name);
	if (err && code.fd >= 0)
		close(code.fd);
	if (!err)
		*slot = *index + 1;
	return err;
}

/*
 * Memory has a label, and a list of generated code. That of a memfd is used if the memfd
 * is no program.
 */
static int find_memory(struct wp_livenames *n, int dir, const struct wp_procmap *m,
		       struct map *map)
{
	const struct wp_procmap memory = { .name = m->name };
	__u32 list;
	int err;

	if (n->code[map->code].kind == WP_SYMBOLS_VDSO || !wp_symbolkind_is_memory(m->name))
		return 0;
	map->memory = wp_framelabels_get(&n->memory, m->name);
	if (!map->memory)
		return -ENOMEM;
	if (!m->ino)
		return 0;
	err = find_code(n, dir, &memory, &list);
	if (!err)
		map->jit = list + 1;
	return err == -ENOSPC ? 0 : err;
}

static int put_map(struct wp_livenames *n, const struct map *map)
{
	if (n->nr_maps == n->room_maps) {
		size_t room = n->room_maps > 512 ? n->room_maps * 2 : 1024;
		struct map *more = reallocarray(n->map, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		n->map = more;
		n->room_maps = room;
	}
	n->map[n->nr_maps++] = *map;
	return 0;
}

static int add_map(void *ctx, int dir, const struct wp_procmap *m)
{
	struct wp_livenames *n = ctx;
	struct map map = { .start = m->start, .end = m->end };
	int err;

	if (n->nr_maps >= MAX_MAPS)
		return 0;
	err = find_code(n, dir, m, &map.code);
	if (!err)
		err = find_memory(n, dir, m, &map);
	if (err)
		return err == -ENOSPC ? 0 : err;
	switch (n->code[map.code].kind) {
	case WP_SYMBOLS_ELF:
		map.shift = m->pgoff - m->start;
		break;
	case WP_SYMBOLS_VDSO:
		map.shift = -m->start;
		break;
	default:
		break;
	}
	return put_map(n, &map);
}

/* Position of a process in the table, or of its insertion. */
static size_t place_of(const struct wp_livenames *n, __u32 pid)
{
	size_t low = 0, high = n->nr_processes;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (n->process[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Mappings of another process, beside those of this one. */
static int copy_maps(struct wp_livenames *n, size_t first, size_t nr)
{
	int err = 0;

	while (nr-- && n->nr_maps < MAX_MAPS && !err) {
		const struct map map = n->map[first++];

		err = put_map(n, &map);
	}
	return err;
}

static int by_start(const void *pa, const void *pb)
{
	const struct map *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/*
 * The mappings of a process that is gone, and those of its parent that it had from there.
 * @whole: set to whether these are all.
 */
static int read_gone(struct wp_livenames *n, __u32 pid, size_t first, bool *whole)
{
	bool all = true, forked = true;
	unsigned int depth;
	__u32 parent = 0;
	size_t at;
	int err = 0;

	for (depth = 0; n->gone && forked && depth < MAX_PARENTS && !err; depth++) {
		bool one = false;

		err = n->gone(n->gone_ctx, pid, add_map, n, &parent, &one);
		all &= one;
		forked = parent;
		pid = parent;
		at = place_of(n, pid);
		if (err || !pid || at == n->nr_processes || n->process[at].pid != pid)
			continue;
		err = copy_maps(n, n->process[at].first, n->process[at].nr);
		forked = false;
	}
	*whole = n->gone && all && !forked;
	if (n->nr_maps > first + 1)
		qsort(&n->map[first], n->nr_maps - first, sizeof(*n->map), by_start);
	return err;
}

/*
 * Read the mappings of a process. A process that is gone is added, too, without mappings;
 * but not one that is busy, which is tried again: -EBUSY, unless all of them are known.
 */
static int read_process(struct wp_livenames *n, __u32 pid, size_t at)
{
	struct process *more, p = { .pid = pid, .first = n->nr_maps };
	char path[32];
	int dir, err = 0;
	bool whole;

	more = reallocarray(n->process, n->nr_processes + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	n->process = more;
	n->pid = pid;
	n->uid = -1;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		err = wp_procmaps_each(&n->text, dir, PROT_EXEC, add_map, n);
		close(dir);
	}
	/* One that is ending still has a directory, but no memory. */
	if (err == -EBUSY) {
		n->nr_maps = p.first;
		err = read_gone(n, pid, p.first, &whole);
		if (!err && !whole)
			err = -EBUSY;
	} else if (err != -ENOMEM && n->nr_maps == p.first) {
		err = read_gone(n, pid, p.first, &whole);
	}
	if (err == -ENOMEM || err == -EBUSY) {
		n->nr_maps = p.first;
		return err;
	}
	p.nr = n->nr_maps - p.first;
	memmove(&more[at + 1], &more[at], (n->nr_processes - at) * sizeof(*more));
	more[at] = p;
	n->nr_processes++;
	return 0;
}

/* Remove the mappings of forgotten processes. */
static void tidy(struct wp_livenames *n)
{
	struct map *left = malloc((n->nr_maps - n->stale + 1) * sizeof(*left));
	size_t i, nr = 0;

	/* Without memory they stay. */
	if (!left)
		return;
	for (i = 0; i < n->nr_processes; i++) {
		struct process *p = &n->process[i];

		memcpy(&left[nr], &n->map[p->first], p->nr * sizeof(*left));
		p->first = nr;
		nr += p->nr;
	}
	free(n->map);
	n->map = left;
	n->nr_maps = nr;
	n->room_maps = nr + 1;
	n->stale = 0;
}

/**
 * wp_livenames_forget() - drop the mappings of a process, as they have changed
 * @n: the table
 * @pid: the process, known or not
 */
void wp_livenames_forget(struct wp_livenames *n, __u32 pid)
{
	size_t at = place_of(n, pid);

	if (at == n->nr_processes || n->process[at].pid != pid)
		return;
	n->stale += n->process[at].nr;
	n->nr_processes--;
	memmove(&n->process[at], &n->process[at + 1],
		(n->nr_processes - at) * sizeof(*n->process));
	if (n->stale > n->nr_maps / 2)
		tidy(n);
}

/**
 * wp_livenames_sweep() - drop processes that were not looked up for some sweeps
 * @n: the table
 *
 * Their mappings are read again if they are.
 */
void wp_livenames_sweep(struct wp_livenames *n)
{
	size_t i, nr = 0;

	for (i = 0; i < n->nr_processes; i++) {
		struct process *p = &n->process[i];

		if (p->unused++ < SWEEPS)
			n->process[nr++] = *p;
		else
			n->stale += p->nr;
	}
	n->nr_processes = nr;
	if (n->stale > n->nr_maps / 2)
		tidy(n);
}

/**
 * wp_livenames_processes() - how many processes the table has
 * @n: the table
 *
 * Return: their number.
 */
size_t wp_livenames_processes(const struct wp_livenames *n)
{
	return n->nr_processes;
}

static const struct map *find_map(const struct wp_livenames *n, const struct process *p,
				  __u64 ip)
{
	size_t low = p->first, high = p->first + p->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (n->map[mid].end <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->first + p->nr && n->map[low].start <= ip ? &n->map[low] : NULL;
}

/* The last mapping that begins at or before an address. */
static const struct map *map_below(const struct wp_livenames *n, const struct process *p,
				   __u64 address)
{
	size_t low = p->first, high = p->first + p->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (n->map[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low > p->first ? &n->map[low - 1] : NULL;
}

/* Look up a process, and read it if it is unknown. */
static int find_process(struct wp_livenames *n, __u32 pid, const struct process **p)
{
	size_t at = place_of(n, pid);
	int err = 0;

	if (at == n->nr_processes || n->process[at].pid != pid)
		err = read_process(n, pid, at);
	if (!err)
		n->process[at].unused = 0;
	*p = err ? NULL : &n->process[at];
	return err;
}

static void find_name(struct wp_livenames *n, const struct code *code, __u64 at, bool caller,
		      struct wp_livename *name)
{
	struct wp_symbol symbol;

	/*
	 * After a call at the end of a function, the return address belongs to another
	 * one.
	 */
	if (wp_symbols_find(n->symbols, code->file, at - (caller && at), &symbol))
		name->name = symbol.name;
}

static void describe(struct wp_livenames *n, const struct code *code, __u64 at, bool caller,
		     struct wp_livename *name)
{
	name->file = code->name;
	name->path = code->path;
	name->id = code->id;
	name->offset = at;
	find_name(n, code, at, caller, name);
}

/* In memory there are no offsets: it is elsewhere in each process. */
static void describe_memory(struct wp_livenames *n, const struct map *map, __u64 ip, bool caller,
			    struct wp_livename *name)
{
	describe(n, &n->code[map->code], ip + map->shift, caller, name);
	if (name->name && map->jit)
		return;
	name->file = map->memory;
	name->path = map->memory;
	name->id = NULL;
	name->memory = true;
	name->offset = ip;
	if (!name->name && map->jit)
		find_name(n, &n->code[map->jit - 1], ip, caller, name);
}

/**
 * wp_livenames_user() - look up an address in a process
 * @n: the table
 * @pid: the process
 * @ip: the address
 * @caller: it is a return address
 * @name: set to the result; only the address, if nothing is known
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livenames_user(struct wp_livenames *n, __u32 pid, __u64 ip, bool caller,
		      struct wp_livename *name)
{
	const struct process *p;
	const struct map *map;
	int err;

	*name = (struct wp_livename){ .offset = ip };
	err = find_process(n, pid, &p);
	if (err)
		return err == -EBUSY ? 0 : err;
	map = find_map(n, p, ip - (caller && ip));
	if (map && map->memory)
		describe_memory(n, map, ip, caller, name);
	else if (map)
		describe(n, &n->code[map->code], ip + map->shift, caller, name);
	return 0;
}

/**
 * wp_livename_label() - label of a function without a name
 * @name: the result of a lookup
 * @text: set to the label, as in reports; not sanitized
 * @size: size of @text, WP_LIVENAME_LABEL
 */
void wp_livename_label(const struct wp_livename *name, char *text, size_t size)
{
	const struct wp_frameplace place = {
		.path = name->file, .file = !name->memory, .user = true, .offset = name->offset,
	};
	char *label = wp_framename(&place);

	snprintf(text, size, "%s", label ? label : "[unmapped]");
	free(label);
}

/* The number of the file of a mapping for its variables; 0: it has none. */
static __u32 data_of(struct wp_livenames *n, const struct map *map)
{
	struct code *code = map ? &n->code[map->code] : NULL;

	if (!code || code->kind != WP_SYMBOLS_ELF || !code->file)
		return 0;
	if (!code->data)
		code->data = wp_symbols_data(n->symbols, code->file);
	return code->data;
}

/**
 * wp_livenames_variable() - name of the variable at an address in a process
 * @n: the table
 * @pid: the process
 * @address: the address
 * @text: set to the name: see wp_symbols_variable_text()
 * @size: size of @text
 *
 * As in wp_profstacks_variable(), its file is the one with the nearest code mapping below
 * it.
 *
 * Return: true if it is known.
 */
bool wp_livenames_variable(struct wp_livenames *n, __u32 pid, __u64 address, char *text,
			   size_t size)
{
	const struct process *p;
	const struct map *map;
	struct wp_symbol symbol;
	__u32 data;

	if (find_process(n, pid, &p))
		return false;
	map = map_below(n, p, address);
	data = data_of(n, map);
	if (!data || !wp_symbols_variable(n->symbols, data, map->start + map->shift,
					  address - map->start, &symbol))
		return false;
	wp_symbols_variable_text(&symbol, n->code[map->code].name, text, size);
	return true;
}

/**
 * wp_livenames_symbols() - addresses of variables of a file that a process has mapped
 * @n: the table
 * @pid: the process
 * @part: part of the file's name
 * @names: the variables
 * @nr: their number
 * @address: set to their addresses; 0: there is none of this name
 *
 * The first name decides which file it is.
 *
 * Return: the file's name, without directories; NULL: there is none.
 */
const char *wp_livenames_symbols(struct wp_livenames *n, __u32 pid, const char *part,
				 const char *const *names, size_t nr, __u64 *address)
{
	const struct process *p;
	__u64 distance, size;
	__u32 data;
	size_t i, j;

	if (find_process(n, pid, &p))
		return NULL;
	for (i = p->first; i < p->first + p->nr; i++) {
		const struct map *map = &n->map[i];

		data = strstr(n->code[map->code].name, part) ? data_of(n, map) : 0;
		for (j = 0; data && j < nr; j++) {
			address[j] = 0;
			if (wp_symbols_range(n->symbols, data, map->start + map->shift,
					     names[j], &distance, &size))
				address[j] = map->start + distance;
			else if (!j)
				data = 0;
		}
		if (data)
			return n->code[map->code].name;
	}
	return NULL;
}

/**
 * wp_livenames_function() - where a function of a file is that a process has mapped
 * @n: the table
 * @pid: the process
 * @part: part of the file's name
 * @name: the function
 * @start: set to its first address
 * @end: set to its end, exclusive
 *
 * Return: false if no such file has one of this name with a size.
 */
bool wp_livenames_function(struct wp_livenames *n, __u32 pid, const char *part,
			   const char *name, __u64 *start, __u64 *end)
{
	const struct process *p;
	__u64 distance, size;
	size_t i;

	if (find_process(n, pid, &p))
		return false;
	for (i = p->first; i < p->first + p->nr; i++) {
		const struct map *map = &n->map[i];
		const struct code *code = &n->code[map->code];

		if (code->kind != WP_SYMBOLS_ELF || !code->file || !strstr(code->name, part) ||
		    !wp_symbols_range(n->symbols, code->file, map->start + map->shift, name,
				      &distance, &size) || !size)
			continue;
		*start = map->start + distance;
		*end = *start + size;
		return true;
	}
	return false;
}

/**
 * wp_livenames_kernel() - look up an address in the kernel
 * @n: the table
 * @ip: the address
 * @caller: it is a return address
 * @name: set to the result
 *
 * Return: 0 or -ENOMEM.
 */
int wp_livenames_kernel(struct wp_livenames *n, __u64 ip, bool caller,
			struct wp_livename *name)
{
	const struct code kernel = { .kind = WP_SYMBOLS_KERNEL, .fd = -1 };
	int err;

	*name = (struct wp_livename){ .offset = ip };
	if (!n->has_kernel) {
		n->pid = -1;
		n->kernel = n->nr_codes;
		err = add_code(n, &kernel, NULL, "[kernel]");
		if (err)
			return err;
		n->has_kernel = true;
	}
	describe(n, &n->code[n->kernel], ip, caller, name);
	return 0;
}
