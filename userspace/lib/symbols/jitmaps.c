// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where such a list is found, and how it is kept in a recording. Its name has the
 * process's number as the process itself knows it, and is looked up in the process's own
 * root: in a container, both differ from ours. Called by buildid.c while recording, by
 * symbols.c, and by who records at the end of each epoch.
 *
 * A list is opened as soon as it is there and its process is known to have code without a
 * file, and read at the end: it may be deleted meanwhile, and with it the container. It is
 * read by a worker; what is kept is what that has understood.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/procdir.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/jitmaps.h"

/* How often a list is looked for that is not there. */
#define MAX_LOOKS	64

/* Bytes of all lists, compressed: readers take no larger section. */
#define MAX_ALL		((size_t)32 << 20)

struct entry {
	__u32 pid;
	unsigned int looks;
	int fd;			/* the list, or -1 */
};

struct wp_jitmaps {
	size_t nr;
	struct entry entry[WP_JITMAPS_MAX];
};

/* Its number in the innermost namespace that it is in; 0 if that is not known. */
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
	/* Of the process, not of the thread that is looked at. */
	line = strstr(text, "\nNStgid:");
	if (!line)
		return 0;
	line += strlen("\nNStgid:");
	for (line += strspn(line, " \t"); *line >= '0' && *line <= '9';
	     line = end + strspn(end, " \t"))
		pid = strtoul(line, &end, 10);
	return pid;
}

/**
 * wp_jitmap_open() - open the list of a process that runs
 * @pid: the process
 *
 * It may be root's, ours, or that of the process's user, if we are root.
 *
 * Return: a descriptor, or -1.
 */
int wp_jitmap_open(__u32 pid)
{
	int dir = wp_procdir_open(pid), root, fd = -1;
	struct stat st, owner;
	char path[64];

	if (dir < 0)
		return -1;
	root = wp_openfile_rootat(dir);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", own_pid(dir));
	if (root >= 0 && !fstat(dir, &owner))
		fd = wp_openfile_in(root, path, &st);
	if (fd >= 0 && st.st_uid && st.st_uid != geteuid() &&
	    (geteuid() || st.st_uid != owner.st_uid)) {
		close(fd);
		fd = -1;
	}
	if (root >= 0)
		close(root);
	close(dir);
	return fd;
}

static void look(struct entry *e)
{
	if (e->fd >= 0 || e->looks == MAX_LOOKS)
		return;
	e->looks++;
	e->fd = wp_jitmap_open(e->pid);
}

/**
 * wp_jitmaps_see() - a process has code that is in no file
 * @jit: the lists; made if there are none yet
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
 * wp_jitmaps_look() - look for the lists that were not there
 * @jit: the lists, or NULL
 */
void wp_jitmaps_look(struct wp_jitmaps *jit)
{
	size_t i;

	for (i = 0; jit && i < jit->nr; i++)
		look(&jit->entry[i]);
}

/* What was understood of a list, as text again; NULL if there is nothing, or no memory. */
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
	char *text = NULL;
	void *data;

	if (!wp_filereader_perfmap(e->fd, &names))
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

/**
 * wp_jitmaps_each() - read the lists, at the end
 * @jit: the lists, or NULL
 * @fn: takes each
 * @ctx: for it
 */
void wp_jitmaps_each(struct wp_jitmaps *jit, wp_jitmaps_fn fn, void *ctx)
{
	size_t i, left = MAX_ALL;

	wp_jitmaps_look(jit);
	for (i = 0; jit && i < jit->nr; i++) {
		if (jit->entry[i].fd >= 0)
			keep(&jit->entry[i], &left, fn, ctx);
	}
}

/**
 * wp_jitmaps_free() - forget all
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
 * wp_jitmap_unpack() - a list of a recording
 * @data: the list, compressed
 * @bytes: of it
 * @text: bytes without that
 *
 * Return: a descriptor of a file that has it, or -1.
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
