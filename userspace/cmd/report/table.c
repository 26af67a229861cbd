// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report -s: the time of each kind by name, function, reason, ..., as a table.
 * Called by report/trees.c, instead of a tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/screen.h"
#include "cmd/report/table.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/base/text.h"

/**
 * struct row - a row of the table
 * @words: its columns, one after the other, each with its terminating 0
 * @value: ns or events
 * @self: with --children: the part spent in the function itself
 * @count: number of samples or intervals
 * @line: number of the last line that was added to it, plus 1
 */
struct row {
	const char *words;
	__u64 value;
	__u64 self;
	__u64 count;
	size_t line;
};

/**
 * struct table - the table
 * @s: the recording
 * @sort: its columns
 * @words: the words of each row
 * @row: the rows: at first by the numbers of their words, less 1
 * @room: allocated rows
 * @nr: number of rows
 * @total: sum of their values
 * @count: number of samples or intervals
 */
struct table {
	struct wp_samples *s;
	const struct wp_sort *sort;
	struct wp_intern words;
	struct row *row;
	size_t room;
	size_t nr;
	__u64 total;
	__u64 count;
};

/* The words of a line in a function, one after the other; false: no memory. */
static bool put_words(const struct table *t, const struct wp_profline *l,
		      const struct wp_function *f, struct wp_buf *buf)
{
	unsigned int i;
	char spare[WP_SORTKEY_SPARE];

	buf->len = 0;
	for (i = 0; i < t->sort->nr; i++) {
		const char *word = wp_sortkey_word(t->s, t->sort->key[i], l, f, spare);

		wp_buf_add(buf, word, strlen(word) + 1);
	}
	return !buf->failed;
}

/* Look up or add the row of some words; NULL: no memory. */
static struct row *row_of(struct table *t, const struct wp_buf *buf)
{
	__u32 nr = wp_intern(&t->words, buf->data, buf->len, NULL);

	if (!nr)
		return NULL;
	if (nr > t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		void *more = reallocarray(t->row, room, sizeof(*t->row));

		if (!more)
			return NULL;
		t->row = more;
		memset(t->row + t->room, 0, (room - t->room) * sizeof(*t->row));
		t->room = room;
	}
	if (nr > t->nr)
		t->nr = nr;
	return &t->row[nr - 1];
}

/*
 * Add a line to the rows of its functions: once for each, however often it is on the
 * stack.
 */
static int add_line(struct table *t, size_t line, __u64 value, struct wp_buf *buf)
{
	const struct wp_profline *l = &t->s->sum.line[line];
	size_t nr, i;
	const __u32 *functions = wp_samples_functions(t->s, l, &nr);
	size_t last = t->sort->children && nr ? nr : 1;

	if (!functions)
		return -ENOMEM;
	for (i = 0; i < last; i++) {
		const struct wp_function *f = nr ?
			wp_profile_function(t->s->profile, functions[nr - 1 - i]) : NULL;
		struct row *row = put_words(t, l, f, buf) ? row_of(t, buf) : NULL;

		if (!row)
			return -ENOMEM;
		row->self += i ? 0 : value;
		if (row->line == line + 1)
			continue;
		row->line = line + 1;
		row->value += value;
		row->count += l->count;
	}
	t->total += value;
	t->count += l->count;
	return 0;
}

static int collect(struct table *t, const struct wp_section *section)
{
	struct wp_buf buf = { 0 };
	int err = 0;
	size_t i;

	for (i = 0; i < t->s->sum.nr && !err; i++) {
		__u64 value = wp_section_value(section, &t->s->sum.line[i]);

		if (value)
			err = add_line(t, i, value, &buf);
	}
	/* The words are not moved any more. */
	for (i = 0; i < t->nr; i++)
		t->row[i].words = wp_intern_bytes(&t->words, i + 1, NULL);
	wp_buf_free(&buf);
	return err;
}

static int by_value(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->value < b->value ? 1 : a->value > b->value ? -1 : a->words < b->words ? -1 : 1;
}

/* Sanitize a word, and compute its width; returns the next one. */
static const char *next_word(const char *word, char clean[256], size_t *width)
{
	wp_text_show(clean, 256, *word ? word : "-", false);
	*width = wp_text_columns(clean);
	return word + strlen(word) + 1;
}

