// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the comparison of a file with what was recorded of it. Called by buildid.c while
 * recording, and by symbols.c.
 *
 * A file that has a build-id is known by that. Of one that has none, device, inode, size
 * and time of change must be as they were: a wrong name is worse than none.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/symbols/filestat.h"

/**
 * wp_filestat_of() - what is to be recorded of a file
 * @st: the file
 */
struct wp_filestat wp_filestat_of(const struct stat *st)
{
	return (struct wp_filestat){
		.how = WP_FILESTAT_WHOLE,
		.mtime_nsec = st->st_mtim.tv_nsec,
		.maj = major(st->st_dev),
		.min = minor(st->st_dev),
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime_sec = st->st_mtim.tv_sec,
	};
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/**
 * wp_filestat_unchanged() - does a file have the contents that it had?
 * @before: the file as it was seen first
 * @now: as it is
 *
 * The time of change can be set back, that of the last change of the inode cannot; but
 * names that are added or taken away change it, too, which is seen by their number.
 */
bool wp_filestat_unchanged(const struct stat *before, const struct stat *now)
{
	return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
	       before->st_size == now->st_size &&
	       same_time(&before->st_mtim, &now->st_mtim) &&
	       (same_time(&before->st_ctim, &now->st_ctim) ||
		before->st_nlink != now->st_nlink);
}

/**
 * wp_filestat_differs() - is a file another one than was recorded?
 * @was: what was recorded of it
 * @now: the file
 * @elsewhere: it is a copy that the user named the place of: neither device, inode nor
 *	fractions of seconds have to be the same
 *
 * Return: NULL if it is that file; why not, or why that is not known.
 */
const char *wp_filestat_differs(const struct wp_filestat *was, const struct stat *now,
				bool elsewhere)
{
	static const char other[] =
		"another file is there than was recorded, by inode, size and time";
	bool moved = was->ino != now->st_ino || was->maj != major(now->st_dev) ||
		was->min != minor(now->st_dev);

	switch (was->how) {
	case WP_FILESTAT_CHANGED:
		return "it was changed after it had been mapped";
	case WP_FILESTAT_INODE:
		return moved && !elsewhere ? other : NULL;
	case WP_FILESTAT_WHOLE:
		break;
	default:
		return elsewhere ? NULL : "the recording does not say which file was there";
	}
	if (was->size != (__u64)now->st_size || was->mtime_sec != now->st_mtim.tv_sec)
		return other;
	if (!elsewhere && (moved || was->mtime_nsec != now->st_mtim.tv_nsec))
		return other;
	return NULL;
}
