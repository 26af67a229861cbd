// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of lib/perfdata/filter.c: the input is a filter, of a tracepoint with fields of all
 * kinds. What is taken is valid for the module, and can be evaluated; what is not names a
 * place in the input.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfdata/filter.h"
#include "pure/event_filter.h"

#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static const char format[] =
	"name: test\nID: 7\nformat:\n"
	FIELD("unsigned short common_type", 0, 2, 0)
	FIELD("unsigned char common_flags", 2, 1, 0)
	FIELD("unsigned char common_preempt_count", 3, 1, 0)
	FIELD("int common_pid", 4, 4, 1)
	"\n"
	FIELD("char a[16]", 8, 16, 0)
	FIELD("__data_loc char[] d", 24, 4, 0)
	FIELD("__rel_data_loc char[] r", 28, 4, 0)
	FIELD("const char * p", 32, 8, 0)
	FIELD("u64 n", 40, 8, 0)
	FIELD("long s", 48, 8, 1)
	FIELD("s8 b", 56, 1, 1)
	FIELD("u32 many[2]", 57, 8, 0)
	FIELD("u8 bytes[3]", 65, 3, 0)
	FIELD("__data_loc cpumask_t[] c", 68, 4, 0)
	"\nprint fmt: \"\"\n";

static void must(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct wp_tracepoint tp;
	struct wp_filter *filter = malloc(sizeof(*filter));
	char *text = malloc(size + 1), *bytes = calloc(1, 72);
	struct wp_filter_error error;

	if (!tp.nr_fields)
		must(!wp_tracepoint_parse(&tp, "sys", "test", format, strlen(format)));
	memcpy(text, input, size);
	text[size] = 0;
	memcpy(bytes, input, size < 72 ? size : 72);
	if (!wp_filter_parse(filter, &tp, text, &error)) {
		const struct wp_event_filter module = {
			.tests = filter->tests, .text = filter->text, .nr = filter->nr,
			.text_bytes = filter->text_bytes,
		};
		const struct wp_event_record record = {
			.data = bytes, .size = 72, .comm = "sixteen_letters",
		};
		enum wp_filter_result before;

		must(filter->nr && wp_event_filter_ok(&module));
		before = wp_event_filter_run(&module, &record);
		if (!wp_filter_exclude(filter, 5)) {
			const struct wp_event_filter more = {
				.tests = filter->tests, .text = filter->text, .nr = filter->nr,
				.text_bytes = filter->text_bytes,
			};

			must(wp_event_filter_ok(&more));
			must(wp_event_filter_run(&more, &record) == before);
		}
	} else {
		must(error.at <= strlen(text) && error.what[0]);
	}
	free(filter);
	free(text);
	free(bytes);
	return 0;
}