static double share_of(const struct table *t, __u64 value)
{
	return 100.0 * value / t->total;
}

/* Number of rows above the limit, and the widths of their columns. */
static size_t measure(const struct table *t, double limit, size_t *width)
{
	unsigned int k;
	size_t i;

	for (k = 0; k < t->sort->nr; k++)
		width[k] = strlen(wp_sortkey_title(t->sort->key[k]));
	for (i = 0; i < t->nr && share_of(t, t->row[i].value) >= limit; i++) {
		const char *word = t->row[i].words;

		for (k = 0; k < t->sort->nr; k++) {
			char clean[256];
			size_t w;

			word = next_word(word, clean, &w);
			if (w > width[k])
				width[k] = w;
		}
	}
	return i;
}

/**
 * struct line - a line of the table
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

static void put_figures(struct line *line, const struct table *t,
			const struct wp_section *section, const struct row *row)
{
	char value[32];

	wp_section_value_text(section, row->value, value);
	put(line, "  %6.2f%% ", share_of(t, row->value));
	if (t->sort->children)
		put(line, "%6.2f%% ", share_of(t, row->self));
	put(line, "%s", value);
	if (t->sort->counts)
		put(line, " %10" PRIu64, (uint64_t)row->count);
}

static void put_titles(const struct table *t, const struct wp_section *section,
		       const size_t *width)
{
	struct line line = { .len = 0 };
	unsigned int k;

	put(&line, "#  %6s ", t->sort->children ? "childr." : "share");
	if (t->sort->children)
		put(&line, "%7s ", "self");
	put(&line, "%16.16s", section->ns ? "time" : section->unit);
	if (t->sort->counts)
		put(&line, " %10s", section->intervals ? "intervals" : "samples");
	for (k = 0; k < t->sort->nr; k++)
		put(&line, "  %-*s", k + 1 < t->sort->nr ? (int)width[k] : 0,
		    wp_sortkey_title(t->sort->key[k]));
	puts("#");
	wp_screen_put(line.text);
}

static void put_row(const struct table *t, const struct wp_section *section,
		    const struct row *row, const size_t *width)
{
	struct line line = { .len = 0 };
	const char *word = row->words;
	unsigned int k;

	put_figures(&line, t, section, row);
	for (k = 0; k < t->sort->nr; k++) {
		char clean[256];
		size_t w;

		word = next_word(word, clean, &w);
		put(&line, "  %s%*s", clean, k + 1 < t->sort->nr ? (int)(width[k] - w) : 0, "");
	}
	wp_screen_put(line.text);
}

static void print_rows(const struct table *t, const struct wp_section *section, double limit)
{
	size_t width[WP_SORT_KEYS], shown = measure(t, limit, width), i;
	struct row rest = { .value = t->total };
	struct line line = { .len = 0 };

	put_titles(t, section, width);
	for (i = 0; i < shown; i++) {
		put_row(t, section, &t->row[i], width);
		rest.value -= t->row[i].value;
	}
	for (; i < t->nr; i++) {
		rest.self += t->row[i].self;
		rest.count += t->row[i].count;
	}
	if (shown < t->nr && t->sort->children) {
		wp_screen_line("  %s %zu other%s", wp_text_ellipsis(), t->nr - shown,
			       t->nr - shown == 1 ? "" : "s");
	} else if (shown < t->nr) {
		put_figures(&line, t, section, &rest);
		put(&line, "  %s in %zu other%s", wp_text_ellipsis(), t->nr - shown,
		    t->nr - shown == 1 ? "" : "s");
		puts(line.text);
	}
	fputc('\n', stdout);
}

/**
 * wp_report_table() - print the time of a kind, by some keys
 * @s: the recording
 * @section: the kind
 * @sort: the keys
 * @limit: smaller rows are summed, in percent
 *
 * The function of a row is the one in which the time was spent.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_report_table(struct wp_samples *s, const struct wp_section *section,
		    const struct wp_sort *sort, double limit)
{
	struct table t = { .s = s, .sort = sort };
	int err = collect(&t, section);

	if (!err && t.nr) {
		qsort(t.row, t.nr, sizeof(*t.row), by_value);
		wp_section_put_title(section, t.total, t.count);
		wp_section_put_scale(section, s);
		print_rows(&t, section, limit);
	}
	wp_intern_free(&t.words);
	free(t.row);
	return err;
}
