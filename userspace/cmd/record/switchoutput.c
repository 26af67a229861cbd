// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the syntax of --switch-output, which is perf's, and what it cannot be combined
 * with. Called by options.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/record/switchoutput.h"
#include "lib/base/err.h"
#include "lib/record/sessionopts.h"

#define NSEC_PER_SEC	1000000000ULL

/* Three hundred years are enough. */
#define MAX_SEC		10000000000ULL

/* A number of seconds, minutes, hours or days. */
static bool parse_time(const char *arg, __u64 *ns)
{
	static const struct {
		char name;
		unsigned int sec;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	unsigned long long n;
	unsigned int i;
	char *end;

	errno = 0;
	n = strtoull(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || errno || !n || !*end || end[1])
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].name == *end) {
			*ns = NSEC_PER_SEC * units[i].sec * n;
			return n <= MAX_SEC / units[i].sec;
		}
	}
	return false;
}

/**
 * wp_switch_output_parse() - parse the value
 * @arg: "signal", a size as 100M, a time as 30s, 5m, 1h or 1d; or NULL
 * @s: filled in
 *
 * Minutes are m and megabytes M, as in perf.
 *
 * Return: 0 or -EINVAL after a message.
 */
int wp_switch_output_parse(const char *arg, struct wp_switching *s)
{
	const char *unit = arg ? arg + strspn(arg, "0123456789") : "";

	s->on = true;
	s->on_signal = !arg || !strcmp(arg, "signal");
	s->bytes = 0;
	s->ns = 0;
	if (s->on_signal || parse_time(arg, &s->ns))
		return 0;
	if (unit > arg && *unit && strchr("BKMG", *unit) && !unit[1])
		return wp_value_file_size("--switch-output", arg, &s->bytes);
	wp_err("--switch-output: '%s' is not signal, a size as 100M in B, K, M or G, or a time as 30s in s, m, h or d",
	       arg);
	return -EINVAL;
}

/**
 * wp_switch_output_check() - check what it is combined with
 * @o: the options; a file that others follow gets a name of its own
 *
 * Return: 0 or -EINVAL after a message.
 */
int wp_switch_output_check(struct wp_record_opts *o)
{
	struct wp_switching *s = &o->switching;

	if (s->max_files && !s->on) {
		wp_err("--switch-max-files is for --switch-output");
		return -EINVAL;
	}
	if (s->on && o->timeline) {
		wp_err("--switch-output and --timeline cannot be combined: a timeline has one file; see 'wallprof sched record --overwrite'");
		return -EINVAL;
	}
	s->has_names |= s->on;
	return 0;
}
