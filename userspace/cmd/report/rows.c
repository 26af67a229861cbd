// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: prints the tables of the first screen. Called by report/first.c and
 * report/starved.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/screen.h"
#include "cmd/report/rows.h"
#include "lib/base/columns.h"
#include "lib/base/text.h"

/* Width of share, value and longest interval with the blanks between them. */
#define FIGURES		18
#define LONGEST		9

/* The columns with names. */
enum { WHAT, WHERE, BY, NAMES };

/**
 * wp_report_name() - sanitize a name for a table
 * @to: set to the result
 * @name: the name, unsanitized
 */
void wp_report_name(char to[WP_REPORT_NAME], const char *name)
{
	wp_text_show(to, WP_REPORT_NAME, name, false);
}

/**
 * wp_report_group() - common name of workers
 * @to: set to the common name: for "worker-12" it is "worker-*"
 * @comm: the name, sanitized; may be @to
 */
void wp_report_group(char to[WP_REPORT_NAME], const char *comm)
{
	size_t len = strcspn(comm, "0123456789/");

	if (len < 3 || !comm[len]) {
		memmove(to, comm, strlen(comm) + 1);
		return;
	}
	memmove(to, comm, len);
	strcpy(to + len, "*");
}

/* Truncate the reason of a row: the end of a file's name is the specific part. */
static void cut_what(char *to, size_t size, const char *what, size_t width)
{
	const char *path = strstr(what, " /");
	size_t len;

	if (!path || wp_text_columns(what) <= width || (size_t)(path - what) + 8 > width) {
		wp_columns_cut(to, size, what, width);
		return;
	}
	len = path + 1 - what;
	memcpy(to, what, len);
	wp_columns_path(to + len, size - len, path + 1, width - len);
}

/* Number of blanks to fill the column of a text. */
static int pad(const char *text, size_t width)
{
	size_t columns = wp_text_columns(text);

	return columns < width ? (int)(width - columns) : 0;
}

static void figure_of(char to[24], __u64 value, bool ns)
{
	if (ns)
		snprintf(to, 24, "%.3f", (double)value / 1e9);
	else if (value < 1000000000)
		snprintf(to, 24, "%" PRIu64, (uint64_t)value);
	else
		snprintf(to, 24, "%.3fG", (double)value / 1e9);
}

static void put_titles(const struct wp_report_titles *t, const size_t *width)
{
	const char *where = t->where ? t->where : "";

	wp_screen_line("#  share %9s%*s  %s%*s%s%s%*s  %s", t->figure,
		       t->longest ? LONGEST : 0, t->longest ? t->longest : "", t->what,
		       pad(t->what, width[WHAT]), "", t->where ? "  " : "", where,
		       pad(where, width[WHERE]), "", t->by);
}

static void put_row(const struct wp_waitrow *row, const struct wp_report_titles *t, __u64 total,
		    const size_t *width, bool ns)
{
	char what[WP_REPORT_NAME], where[WP_REPORT_NAME] = "", by[WP_REPORT_NAME];
	char figure[24], longest[16] = "";

	figure_of(figure, row->value, ns);
	if (t->longest)
		wp_waitrow_longest(row, longest);
	cut_what(what, sizeof(what), row->what, width[WHAT]);
	if (t->where)
		wp_columns_name(where, sizeof(where), row->where, width[WHERE]);
	wp_waitrow_by(row, width[BY], by, sizeof(by));
	wp_screen_line("%7.2f%% %9s%*s  %s%*s%s%s%*s  %s", 100.0 * row->value / total, figure,
		       t->longest ? LONGEST : 0, longest, what, pad(what, width[WHAT]), "",
		       t->where ? "  " : "", where, pad(where, width[WHERE]), "", by);
}

/* Compute the widths of the columns with names. */
static void measure(const struct wp_waitrows *r, const struct wp_report_titles *t, size_t nr,
		    size_t width[NAMES])
{
	static const size_t least[NAMES] = { 18, 18, 12 };
	size_t room = wp_screen_width(), used = FIGURES + (t->longest ? LONGEST : 0) + 6;
	size_t wanted[NAMES], i, k;
	char by[WP_REPORT_NAME];

	wanted[WHAT] = strlen(t->what);
	wanted[WHERE] = t->where ? strlen(t->where) : 0;
	wanted[BY] = strlen(t->by);
	for (i = 0; i < nr; i++) {
		size_t w[NAMES] = { wp_text_columns(r->row[i].what) };

		if (t->where)
			w[WHERE] = wp_text_columns(r->row[i].where);
		wp_waitrow_by(&r->row[i], sizeof(by), by, sizeof(by));
		w[BY] = wp_text_columns(by);
		for (k = 0; k < NAMES; k++)
			wanted[k] = w[k] > wanted[k] ? w[k] : wanted[k];
	}
	wp_columns_share(width, wanted, least, NAMES, room > used ? room - used : 0);
}

/**
 * wp_report_rows() - print the first rows of a table
 * @r: the rows, sorted
 * @titles: titles of its columns
 * @most: maximum number of rows; the others are summed
 * @ns: values are times
 */
void wp_report_rows(const struct wp_waitrows *r, const struct wp_report_titles *titles,
		    size_t most, bool ns)
{
	size_t nr = r->nr < most ? r->nr : most, i, width[NAMES];
	__u64 rest = r->total;
	char figure[24];

	measure(r, titles, nr, width);
	put_titles(titles, width);
	for (i = 0; i < nr; i++) {
		put_row(&r->row[i], titles, r->total, width, ns);
		rest -= r->row[i].value;
	}
	if (nr == r->nr)
		return;
	figure_of(figure, rest, ns);
	wp_screen_line("%7.2f%% %9s  %s in %zu other%s", 100.0 * rest / r->total, figure,
		       wp_text_ellipsis(), r->nr - nr, r->nr - nr == 1 ? "" : "s");
}
