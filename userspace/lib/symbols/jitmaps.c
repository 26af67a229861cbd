// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the lookup of such lists, and their storage in a recording. A list's name has
 * the pid in the process's own pid namespace, and is looked up in the process's own root:
 * in a container, both differ from ours. A jitdump file may be anywhere: the compiler maps
 * a page of it as code to mark it, and its mapping leads to it. It has the time of each
 * load, so it is preferred, if it has any. Called by buildid.c during the recording, by
 * symbolfile.c, and by the recorder at the end of each epoch.
 *
 * A list is opened as soon as it exists and its process is known to have code without a
 * file, and read at the end: it may be deleted meanwhile, and the container with it. It
 * is read by a worker; what the worker has parsed is stored.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/elf/jitdump.h"
#include "lib/proc/procmaps.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/jitmaps.h"
#include "lib/symbols/mappedfile.h"

/*
 * A list that does not exist is looked up so often, and then only once in so many times:
 * it can be written late, on request.
 */
#define OFTEN	64

/* How often the jitdump file of a process is opened: each of its mappings is reported. */
#define MAX_DUMPS	16

/*
 * Limit for the compressed size of all lists: readers accept no larger section. The next
 * list is always one of the owner whose lists take the least so far.
 */
#define MAX_ALL		((size_t)32 << 20)

/*
 * Limit for the size of all lists of one owner in one file system. The worst list that was
 * tried took 22 ms for each MiB.
 */
#define OWNER_BYTES	((off_t)512 << 20)

/*
 * A jitdump file counts as this part of its size: its instructions are skipped, and the
 * shortest records take a tenth of the time of a list's lines.
 */
#define DUMP_PART	8

/*
 * After the end was requested: no list is begun later than this, no larger one is read at
 * all, and small ones come first. Nothing ends the one that is being read: a worker took
 * 2.8 s for 128 MiB of the worst that was tried.
 */
#define HURRY_NS	300000000
#define HURRY_BYTES	(16 << 20)
#define SMALL		(1 << 20)

/*
 * struct user - a user of such processes
 * @uid: the real uid
 * @nr: entries
 */
struct user {
	uid_t uid;
	size_t nr;
};

/*
 * struct entry - a process with code without a file
 * @pid: the process
 * @user: its user, in struct wp_jitmaps
 * @looks: how often its list was looked up
 * @dumps: how often its jitdump file was
 * @fd: the list, or -1
 * @dump: it is a jitdump file
 * @found: it was made from what was found in memory
 * @owner: the list's owner; NULL: it has been read, or is left out
 * @size: the list's size; of a jitdump file a part, as it costs less
 */
struct entry {
	__u32 pid;
	struct user *user;
	unsigned int looks;
	unsigned int dumps;
	int fd;
	bool dump;
	bool found;
	struct owner *owner;
	off_t size;
};

/*
 * struct owner - an owner of lists
 * @uid: the owner
 * @dev: the file system
 * @bytes: size of the lists that were read
 * @kept: compressed size of those that were stored
 */
struct owner {
	uid_t uid;
	dev_t dev;
	off_t bytes;
	size_t kept;
};

struct wp_jitmaps {
	bool full;		/* some process has no entry */
	size_t nr;
	struct entry entry[WP_JITMAPS_MAX];
	size_t nr_users;
	struct user user[WP_JITMAPS_MAX];
	size_t nr_owners;
	struct owner owner[WP_JITMAPS_MAX];
};

/* Its pid in the innermost pid namespace; 0 if unknown. */
static __u32 own_pid(int dir)
{
	char text[4096], *line, *end;
	__u32 pid = 0;
	ssize_t n;
	int fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);

	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Of the process, not of the thread. */
	line = strstr(text, "\nNStgid:");
	if (!line)
		return 0;
	line += strlen("\nNStgid:");
	for (line += strspn(line, " \t"); *line >= '0' && *line <= '9';
	     line = end + strspn(end, " \t"))
		pid = strtoul(line, &end, 10);
	return pid;
}

/* Returns whether a list is root's, ours or, if we are root, that of the process's user. */
static bool is_trusted(const struct stat *list, const struct stat *process)
{
	return !list->st_uid || list->st_uid == geteuid() ||
	       (!geteuid() && list->st_uid == process->st_uid);
}

