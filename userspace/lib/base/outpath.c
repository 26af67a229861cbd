// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves the name of an output: to a place in a directory, where a new file replaces
 * the existing one, or to something that is written directly: a character device, or a
 * descriptor below /proc (/dev/stdout, /dev/fd/N, a pipe of the shell's).
 *
 * Anybody who can write to a directory on the path can put a link, a FIFO or a device
 * there, at any time. So:
 *
 * - A link on the path is followed if it belongs to the caller or to root, or if nobody
 *   else can write to its directory. One at the end is followed under the same condition,
 *   but to a device or a descriptor only. A link to a file is replaced.
 * - Each step begins at a descriptor, so that what was checked is what is opened.
 *
 * Called by outfile.c. It keeps no state.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/outpath.h"

/* The kernel's limit. */
#define MAX_LINKS	40

static bool is_trusted(uid_t uid)
{
	return !uid || uid == geteuid();
}

static bool is_private(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && is_trusted(st.st_uid) && !(st.st_mode & 0022);
}

static bool is_proc(int dir)
{
	struct statfs fs;

	return !fstatfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Whether a link cannot be an attacker's. */
static bool may_follow(int dir, const struct stat *link)
{
	return is_trusted(link->st_uid) || is_private(dir);
}

/* The text of the link @fd. */
static int read_link(int fd, char *text, size_t size)
{
	ssize_t n = readlinkat(fd, "", text, size);

	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	text[n] = '\0';
	return n ? 0 : -ENOENT;
}

static int open_dir(int at, const char *path, unsigned int *links);

/* One step from @dir to a directory, through a link if permitted. */
static int step(int dir, const char *name, unsigned int *links)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int next = openat(dir, name, flags | O_NOFOLLOW), link, err;
	char text[PATH_MAX];
	struct stat st;

	if (next >= 0)
		return next;
	if (errno != ENOTDIR && errno != ELOOP)
		return -errno;
	/* The text of a link in /proc may lead nowhere. */
	if (is_proc(dir)) {
		next = openat(dir, name, flags);
		return next < 0 ? -errno : next;
	}
	link = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (link < 0)
		return -errno;
	err = fstat(link, &st) ? -errno : S_ISLNK(st.st_mode) ? 0 : -ENOTDIR;
	if (!err && !may_follow(dir, &st))
		err = -EXDEV;
	if (!err && ++*links > MAX_LINKS)
		err = -ELOOP;
	if (!err)
		err = read_link(link, text, sizeof(text));
	close(link);
	return err ? err : open_dir(dir, text, links);
}

/*
 * O_PATH descriptor of a directory, or a negative errno; -EXDEV for a link of another
 * user.
 */
static int open_dir(int at, const char *path, unsigned int *links)
{
	int dir, next;

	dir = openat(at, *path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");
		char name[NAME_MAX + 1];

		next = -ENAMETOOLONG;
		if (len < sizeof(name)) {
			memcpy(name, path, len);
			name[len] = '\0';
			next = step(dir, name, links);
		}
		close(dir);
		if (next < 0)
			return next;
		dir = next;
		path += len;
	}
	return dir;
}

/* Split @path, and open the directory. -EISDIR if no name is left. */
static int split(int at, const char *path, char *name, unsigned int *links)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char dir[PATH_MAX] = ".";

	if (!*path)
		return -ENOENT;
	if (!*last || !strcmp(last, ".") || !strcmp(last, ".."))
		return -EISDIR;
	if (strlen(last) > NAME_MAX || (slash && slash - path + 1 >= (int)sizeof(dir)))
		return -ENAMETOOLONG;
	strcpy(name, last);
	if (slash) {
		/* Keep the slash: it may be the root's. */
		memcpy(dir, path, slash - path + 1);
		dir[slash - path + 1] = '\0';
	}
	return open_dir(at, dir, links);
}

/* Open the device of an O_PATH descriptor, which is closed. */
static int open_device(int path)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
	fd = open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(path);
	return fd;
}

