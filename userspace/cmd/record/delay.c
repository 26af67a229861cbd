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
#include "lib/record/session.h"

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

/* Ranges, separated by commas, each after the one before. */
static bool parse_ranges(const char *arg, struct wp_delay *d)
{
	const char *end;
	__u64 from, to;

	do {
		if (!parse_msecs(arg, &from, &end) || *end != '-' ||
		    !parse_msecs(end + 1, &to, &end) || to <= from)
			return false;
		if (d->nr == WP_MAX_TURNS || (d->nr && from <= d->at[d->nr - 1]))
			return false;
		d->at[d->nr++] = from;
		d->at[d->nr++] = to;
		arg = end + 1;
	} while (*end == ',');
	return !*end;
}

/**
 * wp_delay_parse() - parse the value of --delay, as perf has it
 * @arg: a number of ms, ranges of them, or -1
 * @o: gets when the recording begins, pauses and ends
 *
 * Return: 0 or -EINVAL after a message.
 */
int wp_delay_parse(const char *arg, struct wp_record_opts *o)
{
	struct wp_delay *d = &o->delay;
	const char *end;

	d->nr = 0;
	o->later = true;
	if (!strcmp(arg, "-1"))
		return 0;
	if (parse_msecs(arg, &d->at[0], &end) && !*end) {
		o->later = d->at[0];
		d->nr = o->later;
		return 0;
	}
	if (parse_ranges(arg, d))
		return 0;
	wp_err("--delay: '%s' is not a time as 500, in ms, a range as 500-1000, up to %u of them in order, or -1",
	       arg, WP_MAX_TURNS / 2);
	return -EINVAL;
}

/**
 * wp_delay_check() - check what it is combined with
 * @o: the options
 *
 * Return: 0 or -EINVAL after a message.
 */
int wp_delay_check(const struct wp_record_opts *o)
{
	const char *one_part = wp_recording_one_part(o);

	if (o->delay.nr <= 2 || !one_part)
		return 0;
	wp_err("--delay: several ranges cannot be recorded: %s", one_part);
	return -EINVAL;
}
