/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a file without a build-id is the one that was recorded. See filestat.c.
 */
#ifndef WP_LIB_SYMBOLS_FILESTAT_H
#define WP_LIB_SYMBOLS_FILESTAT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <linux/types.h>

/**
 * enum wp_filestat_how - what is known of a file
 * @WP_FILESTAT_NONE: nothing
 * @WP_FILESTAT_INODE: its device and inode, from its mapping; the modification time is the
 *	end of the recording, or 0 if that is unknown
 * @WP_FILESTAT_WHOLE: all of struct wp_filestat
 * @WP_FILESTAT_CHANGED: it was changed after it was mapped: its former status is unknown
 */
enum wp_filestat_how {
	WP_FILESTAT_NONE,
	WP_FILESTAT_INODE,
	WP_FILESTAT_WHOLE,
	WP_FILESTAT_CHANGED,
};

/**
 * struct wp_filestat - status of a file when it was recorded; part of recordings
 * @kind: enum wp_filestat_how
 * @mtime_nsec: modification time, the nanoseconds
 * @maj: its device, from stat()
 * @min: the same
 * @ino: its inode
 * @size: its size
 * @mtime_sec: modification time
 */
struct wp_filestat {
	__u32 kind;
	__u32 mtime_nsec;
	__u32 maj;
	__u32 min;
	__u64 ino;
	__u64 size;
	__s64 mtime_sec;
};

struct wp_filestat wp_filestat_of(const struct stat *st);
bool wp_filestat_unchanged(const struct stat *before, const struct stat *now);
const char *wp_filestat_differs(const struct wp_filestat *was, const struct stat *now,
				bool elsewhere);

#endif /* WP_LIB_SYMBOLS_FILESTAT_H */
