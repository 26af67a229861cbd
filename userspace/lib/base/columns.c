// SPDX-License-Identifier: GPL-2.0
/*
 * Fits names and numbers into columns. Names must be clean, see text.c; widths are in
 * characters.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/columns.h"
#include "lib/base/text.h"

/* Length in bytes of the first @width characters. */
static size_t bytes_of(const char *s, size_t width)
{
	size_t at = 0;

	while (s[at] && width) {
		at++;
		while ((s[at] & 0xc0) == 0x80)
			at++;
		width--;
	}
	return at;
}

static size_t copy(char *to, size_t size, const char *from, size_t bytes)
{
	if (!size)
		return 0;
	if (bytes > size - 1) {
		bytes = size - 1;
		while (bytes && (from[bytes] & 0xc0) == 0x80)
			bytes--;
	}
	memcpy(to, from, bytes);
	to[bytes] = 0;
	return wp_text_columns(to);
}

/* Mark of a cut; narrow columns have no room for three dots. */
static const char *mark(size_t width)
{
	const char *dots = wp_text_ellipsis();

	return wp_text_columns(dots) < width ? dots : "";
}

/**
 * wp_columns_cut() - a name, truncated at its end to a width
 * @to: output; not @name
 * @size: size of @to
 * @name: the name
 * @width: characters
 *
 * Return: its width.
 */
size_t wp_columns_cut(char *to, size_t size, const char *name, size_t width)
{
	const char *dots = mark(width);
	size_t len;

	if (wp_text_columns(name) <= width)
		return copy(to, size, name, strlen(name));
	len = bytes_of(name, width - wp_text_columns(dots));
	copy(to, size, name, len);
	len = strlen(to);
	return copy(to + len, size - len, dots, strlen(dots)), wp_text_columns(to);
}

/**
 * wp_columns_path() - a path, truncated at its beginning to a width
 * @to: output; not @path
 * @size: size of @to
 * @path: the path
 * @width: characters
 *
 * Return: its width.
 */
size_t wp_columns_path(char *to, size_t size, const char *path, size_t width)
{
	size_t all = wp_text_columns(path), skip, len;
	const char *dots = mark(width);

	if (all <= width)
		return copy(to, size, path, strlen(path));
	skip = bytes_of(path, all - width + wp_text_columns(dots));
	copy(to, size, dots, strlen(dots));
	len = strlen(to);
	return copy(to + len, size - len, path + skip, strlen(path + skip)), wp_text_columns(to);
}

/* Whether a character belongs to an operator's name: operator(), <, <<, >, >>, ->. */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	if ((at > name && *at == ')' && at[-1] == '(') ||
	    (at > name && strchr("<>", *at) && strchr("<>-", at[-1])))
		at--;
	return (size_t)(at - name) >= len && !strncmp(at - len, word, len);
}

/* A name without what is in brackets: parameters of functions and of templates. */
static void without(char *to, size_t size, const char *name, char open, char close, bool keep)
{
	unsigned int depth = 0;
	const char *from;
	size_t len = 0;

	for (from = name; *from && len + 1 < size; from++) {
		bool operator = (*from == open || *from == close) && is_operator(name, from);

		/* "(anonymous namespace)" is a name, not parameters. */
		operator |= open == '(' && (from == name || from[-1] == ':');
		if (*from == open && !operator) {
			if (!depth++ && keep)
				to[len++] = open;
		} else if (*from == close && !operator && depth) {
			if (!--depth && keep && len + 1 < size)
				to[len++] = close;
		} else if (!depth) {
			to[len++] = *from;
		}
	}
	to[len] = 0;
}

/**
 * wp_columns_name() - the name of a function, shortened to a width
 * @to: output; not @name
 * @size: size of @to
 * @name: the name
 * @width: characters
 *
 * C++ names first lose the parameters of functions, then those of templates, and then the
 * leading namespaces; then they are truncated at their end.
 *
 * Return: its width.
 */
size_t wp_columns_name(char *to, size_t size, const char *name, size_t width)
{
	char bare[512], bald[512];
	const char *at = bare, *next;

	if (wp_text_columns(name) <= width)
		return copy(to, size, name, strlen(name));
	without(bare, sizeof(bare), name, '(', ')', false);
	if (wp_text_columns(bare) > width && strchr(bare, '<')) {
		without(bald, sizeof(bald), bare, '<', '>', true);
		strcpy(bare, bald);
	}
	while (wp_text_columns(at) > width && (next = strstr(at, "::")) && next[2])
		at = next + 2;
	return wp_columns_cut(to, size, at, width);
}

/**
 * wp_columns_share() - divide a width among columns
 * @width: set to the width of each
 * @wanted: preferred width of each
 * @least: minimum width of each, used only when necessary
 * @nr: number of columns
 * @room: total width
 */
void wp_columns_share(size_t *width, const size_t *wanted, const size_t *least, size_t nr,
		      size_t room)
{
	size_t i, used = 0;
	bool more = true;

	for (i = 0; i < nr; i++) {
		width[i] = wanted[i] < least[i] ? wanted[i] : least[i];
		used += width[i];
	}
	while (used < room && more) {
		more = false;
		for (i = 0; i < nr && used < room; i++) {
			if (width[i] >= wanted[i])
				continue;
			width[i]++;
			used++;
			more = true;
		}
	}
}

/**
 * wp_columns_time() - a time in up to seven characters, with its unit
 * @to: set to the text
 * @ns: the time
 */
void wp_columns_time(char to[16], __u64 ns)
{
	static const struct {
		__u64 ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t i = 0;
	double value;

	/* A value that would be rounded up to the next unit is shown in that. */
	while (i < 3 && ns < units[i].ns - units[i + 1].ns / 2)
		i++;
	value = (double)ns / units[i].ns;
	snprintf(to, 15, "%.*f %s", i == 3 || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1, value,
		 units[i].unit);
}
