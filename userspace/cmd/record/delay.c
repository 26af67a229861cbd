// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the syntax of --delay. Called by options.c.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record/delay.h"
#include "lib/base/duration.h"
#include "lib/base/err.h"
#include "lib/record/sessionopts.h"

#define MAX_DELAY_MS	INT_MAX

/* Digits, up to MAX_DELAY_MS. @end: set to what follows. */
static bool parse_msecs(const char *arg, __u64 *ns, const char **end)
{
	unsigned long long n;
	char *rest;

	errno = 0;
	n = strtoull(arg, &rest, 10);
	*end = rest;
	*ns = n * WP_NSEC_PER_MSEC;
	return isdigit((unsigned char)*arg) && !errno && n <= MAX_DELAY_MS;
}

/**
 * wp_delay_parse() - parse the value of --delay, as perf has it; but one range only
 * @arg: a number of ms, a range of them, or -1
 * @o: gets when the recording begins and how long it lasts
 *
 * Return: 0 or -EINVAL after a message.
 */
int wp_delay_parse(const char *arg, struct wp_record_opts *o)
{
	__u64 from = ~0ULL, to = 0;
	const char *end = "";
	bool ok = true;

	if (strcmp(arg, "-1"))
		ok = parse_msecs(arg, &from, &end);
	if (ok && *end == '-')
		ok = parse_msecs(end + 1, &to, &end) && to > from;
	if (ok && to && *end == ',') {
		wp_err("--delay: '%s' is more than one range: wallprof records one", arg);
		return -EINVAL;
	}
	if (!ok || *end) {
		wp_err("--delay: '%s' is not a time as 500, in ms, a range as 500-1000, or -1",
		       arg);
		return -EINVAL;
	}
	o->later = from || to;
	o->delay_ns = from;
	o->range_ns = to ? to - from : 0;
	return 0;
}
