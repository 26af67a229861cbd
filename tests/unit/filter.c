// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of filter.c: which records the filters take, evaluated as in the module, and what
 * is said of wrong ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfdata/filter.h"
#include "formats.h"
#include "pure/event_filter.h"
#include "tap.h"

static const char format[] =
	HEAD("test", "7") COMMON
	FIELD("char comm[8]", 8, 8, 0)
	FIELD("__data_loc char[] name", 16, 4, 0)
	FIELD("__rel_data_loc char[] other", 20, 4, 0)
	FIELD("const char * filename", 24, 8, 0)
	FIELD("sector_t sector", 32, 8, 0)
	FIELD("long ret", 40, 8, 1)
	FIELD("s16 small", 48, 2, 1)
	FIELD("u8 tiny", 50, 1, 0)
	FIELD("unsigned char letters[5]", 51, 5, 0)
	FIELD("u32 args[3]", 56, 12, 0)
	FIELD("__data_loc cpumask_t[] cpus", 68, 4, 0)
	FIELD("char letter", 72, 1, 1)
	FIELD("__data_loc u8[] blob", 76, 4, 0)
	PRINT("\"\"");

/* Beside it, from 80 on: "bash", "block". */
static struct {
	unsigned short type;
	unsigned char flags, preempt_count;
	int pid;
	char comm[8];
	__u32 name, other;
	__u64 filename, sector;
	long ret;
	short small;
	unsigned char tiny, letters[5];
	__u32 args[3], cpus;
	char letter, pad[3];
	__u32 blob;
	char texts[12];
} record = {
	.type = 7, .flags = 6, .preempt_count = 200, .pid = -3, .comm = "W*S",
	.name = 5 << 16 | 80, .other = 6 << 16 | (85 - 24), .sector = 0xffffffff00000001,
	.ret = -11, .small = -2, .tiny = 250, .letters = "abc", .letter = 'x',
	.blob = 0x80000000, .texts = "bash\0block",
};

static const struct {
	const char *filter;
	bool takes;
} taken[] = {
	{ "ret == -11", true },
	{ "  ret==-11\t", true },
	{ "ret != -11", false },
	{ "ret < 0", true },
	{ "ret <= -11", true },
	{ "ret <= -12", false },
	{ "ret >= -11", true },
	{ "ret >= -10", false },
	{ "ret > -11", false },
	{ "ret & 4", true },
	{ "ret & 2", false },
	{ "ret == -0xb", true },
	{ "ret == -013", true },
	{ "sector > 5", true },
	{ "sector == 0xffffffff00000001", true },
	{ "sector == 18446744069414584321", true },
	{ "sector < 5", false },
	{ "sector & 1", true },
	{ "sector & 010", false },
	/* Of 1 and 2 bytes: the value is cut to the type. */
	{ "small == -2", true },
	{ "small == 65534", true },
	{ "small < -1", true },
	{ "tiny == 250", true },
	{ "tiny == 506", true },
	{ "tiny > 5", true },
	{ "common_preempt_count > 100", true },
	{ "common_pid == -3", true },
	{ "common_pid < 0", true },
	{ "letter == 120", true },
	{ "letter > 0 && letter <= 0x78", true },
	{ "blob == 0x80000000", true },
	{ "blob > 1", true },
	{ "CPU == 3", true },
	{ "cpu != 3 || common_cpu > -1", true },
	{ "COMM == \"thread\"", true },
	{ "COMM ~ 'thr*'", true },
	/* The event's own name of it goes first. */
	{ "comm == 'thread'", false },
	{ "comm == 'W*S'", true },
	{ "comm ~ \"*W*\"", true },
	{ "comm ~ \"W*\"", true },
	{ "comm ~ \"*S\"", false },	/* in an array: as in the kernel */
	{ "comm ~ \"W\\*S\"", true },
	{ "comm ~ \"?[*]S\"", true },
	{ "comm ~ \"!W*\"", false },
	{ "comm ~ \"!x*\"", true },
	{ "comm ~ 'W*S'", true },
	{ "comm ~ \"*\"", true },
	{ "comm ~ \"**\"", true },
	{ "comm ~ 'x*S'", false },
	{ "comm != \"W*S\"", false },
	{ "comm != \"W\"", true },
	{ "letters == \"abc\"", true },
	{ "name == \"bash\"", true },
	{ "name ~ \"*sh\"", true },
	{ "name ~ \"*as*\"", true },
	{ "name ~ \"b*h\"", true },
	{ "name ~ \"[a-c]a?h\"", true },
	{ "name == 'block'", false },
	{ "other == 'block'", true },
	{ "other ~ \"bl*\"", true },
	{ "name ~ \"\"", false },
	{ "name ~ '1*'", false },
	{ "name == 'ba\"sh'", false },
	/* Together: && goes before ||, and ! before both. */
	{ "ret == 0 || tiny == 250", true },
	{ "ret == -11 && tiny == 0", false },
	{ "ret == -11 || tiny == 0 && small == 0", true },
	{ "(ret == -11 || tiny == 0) && small == 0", false },
	{ "small == 0 && tiny == 0 || ret == -11", true },
	{ "small == 0 && (tiny == 0 || ret == -11)", false },
	{ "!ret == -11", false },
	{ "!ret == 0", true },
	{ "!!ret == -11", true },
	{ "!(ret == -11 && tiny == 0)", true },
	{ "!(ret == -11 || tiny == 0)", false },
	{ "!(ret == 0 || !(tiny == 250 && small != -2))", false },
	{ "! ( ret == 0 || ( tiny == 250 && small != -2 ) )", true },
	{ "((((ret == -11))))&&((tiny==250)||name==\"x\")", true },
	{ "ret == 0 || ret == 1 || ret == 2 || ret == -11", true },
	{ "ret == -11 && !(name ~ \"b*\" && comm == \"x\") && tiny != 1", true },
};

