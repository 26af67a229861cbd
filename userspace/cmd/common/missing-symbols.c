// SPDX-License-Identifier: GPL-2.0
/*
 * Reports what stacks lack: data that only perf turns into frames, and files without
 * symbols, with the reason. Called by the commands that print functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/missing-symbols.h"
#include "lib/base/err.h"
#include "lib/perfdata/perfevents.h"
#include "lib/perfdata/perffile.h"

/* Limits: number of files per reason, and number of reasons. */
#define TOP_MISSING	4
#define MAX_REASONS	8

/* perf's HEADER_AUXTRACE: hardware traces, which perf report turns into samples. */
#define FEAT_AUXTRACE	18

static bool has_type(const struct wp_perfevents *events, __u64 sample_type)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (events->event[i].attr.sample_type & sample_type)
			return true;
	}
	return false;
}

/**
 * wp_warn_unread_stacks() - warn of data that perf report turns into frames, and we do not
 * @input: name of the recording
 * @file: the recording
 * @events: its events
 */
void wp_warn_unread_stacks(const char *input, const struct wp_perffile *file,
			   const struct wp_perfevents *events)
{
	if (file->header.features[0] >> FEAT_AUXTRACE & 1)
		wp_warn("%s has hardware traces, as of Intel PT, which are left out; use 'perf report'",
			input);
	if (has_type(events, PERF_SAMPLE_BRANCH_STACK))
		wp_warn("%s has branch stacks (-b, --call-graph lbr), which are left out, with callers known only by them; use 'perf report'",
			input);
	if (has_type(events, PERF_SAMPLE_STACK_USER))
		wp_warn("%s has user stacks that are not unwound (--call-graph dwarf), which are left out; use 'perf report'",
			input);
}

/**
 * struct reason - files without symbols for the same reason
 * @reason: the reason
 * @path: the first of them
 * @nr: their number
 */
struct reason {
	const char *text;
	const char *path[TOP_MISSING];
	size_t nr;
};

static struct reason *reason_of(struct reason *reasons, const char *reason)
{
	size_t i;

	for (i = 0; i < MAX_REASONS - 1; i++) {
		if (!reasons[i].text)
			reasons[i].text = reason;
		if (!strcmp(reasons[i].text, reason))
			return &reasons[i];
	}
	reasons[i].text = "for other reasons";
	return &reasons[i];
}

static void warn_of(const struct reason *r)
{
	size_t shown = r->nr < TOP_MISSING ? r->nr : TOP_MISSING, i;
	char more[64] = "", *files = NULL;
	size_t size;
	FILE *f = open_memstream(&files, &size);

	if (!f)
		return;
	for (i = 0; i < shown; i++)
		fprintf(f, "%s%s", i ? ", " : "", r->path[i]);
	fclose(f);
	if (r->nr > shown)
		snprintf(more, sizeof(more), " and %zu more file%s", r->nr - shown,
			 r->nr - shown == 1 ? "" : "s");
	if (files)
		wp_warn("no names for functions of %s%s: %s", files, more, r->text);
	free(files);
}

/**
 * wp_warn_missing_symbols() - warn of files without symbols, a line for each reason
 * @next: returns the next one
 * @ctx: for @next
 */
void wp_warn_missing_symbols(wp_missing_symbols_fn next, const void *ctx)
{
	struct reason reasons[MAX_REASONS] = { 0 }, *r;
	const char *path, *reason;
	size_t at = 0, i;

	while ((reason = next(ctx, &at, &path))) {
		if (!path) {
			wp_warn("no names for functions of the kernel: %s", reason);
			continue;
		}
		r = reason_of(reasons, reason);
		if (r->nr < TOP_MISSING)
			r->path[r->nr] = path;
		r->nr++;
	}
	for (i = 0; i < MAX_REASONS && reasons[i].nr; i++)
		warn_of(&reasons[i]);
}
