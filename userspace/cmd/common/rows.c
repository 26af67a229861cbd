// SPDX-License-Identifier: GPL-2.0
/*
 * Tables with one description for people and programs: columns have a title and a width
 * for text, and a key for JSON and CSV. Called by the commands that read timelines.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/common/rows.h"
#include "lib/base/csv.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* Maximum length of a name in text, with four bytes per character. */
#define MAX_TEXT	256

/**
 * wp_rows_begin() - begin an output
 * @r: the output
 * @f: the output stream
 * @format: the format
 */
void wp_rows_begin(struct wp_rows *r, FILE *f, enum wp_format format)
{
	memset(r, 0, sizeof(*r));
	r->f = f;
	r->format = format;
	r->json.f = f;
	if (format == WP_FORMAT_JSON)
		wp_json_open(&r->json, NULL, '{');
}

/**
 * wp_rows_table() - begin a table
 * @r: the output
 * @name: its key in JSON
 * @column: its columns; must stay valid
 * @nr: their number
 *
 * In text nothing is printed: see wp_rows_titles().
 */
void wp_rows_table(struct wp_rows *r, const char *name, const struct wp_column *column,
		   unsigned int nr)
{
	bool more = false;
	unsigned int i;

	r->column = column;
	r->nr = nr;
	if (r->format == WP_FORMAT_JSON)
		wp_json_open(&r->json, name, '[');
	if (r->format != WP_FORMAT_CSV)
		return;
	for (i = 0; i < nr; i++) {
		if (column[i].off & WP_COLUMN_NOT_DATA)
			continue;
		fprintf(r->f, "%s%s", more ? "," : "", column[i].key);
		more = true;
	}
	fputs("\r\n", r->f);
}

/* Align a value; the last one is not padded. */
static void put_text(struct wp_rows *r, const struct wp_column *c, const char *text, bool last)
{
	int width = wp_text_columns(text), room = c->width < 0 ? -c->width : c->width;
	int pad = width < room ? room - width : 0;

	if (c->width >= 0)
		fprintf(r->f, "%*s%s", pad, "", text);
	else
		fprintf(r->f, "%s%*s", text, last ? 0 : pad, "");
}

static unsigned int last_of_text(const struct wp_rows *r)
{
	unsigned int i = r->nr;

	while (i && (r->column[i - 1].off & WP_COLUMN_NOT_TEXT))
		i--;
	return i ? i - 1 : 0;
}

static void put_line(struct wp_rows *r, const char *(*word)(const struct wp_column *c))
{
	unsigned int i, last = last_of_text(r);

	for (i = 0; i <= last; i++) {
		if (r->column[i].off & WP_COLUMN_NOT_TEXT)
			continue;
		fputc(' ', r->f);
		put_text(r, &r->column[i], word(&r->column[i]), i == last);
	}
	fputc('\n', r->f);
}

static const char *title_of(const struct wp_column *c)
{
	return c->title;
}

static const char *unit_of(const struct wp_column *c)
{
	return c->unit ? c->unit : "";
}

/**
 * wp_rows_titles() - print the titles, in text
 * @r: the output
 */
void wp_rows_titles(struct wp_rows *r)
{
	bool units = false;
	unsigned int i;

	if (r->format != WP_FORMAT_TEXT)
		return;
	for (i = 0; i < r->nr; i++)
		units |= r->column[i].unit && !(r->column[i].off & WP_COLUMN_NOT_TEXT);
	put_line(r, title_of);
	if (units)
		put_line(r, unit_of);
}

