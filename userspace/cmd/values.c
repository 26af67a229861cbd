// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the values of options that several commands have. Called while a command
 * line is parsed.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/values.h"
#include "lib/cpumask.h"
#include "lib/device.h"
#include "lib/err.h"

#define PERF_PAGE	4096

/* All buffers together, unless the user says otherwise; and the least of each. */
#define MAX_TOTAL	(512ULL << 20)
#define MIN_BUFFER	(128ULL << 10)

/**
 * wp_value_buffer() - read a size; as for perf, a plain number is pages
 * @option: what it is called
 * @arg: the text
 * @bytes: set to it
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_buffer(const char *option, const char *arg, __u64 *bytes)
{
	static const char units[] = "BKMG";
	const char *unit = NULL;
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(arg, &end, 10);
	if (isdigit((unsigned char)*arg) && !errno && *end && !end[1])
		unit = strchr(units, toupper((unsigned char)*end));
	if (!isdigit((unsigned char)*arg) || errno || (*end && !unit))
		goto bad;
	if (!*end)
		n = n > LLONG_MAX / PERF_PAGE ? LLONG_MAX : n * PERF_PAGE;
	for (; unit && unit > units; unit--)
		n = n > LLONG_MAX / 1024 ? LLONG_MAX : n * 1024;
	if (n < 16 << 10 || n > 256 << 20)
		goto bad;
	*bytes = n;
	return 0;
bad:
	wp_err("%s: '%s' is not a size from 16K to 256M (a number alone is in pages of 4 KiB)",
	       option, arg);
	return -EINVAL;
}

/**
 * wp_value_int() - read a number
 * @option: what it is called
 * @arg: the text
 * @min: the least that it may be, not below 0
 * @max: the most
 * @value: set to it
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_int(const char *option, const char *arg, int min, int max, int *value)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || errno || *end || n < min || n > max) {
		wp_err("%s: '%s' is not a number from %d to %d", option, arg, min, max);
		return -EINVAL;
	}
	*value = n;
	return 0;
}

/**
 * wp_value_cpus() - read a list of CPUs
 * @option: what it is called
 * @arg: the text
 * @cpus: set to it
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_cpus(const char *option, const char *arg, struct wp_cpumask *cpus)
{
	int err = wp_cpumask_parse(cpus, arg);

	if (err) {
		wp_err("%s: '%s' is not a list of CPUs as 0-3,5%s", option, arg,
		       err == -ERANGE ? ": there are not that many" : "");
		return -EINVAL;
	}
	return 0;
}

/**
 * wp_value_set_cpus() - tell the module of the CPUs that were asked for
 * @c: set to them
 * @dev: the session
 * @cpus: the CPUs; to be kept until CONFIGURE
 *
 * Return: 0, or -ERANGE after a message.
 */
int wp_value_set_cpus(struct wallprof_configure *c, const struct wp_device *dev,
		      const struct wp_cpumask *cpus)
{
	unsigned int end = wp_cpumask_end(cpus);

	if (end > dev->info.nr_cpus) {
		wp_err("-C: there is no CPU %u", end - 1);
		return -ERANGE;
	}
	c->cpus = (__u64)(uintptr_t)cpus->bits;
	c->cpus_bytes = (dev->info.nr_cpus + 63) / 64 * 8;
	return 0;
}

/**
 * wp_value_output() - read the name of the file to write
 * @arg: the text
 * @output: set to it
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_output(const char *arg, const char **output)
{
	if (!*arg || !strcmp(arg, "-")) {
		wp_err("-o: the output must be a file, '%s' is none", arg);
		return -EINVAL;
	}
	*output = arg;
	return 0;
}

/**
 * wp_value_default_buffer() - how large a buffer is if nobody says
 * @most: bytes that it has where there is enough memory
 * @buffers: how many there are, of all CPUs
 *
 * Return: bytes: @most, or half of it, and so on, so that all together get no more
 * than 512 MiB or a sixteenth of the memory, but never less than 128 KiB each.
 */
__u64 wp_value_default_buffer(__u64 most, __u64 buffers)
{
	__u64 memory = (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 16;
	__u64 total = memory < MAX_TOTAL ? memory : MAX_TOTAL;

	while (most > MIN_BUFFER && most * buffers > total)
		most /= 2;
	return most;
}
