/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files below /proc/PID whose reading takes a lock of the process: maps, map_files, stack
 * and, on some kernels, stat among them; not status and comm. The holder may never release
 * that lock, and the reader would wait as long, in an uninterruptible wait. So such files
 * are opened and read by threads that can be abandoned. Called from any thread.
 */
#ifndef WP_LIB_BASE_PROCFILE_H
#define WP_LIB_BASE_PROCFILE_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <linux/types.h>

/**
 * struct wp_procfile_text - contents of a file; reusable
 * @text: the text, with a terminating 0; NULL at first
 * @room: allocated bytes
 */
struct wp_procfile_text {
	char *text;
	size_t room;
};

/**
 * struct wp_procfile_stats - statistics
 * @busy: number of abandoned calls
 * @refused: reads that were not tried, as too many threads are blocked
 */
struct wp_procfile_stats {
	__u64 busy;
	__u64 refused;
};

/* No file "stat" is larger. */
#define WP_PROCFILE_STAT	4096

ssize_t wp_procfile_read(int dir, const char *path, struct wp_procfile_text *t);
ssize_t wp_procfile_read_at(int dir, const char *path, __u64 from, size_t size,
			    struct wp_procfile_text *t);
int wp_procfile_open_all(int dir, const char *const *path, int *fd, unsigned int nr, int flags);
int wp_procfile_open(int dir, const char *path, int flags);
uid_t wp_procfile_user(int dir);
void wp_procfile_hurry(void);
void wp_procfile_stats(struct wp_procfile_stats *stats);

#endif /* WP_LIB_BASE_PROCFILE_H */
