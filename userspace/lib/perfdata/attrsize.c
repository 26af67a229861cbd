// SPDX-License-Identifier: GPL-2.0
/*
 * Chooses the size of the attrs of a file. perf refuses larger attrs than its own, whatever
 * they have in them, and where the kernel is older than 5.5, perf mostly is, too: there the
 * file has smaller ones, which lack nothing that is used.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/perfdata/attrsize.h"

/* More than any kernel has: it is refused, and the kernel's own size is written over it. */
#define TOO_LARGE	0x100000

/**
 * wp_attrsize_of() - size of the attrs of a file, for a kernel
 * @kernels: size of the attrs that the kernel has, or 0 if that is unknown
 *
 * Return: the size.
 */
unsigned int wp_attrsize_of(unsigned int kernels)
{
	return kernels >= WP_ATTRSIZE_OLDEST && kernels < WP_ATTRSIZE ? WP_ATTRSIZE_OLDEST :
									WP_ATTRSIZE;
}

/**
 * wp_attrsize_here() - size of the attrs of a file, for the running kernel
 *
 * Return: the size.
 */
unsigned int wp_attrsize_here(void)
{
	struct perf_event_attr attr = { .size = TOO_LARGE };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return wp_attrsize_of(fd < 0 && errno == E2BIG ? attr.size : 0);
}
