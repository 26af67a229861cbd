// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the rows of wallprof diff: sums the samples of two recordings by the same words,
 * by window, and finds out which rows differ. Called by diff.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/diff/rows.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

/**
 * struct reading - reading of a recording
 * @d: the rows
 * @side: the recording
 * @s: its samples
 * @section: index of the current section
 * @line: number of the current line, plus 1, unique in the recording and its sections
 * @buf: words of the current row
 */
struct reading {
	struct wp_diff *d;
	enum wp_diff_side side;
	struct wp_samples *s;
	unsigned int section;
	size_t line;
	struct wp_buf buf;
};

/* Look up or add a section; -1: no memory. */
static int section_of(struct wp_diff *d, const struct wp_samples *samples,
		      const struct wp_section *s)
{
	const struct wp_perfevents *events = wp_profile_events(samples->profile);
	const char *name = s->ns ? wp_section_name(s) : events->event[s->event].name;
	struct wp_diff_section *more, *new;
	unsigned int i;

	for (i = 0; i < d->nr_sections; i++) {
		if (d->section[i].kind == s->kind && !strcmp(d->section[i].name, name))
			return i;
	}
	more = reallocarray(d->section, i + 1, sizeof(*more));
	if (!more)
		return -1;
	d->section = more;
	new = &more[i];
	*new = (struct wp_diff_section){
		.kind = s->kind, .name = strdup(name), .ns = s->ns,
		.title = strdup(s->kind == WP_SECTION_CPU && s->ns ? "on-CPU" : s->title),
		.sum = { .section = i, .words = "" },
	};
	if (!new->name || !new->title) {
		free(new->name);
		free(new->title);
		return -1;
	}
	d->nr_sections++;
	return i;
}

/* Look up or add the row of the words in the buffer; NULL: no memory. */
static struct wp_diff_row *row_of(struct reading *r)
{
	struct wp_diff *d = r->d;
	__u32 nr = r->buf.failed ? 0 : wp_intern(&d->words, r->buf.data, r->buf.len, NULL);

	if (!nr)
		return NULL;
	if (nr > d->room) {
		size_t room = d->room ? 2 * d->room : 64;
		void *more = reallocarray(d->row, room, sizeof(*d->row));

		if (!more)
			return NULL;
		d->row = more;
		memset(d->row + d->room, 0, (room - d->room) * sizeof(*d->row));
		d->room = room;
	}
	if (nr > d->nr)
		d->nr = nr;
	d->row[nr - 1].section = r->section;
	return &d->row[nr - 1];
}

static void add(const struct reading *r, struct wp_diff_row *row, const struct wp_profline *l,
		double value)
{
	struct wp_diff_values *v = &row->of[r->side];

	v->total += value;
	v->count += l->count;
	v->window[l->slot] += r->d->unit == WP_DIFF_COUNT ? (double)l->count : value;
}

/*
 * The function in which the time was spent: of a thread that left its CPU the one that
 * called the scheduler. Frames before the scheduler's belong to the recording.
 */
static size_t innermost(const struct reading *r, const struct wp_profline *l,
			const __u32 *functions, size_t nr)
{
	bool sched = false, is;
	size_t i;

	for (i = nr; l->kind == WP_PROFILE_OFFCPU && i; i--) {
		is = wp_profile_function(r->s->profile, functions[i - 1])->sched;
		if (sched && !is)
			return i;
		sched |= is;
	}
	return nr;
}

/* Put the words of a line in a function into the buffer. */
static void put_words(struct reading *r, const struct wp_profline *l, const struct wp_function *f)
{
	char spare[WP_SORTKEY_SPARE];
	unsigned int i;

	r->buf.len = 0;
	wp_buf_u32(&r->buf, r->section);
	for (i = 0; i < r->d->sort->nr; i++) {
		const char *word = wp_sortkey_word(r->s, r->d->sort->key[i], l, f, spare);

		wp_buf_add(&r->buf, word, strlen(word) + 1);
	}
}

