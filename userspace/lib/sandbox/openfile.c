// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the opening of files whose names, or what is found there, are chosen by others: by
 * a recorded program, by a recording, by anybody who can write to a directory. Only
 * regular files are opened, and none of the kernel's own, whose opening or reading can
 * have side effects. Called by all of the reader that opens such files.
 *
 * A path is looked up first with O_PATH, which opens nothing: no driver, no FIFO, no
 * lease. The result is checked, and then the same inode is opened: nobody can replace it
 * in between.
 *
 * A file system may be served by a program that never answers. So paths that are not in
 * the kernel's cache are looked up by another process (opener.c), and a file that is not
 * on a disk (disk.c) or in memory is not opened here at all: its descriptor is O_PATH, and
 * it is opened on the way to the worker that reads it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/sandbox/disk.h"
#include "lib/sandbox/fstype.h"
#include "lib/sandbox/lookup.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED		0x20
#endif

/* Maximum number of known file systems that are served by programs. */
#define MAX_FOREIGN	256

/* Maximum depth of loop devices whose files are on loop devices. */
#define MAX_LOOPS	4

static struct {
	pthread_mutex_t lock;		/* protects all that follows */
	dev_t dev[MAX_FOREIGN];
	unsigned int nr;
} foreign = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	bool is_known;
	dev_t dev;
	enum wp_fstype type;
} ours;

static void close_quietly(int fd)
{
	int err = errno;

	close(fd);
	errno = err;
}

/* Once; the descriptor stays open. */
static void look_at_root(void)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || fstatfs(fd, &fs))
		return;
	ours.dev = st.st_dev;
	ours.type = wp_fstype_of(&fs);
	ours.is_known = ours.type == WP_FSTYPE_LOCAL;
}

static bool is_foreign(dev_t dev)
{
	unsigned int i;
	bool found = false;

	pthread_mutex_lock(&foreign.lock);
	for (i = 0; i < foreign.nr && !found; i++)
		found = foreign.dev[i] == dev;
	/* The table is full. */
	found |= foreign.nr == MAX_FOREIGN && !wp_disk_is(dev);
	pthread_mutex_unlock(&foreign.lock);
	return found;
}

/* If the number is reused, the new file system is only slower. */
static void note_foreign(dev_t dev)
{
	if (is_foreign(dev))
		return;
	pthread_mutex_lock(&foreign.lock);
	if (foreign.nr < MAX_FOREIGN)
		foreign.dev[foreign.nr++] = dev;
	pthread_mutex_unlock(&foreign.lock);
}

/*
 * The file system of our own root, which nobody can unmount, so that its number is never
 * reused; and if its server did not answer, nothing would work.
 */
static bool is_root(dev_t dev, enum wp_fstype *type)
{
	bool is = wp_openfile_is_on_root(dev) && ours.is_known;

	*type = ours.type;
	return is;
}

static bool is_on_disk(dev_t dev, int loops);

/*
 * Type of a file's file system: 0, or a negative errno if it cannot be determined. Checked
 * each time: numbers of file systems without a disk are reused by later mounts, and so are
 * those of loop devices. While @place is open they are not.
 */
static int type_below(int place, dev_t dev, enum wp_fstype *type, int loops)
{
	int err;

	*type = WP_FSTYPE_LOCAL;
	if (wp_disk_is(dev) || is_root(dev, type))
		return 0;
	err = wp_opener_type(place, dev, type);
	if (err)
		return err;
	if (*type == WP_FSTYPE_FOREIGN)
		note_foreign(dev);
	else if (*type == WP_FSTYPE_SERVED && major(dev) && is_on_disk(dev, loops))
		*type = WP_FSTYPE_LOCAL;
	return 0;
}

/* For a loop device: its file is. */
static bool is_loop_on_disk(dev_t loop, int loops)
{
	int place = loops < MAX_LOOPS ? wp_opener_backing(loop) : -1;
	enum wp_fstype type = WP_FSTYPE_SERVED;
	struct stat st;

	if (place < 0)
		return false;
	if (wp_lookup_known(place, &st) || type_below(place, st.st_dev, &type, loops + 1))
		type = WP_FSTYPE_SERVED;
	close_quietly(place);
	return type == WP_FSTYPE_LOCAL;
}

