// SPDX-License-Identifier: GPL-2.0
/*
 * Decides whether a file can be recognized later by its status alone: device, inode, size,
 * owner and times. That needs a change time that nobody can set, and that is another one
 * after each change of the contents:
 *
 * - Only on file systems that have one. An image that is mounted read-only may have the
 *   time at which it was built in all files, and so may the next version of the image.
 * - Only if the last change is old. One that follows may have the same time otherwise, as
 *   some file systems count seconds; and a page that is mapped for writing has the time of
 *   its first change until it is written back, which Linux does within 35 s by default. If
 *   the file is old when it is recognized, and is then read, all later changes have other
 *   times.
 */
#include <linux/magic.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "lib/base/fileident.h"

#define F2FS_MAGIC	0xf2f52010
#define XFS_MAGIC	0x58465342

/* Disks, and without layers: below overlayfs there may be anything. */
static bool has_change_times(const struct statfs *fs)
{
	switch ((__u32)fs->f_type) {
	case EXT4_SUPER_MAGIC:	/* ext2 and ext3, too */
	case XFS_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_MAGIC:
		return !(fs->f_flags & ST_RDONLY);
	}
	return false;
}

/**
 * wp_fileident_set() - identify a file by its status
 * @ident: filled in
 * @st: the status
 * @fs: that of its file system
 * @now: time in seconds
 *
 * Return: whether a file that has the same identity later has the same contents.
 */
bool wp_fileident_set(struct wp_fileident *ident, const struct stat *st, const struct statfs *fs,
		      __s64 now)
{
	memset(ident, 0, sizeof(*ident));
	memcpy(&ident->fs, &fs->f_fsid, sizeof(ident->fs));
	ident->dev = st->st_dev;
	ident->ino = st->st_ino;
	ident->size = st->st_size;
	ident->modified[0] = st->st_mtim.tv_sec;
	ident->modified[1] = st->st_mtim.tv_nsec;
	ident->changed[0] = st->st_ctim.tv_sec;
	ident->changed[1] = st->st_ctim.tv_nsec;
	ident->owner = st->st_uid;
	return S_ISREG(st->st_mode) && has_change_times(fs) &&
	       st->st_ctim.tv_sec < now - WP_FILEIDENT_AGE;
}

/**
 * wp_fileident_of() - identify an open file, on a disk: no server is waited for
 * @ident: filled in
 * @fd: the file
 *
 * Return: see wp_fileident_set().
 */
bool wp_fileident_of(struct wp_fileident *ident, int fd)
{
	struct timespec now;
	struct statfs fs;
	struct stat st;

	/* The system's clock, which file systems use. */
	return !fstatfs(fd, &fs) && has_change_times(&fs) && !fstat(fd, &st) &&
	       !clock_gettime(CLOCK_REALTIME, &now) &&
	       wp_fileident_set(ident, &st, &fs, now.tv_sec);
}

/**
 * wp_fileident_same() - compare
 * @a: an identity
 * @b: another
 */
bool wp_fileident_same(const struct wp_fileident *a, const struct wp_fileident *b)
{
	return !memcmp(a, b, sizeof(*a));
}
