// SPDX-License-Identifier: GPL-2.0
/*
 * Owns path lookups, one directory after the other, so that the file system that may
 * block is known at each step; and the part of a file's status that is known without
 * asking its server. Called in an opener (opener.c), as a file system's server may never
 * answer, and by openfile.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/sandbox/disk.h"
#include "lib/sandbox/lookup.h"

/* The kernel's limit. */
#define MAX_LINKS	40

/* Maximum depth of directories. */
#define MAX_DEPTH	128

static void close_quietly(int fd)
{
	int err = errno;

	close(fd);
	errno = err;
}

/**
 * wp_lookup_known() - read a file's cached status, without asking its server
 * @fd: a descriptor of it, O_PATH or any other
 * @st: filled in, except device numbers of devices and access times
 *
 * Return: 0 or -1 with errno.
 */
int wp_lookup_known(int fd, struct stat *st)
{
	struct statx x;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		  STATX_BASIC_STATS, &x))
		return -1;
	*st = (struct stat){
		.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor), .st_ino = x.stx_ino,
		.st_mode = x.stx_mode, .st_nlink = x.stx_nlink, .st_uid = x.stx_uid,
		.st_gid = x.stx_gid, .st_size = x.stx_size, .st_blksize = x.stx_blksize,
		.st_blocks = x.stx_blocks,
		.st_mtim = { x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec },
		.st_ctim = { x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec },
	};
	return 0;
}

/**
 * wp_lookup_avoids() - whether a file system must be avoided
 * @avoid: the file systems
 * @dev: its device
 */
bool wp_lookup_avoids(const struct wp_lookup_avoid *avoid, dev_t dev)
{
	unsigned int i;

	for (i = 0; i < avoid->nr_silent; i++) {
		if (avoid->silent[i] == dev)
			return true;
	}
	for (i = 0; i < avoid->nr_good; i++) {
		if (avoid->good[i] == dev)
			return false;
	}
	return avoid->only_good && !wp_disk_look(dev);
}

/* The directories from the root to the current one, and the rest of the path. */
struct walk {
	int dir[MAX_DEPTH];
	int nr;
	int links;
	char left[2 * PATH_MAX];
	const struct wp_lookup_avoid *avoid;
	wp_lookup_at *at;
	dev_t dev;
	bool dev_known;
};

static void go_up(struct walk *w, int to)
{
	/* The first one is the caller's. */
	while (w->nr > to)
		close_quietly(w->dir[--w->nr]);
}

/* The text of a link replaces it in the path. */
static bool follow(struct walk *w, int link, const char *rest)
{
	char text[2 * PATH_MAX];
	struct statfs fs;
	ssize_t len;

	/* Magic links of the kernel can lead anywhere. */
	if (++w->links > MAX_LINKS || fstatfs(link, &fs) || fs.f_type == PROC_SUPER_MAGIC) {
		errno = ELOOP;
		return false;
	}
	len = readlinkat(link, "", text, PATH_MAX);
	if (len < 0)
		return false;
	if (len == PATH_MAX || len + strlen(rest) + 2 > sizeof(w->left)) {
		errno = ENAMETOOLONG;
		return false;
	}
	text[len] = *rest ? '/' : 0;
	strcpy(text + len + !!*rest, rest);
	strcpy(w->left, text);
	if (*text == '/')
		go_up(w, 1);
	return true;
}

/* The server of the new directory will be asked next. */
static bool enter(struct walk *w, int dir)
{
	struct stat st;

	if (wp_lookup_known(dir, &st))
		return false;
	if (wp_lookup_avoids(w->avoid, st.st_dev)) {
		errno = ETIMEDOUT;
		return false;
	}
	if (w->at && (!w->dev_known || w->dev != st.st_dev))
		w->at(st.st_dev);
	w->dev = st.st_dev;
	w->dev_known = true;
	return true;
}

/* One step along the path; 1 if it was the last, then @found is the result. */
static int step(struct walk *w, int *found)
{
	char name[NAME_MAX + 1];
	char *at = w->left + strspn(w->left, "/");
	size_t len = strcspn(at, "/");
	struct stat st;
	int fd;

	if (len > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, at, len);
	name[len] = 0;
	memmove(w->left, at + len, strlen(at + len) + 1);
	if (!len || !strcmp(name, ".") || !strcmp(name, "..")) {
		if (len == 2)
			go_up(w, w->nr > 1 ? w->nr - 1 : 1);
		if (*w->left)
			return 0;
		*found = openat(w->dir[w->nr - 1], ".", O_PATH | O_CLOEXEC);
		return *found < 0 ? -1 : 1;
	}
	if (!enter(w, w->dir[w->nr - 1]))
		return -1;
	fd = openat(w->dir[w->nr - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (wp_lookup_known(fd, &st))
		goto bad;
	if (S_ISLNK(st.st_mode)) {
		if (!follow(w, fd, w->left + strspn(w->left, "/")))
			goto bad;
		close(fd);
		return 0;
	}
	if (!*w->left) {
		*found = fd;
		return 1;
	}
	errno = S_ISDIR(st.st_mode) ? ENAMETOOLONG : ENOTDIR;
	if (!S_ISDIR(st.st_mode) || w->nr == MAX_DEPTH)
		goto bad;
	w->dir[w->nr++] = fd;
	return 0;
bad:
	close_quietly(fd);
	return -1;
}

/**
 * wp_lookup() - look up a path below a root
 * @root: descriptor of that directory
 * @path: the path
 * @avoid: file systems to avoid
 * @at: called with each file system that is asked next; or NULL
 *
 * As openat2() with RESOLVE_IN_ROOT and RESOLVE_NO_MAGICLINKS, step by step. The
 * directories on the way are kept open for "..", as that of a directory that is moved
 * meanwhile leads elsewhere.
 *
 * Return: an O_PATH descriptor, or -1 with errno; ETIMEDOUT: it is on a file system to
 * avoid.
 */
int wp_lookup(int root, const char *path, const struct wp_lookup_avoid *avoid, wp_lookup_at *at)
{
	struct walk w = { .dir = { root }, .nr = 1, .avoid = avoid, .at = at };
	int ret, found = -1;

	if (strlen(path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	strcpy(w.left, path);
	do {
		ret = step(&w, &found);
	} while (!ret);
	go_up(&w, 1);
	return found;
}
