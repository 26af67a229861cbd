// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of CPUs: parsing of lists as "0-3,5", for -C and for files below
 * /sys/devices/system/cpu. Called by the record command.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/cpumask.h"

static int parse_cpu(const char **s, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	errno = 0;
	*cpu = strtoul(*s, &end, 10);
	if (errno || *cpu >= WP_MAX_CPUS)
		return -ERANGE;
	*s = end;
	return 0;
}

/**
 * wp_cpumask_parse() - parse a list of CPUs
 * @mask: filled in
 * @list: numbers and ranges, separated by commas; a newline may end it
 *
 * Return: 0, -EINVAL if it is no such list, -ERANGE if a number is too large.
 */
int wp_cpumask_parse(struct wp_cpumask *mask, const char *list)
{
	unsigned long first, last;
	int err;

	memset(mask, 0, sizeof(*mask));
	for (;;) {
		err = parse_cpu(&list, &first);
		if (err)
			return err;
		last = first;
		if (*list == '-') {
			list++;
			err = parse_cpu(&list, &last);
			if (err)
				return err;
		}
		if (last < first)
			return -EINVAL;
		for (; first <= last; first++)
			mask->bits[first / 64] |= 1ULL << first % 64;
		if (*list != ',')
			break;
		list++;
	}
	return !*list || !strcmp(list, "\n") ? 0 : -EINVAL;
}

/**
 * wp_cpumask_read() - parse a list of CPUs in a file
 * @mask: filled in
 * @file: such as /sys/devices/system/cpu/online
 *
 * Return: 0 or a negative errno.
 */
int wp_cpumask_read(struct wp_cpumask *mask, const char *file)
{
	char *line = NULL;
	size_t room = 0;
	int err = -EIO;
	FILE *f;

	f = fopen(file, "re");
	if (!f)
		return -errno;
	if (getline(&line, &room, f) > 0)
		err = wp_cpumask_parse(mask, line);
	free(line);
	fclose(f);
	return err;
}

/**
 * wp_cpumask_end() - the smallest number above all CPUs of the set
 * @mask: the set
 *
 * Return: the number, 0 for an empty set.
 */
unsigned int wp_cpumask_end(const struct wp_cpumask *mask)
{
	unsigned int i;

	for (i = WP_MAX_CPUS / 64; i; i--) {
		if (mask->bits[i - 1])
			return i * 64 - __builtin_clzll(mask->bits[i - 1]);
	}
	return 0;
}