/* Add a line to the rows of its functions: once to each. */
static int add_line(struct reading *r, const struct wp_profline *l, double value)
{
	size_t nr, i, last;
	const __u32 *functions = wp_samples_functions(r->s, l, &nr);

	if (!functions)
		return -ENOMEM;
	nr = innermost(r, l, functions, nr);
	last = r->d->sort->children && nr ? nr : 1;
	r->line++;
	for (i = 0; i < last; i++) {
		const struct wp_function *f = nr ?
			wp_profile_function(r->s->profile, functions[nr - 1 - i]) : NULL;
		struct wp_diff_values *v;
		struct wp_diff_row *row;

		put_words(r, l, f);
		row = row_of(r);
		if (!row)
			return -ENOMEM;
		v = &row->of[r->side];
		v->self += i ? 0 : value;
		if (v->line == r->line)
			continue;
		v->line = r->line;
		add(r, row, l, value);
	}
	add(r, &r->d->section[r->section].sum, l, value);
	return 0;
}

/* Whether the recording has such samples: a sum of 0 is none if it has not. */
static bool is_recorded(const struct wp_samples *s, const struct wp_section *section)
{
	unsigned int i;

	if (section->kind != WP_SECTION_RUNNABLE && section->kind != WP_SECTION_BLOCKED)
		return true;
	for (i = 0; i < wp_profile_events(s->profile)->nr; i++) {
		enum wp_profile_kind kind = wp_profile_kind(s->profile, i);

		if (kind == WP_PROFILE_RUNNABLE ||
		    (kind == WP_PROFILE_OFFCPU && section->kind == WP_SECTION_BLOCKED))
			return true;
	}
	return false;
}

static int read_section(void *ctx, const struct wp_section *section)
{
	struct reading *r = ctx;
	int nr, err = 0;
	size_t i;

	if (!is_recorded(r->s, section))
		return 0;
	nr = section_of(r->d, r->s, section);
	if (nr < 0)
		return -ENOMEM;
	/* Of several clocks each stands for the same time. */
	if (r->d->section[nr].in[r->side])
		return 0;
	r->section = nr;
	r->d->section[nr].in[r->side] = true;
	for (i = 0; i < r->s->sum.nr && !err; i++) {
		__u64 value = wp_section_value(section, &r->s->sum.line[i]);

		if (value)
			err = add_line(r, &r->s->sum.line[i], value);
	}
	return err;
}

static void set_windows(struct wp_diff_input *in, const struct wp_samples *s)
{
	const struct wp_profsum *sum = &s->sum;
	unsigned int i;
	__u64 length;

	if (wp_profile_length(s->profile, &length)) {
		in->seconds = length / 1e9;
		in->windows = 1;
		in->length[0] = in->seconds;
		return;
	}
	in->seconds = s->end > sum->from ? (s->end - sum->from) / 1e9 : 0;
	in->windows = sum->to > sum->from ? sum->slots : 1;
	for (i = 0; i < in->windows; i++)
		in->length[i] = (double)(sum->to - sum->from) / 1e9 / in->windows;
	in->length[in->windows - 1] += (double)(s->end - sum->to) / 1e9;
}

/**
 * wp_diff_read() - add a recording
 * @d: the rows, with @sort, @kinds and @unit
 * @side: which recording
 * @samples: its samples, in up to WP_DIFF_WINDOWS slots
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_diff_read(struct wp_diff *d, enum wp_diff_side side, struct wp_samples *samples)
{
	struct reading r = { .d = d, .side = side, .s = samples };
	int err;

	set_windows(&d->input[side], samples);
	err = wp_sections_each(samples, d->kinds, read_section, &r);
	wp_buf_free(&r.buf);
	return err ? wp_no_memory("the rows") : 0;
}

/* Intervals off CPU are measured, all of them. */
static bool is_sampled(const struct wp_diff_section *section)
{
	return section->kind == WP_SECTION_CPU || section->kind == WP_SECTION_OTHER;
}

static void rate_of(const struct wp_diff *d, struct wp_diff_row *row)
{
	const struct wp_diff_section *section = &d->section[row->section];
	unsigned int i;

	for (i = 0; i < WP_DIFF_SIDES; i++) {
		const struct wp_diff_input *in = &d->input[i];
		/* The sum of a kind has no share: it is a rate. */
		const double *of = d->unit == WP_DIFF_SHARE && row != &section->sum ?
				   section->sum.of[i].window : in->length;

		wp_rate(&row->rate[i], row->of[i].window, of, in->windows,
			is_sampled(section) ? row->of[i].count : 0);
	}
	row->p = wp_rates_differ(&row->rate[WP_DIFF_A], &row->rate[WP_DIFF_B]);
}

