// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of text.c: what reaches a terminal, over single cases, and over all
 * strings of up to four bytes that matter.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "tap.h"

static bool becomes(const char *from, bool keep_lines, const char *to)
{
	char s[64];

	snprintf(s, sizeof(s), "%s", from);
	wp_text_clean(s, keep_lines);
	if (strcmp(s, to))
		printf("# %s, not %s\n", s, to);
	return !strcmp(s, to);
}

/* The C1 controls, as UTF-8 and alone, outside of other characters. */
static bool is_safe(const unsigned char *s)
{
	while (*s) {
		size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4, i;

		if (!n || *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
			return false;
		for (i = 1; i < n; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return false;
		}
		s += n;
	}
	return true;
}

/* Every one of four bytes of each kind that there is. */
static void test_all(void)
{
	static const unsigned char kinds[] = {
		1, '\n', 0x1b, ' ', 'a', 0x7f, 0x80, 0x8f, 0x90, 0x9b, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1,
		0xc2, 0xc3, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0,
	};
	const unsigned int nr = sizeof(kinds);
	unsigned int i, bad = 0, other = 0;

	for (i = 0; i < nr * nr * nr * nr; i++) {
		unsigned char s[5] = { kinds[i % nr], kinds[i / nr % nr],
				       kinds[i / nr / nr % nr], kinds[i / nr / nr / nr] };
		size_t len = strlen((char *)s);

		wp_text_clean((char *)s, false);
		bad += !is_safe(s);
		other += strlen((char *)s) != len;
	}
	ok(!bad && !other, "%u strings: %u not harmless, %u of another length", i, bad, other);
}

static bool shows(const char *from, const char *to)
{
	char s[128], again[128];
	size_t n = wp_text_show(s, sizeof(s), from, false);

	wp_text_show(again, sizeof(again), s, false);
	if (strcmp(s, to) || n != strlen(to) || strcmp(again, s))
		printf("# %s, not %s\n", s, to);
	return !strcmp(s, to) && n == strlen(to) && !strcmp(again, s);
}

/* What has no look of its own, a few of each kind; and neighbours that do. */
static void test_invisible(void)
{
	static const unsigned int no[] = {
		0x80, 0x9f, 0xad, 0x34f, 0x600, 0x61c, 0x6dd, 0x70f, 0x8e2, 0x115f, 0x1160, 0x1680,
		0x17b4, 0x180b, 0x180e, 0x2000, 0x200b, 0x200c, 0x200d, 0x200e, 0x2028, 0x2029,
		0x202a, 0x202e, 0x202f, 0x205f, 0x2060, 0x2064, 0x2065, 0x2066, 0x2069, 0x206f,
		0x2800, 0x3164, 0xd800, 0xdfff, 0xe000, 0xf8ff, 0xfdd0, 0xfdef, 0xfe00, 0xfe0f,
		0xfeff, 0xffa0, 0xfff0, 0xfff9, 0xfffb, 0xfffe, 0xffff, 0x110bd, 0x13430, 0x16fe4,
		0x1bca0, 0x1d159, 0x1d173, 0x1ffff, 0x50000, 0xe0001, 0xe0020, 0xe007f, 0xe0100,
		0xe01ef, 0xf0000, 0xffffd, 0x100000, 0x10ffff,
	};
	static const unsigned int yes[] = {
		0xa0, 0xac, 0xae, 0x34e, 0x350, 0x61b, 0x61e, 0x115e, 0x1161, 0x17b3, 0x2010, 0x2027,
		0x2030, 0x205e, 0x2070, 0x27ff, 0x2801, 0x3000, 0x3163, 0x3165, 0xd7ff, 0xf900,
		0xfdcf, 0xfdf0, 0xfe10, 0xfefe, 0xff01, 0xff9f, 0xffa1, 0xfffc, 0xfffd, 0x10000,
		0x1d158, 0x1d15a, 0x1f600, 0x20000, 0x2fa1d, 0x30000, 0x3134a,
	};
	unsigned int i, bad = 0;

	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		bad += wp_text_harmless(no[i]);
	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		bad += !wp_text_harmless(yes[i]);
	ok(!bad, "what can be seen: %u wrong", bad);
}

static void test_show(void)
{
	char s[8], *all;
	FILE *f;
	char got[64] = "";

	ok(shows("Stra\u00dfe \U0001f600\u00a0", "Stra\u00dfe \U0001f600\u00a0"), "letters are shown");
	ok(shows("a\u200bb\u202e", "a\\u200bb\\u202e") &&
	   shows("\xf3\xa0\x81\xa1\u00ad", "\\U000e0061\\u00ad"), "what cannot be seen is escaped");
	ok(shows("a\x1b[31m\xc2\x9b" "1\xff\xe2\x80", "a?[31m??1???"),
	   "controls and no UTF-8 are question marks");
	ok(wp_text_show(s, sizeof(s), "ab\u200b\u200b", false) == 2 && !strcmp(s, "ab") &&
	   wp_text_show(s, sizeof(s), "a\u200b\u200b", false) == 7 && !strcmp(s, "a\\u200b"),
	   "an escape is whole, or is not there");
	all = wp_text_dup("\u00ad\u00ad\nx");
	ok(all && !strcmp(all, "\\u00ad\\u00ad?x"), "of any length");
	free(all);
	f = fmemopen(got, sizeof(got), "w");
	wp_text_print(f, "%s\n", "a\nb\u200b");
	fclose(f);
	ok(!strcmp(got, "a?b\\u200b\n"), "a line is one line, whatever names have");
	f = fmemopen(got, sizeof(got), "w");
	wp_text_print(f, "%s\n", "a\1b");
	fclose(f);
	ok(!strcmp(got, "a?b\n"), "also if they guess how that is seen");
}

static void test_put(void)
{
	char got[512] = "", longest[400];
	FILE *f = fmemopen(got, sizeof(got), "w");
	size_t n;

	n = wp_text_put(f, "\xc3\x84" "b\x1b");
	fflush(f);
	ok(n == 3 && !strcmp(got, "\xc3\x84" "b?"), "the width of what is printed");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[254] = '\xc2';
	longest[255] = '\x9b';
	longest[399] = 0;
	rewind(f);
	n = wp_text_put(f, longest);
	fclose(f);
	ok(n == 255 && !memchr(got, '\xc2', n) && !memchr(got, '\x9b', n),
	   "a character that is cut off is none");
}

static void test_wrap(void)
{
	ok(wp_text_wrap("one two", 7) == 7 && wp_text_wrap("one two", 6) == 3 &&
	   wp_text_wrap("one two", 3) == 3, "lines end where words do");
	ok(wp_text_wrap("onetwo three", 4) == 4 && wp_text_wrap("", 4) == 0,
	   "but within those that are too long");
	ok(wp_text_wrap("\u00fc\u00fc \u00fc", 3) == 4 && wp_text_wrap("\u00fc\u00fc", 2) == 4,
	   "columns are characters, not bytes");
}

int main(void)
{
	ok(becomes("plain name-1:2", false, "plain name-1:2") &&
	   becomes("Stra\xc3\x9f" "e \xe2\x80\xa6 \xf0\x9f\x90\xa2", false,
		   "Stra\xc3\x9f" "e \xe2\x80\xa6 \xf0\x9f\x90\xa2"), "letters stay, of any script");
	ok(becomes("a\x1b[31mb\x7f\r", false, "a?[31mb??"), "controls do not");
	ok(becomes("a\tb\nc", false, "a?b?c") && becomes("a\tb\nc\x1b", true, "a\tb\nc?"),
	   "lines and tabs only if wanted");
	ok(becomes("a\xc2\x9b" "31m", false, "a??31m") && becomes("\xc2\x80\xc2\x9f\xc2\xa0", false,
								 "????\xc2\xa0"),
	   "those of C1 do not, as UTF-8");
	ok(becomes("a\x9b" "31m\x85", false, "a?31m?"), "nor alone");
	ok(becomes("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8", false, "???????" "????"),
	   "nor what turns the direction of text");
	ok(becomes("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", false, "??????\xef\xbf\xbd"),
	   "nor what is no character, and no text of XML");
	ok(becomes("\xc0\x9b\xe0\x82\x9b\xed\xa0\x80\xf4\x90\x80\x80\xc3", false, "??" "???" "???" "????" "?"),
	   "nor what is no UTF-8: too long, surrogates, too large, cut off");
	test_all();
	test_put();
	test_invisible();
	test_show();
	test_wrap();
	wp_set_verbosity(WP_SILENT);
	wp_err("no file \xc2\x9b" "31m\nbut this");
	ok(!strcmp(wp_last_error(), "no file ??31m\nbut this"), "messages are clean");
	wp_warn("no file %s", "a\nwallprof: b\u202e");
	ok(!strcmp(wp_last_warning(), "no file a?wallprof: b\\u202e"), "and of as many lines as ours");
	return done();
}
