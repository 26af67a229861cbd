// SPDX-License-Identifier: GPL-2.0
/*
 * The text of wallprof diff: the sums, then the rows that differ, then those whose change
 * is within what windows of one recording differ by. Called by diff.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/common/screen.h"
#include "cmd/diff/print.h"
#include "lib/base/text.h"

/* Columns of a value, of a ratio, and the maximum for a kind and for a word. */
#define VALUE		10
#define MAX_KIND	12
#define MAX_WORD	40

/**
 * struct line - a line in the making
 * @text: its text
 * @len: its length
 */
struct line {
	char text[4096];
	size_t len;
};

static void put(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line->text + line->len, room, fmt, args);
	va_end(args);
	line->len += len > 0 && (size_t)len < room ? (size_t)len : room - 1;
}

/* A value with three decimals or fewer, in units of ns, of 1, or of a share. */
static void format_value(char to[24], double v, bool is_ns, bool is_share, const char *sign)
{
	static const char *const time[] = { "ns", "us", "ms", "s" };
	static const char *const number[] = { "", "k", "M", "G" };
	double size = fabs(v);
	unsigned int i = 0;

	if (is_share) {
		snprintf(to, 24, "%s%.2f %%", sign, 100 * size);
		return;
	}
	while (i < 3 && size >= 999.95) {
		size /= 1000;
		i++;
	}
	if (is_ns)
		snprintf(to, 24, i ? "%s%.1f %s" : "%s%.0f %s", sign, size, time[i]);
	else
		snprintf(to, 24, "%s%.1f%s%s", sign, size, i ? " " : "", number[i]);
}

static const char *sign_of(double v)
{
	return v > 0 ? "+" : v < 0 ? "-" : "";
}

static void format_ratio(char to[24], const struct wp_diff_row *row)
{
	double a = row->rate[WP_DIFF_A].rate, b = row->rate[WP_DIFF_B].rate;

	if (a <= 0 || b <= 0)
		snprintf(to, 24, "%s", b > 0 ? "new" : a > 0 ? "gone" : "-");
	else if (b / a >= 999.5)
		snprintf(to, 24, ">999");
	else
		snprintf(to, 24, b / a >= 9.995 ? "%.1f" : "%.2f", b / a);
}

/* The columns of numbers. */
static void put_figures(struct line *line, const struct wp_diff *d, const struct wp_diff_row *row)
{
	const struct wp_diff_section *section = &d->section[row->section];
	bool is_share = d->unit == WP_DIFF_SHARE && row != &section->sum;
	bool is_ns = section->ns && d->unit != WP_DIFF_COUNT;
	double change = wp_diff_change(row);
	char text[24], ratio[24];
	unsigned int i;

	format_value(text, change, is_ns, is_share, sign_of(change));
	format_ratio(ratio, row);
	put(line, "%*s %6s", VALUE + 1, text, ratio);
	for (i = 0; i < WP_DIFF_SIDES; i++) {
		format_value(text, row->rate[i].rate, is_ns, is_share, "");
		put(line, " %*s", VALUE, text);
	}
}

static void put_titles(const struct wp_diff *d, const size_t *width)
{
	struct line line = { .len = 0 };
	unsigned int k;

	put(&line, "#%*s %6s %*s %*s  %-*s", VALUE, "change", "ratio", VALUE, "A", VALUE, "B",
	    (int)width[d->sort->nr], "kind");
	for (k = 0; k < d->sort->nr; k++)
		put(&line, "  %-*s", k + 1 < d->sort->nr ? (int)width[k] : 0,
		    wp_sortkey_title(d->sort->key[k]));
	wp_screen_put(line.text);
}

/* Sanitize a word, and compute its width; returns the next one. */
static const char *next_word(const char *word, char clean[256], size_t *width)
{
	wp_text_show(clean, 256, *word ? word : "-", false);
	*width = wp_text_columns(clean);
	return word + strlen(word) + 1;
}

static void put_padded(struct line *line, const char *clean, size_t is, size_t width)
{
	put(line, "  %s%*s", clean, is < width ? (int)(width - is) : 0, "");
}

static void put_row(const struct wp_diff *d, const struct wp_diff_row *row, const size_t *width)
{
	struct line line = { .len = 0 };
	const char *word = row->words;
	char clean[256];
	unsigned int k;
	size_t w;

	put_figures(&line, d, row);
	next_word(d->section[row->section].name, clean, &w);
	put_padded(&line, clean, w, width[d->sort->nr]);
	for (k = 0; k < d->sort->nr; k++) {
		word = next_word(word, clean, &w);
		put_padded(&line, clean, w, k + 1 < d->sort->nr ? width[k] : 0);
	}
	wp_screen_put(line.text);
}

