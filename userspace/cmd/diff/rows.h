/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of wallprof diff: a row is a kind of time, or an event, and the words of the
 * sort keys, with the values of both recordings. See diff/rows.c.
 *
 *	struct wp_diff d = { .sort = &sort, .kinds = WP_SECTION_ALL, .input = ... };
 *
 *	ret = wp_diff_read(&d, WP_DIFF_A, &samples);		the same for WP_DIFF_B
 *	ret = wp_diff_compare(&d);
 *	...
 *	wp_diff_free(&d);
 */
#ifndef WP_CMD_DIFF_ROWS_H
#define WP_CMD_DIFF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/common/samples.h"
#include "cmd/common/sections.h"
#include "cmd/common/sortkeys.h"
#include "lib/base/intern.h"
#include "lib/model/difference.h"

/* Maximum number of windows of a recording. */
#define WP_DIFF_WINDOWS		20

/* Of the rows that are found to differ, this share is expected to differ by chance. */
#define WP_DIFF_CHANCE		0.01

/**
 * enum wp_diff_side - the two recordings
 * @WP_DIFF_A: the first one: the baseline
 * @WP_DIFF_B: the second one
 */
enum wp_diff_side {
	WP_DIFF_A,
	WP_DIFF_B,
	WP_DIFF_SIDES,
};

/**
 * enum wp_diff_unit - what the values of the recordings are divided by
 * @WP_DIFF_WALL: the length of the recording: ns or events per second
 * @WP_DIFF_COUNT: the same, but intervals or samples per second
 * @WP_DIFF_SHARE: the total of the kind: millionths. Sums are per second, or as they are
 *	if a length is not known
 */
enum wp_diff_unit {
	WP_DIFF_WALL,
	WP_DIFF_COUNT,
	WP_DIFF_SHARE,
};

/**
 * struct wp_diff_values - values of a row, or of a section, in a recording
 * @total: ns or events
 * @self: with --children: the part in the function itself
 * @count: intervals or samples
 * @window: @total, or @count for WP_DIFF_COUNT, by window
 * @line: number of the last line that was added, plus 1
 */
struct wp_diff_values {
	double total;
	double self;
	double count;
	double window[WP_DIFF_WINDOWS];
	size_t line;
};

/**
 * struct wp_diff_row - a row
 * @section: index of its section
 * @words: its words, one after the other, each with its terminating 0; empty for the
 *	sum of a section
 * @of: the values, by recording
 * @rate: the same, divided as @unit of struct wp_diff demands
 * @p: probability that the rates differ by chance
 * @differs: they differ by more than chance
 */
struct wp_diff_row {
	unsigned int section;
	const char *words;
	struct wp_diff_values of[WP_DIFF_SIDES];
	struct wp_rate rate[WP_DIFF_SIDES];
	double p;
	bool differs;
};

/**
 * struct wp_diff_section - a kind of time, or an event, of a recording
 * @kind: WP_SECTION_...
 * @name: for a row: "cpu", "blocked", or the event
 * @title: for a sum
 * @ns: its values are ns
 * @in: the recordings that have it
 * @sum: its sum
 */
struct wp_diff_section {
	unsigned int kind;
	char *name;
	char *title;
	bool ns;
	bool in[WP_DIFF_SIDES];
	struct wp_diff_row sum;
};

/**
 * struct wp_diff_input - a recording
 * @path: its file
 * @seconds: its length; 0: it is not known
 * @windows: number of windows
 * @length: their lengths in seconds
 */
struct wp_diff_input {
	const char *path;
	double seconds;
	unsigned int windows;
	double length[WP_DIFF_WINDOWS];
};

/**
 * struct wp_diff - two recordings
 * @sort: sort keys
 * @kinds: WP_SECTION_... to compare
 * @unit: what values are divided by
 * @input: the recordings
 * @section: the sections
 * @nr_sections: their number
 * @words: section and words of each row
 * @row: the rows; until wp_diff_compare() by the numbers of their words, less 1, and then
 *	those that differ first, the largest change first
 * @room: allocated rows
 * @nr: number of rows
 * @differ: number of rows that differ
 * @known: it is known which rows differ
 */
struct wp_diff {
	const struct wp_sort *sort;
	unsigned int kinds;
	enum wp_diff_unit unit;
	struct wp_diff_input input[WP_DIFF_SIDES];
	struct wp_diff_section *section;
	unsigned int nr_sections;
	struct wp_intern words;
	struct wp_diff_row *row;
	size_t room;
	size_t nr;
	size_t differ;
	bool known;
};

/* Whether a section is compared: both recordings have it, and one has a value. */
static inline bool wp_diff_has(const struct wp_diff_section *s)
{
	return s->in[WP_DIFF_A] && s->in[WP_DIFF_B] &&
	       (s->sum.of[WP_DIFF_A].total > 0 || s->sum.of[WP_DIFF_B].total > 0);
}

static inline double wp_diff_change(const struct wp_diff_row *r)
{
	return r->rate[WP_DIFF_B].rate - r->rate[WP_DIFF_A].rate;
}

static inline bool wp_diff_has_lengths(const struct wp_diff *d)
{
	return d->input[WP_DIFF_A].seconds > 0 && d->input[WP_DIFF_B].seconds > 0;
}

int wp_diff_read(struct wp_diff *d, enum wp_diff_side side, struct wp_samples *samples);
int wp_diff_compare(struct wp_diff *d);
void wp_diff_free(struct wp_diff *d);

#endif /* WP_CMD_DIFF_ROWS_H */
