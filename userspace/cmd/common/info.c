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
static void add_lost(struct wp_info *info, __u64 nr, const char *before, const char *after)
{
	size_t len = strlen(info->lost);

	if (nr)
		snprintf(info->lost + len, sizeof(info->lost) - len, "%s%s%" PRIu64 " %s.",
			 len ? " " : "", before, (uint64_t)nr, after);
}

static void describe_losses(struct wp_info *info, const struct wp_samples *s)
{
	struct wp_profile_stats stats;
	size_t len;

	wp_profile_stats(s->profile, &stats);
	add_lost(info, stats.lost, "LOST ", "events while it was recorded");
	add_lost(info, stats.damaged, "", "records are damaged and left out");
	add_lost(info, stats.no_stack, "", "samples are without their stacks: too many stacks");
	len = strlen(info->lost);
	if (s->o->chosen)
		snprintf(info->lost + len, sizeof(info->lost) - len,
			 "%sOnly a part of the recording was asked for (--%s).", len ? " " : "",
			 s->o->chosen);
}

static void describe_scale(struct wp_info *info, const struct wp_samples *s)
{
	struct wp_samples_scale scale;

	if (wp_samples_scale(s, &scale) && scale.run_ns)
		snprintf(info->scaled, sizeof(info->scaled),
			 "samples stand for %.3f of %.3f s run: scaled, thread by thread",
			 (double)scale.sampled_ns / 1e9, (double)scale.run_ns / 1e9);
}

/* Title that identifies a picture among others. */
static void make_title(struct wp_info *info)
{
	const char *command = info->command, *word;

	if (!command || !info->host)
		return;
	/* Drop the directory of the program. */
	for (word = command; *word && *word != ' '; word++) {
		if (*word == '/')
			command = word + 1;
	}
	if (asprintf(&info->title, "%s on %s%s%s", command, info->host,
		     *info->when ? ", " : "", info->when) < 0)
		info->title = NULL;
}

/**
 * wp_info_read() - read the description of a recording
 * @info: filled in, to be freed with wp_info_free()
 * @samples: the recording, with its samples
 */
void wp_info_read(struct wp_info *info, const struct wp_samples *samples)
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
	from = samples->sum.to > samples->sum.from ? samples->sum.from : stats.first;
	to = samples->sum.to > samples->sum.from ? samples->sum.to : stats.last;
	*info = (struct wp_info){
		.host = wp_perffile_string(file, WP_FEAT_HOSTNAME),
		.command = wp_perffile_cmdline(file),
		.seconds = to > from ? (double)(to - from) / 1e9 : 0,
	};
	if (asprintf(&info->system, "Linux %s, %s", release ? release : "",
		     arch ? arch : "") < 0)
		info->system = NULL;
	free(release);
	free(arch);
	if (wp_perffile_day(file, from, &t, &info->written) &&
	    localtime_r(&t, &tm))
		strftime(info->when, sizeof(info->when), "%F %T", &tm);
	make_title(info);
	describe_scale(info, samples);
	describe_losses(info, samples);
}

/**
 * wp_info_free() - free the description
 * @info: the description
 */
void wp_info_free(struct wp_info *info)
{
	free(info->host);
	free(info->system);
	free(info->command);
	free(info->title);
}