/* Whether a block device always answers, of a file system that is not FUSE. */
static bool is_on_disk(dev_t dev, int loops)
{
	int sys = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct wp_disk disk;
	unsigned int i;

	if (sys < 0)
		return false;
	wp_disk_below(sys, dev, &disk);
	close_quietly(sys);
	for (i = 0; i < disk.nr_loops && !disk.is_served; i++)
		disk.is_served = !is_loop_on_disk(disk.loop[i], loops);
	return !disk.is_served;
}

static int type_of(int place, dev_t dev, enum wp_fstype *type)
{
	return type_below(place, dev, type, 0);
}

/* Open the result of a lookup, if it is a file; closes @place. */
static int open_found(int place, struct stat *st)
{
	char path[32];
	int fd = -1, err;
	enum wp_fstype type;
	bool is_local;

	if (place < 0)
		return -1;
	if (wp_lookup_known(place, st))
		goto out;
	err = S_ISREG(st->st_mode) ? type_of(place, st->st_dev, &type) : -EINVAL;
	if (!err && type == WP_FSTYPE_KERNEL)
		err = -EINVAL;
	if (err) {
		errno = -err;
		goto out;
	}
	is_local = type == WP_FSTYPE_LOCAL;
	if (!is_local && fcntl(place, F_GETFL) & O_PATH)
		return place;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	/* O_NONBLOCK: do not wait for the holder of a lease. */
	fd = open(path, (is_local ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH) | O_CLOEXEC);
	/* On a disk, the cached status may be outdated. */
	if (fd >= 0 && is_local && fstat(fd, st)) {
		close_quietly(fd);
		fd = -1;
	}
out:
	close_quietly(place);
	return fd;
}

/* Look up in the kernel's cache only; -1 with EAGAIN if that does not suffice. */
static int find_cached(int root, const char *path, __u64 flags, __u64 resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve | RESOLVE_CACHED,
	};
	int fd = syscall(__NR_openat2, root, path, &how, sizeof(how));

	/* Older kernels, and system call filters, do not have it. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == E2BIG))
		errno = EAGAIN;
	return fd;
}

static int find_elsewhere(int root, const char *path, int flags)
{
	int fd = wp_opener_find(root, path, flags & O_NOFOLLOW);

	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

/* As in a shell. Paths in /proc differ in another process. */
static int find_plain(const char *path, int flags)
{
	int fd;

	if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/", 5))
		return open(path, O_PATH | O_CLOEXEC | flags);
	fd = find_cached(AT_FDCWD, path, flags, 0);
	return fd < 0 && errno == EAGAIN ? find_elsewhere(WP_OPENER_PLAIN, path, flags) : fd;
}

/**
 * wp_openfile_found() - open a file that was looked up before
 * @place: a descriptor of it, O_PATH or any other; stays open
 * @st: set to its status
 *
 * Return: see wp_openfile().
 */
int wp_openfile_found(int place, struct stat *st)
{
	return open_found(fcntl(place, F_DUPFD_CLOEXEC, 0), st);
}

/**
 * wp_openfile() - open a file by a name of the user's, or of our own
 * @path: its path; all links are followed
 * @flags: O_NOFOLLOW: but not one at the end
 * @st: set to its status
 *
 * Return: its descriptor, or -1 with errno; EINVAL if it is no regular file; ETIMEDOUT if
 * its server does not answer. For a file that may have a server it is O_PATH, for
 * wp_worker_ask() and for wp_openfile_known().
 */
int wp_openfile(const char *path, int flags, struct stat *st)
{
	return open_found(find_plain(path, flags & O_NOFOLLOW), st);
}

