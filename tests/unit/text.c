// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of text.c: what reaches a terminal, over single cases, and over all
 * strings of up to four bytes that matter.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/text.h"
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
	wp_set_verbosity(WP_SILENT);
	wp_err("no file \xc2\x9b" "31m\nbut this");
	ok(!strcmp(wp_last_error(), "no file ??31m\nbut this"), "messages are clean");
	return done();
}