/* Kinds of time are compared with each other; each event has its own unit. */
static unsigned int group_of(const struct wp_diff *d, const struct wp_diff_row *row)
{
	return d->section[row->section].ns ? 0 : 1 + row->section;
}

static int by_change(const void *pa, const void *pb, void *ctx)
{
	const struct wp_diff_row *a = pa, *b = pb;
	unsigned int ga = group_of(ctx, a), gb = group_of(ctx, b);
	double ca = fabs(wp_diff_change(a)), cb = fabs(wp_diff_change(b));

	if (a->differs != b->differs)
		return a->differs ? -1 : 1;
	if (ga != gb)
		return ga < gb ? -1 : 1;
	if (ca != cb)
		return ca > cb ? -1 : 1;
	return a->words < b->words ? -1 : a->words > b->words;
}

/* Without a length of one of them, sums are not per second. */
static void set_lengths(struct wp_diff *d)
{
	unsigned int i, k;

	for (i = 0; i < WP_DIFF_SIDES && !wp_diff_has_lengths(d); i++) {
		for (k = 0; k < d->input[i].windows; k++)
			d->input[i].length[k] = 1.0 / d->input[i].windows;
	}
}

/* Leave out sections that one recording lacks, and their rows. */
static void drop_sections(struct wp_diff *d)
{
	size_t i, left = 0;

	for (i = 0; i < d->nr_sections; i++) {
		const struct wp_diff_section *s = &d->section[i];
		bool is_in_b = s->in[WP_DIFF_B];

		if ((s->in[WP_DIFF_A] && is_in_b) ||
		    (!s->sum.of[WP_DIFF_A].total && !s->sum.of[WP_DIFF_B].total))
			continue;
		wp_warn("%s has no samples of %s: they are left out",
			d->input[is_in_b ? WP_DIFF_A : WP_DIFF_B].path, s->title);
	}
	for (i = 0; i < d->nr; i++) {
		const struct wp_diff_section *s = &d->section[d->row[i].section];

		if (s->in[WP_DIFF_A] && s->in[WP_DIFF_B])
			d->row[left++] = d->row[i];
	}
	d->nr = left;
}

/**
 * wp_diff_compare() - compute rates, find the rows that differ, and sort
 * @d: the rows
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_diff_compare(struct wp_diff *d)
{
	double *p, limit;
	size_t i;

	for (i = 0; i < d->nr; i++)
		d->row[i].words = (const char *)wp_intern_bytes(&d->words, i + 1, NULL) +
				  sizeof(__u32);
	drop_sections(d);
	set_lengths(d);
	p = calloc(d->nr + 1, sizeof(*p));
	if (!p)
		return wp_no_memory("the rows");
	for (i = 0; i < d->nr_sections; i++) {
		rate_of(d, &d->section[i].sum);
		d->section[i].sum.differs = d->section[i].sum.p <= WP_DIFF_CHANCE;
	}
	for (i = 0; i < d->nr; i++) {
		rate_of(d, &d->row[i]);
		p[i] = d->row[i].p;
	}
	d->known = d->input[WP_DIFF_A].windows >= WP_RATE_WINDOWS &&
		   d->input[WP_DIFF_B].windows >= WP_RATE_WINDOWS;
	limit = wp_chance_limit(p, d->nr, WP_DIFF_CHANCE);
	for (i = 0; i < d->nr; i++) {
		d->row[i].differs = d->known && p[i] <= limit;
		d->differ += d->row[i].differs;
	}
	if (d->nr)
		qsort_r(d->row, d->nr, sizeof(*d->row), by_change, d);
	free(p);
	return 0;
}

/**
 * wp_diff_free() - free the rows
 * @d: the rows
 */
void wp_diff_free(struct wp_diff *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_sections; i++) {
		free(d->section[i].name);
		free(d->section[i].title);
	}
	free(d->section);
	free(d->row);
	wp_intern_free(&d->words);
}