/* Widths of the words' columns, and of the kind's behind them. */
static void measure(const struct wp_diff *d, size_t rows, size_t *width)
{
	char clean[256];
	unsigned int k;
	size_t i, w;

	for (k = 0; k < d->sort->nr; k++)
		width[k] = strlen(wp_sortkey_title(d->sort->key[k]));
	width[k] = strlen("kind");
	for (i = 0; i < rows; i++) {
		const char *word = d->row[i].words;

		next_word(d->section[d->row[i].section].name, clean, &w);
		if (w > width[d->sort->nr])
			width[d->sort->nr] = w < MAX_KIND ? w : MAX_KIND;
		for (k = 0; k < d->sort->nr; k++) {
			word = next_word(word, clean, &w);
			if (w > width[k])
				width[k] = w < MAX_WORD ? w : MAX_WORD;
		}
	}
}

static void print_inputs(const struct wp_diff *d)
{
	static const char *const units[] = {
		[WP_DIFF_WALL] = "time, or events, per second of each recording",
		[WP_DIFF_COUNT] = "intervals, samples per second of each recording",
		[WP_DIFF_SHARE] = "shares of each kind in its recording; sums per second",
	};
	unsigned int i;

	for (i = 0; i < WP_DIFF_SIDES; i++) {
		const struct wp_diff_input *in = &d->input[i];
		char name[512];

		wp_text_show(name, sizeof(name), in->path, false);
		if (in->seconds > 0)
			wp_screen_line("# %c: %s: %.3f s, %u window%s", "AB"[i], name, in->seconds,
				       in->windows, in->windows == 1 ? "" : "s");
		else
			wp_screen_line("# %c: %s: unknown length", "AB"[i], name);
	}
	wp_screen_line("# %s", wp_diff_has_lengths(d) ? units[d->unit] :
		       "shares of each kind in its file; sums as they are");
}

static void print_sums(const struct wp_diff *d)
{
	unsigned int i;

	printf("#\n#%*s %6s %*s %*s  sum of\n", VALUE, "change", "ratio", VALUE, "A", VALUE, "B");
	for (i = 0; i < d->nr_sections; i++) {
		const struct wp_diff_section *section = &d->section[i];
		struct line line = { .len = 0 };
		char title[300];

		if (!wp_diff_has(section))
			continue;
		wp_text_show(title, sizeof(title), section->title, false);
		put_figures(&line, d, &section->sum);
		put(&line, "  %s%s", title, !d->known || section->sum.differs ? "" :
		    wp_diff_change(&section->sum) ? " (within the noise)" : "");
		wp_screen_put(line.text);
	}
}

/* How many rows differ, and how much of all changes is theirs, of the first group's unit. */
static void print_noise(const struct wp_diff *d)
{
	double all = 0, differ = 0;
	size_t i, rest = d->nr - d->differ;

	if (!d->known) {
		wp_screen_line("# not known which changes are noise: %s has %u of %d windows needed",
			       d->input[WP_DIFF_A].windows < WP_RATE_WINDOWS ? "A" : "B",
			       d->input[WP_DIFF_A].windows < WP_RATE_WINDOWS ?
			       d->input[WP_DIFF_A].windows : d->input[WP_DIFF_B].windows,
			       WP_RATE_WINDOWS);
		return;
	}
	for (i = 0; i < d->nr; i++) {
		double change = fabs(wp_diff_change(&d->row[i]));

		if (!d->section[d->row[i].section].ns && d->unit == WP_DIFF_WALL &&
		    d->section[d->row[0].section].ns)
			continue;
		all += change;
		differ += d->row[i].differs ? change : 0;
	}
	wp_screen_line("# %zu of %zu rows differ, with %.1f %% of all changes",
		       d->differ, d->nr, all > 0 ? 100 * differ / all : 0);
	wp_screen_line("# %zu row%s within what windows of one recording differ by", rest,
		       rest == 1 ? " is" : "s are");
}

/**
 * wp_diff_print() - print the rows
 * @d: the rows
 * @most: maximum number of rows
 */
void wp_diff_print(const struct wp_diff *d, size_t most)
{
	size_t width[WP_SORT_KEYS + 1], i, shown = d->nr < most ? d->nr : most;

	print_inputs(d);
	print_sums(d);
	print_noise(d);
	measure(d, shown, width);
	put_titles(d, width);
	for (i = 0; i < shown; i++) {
		if (d->known && i == d->differ)
			puts("# within the noise:");
		put_row(d, &d->row[i], width);
	}
	if (shown < d->nr)
		printf("# %s %zu more row%s: -n 0 prints all\n", wp_text_ellipsis(), d->nr - shown,
		       d->nr - shown == 1 ? "" : "s");
}
