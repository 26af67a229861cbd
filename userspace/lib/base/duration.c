// SPDX-License-Identifier: GPL-2.0
/*
 * Parses times in options: a number and its unit.
 *
 * Pure: no I/O, no memory.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"

/**
 * wp_duration_parse() - parse a time
 * @arg: a whole number followed by ns, us, ms or s; "0" needs no unit
 * @unit: nanoseconds of the default unit
 * @ns: set to the time
 *
 * Return: 0; -EINVAL if it is invalid; -ERANGE if it is 2^63 nanoseconds or longer.
 */
int wp_duration_parse(const char *arg, __u64 unit, __u64 *ns)
{
	static const struct {
		const char *name;
		__u64 ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", WP_NSEC_PER_USEC },
		{ "ms", WP_NSEC_PER_MSEC },
		{ "s", 1000 * WP_NSEC_PER_MSEC },
	};
	unsigned long long n;
	size_t i;
	char *end;

	if (!isdigit((unsigned char)*arg))
		return -EINVAL;
	errno = 0;
	n = strtoull(arg, &end, 10);
	if (*end) {
		for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (!strcmp(end, units[i].name))
				break;
		}
		if (i == sizeof(units) / sizeof(units[0]))
			return -EINVAL;
		unit = units[i].ns;
	}
	if (errno || n > (~0ULL >> 1) / unit)
		return -ERANGE;
	*ns = n * unit;
	return 0;
}
