// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how files are opened whose names, or what is there by them, are up to others: a
 * program that is recorded, a recording, whoever may write to a directory. Only regular
 * files are opened, none of the kernel's, whose opening or reading can do something. Called
 * by all of the reader that opens such files.
 *
 * A name is looked up first, by O_PATH, which opens nothing: no driver, no FIFO, no lease.
 * What was found is looked at, and then that very inode is opened: between both, nobody can
 * put another one in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/openfile.h"
#include "lib/procdir.h"

/* As the kernel has it. */
#define MAX_LINKS	40

/* Directories below each other, where there is no openat2(). */
#define MAX_DEPTH	128

/* A directory that is moved while a name is looked up: so often it is tried again. */
#define MAX_TRIES	8

static void close_quietly(int fd)
{
	int err = errno;

	close(fd);
	errno = err;
}

/* File systems whose files are functions of the kernel. */
static bool is_kernels(int fd)
{
	static const __u32 types[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, SMACK_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, BINFMTFS_MAGIC, RDTGROUP_SUPER_MAGIC,
		DEVPTS_SUPER_MAGIC, NSFS_MAGIC, SOCKFS_MAGIC, PIPEFS_MAGIC, ANON_INODE_FS_MAGIC,
		0x62656570,	/* configfs */
		0x65735543,	/* fusectl */
		0x19800202,	/* mqueue */
		0x67596969,	/* rpc_pipefs */
	};
	struct statfs fs;
	size_t i;

	if (fstatfs(fd, &fs))
		return true;
	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if ((__u32)fs.f_type == types[i])
			return true;
	}
	return false;
}

/* Opens what was found, if it is a file; @place is closed. */
static int open_found(int place, struct stat *st)
{
	char path[32];
	int fd = -1;

	if (place < 0)
		return -1;
	if (fstat(place, st))
		goto out;
	if (!S_ISREG(st->st_mode) || is_kernels(place)) {
		errno = EINVAL;
		goto out;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	/* O_NONBLOCK: nor is it waited for who has a lease of it. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
out:
	close_quietly(place);
	return fd;
}

/**
 * wp_openfile_found() - open a file that was found before
 * @place: a descriptor of O_PATH, or any other, of it; stays open
 * @st: out: what it is
 *
 * Return: see wp_openfile().
 */
int wp_openfile_found(int place, struct stat *st)
{
	return open_found(fcntl(place, F_DUPFD_CLOEXEC, 0), st);
}

/**
 * wp_openfile() - open a file of a name that the user chose, or that is ours
 * @path: its name; all links are followed
 * @flags: O_NOFOLLOW: but not if the name itself is one
 * @st: out: what it is
 *
 * Return: its descriptor, or -1 with errno; EINVAL if it is no regular file.
 */
int wp_openfile(const char *path, int flags, struct stat *st)
{
	return open_found(open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)), st);
}

/**
 * wp_openfile_at() - open a file that the kernel has a link to
 * @dir: descriptor of /proc/PID
 * @name: the link, below it: "map_files/..."
 * @st: out: what it is
 *
 * Return: see wp_openfile().
 */
int wp_openfile_at(int dir, const char *name, struct stat *st)
{
	return open_found(openat(dir, name, O_PATH | O_CLOEXEC), st);
}

/* Directories from the root to where a name has led so far, and what is left of it. */
struct walk {
	int dir[MAX_DEPTH];
	int nr;
	int links;
	char left[2 * PATH_MAX];
};

static void go_up(struct walk *w, int to)
{
	/* The first one is the caller's. */
	while (w->nr > to)
		close_quietly(w->dir[--w->nr]);
}

/* A link's text takes its place in the name. */
static bool follow(struct walk *w, int link, const char *rest)
{
	char text[2 * PATH_MAX];
	struct statfs fs;
	ssize_t len;

	/* What the kernel links leads anywhere. */
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

/* One step along the name; 1 if it was the last, then @found is what is there. */
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
	fd = openat(w->dir[w->nr - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
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

/*
 * As openat2() does it, where a kernel or a filter of system calls does not have it. The way
 * back is kept, as ".." of a directory that is moved meanwhile leads elsewhere.
 */
static int walk(int root, const char *path)
{
	struct walk w = { .dir = { root }, .nr = 1 };
	int ret, found = -1;

	if (strlen(path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(w.left, path);
	do {
		ret = step(&w, &found);
	} while (!ret);
	go_up(&w, 1);
	return found;
}

static int find_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int tries, fd;

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	for (tries = 0; tries < MAX_TRIES; tries++) {
		fd = syscall(__NR_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != ENOSYS && errno != EPERM))
			return fd;
		if (errno != EAGAIN)
			break;
	}
	return walk(root, path);
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
 * wp_openfile_in() - open a file of a name that others chose
 * @root: descriptor of the directory that is its root, or WP_OPENFILE_HERE
 * @path: its name there
 * @st: out: what it is
 *
 * Neither ".." nor a link leads out of the root, and none that the kernel makes up is
 * followed.
 *
 * Return: see wp_openfile().
 */
int wp_openfile_in(int root, const char *path, struct stat *st)
{
	return open_found(find_in(root, path), st);
}

/**
 * wp_openfile_place() - find what wp_openfile_in() would open, and open nothing
 * @root: see there
 * @path: the same
 *
 * Return: a descriptor of O_PATH for wp_openfile_found(), or -1 with errno.
 */
int wp_openfile_place(int root, const char *path)
{
	return find_in(root, path);
}

/* From 5.12 on. */
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED	0x20
#endif

/**
 * wp_openfile_cached() - find a file here without asking any file system
 * @path: its name
 *
 * Return: a descriptor of O_PATH; -1 with errno, EAGAIN if it is not in the kernel's cache of
 * names. A kernel that cannot do that looks only on the root's own file system.
 */
int wp_openfile_cached(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED,
	};
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd, tries;

	if (root < 0)
		return -1;
	path += strspn(path, "/");
	/* Whoever renames something meanwhile makes it fail, too. */
	for (tries = 0; tries < MAX_TRIES; tries++) {
		fd = syscall(__NR_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	if (fd < 0 && errno == EINVAL) {
		how.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
		fd = syscall(__NR_openat2, root, path, &how, sizeof(how));
	}
	close_quietly(root);
	return fd;
}

/**
 * wp_openfile_stat() - look at what wp_openfile_in() would open, and open nothing
 * @root: see there
 * @path: the same
 * @st: out: what it is, a regular file or not
 *
 * Return: 0, or -1 with errno.
 */
int wp_openfile_stat(int root, const char *path, struct stat *st)
{
	int place = find_in(root, path), ret;

	if (place < 0)
		return -1;
	ret = fstat(place, st);
	close_quietly(place);
	return ret;
}

/**
 * wp_openfile_root() - a process's root directory
 * @pid: the process
 *
 * Return: a descriptor for wp_openfile_in(), or -1 with errno.
 */
int wp_openfile_root(__u32 pid)
{
	int dir = wp_procdir_open(pid), root;

	if (dir < 0) {
		errno = -dir;
		return -1;
	}
	root = wp_openfile_rootat(dir);
	close_quietly(dir);
	return root;
}

/**
 * wp_openfile_rootat() - the same, of a process whose directory is open
 * @dir: descriptor of /proc/PID
 *
 * Return: see wp_openfile_root().
 */
int wp_openfile_rootat(int dir)
{
	return openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}
