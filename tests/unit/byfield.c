// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of byfield.c: names of events that have a field, the format of samples that have only
 * this, and values as text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfdata/byfield.h"
#include "lib/perfdata/rawsample.h"
#include "formats.h"
#include "tap.h"

static const char request[] =
	HEAD("block_rq_issue", "1000") COMMON
	FIELD("dev_t dev", 8, 4, 0)
	FIELD("sector_t sector", 16, 8, 0)
	FIELD("unsigned char flags", 24, 1, 0)
	FIELD("signed char depth", 25, 1, 1)
	FIELD("short prio", 26, 2, 1)
	FIELD("u16 hints", 28, 2, 0)
	FIELD("int error", 32, 4, 1)
	FIELD("unsigned int bytes", 36, 4, 0)
	FIELD("long ret", 40, 8, 1)
	FIELD("unsigned long samples", 48, 8, 0)
	FIELD("long id", 48, 8, 1)
	FIELD("unsigned long ret_of_a_function_whose_name_is_longer_than_most_names", 56, 8, 0)
	PRINT("\"%d\", REC->error");

static struct wp_tracepoint tp;

static void test_names(void)
{
	char event[64] = "block:block_rq_issue.bytes", field[16] = "none";

	ok(!wp_byfield_of(event, field, sizeof(field)) && !strcmp(field, "none"), "no field");
	wp_byfield_name(event, sizeof(event), "dev");
	ok(!strcmp(event, "block:block_rq_issue.bytes/by=dev/"), "the field in a name: %s", event);
	ok(wp_byfield_of(event, field, sizeof(field)) && !strcmp(field, "dev"), "and out of it");
	wp_byfield_cut(event);
	ok(!strcmp(event, "block:block_rq_issue.bytes"), "the name without it");
	wp_byfield_cut(event);
	ok(!strcmp(event, "block:block_rq_issue.bytes"), "which stays as it is");
	ok(!wp_byfield_of("a:b/by=/", field, sizeof(field)) &&
	   !wp_byfield_of("a:b/by=x", field, sizeof(field)) &&
	   !wp_byfield_of("a:b/by=x/u", field, sizeof(field)) &&
	   !wp_byfield_of("a:b/by=sixteen_letters_/", field, sizeof(field)),
	   "no field, no end, more behind it, one that is too long");
	ok(wp_byfield_of("a:b/by=fifteen_letters/", field, sizeof(field)) &&
	   !strcmp(field, "fifteen_letters"), "one that just fits");
	strcpy(event, "a:b");
	wp_byfield_name(event, 10, "long_field");
	ok(!strcmp(event, "a:b/by=lo") && !wp_byfield_of(event, field, sizeof(field)),
	   "a name that is cut off has none");
}

static const struct {
	const char *field;
	__s64 value;
	const char *text;
} values[] = {
	{ "dev", 8 << 20 | 17, "8,17" }, { "dev", 0xfff00000 | 0xfffff, "4095,1048575" },
	{ "sector", -1, "18446744073709551615" }, { "sector", 0, "0" },
	{ "flags", 200, "200" }, { "depth", 200, "-56" }, { "depth", 100, "100" },
	{ "prio", -2, "-2" }, { "hints", -2, "65534" }, { "error", -5, "-5" },
	{ "bytes", 0xfffffff0, "4294967280" }, { "ret", -11, "-11" },
	{ "ret", 1LL << 62, "4611686018427387904" }, { "samples", 7, "7" },
};

/* A value is the same in the tracepoint's payload, and in that of the sample alone. */
static void test_values(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct wp_tracepoint_field *f = wp_tracepoint_field(&tp, values[i].field);
		char text[2][WP_BYFIELD_TEXT] = { "", "" };
		struct wp_tracepoint summed;
		void *raw = malloc(tp.size), *own;

		wp_tracepoint_begin(&tp, raw, 1);
		wp_tracepoint_set(f, raw, values[i].value);
		wp_byfield_text(f, raw, text[0]);
		if (!wp_byfield_format(&summed, f, i)) {
			const struct wp_tracepoint_field *other =
				wp_tracepoint_field(&summed, values[i].field);

			own = malloc(summed.size);
			wp_tracepoint_begin(&summed, own, 1);
			/* As the module extends it. */
			wp_tracepoint_set(other, own, wp_tracepoint_number(f, raw));
			wp_byfield_text(other, own, text[1]);
			free(own);
			wp_tracepoint_free(&summed);
		}
		ok(!strcmp(text[0], values[i].text) && !strcmp(text[1], values[i].text),
		   "%s %lld is %s: %s, %s", values[i].field, (long long)values[i].value,
		   values[i].text, text[0], text[1]);
		free(raw);
	}
}

