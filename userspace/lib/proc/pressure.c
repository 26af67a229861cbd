// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the reading of /proc/pressure/memory (Documentation/accounting/psi.rst in the kernel's
 * source): shares of the last 10, 60 and 300 seconds in which some of the tasks that have work
 * waited for memory, and in which all of them did.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/proc/pressure.h"

#define PATH	"/proc/pressure/memory"

/* Two lines of three averages and a sum. */
#define MAX_TEXT	512

/**
 * wp_pressure_parse() - find the share of the last ten seconds in which no task could run
 * @text: what the kernel's file of a resource has
 *
 * Return: hundredths of a percent; or -EINVAL: it has none.
 */
int wp_pressure_parse(const char *text)
{
	unsigned int whole, hundredths;
	const char *line = text;
	int end = 0;

	while (line && strncmp(line, "full ", 5)) {
		line = strchr(line, '\n');
		line += !!line;
	}
	if (!line || sscanf(line, "full avg10=%3u.%2u%n", &whole, &hundredths, &end) != 2)
		return -EINVAL;
	if ((line[end] != ' ' && line[end] != '\n') || !isdigit(line[end - 2]) || whole > 100)
		return -EINVAL;
	return whole * WP_PRESSURE_PERCENT + hundredths;
}

/**
 * wp_pressure_memory() - how short memory is
 *
 * Return: the share of the last ten seconds in which no task of the host that has work could
 * run, for want of memory, in hundredths of a percent; or a negative errno: -ENOENT if the
 * kernel does not account that, -EOPNOTSUPP if it could, by psi=1 on its command line.
 */
int wp_pressure_memory(void)
{
	char text[MAX_TEXT];
	ssize_t len;
	int fd, err;

	fd = open(PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, text, sizeof(text) - 1);
	err = len < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	text[len] = 0;
	return wp_pressure_parse(text);
}
