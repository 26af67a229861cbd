// SPDX-License-Identifier: GPL-2.0
/*
 * Parses the values of options that several commands have. Called while a command line is
 * parsed.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/option-values.h"
#include "lib/base/cpumask.h"
#include "lib/base/err.h"
#include "lib/device/device.h"

#define NSEC_PER_SEC	1000000000ULL
/* More than any clock shows, and less than overflows. */
#define MAX_SEC		10000000000ULL
#define PERF_PAGE	4096

/*
 * A number with a unit B, K, M or G; without one it is of so many bytes, and 0: it needs a
 * unit. What is too large is LLONG_MAX.
 */
static bool parse_size(const char *arg, unsigned int alone, unsigned long long *n)
{
	static const char units[] = "BKMG";
	const char *unit = NULL;
	char *end;

	*n = strtoull(arg, &end, 10);
	if (isdigit((unsigned char)*arg) && *end && !end[1])
		unit = strchr(units, toupper((unsigned char)*end));
	if (!isdigit((unsigned char)*arg) || (!unit && (*end || !alone)))
		return false;
	if (*n > LLONG_MAX)
		*n = LLONG_MAX;
	if (!*end)
		*n = *n > LLONG_MAX / alone ? LLONG_MAX : *n * alone;
	for (; unit && unit > units; unit--)
		*n = *n > LLONG_MAX / 1024 ? LLONG_MAX : *n * 1024;
	return true;
}

/**
 * wp_value_buffer() - parse a size; as in perf, a plain number is in pages
 * @option: name of the option, for messages
 * @arg: the text
 * @bytes: set to the size
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_buffer(const char *option, const char *arg, __u64 *bytes)
{
	unsigned long long n;

	if (!parse_size(arg, PERF_PAGE, &n) || n < 16 << 10 || n > 256 << 20) {
		wp_err("%s: '%s' is not a size from 16K to 256M (a number alone is in pages of 4 KiB)",
		       option, arg);
		return -EINVAL;
	}
	*bytes = n;
	return 0;
}

/**
 * wp_value_file_size() - parse a size of files; as in perf, it has a unit
 * @option: name of the option, for messages
 * @arg: the text
 * @bytes: set to the size
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_file_size(const char *option, const char *arg, __u64 *bytes)
{
	unsigned long long n;

	if (!parse_size(arg, 0, &n) || !n) {
		wp_err("%s: '%s' is not a size with a unit B, K, M or G, as 100M", option, arg);
		return -EINVAL;
	}
	if (n == LLONG_MAX) {
		wp_err("%s: '%s' is more than a file can have", option, arg);
		return -EINVAL;
	}
	*bytes = n;
	return 0;
}

/**
 * wp_value_int() - parse a number
 * @option: name of the option, for messages
 * @arg: the text
 * @min: the minimum, not below 0
 * @max: the maximum
 * @value: set to the number
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
 * wp_value_cpus() - parse a list of CPUs
 * @option: name of the option, for messages
 * @arg: the text
 * @cpus: set to the CPUs
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
 * wp_value_output() - parse the name of an output file
 * @arg: the text
 * @output: set to the name
 *
 * Return: 0, or -EINVAL after a message.
 */
int wp_value_output(const char *arg, const char **output)
{
	if (!*arg || !strcmp(arg, "-")) {
		wp_err("-o: the output is not a file: '%s'", arg);
		return -EINVAL;
	}
	*output = arg;
	return 0;
}

/* "12.345678", as printed by the commands; empty is @none. */
static int parse_second(const char *s, const char *end, __u64 none, __u64 *ns)
{
	__u64 sec = 0, unit = NSEC_PER_SEC / 10, part = 0;

	*ns = none;
	if (s == end)
		return 0;
	for (; s < end && isdigit((unsigned char)*s); s++) {
		sec = sec * 10 + (*s - '0');
		if (sec > MAX_SEC)
			return -ERANGE;
	}
	if (s < end && *s == '.') {
		for (s++; s < end && isdigit((unsigned char)*s); s++, unit /= 10)
			part += unit * (*s - '0');
	}
	*ns = sec * NSEC_PER_SEC + part;
	return s == end ? 0 : -EINVAL;
}

/**
 * wp_value_times() - parse --time
 * @arg: two times of a recording, in seconds, separated by a comma
 * @from: set to the first one, in ns; 0 if it is left out
 * @to: set to the second one; the largest number if it is left out
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_value_times(const char *arg, __u64 *from, __u64 *to)
{
	const char *comma = strchr(arg, ',');
	int err = -EINVAL;

	if (comma)
		err = parse_second(arg, comma, 0, from);
	if (!err)
		err = parse_second(comma + 1, arg + strlen(arg), ~0ULL, to);
	if (err || *from > *to) {
		wp_err("--time: '%s' is not two times of the recording as 12.345678,13 (either may be left out)",
		       arg);
		return -EINVAL;
	}
	return 0;
}

/**
 * wp_value_max_freq() - kernel.perf_event_max_sample_rate
 *
 * The kernel applies it to perf_event_open() only, so readers have to check it.
 *
 * Return: samples per second; 0 if it cannot be read.
 */
__u64 wp_value_max_freq(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long n = 0;

	if (f && fscanf(f, "%llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}