static const struct {
	const char *filter;
	unsigned int at;
	const char *what;
} wrong[] = {
	{ "", 0, "No filter found" },
	{ "  ", 0, "No filter found" },
	{ "nosuch == 1", 0, "Field not found" },
	{ "ret == 1 && nosuch == 1", 12, "Field not found" },
	{ "ret", 3, "Invalid operator" },
	{ "ret = 1", 4, "Invalid operator" },
	{ "ret !~ \"x\"", 4, "Invalid operator" },
	{ "ret.function == 1", 3, "Invalid operator" },
	{ "ret == ", 7, "Invalid value" },
	{ "ret == x", 7, "Invalid value" },
	{ "comm == W", 8, "Invalid value (did you forget quotes)?" },
	{ "ret && tiny", 5, "Invalid value" },
	{ "ret == 1 &&", 11, "Expecting a field at the end" },
	{ "ret == 1 && )", 12, "Expecting a field" },
	{ "&& ret == 1", 0, "Expecting a field" },
	{ "ret == 1 tiny == 1", 9, "Expecting && or ||" },
	{ "ret == 1 & tiny == 1", 9, "Expecting && or ||" },
	{ "ret == 1 | tiny == 1", 9, "Expecting && or ||" },
	{ "(ret == 1", 0, "Too many '('" },
	{ "tiny == 1 && ((ret == 1)", 13, "Too many '('" },
	{ "ret == 1)", 8, "Too few '('" },
	{ "()", 1, "Expecting a field" },
	{ "!", 1, "Expecting a field" },
	{ "!= 1", 0, "Expecting a field" },
	{ "comm == \"W", 8, "Missing matching quote" },
	{ "comm == \"W'", 8, "Missing matching quote" },
	{ "comm == 5", 8, "Expecting string field" },
	{ "COMM > 5", 7, "Expecting string field" },
	{ "ret == \"5\"", 7, "Expecting numeric field" },
	{ "CPU == \"5\"", 7, "Expecting numeric field" },
	{ "comm < \"W\"", 5, "Illegal operation for field type" },
	{ "comm & \"W\"", 5, "Illegal operation for field type" },
	{ "ret ~ 5", 4, "Illegal operation for field type" },
	{ "CPU & 1", 4, "Illegal operation for field type" },
	{ "ret == -", 7, "Illegal integer value" },
	{ "ret == 5x", 7, "Illegal integer value" },
	{ "ret == 08", 7, "Illegal integer value" },
	{ "ret == 0x", 7, "Illegal integer value" },
	{ "ret == 9223372036854775808", 7, "Illegal integer value" },
	{ "sector == 18446744073709551616", 10, "Illegal integer value" },
	{ "sector == -1", 10, "the field has no sign" },
	{ "ret == 000000000000000000000000000001", 7, "Operand too long" },
	{ "filename == \"x\"", 0, "not in the event" },
	{ "filename == 5", 0, "not in the event" },
	{ "cpus & 1", 0, "mask of CPUs" },
	{ "args == 1", 0, "no number and no text" },
};

static struct wp_tracepoint tp;

static enum wp_filter_result run(const struct wp_filter *filter)
{
	const struct wp_event_filter module = {
		.tests = filter->tests, .text = filter->text, .nr = filter->nr,
		.text_bytes = filter->text_bytes,
	};
	const struct wp_event_record of = {
		.data = &record, .size = sizeof(record), .cpu = 3, .tgid = 42,
		.comm = "thread\0\0\0\0\0\0\0\0\0",
	};

	return wp_event_filter_ok(&module) ? wp_event_filter_run(&module, &of) : WP_FILTER_UNFIT;
}

static void test_taken(void)
{
	struct wp_filter_error error;
	struct wp_filter filter;
	unsigned int i;

	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		int ret = wp_filter_parse(&filter, &tp, taken[i].filter, &error);

		ok(!ret && run(&filter) == (taken[i].takes ? WP_FILTER_TAKEN : WP_FILTER_DROPPED),
		   "%s '%s'%s%s", taken[i].takes ? "takes" : "drops", taken[i].filter,
		   ret ? ": " : "", ret ? error.what : "");
	}
}

