// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the comparison of a file with its recorded status. Called by buildid.c during the
 * recording, and by symbolfile.c.
 *
 * A file with a build-id is identified by that. Without one, device, inode, size and
 * modification time must be unchanged: a wrong name is worse than none. Of a mapping alone,
 * as perf records it, device and inode are known: a file can be written, and an inode can
 * be used again. So it must not have changed after the recording.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/symbols/filestat.h"

/**
 * wp_filestat_of() - status to record of a file
 * @st: the file
 */
struct wp_filestat wp_filestat_of(const struct stat *st)
{
	return (struct wp_filestat){
		.kind = WP_FILESTAT_WHOLE,
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
 * wp_filestat_unchanged() - whether a file's contents are unchanged
 * @before: its status when it was first seen
 * @now: its current status
 *
 * The modification time can be set back, the inode's change time cannot; but adding or
 * removing hard links changes that, too, which shows in their number.
 */
bool wp_filestat_unchanged(const struct stat *before, const struct stat *now)
{
	return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
	       before->st_size == now->st_size &&
	       same_time(&before->st_mtim, &now->st_mtim) &&
	       (same_time(&before->st_ctim, &now->st_ctim) ||
		before->st_nlink != now->st_nlink);
}

static bool is_after(const struct timespec *t, const struct wp_filestat *was)
{
	return t->tv_sec > was->mtime_sec ||
		(t->tv_sec == was->mtime_sec && t->tv_nsec >= was->mtime_nsec);
}

/*
 * Whether it was changed after a recording that has no status of it. The inode's change
 * time counts, as that of the contents can be set back; but not if the file has several
 * links: perf adds one, in its cache.
 */
static bool is_later(const struct wp_filestat *was, const struct stat *now)
{
	if (!was->mtime_sec && !was->mtime_nsec)
		return false;
	return is_after(&now->st_mtim, was) ||
		(now->st_nlink == 1 && is_after(&now->st_ctim, was));
}

/**
 * wp_filestat_differs() - whether a file differs from the recorded one
 * @was: the recorded status
 * @now: the file's status
 * @elsewhere: it is a copy at a place given by the user: neither device, inode nor
 *	fractions of seconds have to match
 *
 * Return: NULL if it is the same file; else the reason why it is not, or why that is
 * unknown.
 */
const char *wp_filestat_differs(const struct wp_filestat *was, const struct stat *now,
				bool elsewhere)
{
	static const char other[] =
		"another file is there than was recorded, by inode, size and time";
	bool moved = was->ino != now->st_ino || was->maj != major(now->st_dev) ||
		was->min != minor(now->st_dev);

	switch (was->kind) {
	case WP_FILESTAT_CHANGED:
		return "it was changed after it had been mapped";
	case WP_FILESTAT_INODE:
		if (elsewhere)
			return NULL;
		return moved ? other : is_later(was, now) ?
			"it was changed after the recording" : NULL;
	case WP_FILESTAT_WHOLE:
		break;
	default:
		return elsewhere ? NULL : "the recording does not identify the file";
	}
	if (was->size != (__u64)now->st_size || was->mtime_sec != now->st_mtim.tv_sec)
		return other;
	if (!elsewhere && (moved || was->mtime_nsec != now->st_mtim.tv_nsec))
		return other;
	return NULL;
}
