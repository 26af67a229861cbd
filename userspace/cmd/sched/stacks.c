// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched record -g: recordings with stacks are made by the record command with
 * --timeline, since the stacks belong to the sums. Called by the sched record command.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/record/record.h"
#include "cmd/sched/recording.h"
#include "lib/base/err.h"
#include "lib/record/buffersize.h"

#define MAX_WORDS	32	/* not counting the command's */

/**
 * wp_sched_record_stacks() - record the timeline with stacks, and the sums
 * @o: the options; no flight recorder
 *
 * Return: the exit status.
 */
int wp_sched_record_stacks(const struct wp_sched_options *o)
{
	char records[32], level[16];
	const char **words;
	int nr = 0, more = 0, status;
	char **word;

	for (word = o->command; word && *word; word++)
		more++;
	words = calloc(MAX_WORDS + more, sizeof(*words));
	if (!words) {
		wp_err("out of memory");
		return WP_EXIT_ERROR;
	}
	words[nr++] = "wallprof";
	words[nr++] = "record";
	words[nr++] = "--timeline";
	words[nr++] = "--kernel-callchains";
	words[nr++] = "-e";
	words[nr++] = "none";
	words[nr++] = o->pid ? "-p" : o->tid ? "-t" : "-a";
	if (o->pid || o->tid)
		words[nr++] = o->pid ? o->pid : o->tid;
	if (o->has_cpus) {
		words[nr++] = "-C";
		words[nr++] = o->cpu_list;
	}
	words[nr++] = "-o";
	words[nr++] = o->output;
	words[nr++] = "-z";
	snprintf(level, sizeof(level), "%d", o->level);
	words[nr++] = level;
	if (o->buffer) {
		snprintf(records, sizeof(records), "records=%u",
			 wp_buffersize_ring(o->buffer, 1));
		words[nr++] = "--tables";
		words[nr++] = records;
	}
	if (o->quiet)
		words[nr++] = "-q";
	if (o->verbose)
		words[nr++] = "-v";
	words[nr++] = "--";
	for (word = o->command; word && *word; word++)
		words[nr++] = *word;
	/* Without the program's name, as the record command expects it. */
	status = cmd_record(nr - 1, (char **)words + 1);
	free(words);
	return status;
}