static void test_wrong(void)
{
	struct wp_filter_error error;
	struct wp_filter filter;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int ret = wp_filter_parse(&filter, &tp, wrong[i].filter, &error);

		ok(ret == -EINVAL && error.at == wrong[i].at && strstr(error.what, wrong[i].what),
		   "'%s' is wrong: %d, %zu: %s", wrong[i].filter, ret, error.at, error.what);
	}
}

/* Repeats a word; the result is to be freed. */
static char *repeat(const char *word, unsigned int nr, const char *last)
{
	char *text = calloc(nr, strlen(word)), *more;

	text = realloc(text, nr * strlen(word) + strlen(last) + 1);
	for (more = text; nr--; more += strlen(word))
		strcpy(more, word);
	strcpy(more, last);
	return text;
}

static int parse_repeated(struct wp_filter *filter, struct wp_filter_error *error,
			  const char *word, unsigned int nr, const char *last)
{
	char *text = repeat(word, nr, last);
	int ret = wp_filter_parse(filter, &tp, text, error);

	free(text);
	return ret;
}

static void test_limits(void)
{
	struct wp_filter_error error;
	struct wp_filter filter;

	ok(!parse_repeated(&filter, &error, "ret == 1 || ", 63, "tiny == 250") &&
	   filter.nr == 64 && run(&filter) == WP_FILTER_TAKEN, "64 terms");
	ok(wp_filter_exclude(&filter, 1) == -ENOSPC, "no more can be excluded then");
	ok(parse_repeated(&filter, &error, "ret == 1 || ", 64, "tiny == 250") == -EINVAL &&
	   strstr(error.what, "Too many terms"), "65 terms: %s", error.what);
	ok(!parse_repeated(&filter, &error, "!", 32, "tiny == 250") &&
	   run(&filter) == WP_FILTER_TAKEN, "32 times '!'");
	ok(parse_repeated(&filter, &error, "!", 33, "tiny == 250") == -EINVAL &&
	   strstr(error.what, "Too many"), "33 times: %s", error.what);
	ok(parse_repeated(&filter, &error, "(", 100000, "") == -EINVAL, "many brackets");
	ok(!parse_repeated(&filter, &error, "", 0, "name != \"" "x\"") &&
	   run(&filter) == WP_FILTER_TAKEN, "a short pattern");
	{
		char *pattern = repeat("x", 255, "\""), *text = repeat("name == \"", 1, pattern);

		ok(!wp_filter_parse(&filter, &tp, text, &error) && filter.text_bytes == 255,
		   "255 characters");
		free(text);
		free(pattern);
		pattern = repeat("x", 256, "\"");
		text = repeat("name == \"", 1, pattern);
		ok(wp_filter_parse(&filter, &tp, text, &error) && strstr(error.what, "too long"),
		   "256 characters: %s", error.what);
		free(text);
		free(pattern);
		pattern = repeat("x", 255, "\" || name == \"");
		text = repeat(pattern, 5, "\"");
		free(pattern);
		pattern = repeat("name == \"", 1, text);
		ok(wp_filter_parse(&filter, &tp, pattern, &error) &&
		   strstr(error.what, "together"), "five times 255: %s", error.what);
		free(text);
		free(pattern);
	}
}

static void test_exclude(void)
{
	struct wp_filter_error error;
	struct wp_filter filter = { .nr = 0 };

	ok(!wp_filter_exclude(&filter, 42) && run(&filter) == WP_FILTER_DROPPED,
	   "the process is left out");
	memset(&filter, 0, sizeof(filter));
	ok(!wp_filter_exclude(&filter, 41) && run(&filter) == WP_FILTER_TAKEN, "another is not");
	ok(!wp_filter_parse(&filter, &tp, "ret == 1 || tiny == 250 && small == -2", &error) &&
	   !wp_filter_exclude(&filter, 41) && run(&filter) == WP_FILTER_TAKEN,
	   "what the filter takes of others");
	ok(!wp_filter_parse(&filter, &tp, "ret == 1 || tiny == 250 && small == -1", &error) &&
	   !wp_filter_exclude(&filter, 41) && run(&filter) == WP_FILTER_DROPPED,
	   "and what it drops");
	ok(!wp_filter_parse(&filter, &tp, "ret == 1 || tiny == 250", &error) &&
	   !wp_filter_exclude(&filter, 42) && run(&filter) == WP_FILTER_DROPPED,
	   "and of the process nothing");
}

int main(void)
{
	if (wp_tracepoint_parse(&tp, "sys", "test", format, strlen(format)))
		return 2;
	test_taken();
	test_wrong();
	test_limits();
	test_exclude();
	wp_tracepoint_free(&tp);
	return done();
}
