// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of files that are, or are not, the one that was recorded.
 */
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/symbols/filestat.h"
#include "tap.h"

static struct stat before = {
	.st_ino = 77, .st_size = 1000, .st_nlink = 1,
	.st_mtim = { 50, 5 }, .st_ctim = { 60, 6 },
};

static bool differs(const struct wp_filestat *was, const struct stat *now, bool elsewhere)
{
	return wp_filestat_differs(was, now, elsewhere);
}

/* A recording that has the inode, and ended at some time. */
static void ends(void)
{
	struct wp_filestat was = wp_filestat_of(&before);
	struct stat now = before;

	was.kind = WP_FILESTAT_INODE;
	was.mtime_sec = 0;
	was.mtime_nsec = 0;
	ok(!differs(&was, &now, false), "the end of the recording may be unknown");
	was.mtime_sec = before.st_ctim.tv_sec;
	was.mtime_nsec = before.st_ctim.tv_nsec + 1;
	ok(!differs(&was, &now, false), "a file that changed before its end has names");
	now.st_ctim.tv_nsec++;
	ok(differs(&was, &now, false), "one whose inode changed later has none");
	ok(!differs(&was, &now, true), "the same elsewhere is the user's");
	now.st_nlink++;
	ok(!differs(&was, &now, false), "unless that may be a link to it");
	now.st_mtim = now.st_ctim;
	ok(differs(&was, &now, false), "one that was written later has none");
}

static void recorded(void)
{
	struct wp_filestat was = wp_filestat_of(&before);
	struct stat now[6];
	int i;

	ok(!differs(&was, &before, false), "the file itself has names");
	for (i = 0; i < 6; i++)
		now[i] = before;
	now[0].st_dev = makedev(8, 2);
	now[1].st_ino++;
	now[2].st_mtim.tv_nsec++;
	now[3].st_size++;
	now[4].st_mtim.tv_sec++;
	now[5].st_ctim.tv_sec++;
	for (i = 0; i < 5; i++)
		ok(differs(&was, &now[i], false), "another one has none: %d", i);
	ok(!differs(&was, &now[5], false), "another name of it changes nothing");
	for (i = 0; i < 5; i++)
		ok(!differs(&was, &now[i], true) == (i < 3),
		   "a copy has its size and seconds: %d", i);
	was.kind = WP_FILESTAT_CHANGED;
	ok(differs(&was, &before, false) && differs(&was, &before, true),
	   "one that was changed meanwhile has none");
	was.kind = WP_FILESTAT_INODE;
	was.mtime_sec = 0;
	was.mtime_nsec = 0;
	ok(differs(&was, &now[0], false) && differs(&was, &now[1], false) &&
	   !differs(&was, &now[2], false), "an inode may be all that is known");
	ends();
	was.kind = WP_FILESTAT_NONE;
	ok(differs(&was, &before, false), "of what nothing is known there are none");
	was.kind = 99;
	ok(differs(&was, &before, false), "nor of what is not understood");
}

static void while_recorded(void)
{
	struct stat now = before;

	ok(wp_filestat_unchanged(&before, &now), "a file stays as it was");
	now.st_ctim.tv_sec++;
	ok(!wp_filestat_unchanged(&before, &now), "its time was set back");
	now.st_nlink = 0;
	ok(wp_filestat_unchanged(&before, &now), "it was deleted");
	now.st_size++;
	ok(!wp_filestat_unchanged(&before, &now), "it was written, and deleted");
}

int main(void)
{
	before.st_dev = makedev(8, 1);
	recorded();
	while_recorded();
	return done();
}
