// SPDX-License-Identifier: GPL-2.0
/*
 * A field of a line of CSV (RFC 4180), or of a line with tabs. Called by the commands.
 */
#include <stdbool.h>
#include <string.h>

#include "lib/base/csv.h"
#include "lib/base/text.h"

/* What may stand before a formula, as some spreadsheets cut it away: bytes of the first. */
static size_t is_before(const char *s)
{
	static const char *const before[] = { " ", "'", "\"", "\u00a0", "\u3000" };
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (!strncmp(s, before[i], strlen(before[i])))
			return strlen(before[i]);
	}
	return 0;
}

/*
 * What a spreadsheet runs begins with one of these, and goes on; a tab or a line's end is
 * none any more.
 */
static bool is_formula(const char *s)
{
	static const char *const first[] = {
		"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20",
		"\ufe66", "\ufe62", "\ufe63", "\ufe6b", "\u2212",
	};
	size_t i, n;

	while ((n = is_before(s)))
		s += n;
	for (i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		n = strlen(first[i]);
		if (!strncmp(s, first[i], n))
			return s[n];
	}
	return false;
}

static void put(FILE *f, const char *s, bool commas)
{
	char name[256], shown[WP_TEXT_GROWS * sizeof(name)];
	const char *at;
	bool quote;

	snprintf(name, sizeof(name), "%s", s);
	wp_text_show(shown, sizeof(shown), name, false);
	/* A semicolon is a comma in some countries. */
	quote = commas && strpbrk(shown, "\",;");
	if (quote)
		fputc('"', f);
	if (is_formula(shown))
		fputc('\'', f);
	for (at = shown; *at; at++) {
		if (quote && *at == '"')
			fputc('"', f);
		fputc(*at, f);
	}
	if (quote)
		fputc('"', f);
}

/**
 * wp_csv_put() - write a field of text
 * @f: where to
 * @s: any bytes; it is written as a terminal is to show it, what is beyond 255 of them is
 *	left out, and what a spreadsheet would run gets a ' in front
 */
void wp_csv_put(FILE *f, const char *s)
{
	put(f, s, true);
}

/**
 * wp_tsv_put() - the same, between tabs
 * @f: where to
 * @s: any bytes; a tab among them is none any more
 */
void wp_tsv_put(FILE *f, const char *s)
{
	put(f, s, false);
}
