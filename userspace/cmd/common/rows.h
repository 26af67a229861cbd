/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of a command's output, as text, JSON or CSV. See rows.c.
 */
#ifndef WP_CMD_COMMON_ROWS_H
#define WP_CMD_COMMON_ROWS_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#include "lib/base/json.h"

/**
 * enum wp_format - output formats
 * @WP_FORMAT_TEXT: for people
 * @WP_FORMAT_JSON: an object, with an array of objects for each table
 * @WP_FORMAT_CSV: one table, the keys in its first line
 */
enum wp_format {
	WP_FORMAT_TEXT,
	WP_FORMAT_JSON,
	WP_FORMAT_CSV,
};

/**
 * enum wp_column_kind - kinds of columns
 * @WP_COLUMN_NAME: a string
 * @WP_COLUMN_COUNT: a number
 * @WP_COLUMN_ID: a signed number
 * @WP_COLUMN_CPU: a CPU, [0003]
 * @WP_COLUMN_MSEC: ns; in text ms and us, truncated
 * @WP_COLUMN_SEC: the same in s
 * @WP_COLUMN_PERCENT: hundredths of a percent
 */
enum wp_column_kind {
	WP_COLUMN_NAME,
	WP_COLUMN_COUNT,
	WP_COLUMN_ID,
	WP_COLUMN_CPU,
	WP_COLUMN_MSEC,
	WP_COLUMN_SEC,
	WP_COLUMN_PERCENT,
};

/* Bits of wp_column.off: not in text; not in JSON and CSV. */
#define WP_COLUMN_NOT_TEXT	1
#define WP_COLUMN_NOT_DATA	2

/**
 * struct wp_column - a column
 * @key: its name in JSON and CSV, with its unit
 * @title: its name in text
 * @unit: second line of the title, or NULL
 * @kind: its kind
 * @width: width in text; negative: left-aligned
 * @off: formats without it
 */
struct wp_column {
	const char *key;
	const char *title;
	const char *unit;
	enum wp_column_kind kind;
	int width;
	unsigned int off;
};

/**
 * struct wp_value - a value
 * @known: the value is known
 * @none: there is no value: the cell is empty in text
 * @name: value of a NAME
 * @n: value of the others; for ID a __s64
 */
struct wp_value {
	bool known;
	bool none;
	const char *name;
	__u64 n;
};

/**
 * struct wp_rows - an output
 * @f: the output stream
 * @format: the format
 * @column: columns of the current table
 * @nr: their number
 * @json: the JSON writer
 */
struct wp_rows {
	FILE *f;
	enum wp_format format;
	const struct wp_column *column;
	unsigned int nr;
	struct wp_json json;
};

static inline struct wp_value wp_value_name(const char *name)
{
	return (struct wp_value){ .known = name, .name = name };
}

static inline struct wp_value wp_value_number(__u64 n)
{
	return (struct wp_value){ .known = true, .n = n };
}

static inline struct wp_value wp_value_if(bool known, __u64 n)
{
	return (struct wp_value){ .known = known, .n = n };
}

void wp_rows_begin(struct wp_rows *r, FILE *f, enum wp_format format);
void wp_rows_table(struct wp_rows *r, const char *name, const struct wp_column *column,
		   unsigned int nr);
void wp_rows_titles(struct wp_rows *r);
void wp_rows_put(struct wp_rows *r, const struct wp_value *value);
void wp_rows_table_end(struct wp_rows *r);
int wp_rows_end(struct wp_rows *r);

#endif /* WP_CMD_COMMON_ROWS_H */