/*
 * Opens the file of an O_PATH descriptor, which is closed, if it is trusted: before it is opened,
 * and again after, as its owner may have changed meanwhile. Returns a descriptor or -1.
 */
static int open_trusted(int place, struct stat *st, const struct stat *process)
{
	int fd = is_trusted(st, process) ? wp_openfile_found(place, st) : -1;

	close(place);
	if (fd >= 0 && !is_trusted(st, process)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * wp_jitmap_open() - open the list of a running process
 * @pid: the process
 *
 * The file must belong to root, to us or, if we are root, to the process's user.
 *
 * Return: a descriptor, or -1.
 */
int wp_jitmap_open(__u32 pid)
{
	int dir = wp_procdir_open(pid), root, fd = -1;
	int place = -1;
	struct stat st, owner;
	char path[64];

	if (dir < 0)
		return -1;
	root = wp_openfile_rootat(dir);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", own_pid(dir));
	if (root >= 0 && !fstat(dir, &owner))
		place = wp_openfile_place(root, path);
	if (place >= 0 && !wp_openfile_known(place, &st))
		fd = open_trusted(place, &st, &owner);
	else if (place >= 0)
		close(place);
	if (root >= 0)
		close(root);
	close(dir);
	return fd;
}

/* Opens the jitdump file of a process, which has it mapped; or -1. */
static int open_dump(__u32 pid, const struct wp_dso *dso)
{
	int dir = wp_procdir_open(pid), place = -1, fd = -1;
	struct stat st, owner;

	if (dir < 0)
		return -1;
	/* After a fork a child has that of its parent, in which its own code is missing. */
	if (wp_jitdump_is_name(dso->path, own_pid(dir)) && !fstat(dir, &owner))
		place = wp_mappedfile_find(dso, &st);
	if (place >= 0)
		fd = open_trusted(place, &st, &owner);
	close(dir);
	return fd;
}

struct search {
	__u32 pid;
	int fd;
};

static int take_dump(void *ctx, int dir, const struct wp_procmap *map)
{
	struct search *s = ctx;
	const struct wp_dso dso = {
		.path = map->name,
		.last = {
			.file = { map->maj, map->min, map->ino }, .pid = s->pid,
			.start = map->start, .end = map->end,
		},
	};

	(void)dir;
	if (map->ino && wp_jitdump_is_name(map->name, 0))
		s->fd = open_dump(s->pid, &dso);
	return s->fd >= 0;
}

/**
 * wp_jitmap_dump() - open the jitdump file of a running process
 * @pid: the process
 *
 * Return: a descriptor, or -1.
 */
int wp_jitmap_dump(__u32 pid)
{
	struct search s = { .pid = pid, .fd = -1 };
	int dir = wp_procdir_open(pid);
	struct wp_procmaps maps = { 0 };

	if (dir < 0)
		return -1;
	wp_procmaps_each(&maps, dir, PROT_EXEC, take_dump, &s);
	wp_procmaps_free(&maps);
	close(dir);
	return s.fd;
}

static void look(struct entry *e)
{
	if (e->fd >= 0)
		return;
	e->looks++;
	if (e->looks <= OFTEN || e->looks % OFTEN == 0)
		e->fd = wp_jitmap_open(e->pid);
}

static uid_t uid_of(__u32 pid)
{
	int dir = wp_procdir_open(pid);
	uid_t uid = dir < 0 ? (uid_t)-1 : wp_procfile_user(dir);

	if (dir >= 0)
		close(dir);
	return uid;
}

static struct user *find_user(struct wp_jitmaps *j, uid_t uid)
{
	size_t i;

	for (i = 0; i < j->nr_users; i++) {
		if (j->user[i].nr && j->user[i].uid == uid)
			return &j->user[i];
	}
	return NULL;
}

/* Returns a user, with one entry more. There is room: each has an entry, and this one none. */
static struct user *add_user(struct wp_jitmaps *j, uid_t uid)
{
	struct user *u = find_user(j, uid);

	if (!u) {
		for (u = j->user; u < j->user + j->nr_users && u->nr; u++)
			;
		j->nr_users += u == j->user + j->nr_users;
		*u = (struct user){ .uid = uid };
	}
	u->nr++;
	return u;
}

/*
 * Returns an entry for a user's process when all are in use: the last one of the user who
 * has the most. NULL if that user would then have less than this one.
 */
static struct entry *take_entry(struct wp_jitmaps *j, uid_t uid)
{
	struct user *u = find_user(j, uid), *most = j->user;
	size_t i, nr = u ? u->nr : 0;
	struct entry *e;

	for (i = 0; i < j->nr_users; i++) {
		if (j->user[i].nr > most->nr)
			most = &j->user[i];
	}
	if (most->nr <= nr + 1)
		return NULL;
	for (e = &j->entry[j->nr - 1]; e->user != most; e--)
		;
	if (e->fd >= 0)
		close(e->fd);
	most->nr--;
	return e;
}

/* Returns the entry of a process; NULL: there is no room, or no memory. */
static struct entry *see(struct wp_jitmaps **jit, __u32 pid)
{
	struct wp_jitmaps *j = *jit;
	struct entry *e;
	size_t i;
	uid_t uid;

	if (!j) {
		j = calloc(1, sizeof(*j));
		*jit = j;
	}
	for (i = 0; j && i < j->nr; i++) {
		if (j->entry[i].pid == pid)
			return &j->entry[i];
	}
	if (!j)
		return NULL;
	uid = uid_of(pid);
	if (j->nr < WP_JITMAPS_MAX) {
		e = &j->entry[j->nr++];
	} else {
		j->full = true;
		e = take_entry(j, uid);
	}
	if (e)
		*e = (struct entry){ .pid = pid, .user = add_user(j, uid), .fd = -1 };
	return e;
}

/**
 * wp_jitmaps_see() - note that a process has code without a file
 * @jit: the lists; allocated if there are none yet
 * @pid: the process
 *
 * If there are too many processes, all users have equally many.
 */
void wp_jitmaps_see(struct wp_jitmaps **jit, __u32 pid)
{
	struct entry *e = see(jit, pid);

	if (e && !e->looks)
		look(e);
}

/**
 * wp_jitmaps_dump() - note that a process has mapped its jitdump file
 * @jit: the lists; allocated if there are none yet
 * @pid: the process
 * @dso: the file; only its path and its last mapping are used
 *
 * After an exec the process has another one: then the last one counts.
 */
void wp_jitmaps_dump(struct wp_jitmaps **jit, __u32 pid, const struct wp_dso *dso)
{
	struct entry *e = see(jit, pid);
	int fd = e && e->dumps++ < MAX_DUMPS ? open_dump(pid, dso) : -1;

	if (fd < 0)
		return;
	if (e->fd >= 0)
		close(e->fd);
	e->fd = fd;
	e->dump = true;
	e->found = false;
}

/**
 * wp_jitmaps_loads() - note what was found in the memory of a process
 * @jit: the lists; allocated if there are none yet
 * @pid: the process
 * @loads: the code; it is copied
 *
 * It is preferred to a list, as it has times; a jitdump file, which has them, too, and has all
 * code, is preferred to it.
 */
void wp_jitmaps_loads(struct wp_jitmaps **jit, __u32 pid, const struct wp_jitloads *loads)
{
	struct entry *e = see(jit, pid);
	char *data = NULL;
	size_t size = 0;
	int fd = -1;

	if (!e || (e->dump && !e->found))
		return;
	data = wp_jitdump_pack(loads, WP_JITMAPS_TEXT, &size);
	if (data)
		fd = memfd_create("jitdump", MFD_CLOEXEC);
	if (fd >= 0 && !wp_pwrite_all(fd, data, size, 0)) {
		if (e->fd >= 0)
			close(e->fd);
		e->fd = fd;
		e->dump = true;
		e->found = true;
	} else if (fd >= 0) {
		close(fd);
	}
	free(data);
}

/**
 * wp_jitmaps_look() - look for lists that did not exist before
 * @jit: the lists, or NULL
 */
void wp_jitmaps_look(struct wp_jitmaps *jit)
{
	size_t i;

	for (i = 0; jit && i < jit->nr; i++)
		look(&jit->entry[i]);
}

/* Convert a parsed list to text; NULL if it is empty, or there is no memory. */
static char *text_of(const struct wp_symtable *t, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	size_t i;

	for (i = 0; f && i < t->nr && (size_t)ftell(f) < WP_JITMAPS_TEXT; i++)
		fprintf(f, "%llx %llx %s\n", (unsigned long long)t->entry[i].start,
			(unsigned long long)(t->entry[i].end - t->entry[i].start),
			t->names + t->entry[i].name);
	if (f && !fclose(f) && *size && *size <= 2 * WP_JITMAPS_TEXT)
		return text;
	free(text);
	return NULL;
}

/* Reads a list in text form; returns it as text, NULL if there is none. */
static char *read_map(const struct entry *e, size_t *size)
{
	struct wp_elfnames names = { 0 };
	const char *trouble = wp_filereader_perfmap(e->fd, &names);
	char *text = trouble ? NULL : text_of(&names.table, size);

	if (trouble)
		wp_debug("list of generated code of process %u: %s", (unsigned int)e->pid, trouble);
	wp_elfnames_free(&names);
	return text;
}

/* The same for a jitdump file, without the instructions. */
static char *read_dump(const struct entry *e, size_t *size)
{
	struct wp_jitloads loads = { 0 };
	const char *trouble = wp_filereader_jitdump(e->fd, &loads);
	char *data = trouble ? NULL : wp_jitdump_pack(&loads, WP_JITMAPS_TEXT, size);

	if (trouble)
		wp_warn("jitdump file of process %u: %s", (unsigned int)e->pid, trouble);
	wp_jitdump_free(&loads);
	return data;
}

/* Reads a list; without code in the jitdump file that in text form. NULL: there is none. */
static char *read_list(struct entry *e, size_t *size)
{
	char *text = e->dump ? read_dump(e, size) : NULL;

	if (e->dump && !text) {
		close(e->fd);
		e->fd = wp_jitmap_open(e->pid);
		e->dump = false;
	}
	return text || e->fd < 0 ? text : read_map(e, size);
}

/* Reads a list and passes it on. Returns false if there is no room for it. */
static bool keep(struct entry *e, size_t *left, wp_jitmaps_fn fn, void *ctx)
{
	struct wp_jitmap map = { .pid = e->pid };
	size_t size = 0, room, bytes;
	char *text = read_list(e, &size);
	bool fits = true;
	void *data;

	room = text ? ZSTD_compressBound(size) : 0;
	data = text ? malloc(room) : NULL;
	bytes = data ? ZSTD_compress(data, room, text, size, 1) : 0;
	if (data && !ZSTD_isError(bytes)) {
		fits = bytes <= *left;
		map.text = size;
		map.dump = e->dump;
		wp_buf_add(&map.b, data, bytes);
		if (fits && !map.b.failed) {
			*left -= bytes;
			e->owner->kept += bytes;
			fn(ctx, &map);
		}
	}
	wp_buf_free(&map.b);
	free(data);
	free(text);
	return fits;
}

/* Returns the owner of a list. */
static struct owner *owner_of(struct wp_jitmaps *jit, const struct stat *st)
{
	struct owner *o = jit->owner;

	while (o < jit->owner + jit->nr_owners && (o->uid != st->st_uid || o->dev != st->st_dev))
		o++;
	if (o == jit->owner + jit->nr_owners) {
		*o = (struct owner){ .uid = st->st_uid, .dev = st->st_dev };
		jit->nr_owners++;
	}
	return o;
}

/* Sets sizes and owners of the lists. */
static void find_owners(struct wp_jitmaps *jit)
{
	struct stat st;
	size_t i;

	jit->nr_owners = 0;
	for (i = 0; i < jit->nr; i++) {
		struct entry *e = &jit->entry[i];

		e->owner = NULL;
		if (e->fd < 0 || wp_openfile_known(e->fd, &st))
			continue;
		e->owner = owner_of(jit, &st);
		e->size = e->dump ? st.st_size / DUMP_PART : st.st_size;
	}
}

/* Returns whether a list is read before another one. */
static bool is_before(const struct entry *a, const struct entry *b)
{
	bool small = a->size <= SMALL, other = b->size <= SMALL;

	if (small != other)
		return small;
	return a->owner->kept < b->owner->kept;
}

/* Returns the list to be read next; NULL: there are no more. */
static struct entry *next_list(struct wp_jitmaps *jit)
{
	struct entry *e, *first = NULL;
	size_t i;

	for (i = 0; i < jit->nr; i++) {
		e = &jit->entry[i];
		if (e->owner && (!first || is_before(e, first)))
			first = e;
	}
	return first;
}

/* Returns whether a list is within its owner's limit, and counts it. */
static bool take_bytes(const struct entry *e)
{
	if (e->size > OWNER_BYTES - e->owner->bytes)
		return false;
	e->owner->bytes += e->size;
	return true;
}

/* Returns whether there is time for a list of this size. */
static bool has_time(off_t size, __u64 began)
{
	return !wp_opener_hurries() ||
	       (size <= HURRY_BYTES && wp_clock_now() - began < HURRY_NS);
}

/**
 * wp_jitmaps_each() - read the lists, at the end
 * @jit: the lists, or NULL
 * @fn: called for each
 * @ctx: for @fn
 *
 * Neither many lists nor large ones delay an end that was requested, and those of one
 * owner have a limit, and take no room from others': what is left out has a warning.
 */
void wp_jitmaps_each(struct wp_jitmaps *jit, wp_jitmaps_fn fn, void *ctx)
{
	size_t i, left = MAX_ALL, late = 0, large = 0, rest = 0;
	__u64 began = wp_clock_now();
	struct entry *e;

	if (!jit)
		return;
	for (i = 0; i < jit->nr; i++) {
		if (jit->entry[i].fd < 0 && has_time(0, began))
			jit->entry[i].fd = wp_jitmap_open(jit->entry[i].pid);
	}
	find_owners(jit);
	while ((e = next_list(jit))) {
		if (!has_time(e->size, began))
			late++;
		else if (!take_bytes(e))
			large++;
		else if (!keep(e, &left, fn, ctx))
			rest++;
		e->owner = NULL;
	}
	if (jit->full)
		wp_warn("more than %u processes have generated code: the functions of some have no names",
			WP_JITMAPS_MAX);
	if (rest)
		wp_warn("%zu list%s of generated code %s left out, as all together take more than %zu MiB: the functions have no names",
			rest, rest == 1 ? "" : "s", rest == 1 ? "is" : "are", MAX_ALL >> 20);
	if (late)
		wp_warn("%zu list%s of generated code %s left out, as the end was requested: the functions have no names",
			late, late == 1 ? "" : "s", late == 1 ? "is" : "are");
	if (large)
		wp_warn("%zu list%s of generated code %s left out, as one user's take more than %lld MiB: the functions have no names",
			large, large == 1 ? "" : "s", large == 1 ? "is" : "are",
			(long long)(OWNER_BYTES >> 20));
}

/**
 * wp_jitmaps_free() - free the lists
 * @jit: the lists, or NULL
 */
void wp_jitmaps_free(struct wp_jitmaps *jit)
{
	size_t i;

	for (i = 0; jit && i < jit->nr; i++) {
		if (jit->entry[i].fd >= 0)
			close(jit->entry[i].fd);
	}
	free(jit);
}

/**
 * wp_jitmap_unpack() - decompress a list of a recording
 * @data: the list, compressed
 * @bytes: size of @data
 * @text: its decompressed size
 *
 * Return: a descriptor of a file with the list, or -1.
 */
int wp_jitmap_unpack(const void *data, size_t bytes, size_t text)
{
	char *p = text && text <= 2 * WP_JITMAPS_TEXT ? malloc(text) : NULL;
	int fd = -1;

	if (p && ZSTD_decompress(p, text, data, bytes) == text)
		fd = memfd_create("perfmap", MFD_CLOEXEC);
	if (fd >= 0 && wp_pwrite_all(fd, p, text, 0)) {
		close(fd);
		fd = -1;
	}
	free(p);
	return fd;
}