static int find_below(int root, const char *path)
{
	int fd;

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	fd = find_cached(root, path, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	return fd < 0 && errno == EAGAIN ? find_elsewhere(root, path, 0) : fd;
}

static int find_in(int root, const char *path)
{
	int here, fd;

	if (root != WP_OPENFILE_HERE)
		return find_below(root, path);
	here = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (here < 0)
		return -1;
	fd = find_below(here, path);
	close_quietly(here);
	return fd;
}

/**
 * wp_openfile_in() - open a file by a name that others chose
 * @root: descriptor of its root directory, or WP_OPENFILE_HERE
 * @path: its path there
 * @st: set to its status
 *
 * Neither ".." nor a link leads out of the root, and magic links of the kernel's are not
 * followed.
 *
 * Return: see wp_openfile().
 */
int wp_openfile_in(int root, const char *path, struct stat *st)
{
	return open_found(find_in(root, path), st);
}

/**
 * wp_openfile_place() - look up as wp_openfile_in() does, without opening
 * @root: the root, see there
 * @path: the path
 *
 * Return: an O_PATH descriptor for wp_openfile_found(), or -1 with errno.
 */
int wp_openfile_place(int root, const char *path)
{
	return find_in(root, path);
}

/**
 * wp_openfile_cached() - look up a file here without asking any file system
 * @path: its path
 *
 * Return: an O_PATH descriptor; -1 with errno, EAGAIN if it is not in the kernel's cache
 * of names. If it is not there, or the kernel does not support this, it is looked up on
 * the root's own file system only.
 */
int wp_openfile_cached(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (root < 0)
		return -1;
	path += strspn(path, "/");
	fd = find_cached(root, path, 0, RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && errno == EAGAIN)
		fd = syscall(__NR_openat2, root, path, &how, sizeof(how));
	close_quietly(root);
	return fd;
}

/**
 * wp_openfile_stat() - status of what wp_openfile_in() would open, without opening
 * @root: the root, see there
 * @path: the path
 * @st: set to its status, a regular file or not
 *
 * Return: 0, or -1 with errno.
 */
int wp_openfile_stat(int root, const char *path, struct stat *st)
{
	int place = find_in(root, path), ret;

	if (place < 0)
		return -1;
	ret = wp_lookup_known(place, st);
	close_quietly(place);
	return ret;
}

/**
 * wp_openfile_root() - open a process's root directory
 * @pid: the process
 *
 * Return: a descriptor for wp_openfile_in(), or -1 with errno.
 */
int wp_openfile_root(__u32 pid)
{
	char path[32];
	int dir, root;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* A thread that has ended has none, others of the process may have. */
	if (root >= 0 || errno != ENOENT)
		return root;
	dir = wp_procdir_open(pid);
	if (dir < 0) {
		errno = -dir;
		return -1;
	}
	root = wp_openfile_rootat(dir);
	close_quietly(dir);
	return root;
}

/**
 * wp_openfile_rootat() - the same, for a process whose directory is open
 * @dir: descriptor of /proc/PID
 *
 * Return: see wp_openfile_root().
 */
int wp_openfile_rootat(int dir)
{
	return openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/**
 * wp_openfile_known() - read a file's cached status, without asking its server
 * @fd: its descriptor, O_PATH or any other
 * @st: filled in
 *
 * Return: 0 or -1 with errno.
 */
int wp_openfile_known(int fd, struct stat *st)
{
	return wp_lookup_known(fd, st);
}

/**
 * wp_openfile_has_owner() - whether the owner that a file states can be trusted
 * @st: its cached status, after it was opened
 *
 * A program that serves files can state any owner, size and number of blocks.
 */
bool wp_openfile_has_owner(const struct stat *st)
{
	return !is_foreign(st->st_dev);
}

/**
 * wp_openfile_is_served() - whether a file may have a server that does not answer
 * @fd: its descriptor, from a function of this file
 *
 * Return: false if it is on a disk or in memory.
 */
bool wp_openfile_is_served(int fd)
{
	return fcntl(fd, F_GETFL) & O_PATH;
}

/**
 * wp_openfile_is_on_root() - whether a file system is that of our own root
 * @dev: its device
 */
bool wp_openfile_is_on_root(dev_t dev)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look_at_root);
	return ours.dev && ours.dev == dev;
}
