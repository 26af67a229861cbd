// SPDX-License-Identifier: GPL-2.0
/*
 * What may go to a terminal of names that anybody can choose: of threads, files
 * and sockets. Left are printable characters of UTF-8. What else there is:
 *
 * - The controls of ASCII, those called C1 (U+0080 to U+009F), of which one alone begins
 *   an escape sequence, and bytes that are no UTF-8, as a terminal without it would take
 *   them for C1, become question marks, one for each byte.
 * - What cannot be seen becomes an escape, \u200b or \U000e0061: it makes two names look
 *   the same, or turns the direction of text.
 *
 * Called from err.c and wherever names are printed.
 *
 * Pure: no clock, and no memory but of wp_text_dup().
 */
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* Bytes of a message: a path, and what is said of it. */
#define MESSAGE	6144

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

/*
 * What cannot be seen, in ascending order: of Unicode 15 the general categories Cf (format),
 * Zl, Zp (ends of lines and paragraphs), Co (private use), and Zs (spaces) but for U+00A0
 * and U+3000; what has the property Default_Ignorable_Code_Point, as fillers and variation
 * selectors; what is blank; and what is no character. Planes without characters as a whole.
 */
static const struct range {
	unsigned int first, last;
} invisible[] = {
	{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x600, 0x605 }, { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd }, { 0x70f, 0x70f }, { 0x890, 0x891 }, { 0x8e2, 0x8e2 },
	{ 0x115f, 0x1160 }, { 0x1680, 0x1680 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x2800, 0x2800 },
	{ 0x3164, 0x3164 }, { 0xd800, 0xf8ff }, { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f },
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
	{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x16fe4, 0x16fe4 },
	{ 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 }, { 0x1d173, 0x1d17a }, { 0x1fffe, 0x1ffff },
	{ 0x2fffe, 0x2ffff }, { 0x3fffe, 0x10ffff },
};

/**
 * wp_text_harmless() - whether a terminal just shows it
 * @c: a character of more than a byte
 *
 * Return: true if it does, and it can be seen.
 */
bool wp_text_harmless(unsigned int c)
{
	size_t low = 0, high = sizeof(invisible) / sizeof(invisible[0]);

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c > invisible[mid].last)
			low = mid + 1;
		else if (c < invisible[mid].first)
			high = mid;
		else
			return false;
	}
	return true;
}

static bool is_control(unsigned char c, bool keep_lines)
{
	return (c < 0x20 && !(keep_lines && (c == '\n' || c == '\t'))) || c == 0x7f;
}

/**
 * wp_text_clean() - make a string harmless where its length must stay
 * @s: the string; of what cannot be seen each byte becomes a question mark, too
 * @keep_lines: leave newlines and tabs
 */
void wp_text_clean(char *s, bool keep_lines)
{
	while (*s) {
		unsigned char c = *s;
		unsigned int wide;
		size_t n;

		if (c < 0x80) {
			if (is_control(c, keep_lines))
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

/*
 * What stands for the first character of @s, in @piece, and its bytes; @used: out: those of
 * @s that it stands for.
 */
static size_t show_one(const char *s, bool keep_lines, char piece[12], size_t *used)
{
	unsigned int c = (unsigned char)*s;

	*used = c < 0x80 ? !is_control(c, keep_lines) : wp_text_char(s, &c);
	if (!*used || (c >= 0x80 && c < 0xa0)) {
		*used = 1;
		*piece = '?';
		return 1;
	}
	if (c >= 0x80 && !wp_text_harmless(c))
		return snprintf(piece, 12, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	memcpy(piece, s, *used);
	return *used;
}

/**
 * wp_text_show() - a string as a terminal is to show it
 * @to: where to; may not be @s
 * @size: bytes there, not 0; what does not fit is left out
 * @s: the string
 * @keep_lines: leave newlines and tabs
 *
 * What is shown stays as it is if it is shown again.
 *
 * Return: bytes put there, less the 0 behind them.
 */
size_t wp_text_show(char *to, size_t size, const char *s, bool keep_lines)
{
	size_t len = 0, n, used;
	char piece[12];

	for (; *s; s += used) {
		n = show_one(s, keep_lines, piece, &used);
		if (len + n >= size)
			break;
		memcpy(to + len, piece, n);
		len += n;
	}
	to[len] = '\0';
	return len;
}

/**
 * wp_text_dup() - the same, of any length, without ends of lines
 * @s: the string
 *
 * Return: to be freed; NULL if there is no memory.
 */
char *wp_text_dup(const char *s)
{
	size_t size = WP_TEXT_GROWS * strlen(s) + 1;
	char *shown = malloc(size);

	if (shown)
		wp_text_show(shown, size, s, false);
	return shown;
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
 * wp_text_wrap() - how much of a clean string goes into a line
 * @s: the string
 * @width: columns of the line, at least 1
 *
 * Return: bytes, to the end of a word; to the end of the line where a word is longer.
 */
size_t wp_text_wrap(const char *s, size_t width)
{
	size_t i, last = 0, columns = 0;

	for (i = 0; s[i]; i++) {
		if ((s[i] & 0xc0) == 0x80)
			continue;
		if (s[i] == ' ')
			last = i;
		if (columns++ == width)
			return last ? last : i;
	}
	return i;
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
	char name[256], shown[WP_TEXT_GROWS * sizeof(name)];

	snprintf(name, sizeof(name), "%s", s);
	wp_text_show(shown, sizeof(shown), name, false);
	fputs(shown, f);
	return wp_text_columns(shown);
}

/**
 * wp_text_vformat() - a message with names in it, as a terminal is to show it
 * @to: where to
 * @size: bytes there, not 0; what does not fit is left out
 * @fmt: of printf; its ends of lines stay, and those of names do not
 * @args: its arguments
 */
void wp_text_vformat(char *to, size_t size, const char *fmt, va_list args)
{
	static const char end = 1;
	char lines[MESSAGE], raw[MESSAGE], *c;
	size_t len = strlen(fmt);
	bool ends = len && fmt[len - 1] == '\n' && size > 1;
	int left = 0;

	/* Another character stands for an end of a line, until it is known whose they are. */
	snprintf(lines, sizeof(lines), "%.*s", (int)(len - ends), fmt);
	for (c = lines; (c = strchr(c, '\n')); left++)
		*c = end;
	vsnprintf(raw, sizeof(raw), lines, args);
	for (c = raw; *c; c++) {
		left -= *c == end;
		if (*c == '\n' || *c == '\t')
			*c = '?';
	}
	/* As many as there were: no name has any. */
	for (c = raw; left >= 0 && (c = strchr(c, end));)
		*c = '\n';
	len = wp_text_show(to, size - ends, raw, true);
	if (ends)
		strcpy(to + len, "\n");
}

/**
 * wp_text_vprint() - print lines that have names in them
 * @f: where to
 * @fmt: of printf, as of wp_text_vformat()
 * @args: its arguments
 */
void wp_text_vprint(FILE *f, const char *fmt, va_list args)
{
	char shown[WP_TEXT_GROWS * MESSAGE];

	wp_text_vformat(shown, sizeof(shown), fmt, args);
	fputs(shown, f);
}

/**
 * wp_text_ellipsis() - what stands for what is left out
 *
 * Return: the character, where the locale has UTF-8; else three dots.
 */
const char *wp_text_ellipsis(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "..." : "…";
}

/**
 * wp_text_print() - print lines that have names in them
 * @f: where to
 * @fmt: of printf
 */
void wp_text_print(FILE *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	wp_text_vprint(f, fmt, args);
	va_end(args);
}
