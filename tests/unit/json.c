// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of JSON and CSV: names of any bytes, and the places of commas.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/csv.h"
#include "lib/base/json.h"
#include "tap.h"

static const struct row {
	const char *name;
	const char *json;
	const char *csv;
} rows[] = {
	{ "plain", "\"plain\"", "plain" },
	{ "", "\"\"", "" },
	{ "a\"b\\c", "\"a\\\"b\\\\c\"", "\"a\"\"b\\c\"" },
	{ "one,two", "\"one,two\"", "\"one,two\"" },
	{ "\n\t\x1b[1m\x7f", "\"\\u000a\\u0009\\u001b[1m\\u007f\"", "???[1m?" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
	  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	/* No UTF-8: a lone byte, a sequence that ends early, half of a pair, too long. */
	{ "\xff", "\"\\ufffd\"", "?" },
	{ "\xe2\x82", "\"\\ufffd\\ufffd\"", "??" },
	{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "???" },
	{ "\xc0\xaf", "\"\\ufffd\\ufffd\"", "??" },
	/* What a terminal would obey. */
	{ "\xc2\x9bm\xe2\x80\xae", "\"\\u009bm\\u202e\"", "??m\\u202e" },
	{ "\xf3\xa0\x81\xa1", "\"\\udb40\\udc61\"", "\\U000e0061" },
	/* What a spreadsheet would run. */
	{ "=1+cmd|'/C'!A0", "\"=1+cmd|'/C'!A0\"", "'=1+cmd|'/C'!A0" },
	{ "-2+3", "\"-2+3\"", "'-2+3" },
	{ "+1", "\"+1\"", "'+1" },
	{ "@SUM(A1)", "\"@SUM(A1)\"", "'@SUM(A1)" },
	{ " \"'=1", "\" \\\"'=1\"", "\"' \"\"'=1\"" },
	{ "\ufe661", "\"\ufe661\"", "'\ufe661" },
	{ "\u22121", "\"\u22121\"", "'\u22121" },
	{ "\u3000\uff1d1", "\"\u3000\uff1d1\"", "'\u3000\uff1d1" },
	{ "a;=1", "\"a;=1\"", "\"a;=1\"" },
	{ "\t=1", "\"\\u0009=1\"", "?=1" },
	{ "-", "\"-\"", "-" },
	{ "a=1-2", "\"a=1-2\"", "a=1-2" },
};

static void test_names(void)
{
	char *text;
	size_t size;
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f = open_memstream(&text, &size);
		struct wp_json j = { .f = f };

		wp_json_string(&j, NULL, rows[i].name);
		fclose(f);
		if (!ok(!strcmp(text, rows[i].json), "row %u as JSON", i))
			printf("# %s\n", text);
		free(text);
		f = open_memstream(&text, &size);
		wp_csv_put(f, rows[i].name);
		fclose(f);
		if (!ok(!strcmp(text, rows[i].csv), "row %u as CSV", i))
			printf("# %s\n", text);
		free(text);
	}
}

static void test_places(void)
{
	static const char want[] = "{\n \"rows\": [\n  {\"a\": 18446744073709551615, \"b\": -1,"
		" \"c\": null},\n  {}\n ],\n \"none\": [],\n \"part\": 12.05,\n \"is\": true\n}\n";
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct wp_json j = { .f = f };

	wp_json_open(&j, NULL, '{');
	wp_json_open(&j, "rows", '[');
	wp_json_open(&j, NULL, '{');
	wp_json_number(&j, "a", UINT64_MAX);
	wp_json_signed(&j, "b", -1);
	wp_json_null(&j, "c");
	wp_json_close(&j, '}');
	wp_json_open(&j, NULL, '{');
	wp_json_close(&j, '}');
	wp_json_close(&j, ']');
	wp_json_open(&j, "none", '[');
	wp_json_close(&j, ']');
	wp_json_hundredths(&j, "part", 1205);
	wp_json_bool(&j, "is", true);
	wp_json_close(&j, '}');
	fclose(f);
	if (!ok(!strcmp(text, want), "commas and lines are at their places"))
		printf("# %s\n# not %s\n", text, want);
	free(text);
}

int main(void)
{
	test_names();
	test_places();
	return done();
}