/* Format a value for people. */
static void value_text(const struct wp_column *c, const struct wp_value *v, char *buf)
{
	uint64_t us = v->n / 1000;

	switch (v->known ? (int)c->kind : -1) {
	case WP_COLUMN_NAME:
		wp_text_show(buf, MAX_TEXT, v->name, false);
		break;
	case WP_COLUMN_COUNT:
		snprintf(buf, MAX_TEXT, "%" PRIu64, (uint64_t)v->n);
		break;
	case WP_COLUMN_ID:
		snprintf(buf, MAX_TEXT, "%" PRId64, (int64_t)v->n);
		break;
	case WP_COLUMN_CPU:
		snprintf(buf, MAX_TEXT, "[%04" PRIu64 "]", (uint64_t)v->n);
		break;
	case WP_COLUMN_MSEC:
		snprintf(buf, MAX_TEXT, "%" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
		break;
	case WP_COLUMN_SEC:
		snprintf(buf, MAX_TEXT, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
		break;
	case WP_COLUMN_PERCENT:
		snprintf(buf, MAX_TEXT, "%" PRIu64 ".%02" PRIu64, (uint64_t)v->n / 100,
			 (uint64_t)v->n % 100);
		break;
	default:
		strcpy(buf, v->none || c->kind == WP_COLUMN_NAME ? "" : "-");
	}
}

static void put_text_row(struct wp_rows *r, const struct wp_value *value)
{
	unsigned int i, last = last_of_text(r);
	char text[MAX_TEXT];

	for (i = 0; i <= last; i++) {
		if (r->column[i].off & WP_COLUMN_NOT_TEXT)
			continue;
		value_text(&r->column[i], &value[i], text);
		fputc(' ', r->f);
		put_text(r, &r->column[i], text, i == last);
	}
	fputc('\n', r->f);
}

static void put_json(struct wp_rows *r, const struct wp_column *c, const struct wp_value *v)
{
	if (!v->known)
		wp_json_null(&r->json, c->key);
	else if (c->kind == WP_COLUMN_NAME)
		wp_json_string(&r->json, c->key, v->name);
	else if (c->kind == WP_COLUMN_ID)
		wp_json_signed(&r->json, c->key, v->n);
	else if (c->kind == WP_COLUMN_PERCENT)
		wp_json_hundredths(&r->json, c->key, v->n);
	else
		wp_json_number(&r->json, c->key, v->n);
}

static void put_csv(struct wp_rows *r, const struct wp_column *c, const struct wp_value *v)
{
	if (!v->known)
		return;
	if (c->kind == WP_COLUMN_NAME)
		wp_csv_put(r->f, v->name);
	else if (c->kind == WP_COLUMN_ID)
		fprintf(r->f, "%" PRId64, (int64_t)v->n);
	else if (c->kind == WP_COLUMN_PERCENT)
		fprintf(r->f, "%" PRIu64 ".%02" PRIu64, (uint64_t)v->n / 100,
			(uint64_t)v->n % 100);
	else
		fprintf(r->f, "%" PRIu64, (uint64_t)v->n);
}

/**
 * wp_rows_put() - write a row
 * @r: the output
 * @value: the values, one for each column
 */
void wp_rows_put(struct wp_rows *r, const struct wp_value *value)
{
	bool more = false;
	unsigned int i;

	if (r->format == WP_FORMAT_TEXT) {
		put_text_row(r, value);
		return;
	}
	if (r->format == WP_FORMAT_JSON)
		wp_json_open(&r->json, NULL, '{');
	for (i = 0; i < r->nr; i++) {
		if (r->column[i].off & WP_COLUMN_NOT_DATA)
			continue;
		if (r->format == WP_FORMAT_JSON) {
			put_json(r, &r->column[i], &value[i]);
			continue;
		}
		if (more)
			fputc(',', r->f);
		put_csv(r, &r->column[i], &value[i]);
		more = true;
	}
	if (r->format == WP_FORMAT_JSON)
		wp_json_close(&r->json, '}');
	else
		fputs("\r\n", r->f);
}

/**
 * wp_rows_table_end() - end a table
 * @r: the output
 */
void wp_rows_table_end(struct wp_rows *r)
{
	if (r->format == WP_FORMAT_JSON)
		wp_json_close(&r->json, ']');
}

/**
 * wp_rows_end() - end an output
 * @r: the output
 *
 * Return: 0, or a negative errno, after a message, if not all could be written.
 */
int wp_rows_end(struct wp_rows *r)
{
	if (r->format == WP_FORMAT_JSON)
		wp_json_close(&r->json, '}');
	return wp_end_output(r->f);
}
