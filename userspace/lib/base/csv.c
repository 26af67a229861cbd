// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of CSV (RFC 4180), and of lines with tabs. Called by the commands.
 */
#include <stdbool.h>
#include <string.h>

#include "lib/base/csv.h"
#include "lib/base/text.h"

/* Length of the first character, if some spreadsheets strip it before a formula. */
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
 * Formulas of spreadsheets begin with one of these, followed by more; tabs and newlines
 * have been replaced by now.
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
	/* In some countries a semicolon separates fields. */
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
 * wp_csv_put() - write a text field
 * @f: output
 * @s: any bytes; escaped for terminals, truncated to 255 bytes, and with a leading ' if a
 *	spreadsheet would evaluate it
 */
void wp_csv_put(FILE *f, const char *s)
{
	put(f, s, true);
}

/**
 * wp_tsv_put() - write a text field of a line with tabs
 * @f: output
 * @s: any bytes; tabs are replaced
 */
void wp_tsv_put(FILE *f, const char *s)
{
	put(f, s, false);
}
