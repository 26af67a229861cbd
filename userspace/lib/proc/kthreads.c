// SPDX-License-Identifier: GPL-2.0
/*
 * Names of kernel threads. A kernel thread used to be forked with the name of kthreadd
 * and to get its own a little later, with a COMM record. Since Linux 6.4
 * (kernel_thread()'s @name) it has its name from the fork on: there is only the FORK
 * record, which has no name, and /proc.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	char path[256], stat[512], *begin, *end;
	unsigned int flags;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/stat", root, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return false;
	stat[n] = 0;
	/* "PID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ...": see proc(5). */
	begin = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!begin || !end || end < begin ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
	    !(flags & PF_KTHREAD))
		return false;
	*end = 0;
	snprintf(name, size, "%s", begin + 1);
	return true;
}
