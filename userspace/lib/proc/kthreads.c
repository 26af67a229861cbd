// SPDX-License-Identifier: GPL-2.0
/*
 * Names of kernel threads. A kernel thread used to be forked with the name of kthreadd
 * and to get its own a little later, with a COMM record. Since Linux 6.4
 * (kernel_thread()'s @name) it has its name from the fork on: there is only the FORK
 * record, which has no name, and /proc.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/procfile.h"
#include "lib/proc/kthreads.h"

#define PF_KTHREAD	0x00200000U	/* include/linux/sched.h */

/**
 * wp_kthreads_born_named() - whether kernel threads have their names from the fork on
 * @release: the kernel's release, from uname()
 *
 * For an older kernel with a backport of that change this is unknown: its threads are
 * called kthreadd until they are looked up in /proc.
 *
 * Return: true if they certainly have.
 */
bool wp_kthreads_born_named(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 4);
}

/**
 * wp_kthreads_name() - name of a kernel thread
 * @root: root of /proc
 * @tid: the thread
 * @name: set to the name, as in /proc: for a worker, followed by what it works on
 * @size: size of @name; the rest is cut off
 *
 * Return: false if the thread is gone, or is no kernel thread.
 */
bool wp_kthreads_name(const char *root, __u32 tid, char *name, size_t size)
{
	struct wp_procfile_text stat = { 0 };
	char path[256], *begin, *end;
	unsigned int flags;
	bool good;
	ssize_t n;
	int dir;

	snprintf(path, sizeof(path), "%s/%u", root, tid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	/* On some kernels this waits for the lock that a program's execve() holds. */
	n = wp_procfile_read_at(dir, "stat", 0, WP_PROCFILE_STAT, &stat);
	close(dir);
	/* "PID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ...": see proc(5). */
	begin = n > 0 ? strchr(stat.text, '(') : NULL;
	end = begin ? strrchr(stat.text, ')') : NULL;
	good = end && end > begin &&
	       sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
	if (good) {
		*end = 0;
		snprintf(name, size, "%s", begin + 1);
	}
	free(stat.text);
	return good;
}
