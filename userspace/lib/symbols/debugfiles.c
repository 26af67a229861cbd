// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the search for files of debug information: in the places of perf and gdb, below
 * their dedicated directories. The recorded file determines their names, but not their
 * directories. A file that is found must have the right build-id or, if either has none,
 * the right checksum. Called by symbolfile.c.
 *
 * libdwfl would search for them, too, but it opens whatever the file refers to.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/debugfiles.h"
#include "lib/symbols/idfiles.h"

#define DEBUG_DIR	"/usr/lib/debug"

/* Larger files are not checksummed. */
#define MAX_CRC		((off_t)2 << 30)

/* The file to find. */
struct wanted {
	const struct wp_debugplace *place;
	const struct stat *of;			/* the file that it belongs to */
	const struct wp_buildid *id;
	bool by_crc;
	__u32 crc;
	struct wp_elflinks *links;		/* set to the references in the file */
};

static bool same_id(const struct wp_buildid *a, const struct wp_buildid *b)
{
	return a->size && a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static bool same_crc(int fd, const struct stat *st, __u32 crc)
{
	__u32 found;

	return st->st_size <= MAX_CRC && !wp_filereader_crc(fd, &found) && found == crc;
}

/* Keep a file if it is the right one; else close it. */
static int keep_if(const struct wanted *w, int fd, const struct stat *st)
{
	struct wp_elflinks links;
	bool good;

	if (fd < 0)
		return -1;
	good = (st->st_dev != w->of->st_dev || st->st_ino != w->of->st_ino) &&
		!wp_filereader_links(fd, &links);
	if (good && w->id->size && links.id.size)
		good = same_id(w->id, &links.id);
	else if (good)
		good = w->by_crc && same_crc(fd, st, w->crc);
	if (good) {
		*w->links = links;
		return fd;
	}
	close(fd);
	return -1;
}

static int look_at(const struct wanted *w, const char *path)
{
	struct stat st;

	return keep_if(w, wp_openfile_in(w->place->root, path, &st), &st);
}

static int look_in(const struct wanted *w, const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s/%s", dir, sub, name) >= (int)sizeof(path))
		return -1;
	return look_at(w, path);
}

static int look_by_id(const struct wanted *w)
{
	char name[sizeof(DEBUG_DIR "/.build-id/00/.debug") + 2 * WP_BUILDID_MAX];
	unsigned int i;
	int len;

	if (!w->id->size)
		return -1;
	len = sprintf(name, DEBUG_DIR "/.build-id/%02x/", w->id->data[0]);
	for (i = 1; i < w->id->size; i++)
		len += sprintf(name + len, "%02x", w->id->data[i]);
	strcpy(name + len, ".debug");
	return look_at(w, name);
}

/* In the file's directory, in a subdirectory there, and in the directory of packages. */
static int look_beside(const struct wanted *w, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd;

	if (path[0] != '/' || !slash || slash - path >= (ssize_t)sizeof(dir))
		return -1;
	memcpy(dir, path, slash - path);
	dir[slash - path] = 0;
	fd = look_in(w, dir, "", name);
	if (fd < 0)
		fd = look_in(w, dir, "/.debug", name);
	if (fd < 0)
		fd = look_in(w, DEBUG_DIR, dir, name);
	return fd;
}

/* The path of a file without symbolic links. */
static bool real_path(int fd, char *path, size_t size)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, size - 1);
	if (len <= 0 || path[0] != '/')
		return false;
	path[len] = 0;
	return true;
}

static int look_by_name(const struct wanted *w, int main, const char *name)
{
	const char *path = w->place->path;
	char real[PATH_MAX];
	int fd = path ? look_beside(w, path, name) : -1;

	if (fd < 0 && w->place->root == WP_OPENFILE_HERE &&
	    real_path(main, real, sizeof(real)) && (!path || strcmp(real, path)))
		fd = look_beside(w, real, name);
	return fd;
}

static int look_elsewhere(const struct wanted *w)
{
	struct stat st;
	int fd;

	if (w->place->only || !w->id->size)
		return -1;
	fd = wp_idfiles_cached(w->id, "debug");
	if (fd < 0)
		fd = wp_idfiles_served(w->id, WP_IDFILES_DEBUG);
	return fd >= 0 && !wp_openfile_known(fd, &st) ? keep_if(w, fd, &st) : fd;
}

