// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof diff --json: all rows, with the totals as they were recorded. Called by diff.c.
 */
#include <math.h>
#include <string.h>

#include "cmd/diff/print.h"
#include "lib/base/json.h"

static const char *const units[] = {
	[WP_DIFF_WALL] = "per second",
	[WP_DIFF_COUNT] = "count per second",
	[WP_DIFF_SHARE] = "millionths of the kind",
};

static void put_rounded(struct wp_json *j, const char *key, double value)
{
	wp_json_signed(j, key, llround(value));
}

static void put_row(struct wp_json *j, const struct wp_diff *d, const struct wp_diff_row *row)
{
	const struct wp_diff_section *section = &d->section[row->section];
	const double scale = d->unit == WP_DIFF_SHARE && row != &section->sum ? 1e6 : 1;
	const struct wp_rate *a = &row->rate[WP_DIFF_A], *b = &row->rate[WP_DIFF_B];

	put_rounded(j, "a_total", row->of[WP_DIFF_A].total);
	put_rounded(j, "b_total", row->of[WP_DIFF_B].total);
	put_rounded(j, "a_count", row->of[WP_DIFF_A].count);
	put_rounded(j, "b_count", row->of[WP_DIFF_B].count);
	if (d->sort->children && row != &section->sum) {
		put_rounded(j, "a_self", row->of[WP_DIFF_A].self);
		put_rounded(j, "b_self", row->of[WP_DIFF_B].self);
	}
	put_rounded(j, "a", scale * a->rate);
	put_rounded(j, "b", scale * b->rate);
	put_rounded(j, "change", scale * wp_diff_change(row));
	if (a->rate > 0 && b->rate / a->rate < 1e9)
		wp_json_millionths(j, "ratio", llround(1e6 * b->rate / a->rate));
	else
		wp_json_null(j, "ratio");
	if (d->known) {
		put_rounded(j, "standard_error", scale * sqrt(a->variance + b->variance));
		wp_json_bool(j, "differs", row->differs);
	} else {
		wp_json_null(j, "standard_error");
		wp_json_null(j, "differs");
	}
}

static void put_inputs(struct wp_json *j, const struct wp_diff *d)
{
	static const char *const keys[] = { [WP_DIFF_A] = "a", [WP_DIFF_B] = "b" };
	unsigned int i;

	for (i = 0; i < WP_DIFF_SIDES; i++) {
		wp_json_open(j, keys[i], '{');
		wp_json_string(j, "file", d->input[i].path);
		if (d->input[i].seconds > 0)
			put_rounded(j, "ns", 1e9 * d->input[i].seconds);
		else
			wp_json_null(j, "ns");
		wp_json_number(j, "windows", d->input[i].windows);
		wp_json_close(j, '}');
	}
	wp_json_string(j, "unit", units[d->unit]);
}

/**
 * wp_diff_json() - write all rows as JSON
 * @f: the output; the caller checks it for write errors
 * @d: the rows
 */
void wp_diff_json(FILE *f, const struct wp_diff *d)
{
	struct wp_json j = { .f = f };
	unsigned int k;
	size_t i;

	wp_json_open(&j, NULL, '{');
	put_inputs(&j, d);
	wp_json_open(&j, "sums", '[');
	for (k = 0; k < d->nr_sections; k++) {
		const struct wp_diff_section *section = &d->section[k];

		if (!wp_diff_has(section))
			continue;
		wp_json_open(&j, NULL, '{');
		wp_json_string(&j, "kind", section->name);
		put_row(&j, d, &section->sum);
		wp_json_close(&j, '}');
	}
	wp_json_close(&j, ']');
	wp_json_open(&j, "rows", '[');
	for (i = 0; i < d->nr; i++) {
		const char *word = d->row[i].words;

		wp_json_open(&j, NULL, '{');
		wp_json_string(&j, "kind", d->section[d->row[i].section].name);
		for (k = 0; k < d->sort->nr; k++) {
			wp_json_string(&j, wp_sortkey_name(d->sort->key[k]), word);
			word += strlen(word) + 1;
		}
		put_row(&j, d, &d->row[i]);
		wp_json_close(&j, '}');
	}
	wp_json_close(&j, ']');
	wp_json_close(&j, '}');
	fputc('\n', f);
}
