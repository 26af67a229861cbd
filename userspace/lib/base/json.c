// SPDX-License-Identifier: GPL-2.0
/*
 * Writes JSON (RFC 8259) as a stream, without buffering. Strings may be any bytes: those
 * that are not UTF-8 become U+FFFD; terminal controls are escaped, and so is "<", so that
 * the text can be embedded in a page without ending an element. The caller checks the
 * stream for write errors. Called by the commands.
 */
#include <inttypes.h>

#include "lib/base/json.h"
#include "lib/base/text.h"

/* Write a character of more than a byte, or an invalid byte. Returns its length. */
static size_t put_wide(FILE *f, const char *s)
{
	unsigned int c;
	size_t n = wp_text_char(s, &c);

	if (!n)
		fputs("\\ufffd", f);
	else if (wp_text_harmless(c))
		fwrite(s, n, 1, f);
	else if (c > 0xffff)
		fprintf(f, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
	else
		fprintf(f, "\\u%04x", c);
	return n ? n : 1;
}

static void put_string(FILE *f, const char *s)
{
	size_t n;

	fputc('"', f);
	for (; *s; s += n) {
		unsigned char byte = *s;

		n = 1;
		if (byte == '"' || byte == '\\')
			fprintf(f, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f || byte == '<')
			fprintf(f, "\\u%04x", byte);
		else if (byte < 0x80)
			fputc(byte, f);
		else
			n = put_wide(f, s);
	}
	fputc('"', f);
}

/* Members of the outermost two levels are on lines of their own. */
static void put_key(struct wp_json *j, const char *key)
{
	if (j->filled)
		fputc(',', j->f);
	if (j->depth && j->depth <= 2)
		fprintf(j->f, "\n%*s", (int)j->depth, "");
	else if (j->filled)
		fputc(' ', j->f);
	j->filled = true;
	if (!key)
		return;
	put_string(j->f, key);
	fputs(": ", j->f);
}

/**
 * wp_json_open() - begin an object or an array
 * @j: the writer
 * @key: its key in the enclosing object, else NULL; the same for all functions below
 * @kind: '{' or '['
 */
void wp_json_open(struct wp_json *j, const char *key, char kind)
{
	put_key(j, key);
	fputc(kind, j->f);
	j->depth++;
	j->filled = false;
}

/**
 * wp_json_close() - end the innermost object or array
 * @j: the writer
 * @kind: '}' or ']', as opened
 */
void wp_json_close(struct wp_json *j, char kind)
{
	j->depth--;
	if (j->depth < 2 && j->filled)
		fprintf(j->f, "\n%*s", (int)j->depth, "");
	fputc(kind, j->f);
	if (!j->depth)
		fputc('\n', j->f);
	j->filled = true;
}

/**
 * wp_json_string() - write a string
 * @j: the writer
 * @key: its key
 * @s: any bytes
 */
void wp_json_string(struct wp_json *j, const char *key, const char *s)
{
	put_key(j, key);
	put_string(j->f, s);
}

/**
 * wp_json_number() - write a number
 * @j: the writer
 * @key: its key
 * @n: the number
 */
void wp_json_number(struct wp_json *j, const char *key, __u64 n)
{
	put_key(j, key);
	fprintf(j->f, "%" PRIu64, (uint64_t)n);
}

/**
 * wp_json_signed() - write a signed number
 * @j: the writer
 * @key: its key
 * @n: the number
 */
void wp_json_signed(struct wp_json *j, const char *key, __s64 n)
{
	put_key(j, key);
	fprintf(j->f, "%" PRId64, (int64_t)n);
}

/**
 * wp_json_hundredths() - write a fraction
 * @j: the writer
 * @key: its key
 * @n: its value in hundredths
 */
void wp_json_hundredths(struct wp_json *j, const char *key, __u64 n)
{
	put_key(j, key);
	fprintf(j->f, "%" PRIu64 ".%02" PRIu64, (uint64_t)n / 100, (uint64_t)n % 100);
}

/**
 * wp_json_millionths() - write a fraction
 * @j: the writer
 * @key: its key
 * @n: its value in millionths
 */
void wp_json_millionths(struct wp_json *j, const char *key, __u64 n)
{
	put_key(j, key);
	fprintf(j->f, "%" PRIu64 ".%06" PRIu64, (uint64_t)n / 1000000, (uint64_t)n % 1000000);
}

/**
 * wp_json_bool() - write true or false
 * @j: the writer
 * @key: its key
 * @is: the value
 */
void wp_json_bool(struct wp_json *j, const char *key, bool is)
{
	put_key(j, key);
	fputs(is ? "true" : "false", j->f);
}

/**
 * wp_json_null() - write null for an unknown value
 * @j: the writer
 * @key: its key
 */
void wp_json_null(struct wp_json *j, const char *key)
{
	put_key(j, key);
	fputs("null", j->f);
}
