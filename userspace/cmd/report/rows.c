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

/* Below this width a row has two lines, if one would not have room for all names, */
#define ONE_LINE	80

/* which have these widths at least on one line. */
#define LEAST_WHAT	18
#define LEAST_WHERE	17
#define LEAST_BY	12

_Static_assert(FIGURES + LONGEST + 6 + LEAST_WHAT + LEAST_WHERE + LEAST_BY <= ONE_LINE,
	       "a line is cut otherwise");

/* and below this width no longest interval. */
#define WITH_LONGEST	60

/* Indentation of the second line. */
#define INDENT		10

/**
 * struct layout - widths of a table
 * @width: of the columns with names
 * @longest: there is a column for the longest interval, or the number of samples
 * @two: threads and functions are on a second line
 */
struct layout {
	size_t width[NAMES];
	bool longest;
	bool two;
};

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

/*
 * Truncate the reason of a row. The end of a file's name is the specific part; so is that
 * of a lock's address, with the kind of memory behind it if there is room.
 */
static void cut_what(char *to, size_t size, const char *what, size_t width)
{
	const char *at = strstr(what, " /"), *kind = NULL;
	char address[WP_REPORT_NAME];
	size_t len;

	if (!at) {
		at = strstr(what, " 0x");
		kind = at ? strchr(at + 1, ' ') : NULL;
	}
	if (!at || wp_text_columns(what) <= width || (size_t)(at - what) + 8 > width) {
		wp_columns_cut(to, size, what, width);
		return;
	}
	if (kind && (size_t)(at - what) + strlen(kind) + 6 > width) {
		snprintf(address, sizeof(address), "%.*s", (int)(kind - what), what);
		cut_what(to, size, address, width);
		return;
	}
	len = at + 1 - what;
	memcpy(to, what, len);
	wp_columns_path(to + len, size - len, at + 1, width - len);
}

/* Number of blanks to fill the column of a text. */
static int pad(const char *text, size_t width)
{
	size_t columns = wp_text_columns(text);

	return columns < width ? (int)(width - columns) : 0;
}

static void figure_of(char to[24], __u64 value, bool ns)
{
	static const char units[] = "GTPE";
	double figure = (double)value / 1e9;
	unsigned int i;

	if (ns) {
		snprintf(to, 24, "%.3f", figure);
		return;
	}
	if (value < 1000000000) {
		snprintf(to, 24, "%" PRIu64, (uint64_t)value);
		return;
	}
	/* Up to what is printed as 999.999: the column has no more room. */
	for (i = 0; figure >= 999.9995 && units[i + 1]; i++)
		figure /= 1000;
	snprintf(to, 24, "%.3f%c", figure, units[i]);
}

/* Print names, on one line with the figures or on two. */
static void put_names(const char *figures, const char *indent, const char *const *name,
		      const struct wp_report_titles *t, const struct layout *l)
{
	const char *between = t->where ? "  " : "";

	if (l->two) {
		wp_screen_line("%s  %s", figures, name[WHAT]);
		wp_screen_line("%s%s%*s%s%s", indent, name[BY],
			       t->where ? pad(name[BY], l->width[BY]) : 0, "", between,
			       name[WHERE]);
		return;
	}
	wp_screen_line("%s  %s%*s%s%s%*s  %s", figures, name[WHAT],
		       pad(name[WHAT], l->width[WHAT]), "", between, name[WHERE],
		       pad(name[WHERE], l->width[WHERE]), "", name[BY]);
}

static void put_titles(const struct wp_report_titles *t, const struct layout *l)
{
	const char *name[NAMES] = { t->what, t->where ? t->where : "", t->by };
	char figures[64];

	snprintf(figures, sizeof(figures), "#  share %9.9s%*s", t->figure,
		 l->longest ? LONGEST : 0, !l->longest ? "" : t->count ? t->count : t->longest);
	put_names(figures, "#         ", name, t, l);
}

static void put_row(const struct wp_waitrow *row, const struct wp_report_titles *t, __u64 total,
		    const struct layout *l, bool ns)
{
	char what[WP_REPORT_NAME], where[WP_REPORT_NAME] = "", by[WP_REPORT_NAME];
	const char *name[NAMES] = { what, where, by };
	char figure[24], longest[24] = "", figures[64];

	figure_of(figure, row->value, ns);
	if (l->longest && t->count)
		figure_of(longest, row->count, false);
	else if (l->longest)
		wp_waitrow_longest(row, longest);
	cut_what(what, sizeof(what), row->what, l->width[WHAT]);
	if (t->where)
		wp_columns_name(where, sizeof(where), row->where, l->width[WHERE]);
	wp_waitrow_by(row, l->width[BY], by, sizeof(by));
	snprintf(figures, sizeof(figures), "%7.2f%% %9s%*s", 100.0 * row->value / total, figure,
		 l->longest ? LONGEST : 0, longest);
	put_names(figures, "          ", name, t, l);
}

static size_t less(size_t room, size_t used)
{
	return room > used ? room - used : 0;
}

/* Divide the room, on one line or on two. */
static void share_room(struct layout *l, const size_t wanted[NAMES], size_t room)
{
	static const size_t least[NAMES] = { LEAST_WHAT, LEAST_WHERE, LEAST_BY };
	static const size_t least_of_two[] = { 12, 12 };
	size_t used = FIGURES + (l->longest ? LONGEST : 0);
	size_t all = wanted[WHAT] + wanted[WHERE] + wanted[BY] + 4;

	l->two = room < ONE_LINE && used + 2 + all > room;
	if (!l->two) {
		wp_columns_share(l->width, wanted, least, NAMES, less(room, used + 6));
		return;
	}
	l->longest &= room >= WITH_LONGEST;
	used = FIGURES + (l->longest ? LONGEST : 0);
	l->width[WHAT] = less(room, used + 2);
	wp_columns_share(l->width + WHERE, wanted + WHERE, least_of_two, NAMES - WHERE,
			 less(room, INDENT + 2));
}

/* Compute the layout from the widest names. */
static void measure(const struct wp_waitrows *r, const struct wp_report_titles *t, size_t nr,
		    struct layout *l)
{
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
	l->longest = t->longest || t->count;
	share_room(l, wanted, wp_screen_width());
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
	size_t nr = r->nr < most ? r->nr : most, i;
	__u64 rest = r->total;
	struct layout l;
	char figure[24];

	measure(r, titles, nr, &l);
	put_titles(titles, &l);
	for (i = 0; i < nr; i++) {
		put_row(&r->row[i], titles, r->total, &l, ns);
		rest -= r->row[i].value;
	}
	if (nr == r->nr)
		return;
	figure_of(figure, rest, ns);
	wp_screen_line("%7.2f%% %9s  %s in %zu other%s", 100.0 * rest / r->total, figure,
		       wp_text_ellipsis(), r->nr - nr, r->nr - nr == 1 ? "" : "s");
}