static int find_debug(const struct wanted *w, int main, const struct wp_elflinks *links)
{
	const char *base = w->place->path ? strrchr(w->place->path, '/') : NULL;
	char name[NAME_MAX + 1];
	int fd = look_by_id(w);

	if (fd < 0 && *links->link) {
		fd = look_by_name(w, main, links->link);
	} else if (fd < 0 && base && links->id.size) {
		/* There is no reference: try the usual name. */
		if (snprintf(name, sizeof(name), "%s.debug", base + 1) < (int)sizeof(name))
			fd = look_by_name(w, main, name);
		if (fd < 0)
			fd = look_in(w, DEBUG_DIR, "", w->place->path + 1);
	}
	return fd < 0 ? look_elsewhere(w) : fd;
}

/*
 * The path of a shared file, if it is below the directory for these; it may be relative
 * to the directory of the file that refers to it, which is at @from.
 */
static bool is_below(const char *from, const char *path, char *to, size_t size)
{
	char all[2 * PATH_MAX], *at = all, *part;
	size_t len = 0;

	if (snprintf(all, sizeof(all), "%.*s/%s",
		     *path == '/' ? 0 : (int)(strrchr(from, '/') - from), from, path) >=
	    (int)sizeof(all))
		return false;
	*to = 0;
	while ((part = strsep(&at, "/"))) {
		if (!*part || !strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (len && to[--len] != '/')
				;
			to[len] = 0;
			continue;
		}
		if (len + strlen(part) + 2 > size)
			return false;
		len += sprintf(to + len, "/%s", part);
	}
	return !strncmp(to, DEBUG_DIR "/", strlen(DEBUG_DIR "/"));
}

static int find_alt(const struct wanted *w, int owner, const struct wp_elflinks *links)
{
	const char *base = strrchr(links->alt, '/');
	char from[PATH_MAX], path[PATH_MAX];
	int fd;

	if (!*links->alt || !links->alt_id.size)
		return -1;
	fd = look_by_id(w);
	if (fd < 0)
		fd = look_in(w, DEBUG_DIR, "/.dwz", base ? base + 1 : links->alt);
	if (fd < 0 && real_path(owner, from, sizeof(from)) &&
	    is_below(from, links->alt, path, sizeof(path)))
		fd = look_at(w, path);
	return fd < 0 ? look_elsewhere(w) : fd;
}

/**
 * wp_debugfiles_open() - find and open the files with a file's names
 * @files: set to the files, to be closed with wp_debugfiles_close()
 * @place: where to search
 * @fd: the file itself; @files takes ownership
 * @st: its status, from wp_openfile_known()
 * @links: its references, from wp_elflinks_read()
 * @dwarf: debug information is wanted, too
 *
 * Nothing is opened that is not needed.
 *
 * Return: 0.
 */
int wp_debugfiles_open(struct wp_elffiles *files, const struct wp_debugplace *place, int fd,
		       const struct stat *st, const struct wp_elflinks *links, bool dwarf)
{
	struct wp_elflinks debug = { 0 }, alt;
	struct wanted w = {
		.place = place, .of = st, .id = &links->id, .by_crc = *links->link,
		.crc = links->crc, .links = &debug,
	};
	const struct wp_elflinks *owner = links;

	*files = (struct wp_elffiles){ .main = fd, .debug = -1, .alt = -1 };
	if (!links->symbols || (dwarf && !links->dwarf))
		files->debug = find_debug(&w, fd, links);
	if (!links->dwarf && files->debug >= 0)
		owner = &debug;
	if (dwarf && owner->dwarf && *owner->alt) {
		w = (struct wanted){
			.place = place, .of = st, .id = &owner->alt_id, .links = &alt,
		};
		files->alt = find_alt(&w, owner == links ? fd : files->debug, owner);
	}
	return 0;
}

/**
 * wp_debugfiles_close() - close the files
 * @files: the files
 */
void wp_debugfiles_close(struct wp_elffiles *files)
{
	int *fd[] = { &files->main, &files->debug, &files->alt };
	size_t i;

	for (i = 0; i < sizeof(fd) / sizeof(*fd); i++) {
		if (*fd[i] >= 0)
			close(*fd[i]);
		*fd[i] = -1;
	}
}
