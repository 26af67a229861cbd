// SPDX-License-Identifier: GPL-2.0
/*
 * Reads which CPUs are present, online or not. Called by perfdata.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/presentcpus.h"

/**
 * wp_presentcpus_read() - all present CPUs, online or not
 * @cpus: set to their numbers, in rising order; to be freed
 * @nr: set to how many there are
 *
 * Return: 0, -ENOMEM, or -ENODEV if there is none.
 */
int wp_presentcpus_read(int **cpus, unsigned int *nr)
{
	char line[4096] = "", *p = line, *end;
	int fd, *v;
	ssize_t n = 0;

	fd = open("/sys/devices/system/cpu/present", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, line, sizeof(line) - 1);
		close(fd);
	}
	if (n <= 0)
		snprintf(line, sizeof(line), "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	v = calloc(WP_PRESENTCPUS_MAX, sizeof(*v));
	if (!v)
		return -ENOMEM;
	*nr = 0;
	while (*p) {
		long from = strtol(p, &end, 10), to = from;

		if (end == p)
			break;
		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		for (; from >= 0 && from <= to && *nr < WP_PRESENTCPUS_MAX; from++)
			v[(*nr)++] = from;
		p = *end == ',' ? end + 1 : end;
	}
	*cpus = v;
	return *nr ? 0 : -ENODEV;
}
