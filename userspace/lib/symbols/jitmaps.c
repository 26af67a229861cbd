// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the lookup of such lists, and their storage in a recording. The file's name has
 * the pid in the process's own pid namespace, and is looked up in the process's own root:
 * in a container, both differ from ours. Called by buildid.c during the recording, by
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
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/jitmaps.h"

/*
 * A list that does not exist is looked up so often, and then only once in so many times:
 * it can be written late, on request.
 */
#define OFTEN	64

/* Limit for the compressed size of all lists: readers accept no larger section. */
#define MAX_ALL		((size_t)32 << 20)

/*
 * Limit for the size of all lists of one owner in one file system. The worst list that was
 * tried took 22 ms for each MiB.
 */
#define OWNER_BYTES	((off_t)512 << 20)

/*
 * After the end was requested: no list is begun later than this, no larger one is read at
 * all, and small ones come first. Nothing ends the one that is being read: a worker took
 * 2.8 s for 128 MiB of the worst that was tried.
 */
#define HURRY_NS	300000000
#define HURRY_BYTES	(16 << 20)
#define SMALL		(1 << 20)

struct entry {
	__u32 pid;
	unsigned int looks;
	int fd;			/* the list, or -1 */
};

/*
 * struct owner - an owner of lists
 * @uid: the owner
 * @dev: the file system
 * @bytes: size of the lists that were read
 */
struct owner {
	uid_t uid;
	dev_t dev;
	off_t bytes;
};

struct wp_jitmaps {
	size_t nr;
	struct entry entry[WP_JITMAPS_MAX];
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
	/* Before it is opened, and again after: its owner may have changed meanwhile. */
	if (place >= 0 && !wp_openfile_known(place, &st) && is_trusted(&st, &owner))
		fd = wp_openfile_found(place, &st);
	if (fd >= 0 && !is_trusted(&st, &owner)) {
		close(fd);
		fd = -1;
	}
	if (place >= 0)
		close(place);
	if (root >= 0)
		close(root);
	close(dir);
	return fd;
}

static void look(struct entry *e)
{
	if (e->fd >= 0)
		return;
	e->looks++;
	if (e->looks <= OFTEN || e->looks % OFTEN == 0)
		e->fd = wp_jitmap_open(e->pid);
}

/**
 * wp_jitmaps_see() - note that a process has code without a file
 * @jit: the lists; allocated if there are none yet
 * @pid: the process
 */
void wp_jitmaps_see(struct wp_jitmaps **jit, __u32 pid)
{
	struct wp_jitmaps *j = *jit;
	size_t i;

	if (!j) {
		j = calloc(1, sizeof(*j));
		*jit = j;
	}
	for (i = 0; j && i < j->nr; i++) {
		if (j->entry[i].pid == pid)
			return;
	}
	if (!j || j->nr == WP_JITMAPS_MAX)
		return;
	j->entry[j->nr] = (struct entry){ .pid = pid, .fd = -1 };
	look(&j->entry[j->nr++]);
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

static void keep(const struct entry *e, size_t *left, wp_jitmaps_fn fn, void *ctx)
{
	struct wp_elfnames names = { 0 };
	size_t size = 0, room, bytes;
	const char *trouble;
	char *text = NULL;
	void *data;

	trouble = wp_filereader_perfmap(e->fd, &names);
	if (trouble)
		wp_debug("list of generated code of process %u: %s", (unsigned int)e->pid, trouble);
	else
		text = text_of(&names.table, &size);
	wp_elfnames_free(&names);
	room = text ? ZSTD_compressBound(size) : 0;
	data = text ? malloc(room) : NULL;
	bytes = data ? ZSTD_compress(data, room, text, size, 1) : 0;
	if (data && !ZSTD_isError(bytes) && bytes <= *left) {
		*left -= bytes;
		fn(ctx, e->pid, data, bytes, size);
	}
	free(data);
	free(text);
}

/* Returns the list's size, or -1 if there is none. @st: set to its status */
static off_t size_of(const struct entry *e, struct stat *st)
{
	return e->fd < 0 || wp_openfile_known(e->fd, st) ? -1 : st->st_size;
}

/* Returns whether a list is within its owner's limit, and counts it. */
static bool take_bytes(struct wp_jitmaps *jit, const struct stat *st)
{
	struct owner *o = jit->owner;

	while (o < jit->owner + jit->nr_owners && (o->uid != st->st_uid || o->dev != st->st_dev))
		o++;
	if (o == jit->owner + jit->nr_owners) {
		*o = (struct owner){ .uid = st->st_uid, .dev = st->st_dev };
		jit->nr_owners++;
	}
	if (st->st_size > OWNER_BYTES - o->bytes)
		return false;
	o->bytes += st->st_size;
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
 * owner have a limit: what is left out has a warning.
 */
void wp_jitmaps_each(struct wp_jitmaps *jit, wp_jitmaps_fn fn, void *ctx)
{
	size_t i, left = MAX_ALL, late = 0, large = 0;
	__u64 began = wp_clock_now();
	bool small = true, is_small;
	struct stat st;
	off_t size;

	if (jit)
		jit->nr_owners = 0;
	for (i = 0; jit && i < jit->nr; i++) {
		if (jit->entry[i].fd < 0 && has_time(0, began))
			jit->entry[i].fd = wp_jitmap_open(jit->entry[i].pid);
	}
	do {
		for (i = 0; jit && i < jit->nr; i++) {
			size = size_of(&jit->entry[i], &st);
			is_small = size <= SMALL;
			if (size < 0 || is_small != small)
				continue;
			if (!has_time(size, began))
				late++;
			else if (!take_bytes(jit, &st))
				large++;
			else
				keep(&jit->entry[i], &left, fn, ctx);
		}
		small = !small;
	} while (!small);
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
