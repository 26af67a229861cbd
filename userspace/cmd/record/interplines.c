// SPDX-License-Identifier: GPL-2.0
/*
 * Prints how many stacks of a recording have Python functions, and how many of these, and of
 * interpreted methods of Java, have no name. Called by summary.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/record/interplines.h"
#include "cmd/record/line.h"

/* How walks of stacks with an interpreter ended. */
static const char *const names[WALLPROF_INTERP_MAX] = {
	[WALLPROF_INTERP_READ] = "with all Python functions",
	[WALLPROF_INTERP_NO_STATE] = "none is executed",
	[WALLPROF_INTERP_FAULT] = "memory not present",
	[WALLPROF_INTERP_BAD] = "bad frames",
	[WALLPROF_INTERP_DEEP] = "too deep",
	[WALLPROF_INTERP_RUNS] = "native stack differs",
	[WALLPROF_INTERP_NO_ROOM] = "with those that have room",
};

/* The most frequent of the reasons from @from on. */
static unsigned int most_of(const __u64 *n, unsigned int from, unsigned int nr)
{
	unsigned int most = from;

	while (++from < nr)
		most = n[from] > n[most] ? from : most;
	return most;
}

static void method_line(const struct wp_jvmmethods_stats *s)
{
	__u64 unread = sum(s->unread, WP_JVMMETHODS_REASONS);

	if (unread)
		print("%" PRIu64 " of %" PRIu64 " interpreted Java methods not read, most as: %s",
		      (uint64_t)unread, (uint64_t)s->frames,
		      wp_jvmmethods_reason(most_of(s->unread, 0, WP_JVMMETHODS_REASONS)));
}

static void method_details(const struct wp_jvmmethods_stats *s)
{
	unsigned int i;

	if (s->frames)
		fprintf(stderr, "  interpreted Java methods in samples: %" PRIu64 ", of %" PRIu64
			" names that were read\n",
			(uint64_t)s->frames, (uint64_t)s->methods);
	for (i = 0; i < WP_JVMMETHODS_REASONS; i++) {
		if (s->unread[i])
			fprintf(stderr, "    %5.1f %%  not read: %s\n",
				percent(s->unread[i], s->frames), wp_jvmmethods_reason(i));
	}
}

/**
 * wp_record_interp_lines() - print how many stacks have interpreted functions, and names of these
 * @s: the statistics
 */
void wp_record_interp_lines(const struct wp_record_stats *s)
{
	__u64 all = sum(s->interps, WALLPROF_INTERP_MAX);
	__u64 unread = sum(s->rows.unread, WP_INTERPCODES_REASONS);
	__u64 left[WALLPROF_INTERP_MAX];
	unsigned int most;

	memcpy(left, s->interps, sizeof(left));
	left[WALLPROF_INTERP_READ] = 0;
	most = most_of(left, 0, WALLPROF_INTERP_MAX);
	if (all && !left[most])
		print("Python functions: whole in all %" PRIu64 " walks of stacks of an interpreter",
		      (uint64_t)all);
	else if (all)
		print("Python functions: whole in %.1f %% of walks of stacks of an interpreter; most of the others: %s",
		      percent(s->interps[WALLPROF_INTERP_READ], all), names[most]);
	if (unread)
		print("%" PRIu64 " of %" PRIu64 " Python functions not read, most as: %s",
		      (uint64_t)unread, (uint64_t)s->rows.frames,
		      wp_interpcodes_reason(most_of(s->rows.unread, 0, WP_INTERPCODES_REASONS)));
	method_line(&s->methods);
}

/**
 * wp_record_interp_details() - print the same with all reasons, for -v
 * @s: the statistics
 */
void wp_record_interp_details(const struct wp_record_stats *s)
{
	__u64 all = sum(s->interps, WALLPROF_INTERP_MAX);
	unsigned int i;

	if (all)
		fprintf(stderr, "  walks of stacks of an interpreter: %" PRIu64 "\n",
			(uint64_t)all);
	for (i = 0; i < WALLPROF_INTERP_MAX; i++) {
		if (s->interps[i])
			fprintf(stderr, "    %5.1f %%  %s\n", percent(s->interps[i], all),
				names[i]);
	}
	if (s->rows.frames)
		fprintf(stderr, "  Python functions in samples: %" PRIu64 ", of %" PRIu64
			" code objects that were read\n",
			(uint64_t)s->rows.frames, (uint64_t)s->rows.codes);
	for (i = 0; i < WP_INTERPCODES_REASONS; i++) {
		if (s->rows.unread[i])
			fprintf(stderr, "    %5.1f %%  not read: %s\n",
				percent(s->rows.unread[i], s->rows.frames),
				wp_interpcodes_reason(i));
	}
	method_details(&s->methods);
}