static const char *line_of(const char *text, const char *begin)
{
	static char line[256];
	const char *at = strstr(text, begin);

	snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return line;
}

/* What perf reads. */
static void test_format(void)
{
	static const struct {
		const char *field, *print;
	} prints[] = {
		{ "dev", "print fmt: \"dev=%llu,%llu samples=%llu\", REC->dev >> 20, REC->dev & 1048575, REC->samples" },
		{ "ret", "print fmt: \"ret=%lld samples=%llu\", REC->ret, REC->samples" },
		{ "bytes", "print fmt: \"bytes=%llu samples=%llu\", REC->bytes, REC->samples" },
		{ "samples", "print fmt: \"samples=%llu\", REC->samples" },
	};
	struct wp_tracepoint summed;
	unsigned int i;

	for (i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		const struct wp_tracepoint_field *f;
		char name[64];

		if (wp_byfield_format(&summed, wp_tracepoint_field(&tp, prints[i].field), i)) {
			ok(false, "a format of %s", prints[i].field);
			continue;
		}
		snprintf(name, sizeof(name), "by_%s", prints[i].field);
		f = wp_tracepoint_field(&summed, prints[i].field);
		ok(!strcmp(line_of(summed.text, "print fmt"), prints[i].print) &&
		   !strcmp(summed.system, WP_RAW_SYSTEM) && !strcmp(summed.name, name) &&
		   summed.id == WP_RAW_ID - 1 - i && f && f->offset == 8 && f->size == 8,
		   "%s", line_of(summed.text, "print fmt"));
		wp_tracepoint_free(&summed);
	}
	ok(!wp_byfield_format(&summed, wp_tracepoint_field(&tp,
		"ret_of_a_function_whose_name_is_longer_than_most_names"), 1023) &&
	   strlen(summed.name) < sizeof(summed.name), "a name that is long: %s", summed.name);
	wp_tracepoint_free(&summed);
}

static void test_errors(void)
{
	const struct wp_tracepoint_field *ret = wp_tracepoint_field(&tp, "ret");
	const struct wp_tracepoint_field *error = wp_tracepoint_field(&tp, "error");
	const struct wp_tracepoint_field *id = wp_tracepoint_field(&tp, "id");
	char name[WP_BYFIELD_TEXT], *raw = malloc(tp.size);
	const __s64 none[] = { 0, 11, -4096, -512, INT64_MIN };
	bool empty = true;
	unsigned int i;

	ok(wp_byfield_is_error("raw_syscalls:sys_exit/by=ret/", ret) &&
	   wp_byfield_is_error("syscalls:sys_exit_read/by=ret/", ret), "what system calls return");
	ok(wp_byfield_is_call("raw_syscalls:sys_exit/by=id/", id) &&
	   wp_byfield_is_call("raw_syscalls:sys_enter/by=id/", id) &&
	   !wp_byfield_is_call("raw_syscalls:sys_exit/by=ret/", ret) &&
	   !wp_byfield_is_call("raw_syscalls:sys_exits/by=id/", id) &&
	   !wp_byfield_is_call("x:exit/by=id/", id), "what is the number of a system call");
	ok(!wp_byfield_is_error("raw_syscalls:sys_exit/by=error/", error) &&
	   !wp_byfield_is_error("x:exit/by=ret/", ret), "what others do not");
	wp_tracepoint_begin(&tp, raw, 1);
	wp_tracepoint_set(ret, raw, -11);
	wp_byfield_error(ret, raw, name);
#ifdef __GLIBC__
	ok(!strcmp(name, "EAGAIN"), "-11 is %s", name);
#endif
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		wp_tracepoint_set(ret, raw, none[i]);
		wp_byfield_error(ret, raw, name);
		empty &= !name[0];
	}
	ok(empty, "no errors, and one that is the kernel's own");
	free(raw);
}

int main(void)
{
	if (wp_tracepoint_parse(&tp, "block", "block_rq_issue", request, strlen(request)))
		return 1;
	test_names();
	test_values();
	test_format();
	test_errors();
	wp_tracepoint_free(&tp);
	return done();
}
