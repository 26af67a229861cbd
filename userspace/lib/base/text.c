// SPDX-License-Identifier: GPL-2.0
/*
 * Sanitizes names that anybody can choose, of threads, files and sockets, for a terminal.
 * Printable characters of UTF-8 are kept. Of the others:
 *
 * - ASCII controls, C1 controls (U+0080 to U+009F), of which a single one can begin an
 *   escape sequence, and bytes that are not UTF-8, which a terminal without UTF-8 would
 *   take for C1, become question marks, one for each byte.
 * - Invisible characters become an escape, \u200b or \U000e0061: they can make two names
 *   look the same, or change the direction of text.
 *
 * Called by err.c and wherever names are printed.
 *
 * Pure: no clock, and no memory except in wp_text_dup().
 */
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* Maximum size of a message: a path, and its description. */
#define MESSAGE	6144

/**
 * wp_text_char() - decode a multibyte character
 * @text: its beginning
 * @c: set to the character
 *
 * Return: its length in bytes; 0 if there is none.
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
 * Invisible characters, in ascending order: in Unicode 15 the general categories Cf
 * (format), Zl, Zp (line and paragraph separators), Co (private use), and Zs (spaces)
 * except U+00A0 and U+3000; characters with the property Default_Ignorable_Code_Point, as
 * fillers and variation selectors; blanks; and unassigned ones. Planes without characters
 * as a whole.
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
 * wp_text_harmless() - whether a character is visible and has no other effect
 * @c: a multibyte character
 *
 * Return: true if so.
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
 * wp_text_clean() - sanitize a string without changing its length
 * @s: the string; invisible characters become question marks, too, one for each byte
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
 * Replacement of the first character of @s, in @piece; returns its length. @used: set to
 * the length of the replaced bytes of @s.
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
 * wp_text_show() - sanitize a string for a terminal
 * @to: output; may not be @s
 * @size: size of @to, not 0; what does not fit is left out
 * @s: the string
 * @keep_lines: leave newlines and tabs
 *
 * Sanitizing the result again does not change it.
 *
 * Return: bytes written, without the terminating 0.
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
 * wp_text_dup() - the same, of any length, without newlines
 * @s: the string
 *
 * Return: the result, to be freed; NULL if there is no memory.
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
 * wp_text_columns() - approximate width of a sanitized string
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
 * wp_text_wrap() - part of a sanitized string that fits into a line
 * @s: the string
 * @width: columns of the line, at least 1
 *
 * Return: bytes, up to the end of a word; up to the end of the line if a word is longer.
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
 * @f: output
 * @s: the name; truncated to 255 bytes
 *
 * Return: its width.
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
 * wp_text_vformat() - format a message that contains names
 * @to: output
 * @size: size of @to, not 0; what does not fit is left out
 * @fmt: printf format; its newlines are kept, those of names are not
 * @args: its arguments
 */
void wp_text_vformat(char *to, size_t size, const char *fmt, va_list args)
{
	static const char end = 1;
	char lines[MESSAGE], raw[MESSAGE], *c;
	size_t len = strlen(fmt);
	bool ends = len && fmt[len - 1] == '\n' && size > 1;
	int left = 0;

	/*
	 * Replace the format's newlines by another character, to distinguish them from
	 * those of names.
	 */
	snprintf(lines, sizeof(lines), "%.*s", (int)(len - ends), fmt);
	for (c = lines; (c = strchr(c, '\n')); left++)
		*c = end;
	vsnprintf(raw, sizeof(raw), lines, args);
	for (c = raw; *c; c++) {
		left -= *c == end;
		if (*c == '\n' || *c == '\t')
			*c = '?';
	}
	/* As many as in the format: names have none left. */
	for (c = raw; left >= 0 && (c = strchr(c, end));)
		*c = '\n';
	len = wp_text_show(to, size - ends, raw, true);
	if (ends)
		strcpy(to + len, "\n");
}

/**
 * wp_text_vprint() - print lines that contain names
 * @f: output
 * @fmt: printf format, as for wp_text_vformat()
 * @args: its arguments
 */
void wp_text_vprint(FILE *f, const char *fmt, va_list args)
{
	char shown[WP_TEXT_GROWS * MESSAGE];

	wp_text_vformat(shown, sizeof(shown), fmt, args);
	fputs(shown, f);
}

/**
 * wp_text_ellipsis() - mark of an omission
 *
 * Return: the character, where the locale has UTF-8; else three dots.
 */
const char *wp_text_ellipsis(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "..." : "…";
}

/**
 * wp_text_print() - print lines that contain names
 * @f: output
 * @fmt: printf format
 */
void wp_text_print(FILE *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	wp_text_vprint(f, fmt, args);
	va_end(args);
}
