// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the description of a recording: host, time and command, and what is missing.
 * Called by commands that draw or convert.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/common/info.h"
#include "cmd/common/samples.h"

/* Append a sentence about @nr things that are missing. */
static void add_lost(struct wp_about *about, __u64 nr, const char *before, const char *after)
{
	size_t len = strlen(about->lost);

	if (nr)
		snprintf(about->lost + len, sizeof(about->lost) - len, "%s%s%" PRIu64 " %s.",
			 len ? " " : "", before, (uint64_t)nr, after);
}

static void tell_lost(struct wp_about *about, const struct wp_samples *s)
{
	struct wp_profile_stats stats;
	size_t len;

	wp_profile_stats(s->profile, &stats);
	add_lost(about, stats.lost, "LOST ", "events while it was recorded");
	add_lost(about, stats.damaged, "", "records are damaged and left out");
	add_lost(about, stats.no_stack, "", "samples are without their stacks: there are too many");
	len = strlen(about->lost);
	if (s->o->chosen)
		snprintf(about->lost + len, sizeof(about->lost) - len,
			 "%sOnly a part of the recording was asked for (--%s).", len ? " " : "",
			 s->o->chosen);
}

static void tell_scale(struct wp_about *about, const struct wp_samples *s)
{
	struct wp_samples_scale scale;

	if (wp_samples_scale(s, &scale) && scale.run_ns)
		snprintf(about->scaled, sizeof(about->scaled),
			 "samples stand for %.3f of %.3f s run: scaled, thread by thread",
			 (double)scale.sampled_ns / 1e9, (double)scale.run_ns / 1e9);
}

/* Title that identifies a picture among others. */
static void make_title(struct wp_about *about)
{
	const char *command = about->command, *word;

	if (!command || !about->host)
		return;
	/* Drop the directory of the program. */
	for (word = command; *word && *word != ' '; word++) {
		if (*word == '/')
			command = word + 1;
	}
	if (asprintf(&about->title, "%s on %s%s%s", command, about->host,
		     *about->when ? ", " : "", about->when) < 0)
		about->title = NULL;
}

/**
 * wp_about_read() - read the description of a recording
 * @about: filled in, to be freed with wp_about_free()
 * @samples: the recording, with its samples
 */
void wp_about_read(struct wp_about *about, const struct wp_samples *samples)
{
	const struct wp_perffile *file = wp_profile_file(samples->profile);
	char *release = wp_perffile_string(file, WP_FEAT_OSRELEASE);
	char *arch = wp_perffile_string(file, WP_FEAT_ARCH);
	struct wp_profile_stats stats;
	__u64 from, to;
	struct tm tm;
	time_t t;

	/* Without time slots, the samples have the times. */
	wp_profile_stats(samples->profile, &stats);
	from = samples->sum.slots > 1 ? samples->sum.from : stats.first;
	to = samples->sum.slots > 1 ? samples->sum.to : stats.last;
	*about = (struct wp_about){
		.host = wp_perffile_string(file, WP_FEAT_HOSTNAME),
		.command = wp_perffile_cmdline(file),
		.seconds = to > from ? (double)(to - from) / 1e9 : 0,
	};
	if (asprintf(&about->system, "Linux %s, %s", release ? release : "",
		     arch ? arch : "") < 0)
		about->system = NULL;
	free(release);
	free(arch);
	if (wp_perffile_day(file, from, &t, &about->written) &&
	    localtime_r(&t, &tm))
		strftime(about->when, sizeof(about->when), "%F %T", &tm);
	make_title(about);
	tell_scale(about, samples);
	tell_lost(about, samples);
}

/**
 * wp_about_free() - free the description
 * @about: the description
 */
void wp_about_free(struct wp_about *about)
{
	free(about->host);
	free(about->system);
	free(about->command);
	free(about->title);
}