/*
 * Descriptor of @name in @dir if it is written directly, possibly through links. -ENOENT
 * if it is to be replaced or created; another negative errno if neither is possible. @st:
 * set to the status of the name.
 */
static int find_stream(int dir, const char *name, struct stat *st, unsigned int *links)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), at, err;
	char text[PATH_MAX], next[NAME_MAX + 1];
	struct stat there;

	if (fd < 0)
		return -errno;
	err = fstat(fd, st) ? -errno : 0;
	if (!err && S_ISCHR(st->st_mode) && may_follow(dir, st))
		return open_device(fd);
	if (!err && S_ISLNK(st->st_mode) && is_proc(dir)) {
		close(fd);
		fd = openat(dir, name, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (!err)
		err = S_ISLNK(st->st_mode) && may_follow(dir, st) && ++*links <= MAX_LINKS ?
		      read_link(fd, text, sizeof(text)) : -ENOENT;
	close(fd);
	if (err)
		return -ENOENT;
	at = split(dir, text, next, links);
	if (at < 0)
		return -ENOENT;
	fd = find_stream(at, next, &there, links);
	close(at);
	return fd;
}

/* Why a name cannot be replaced, or was hardly meant; 0: it can. */
static int refusal(int dir, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	if (S_ISBLK(st->st_mode) || S_ISCHR(st->st_mode))
		return -ENXIO;
	/* One of another user is replaced. */
	if ((S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) && may_follow(dir, st))
		return -ESPIPE;
	return 0;
}

static int refuse(int dir, const struct stat *st, const char *path)
{
	int err = refusal(dir, st);

	if (err == -EISDIR)
		wp_err("%s is a directory", path);
	else if (err == -ENXIO)
		wp_err("%s is a %s: it is not written to", path,
		       S_ISBLK(st->st_mode) ? "block device" : "device of another user");
	else if (err)
		wp_err("%s is a pipe or a socket: name a file", path);
	return err;
}

/**
 * wp_outpath_resolve() - resolve the name of an output
 * @p: filled in
 * @path: the name
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_outpath_resolve(struct wp_outpath *p, const char *path)
{
	unsigned int links = 0;
	struct stat st = { 0 };
	int err;

	p->stream = -1;
	p->dir = split(AT_FDCWD, path, p->name, &links);
	if (p->dir < 0) {
		err = p->dir;
		p->dir = -1;
		if (err == -EXDEV)
			wp_err("cannot write %s: its directory is behind a link of another user: name the directory itself",
			       path);
		else if (err == -EISDIR)
			wp_err("%s is a directory", path);
		else
			wp_err("cannot write %s: %s", path, strerror(-err));
		return err;
	}
	links = 0;
	p->stream = find_stream(p->dir, p->name, &st, &links);
	err = 0;
	if (p->stream == -ENOENT)
		err = refuse(p->dir, &st, path);
	else if (p->stream < 0)
		wp_err("cannot write %s: %s", path, strerror(-(err = p->stream)));
	if (err || p->stream >= 0) {
		close(p->dir);
		p->dir = -1;
	}
	if (p->stream < 0)
		p->stream = -1;
	return err;
}

/**
 * wp_outpath_probe() - ask what wp_outpath_resolve() would refuse
 * @path: the name
 *
 * Nothing is opened for writing, so a file behind a descriptor keeps its content.
 *
 * Return: 0, or a negative errno: -EISDIR, -ESPIPE for a pipe or a socket, -ENXIO for a
 * device that is not written to, -EXDEV for a directory behind a link of another user, or
 * that of the directory. No message is printed.
 */
int wp_outpath_probe(const char *path)
{
	char name[NAME_MAX + 1];
	unsigned int links = 0;
	struct stat st;
	int dir, err;

	dir = split(AT_FDCWD, path, name, &links);
	if (dir < 0)
		return dir;
	err = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
	if (err == -ENOENT)
		err = 0;
	else if (!err && !(S_ISCHR(st.st_mode) && may_follow(dir, &st)))
		err = refusal(dir, &st);
	close(dir);
	return err;
}
