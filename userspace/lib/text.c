// SPDX-License-Identifier: GPL-2.0
/*
 * What may go to a terminal of names that anybody can choose: of threads, files
 * and sockets. Left are printable characters of UTF-8. What else there is becomes
 * question marks, one for each byte: the controls of ASCII; those called C1
 * (U+0080 to U+009F), of which one alone begins an escape sequence; what turns the
 * direction of text or ends a line (U+200E and the like); what is no character
 * (U+FFFE and U+FFFF), for which XML is not read at all; and bytes that are no UTF-8, as
 * a terminal without it would take them for C1. Called from err.c and wherever names
 * are told.
 *
 * Pure: no clock, no memory.
 */
#include "lib/text.h"

/**
 * wp_text_char() - a character that is more than a byte
 * @text: where it begins
 * @c: set to it
 *
 * Return: its bytes; 0 if there is none.
 */
size_t wp_text_char(const char *text, unsigned int *c)
{
	const unsigned char *s = (const unsigned char *)text;
	static const unsigned int smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	*c = n ? s[0] & 0x7f >> n : 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return n && *c >= smallest[n] && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff) ? n : 0;
}

/**
 * wp_text_harmless() - whether a terminal just shows it
 * @c: a character of more than a byte
 *
 * Return: true if it does.
 */
bool wp_text_harmless(unsigned int c)
{
	return c >= 0xa0 && c != 0x61c && (c < 0x200e || c > 0x200f) &&
	       (c < 0x2028 || c > 0x202e) && (c < 0x2066 || c > 0x2069) &&
	       c != 0xfffe && c != 0xffff;
}

/**
 * wp_text_clean() - make a string harmless to a terminal
 * @s: the string; its length stays
 * @keep_lines: leave newlines and tabs
 */
void wp_text_clean(char *s, bool keep_lines)
{
	while (*s) {
		unsigned char c = *s;
		unsigned int wide;
		size_t n;

		if (c < 0x80) {
			if ((c < 0x20 && !(keep_lines && (c == '\n' || c == '\t'))) || c == 0x7f)
				*s = '?';
			s++;
			continue;
		}
		n = wp_text_char(s, &wide);
		if (n && wp_text_harmless(wide)) {
			s += n;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			*s++ = '?';
	}
}

/**
 * wp_text_columns() - how wide a clean string is, about
 * @s: the string
 *
 * Return: its characters.
 */
size_t wp_text_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

/**
 * wp_text_put() - print a name
 * @f: where to
 * @s: the name; what is beyond 255 bytes is left out
 *
 * Return: how wide it is.
 */
size_t wp_text_put(FILE *f, const char *s)
{
	char clean[256];

	snprintf(clean, sizeof(clean), "%s", s);
	wp_text_clean(clean, false);
	fputs(clean, f);
	return wp_text_columns(clean);
}
