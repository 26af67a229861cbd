// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the question whose a file is, for limits and for the worker that reads it: a user's
 * in a file system. The file system of our own root has directories of containers, too,
 * whose root is ours where they have no user namespace, and copies of their files. So
 * root's files there differ by the directory in "/" as well, which nobody else creates.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/sandbox/fileowner.h"
#include "lib/sandbox/openfile.h"

/**
 * wp_fileowner_of() - the owner of a file
 * @fd: the file
 * @st: its cached status
 *
 * Return: the owner.
 */
struct wp_fileowner wp_fileowner_of(int fd, const struct stat *st)
{
	struct wp_fileowner owner = { .uid = st->st_uid, .dev = st->st_dev };
	char link[64], path[PATH_MAX];
	struct stat here;
	ssize_t n;
	int place;

	if (st->st_uid || !wp_openfile_is_on_root(st->st_dev))
		return owner;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return owner;
	path[n] = '\0';
	/* Of another mount namespace, it leads to another file, or to none. */
	place = wp_openfile_cached(path);
	if (place < 0)
		return owner;
	if (!wp_openfile_known(place, &here) && here.st_ino == st->st_ino &&
	    here.st_dev == st->st_dev)
		snprintf(owner.top, sizeof(owner.top), "%.*s", (int)strcspn(path + 1, "/"),
			 path + 1);
	close(place);
	return owner;
}

/**
 * wp_fileowner_same() - whether two owners are the same
 * @a: one
 * @b: the other
 */
bool wp_fileowner_same(const struct wp_fileowner *a, const struct wp_fileowner *b)
{
	return a->uid == b->uid && a->dev == b->dev && !strcmp(a->top, b->top);
}
