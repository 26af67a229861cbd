// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tables of functions: which one is at an address, which of several names it is
 * given, and lists that are text, damaged ones, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/symtable.h"
#include "tap.h"

static struct wp_symtable t;

static void add(const char *name, __u64 start, __u64 end, bool weak, bool local)
{
	const struct wp_symtable_entry e = {
		.start = start, .end = end, .weak = weak, .local = local,
	};

	wp_symtable_add(&t, &e, name, NULL);
}

static const char *at(__u64 address)
{
	const struct wp_symtable_entry *e = wp_symtable_find(&t, address);

	return e ? t.names + e->name : "-";
}

static const char *module_at(__u64 address)
{
	const struct wp_symtable_entry *e = wp_symtable_find(&t, address);

	return e ? t.names + e->name + strlen(t.names + e->name) + 1 : "-";
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got, wanted);
}

static int parse(int (*fn)(struct wp_symtable *table, FILE *f), const char *text, size_t len)
{
	FILE *f = fmemopen((void *)text, len, "r");
	int ret;

	wp_symtable_free(&t);
	ret = fn(&t, f);
	fclose(f);
	wp_symtable_sort(&t);
	return ret;
}

static void addresses(void)
{
	wp_symtable_sort(&t);
	is(at(0), "-", "an empty table has nothing");
	add("second", 0x200, 0x300, false, false);
	add("first", 0x100, 0x180, false, false);
	add("sizeless", 0x400, 0x400, false, false);
	add("last", 0x500, 0x500, false, false);
	add("backwards", 0x600, 0x5ff, false, false);
	wp_symtable_sort(&t);
	is(at(0xff), "-", "nothing is before the first one");
	is(at(0x100), "first", "a function's first byte");
	is(at(0x17f), "first", "its last byte");
	is(at(0x180), "-", "the hole behind it");
	is(at(0x2ff), "second", "they are sorted");
	is(at(0x4ff), "sizeless", "what has no size goes to the next one");
	is(at(0x600), "backwards", "an end before the start is none");
	is(at(0x601), "-", "the last one of no size is one byte");
	wp_symtable_free(&t);
}

static void names(void)
{
	add("weak", 0x100, 0x110, true, false);
	add("strong", 0x100, 0x110, false, false);
	add("global", 0x200, 0x210, false, false);
	add("a_local_one", 0x200, 0x210, false, true);
	add("__under", 0x300, 0x310, false, false);
	add("_one", 0x300, 0x310, false, false);
	add("short", 0x400, 0x410, false, false);
	add("longer_name", 0x400, 0x410, false, false);
	add("no_size_but_a_long_name", 0x500, 0x500, false, false);
	add("sized", 0x500, 0x510, false, false);
	wp_symtable_sort(&t);
	is(at(0x100), "strong", "not weak goes before weak");
	is(at(0x200), "global", "global goes before local");
	is(at(0x300), "_one", "fewer underscores");
	is(at(0x400), "longer_name", "the longer name");
	is(at(0x500), "sized", "a size goes before none");
	ok(t.nr == 5, "one function an address");
	wp_symtable_free(&t);
}

static void kallsyms(void)
{
	static const char text[] =
		"ffffffff81000000 T _text\n"
		"ffffffff81000000 T startup_64\n"
		"ffffffff81000100 t helper\n"
		"ffffffff81000200 D some_data\n"
		"ffffffff81000300 W weak_one\n"
		"0000000000000000 A per_cpu_start\n"
		"ffffffffc0000000 t probe\t[wallprof]\n"
		"ffffffffc0000100 t odd\twallprof\n"
		"garbage\n"
		"ffffffff81000600 T __sched_text_start\n"
		"ffffffff81000700 T __sched_text_end\n"
		"ffffffffc0000180 T __sched_text_end\t[odd]\n"
		"ffffffff81000400 T\n"
		"ffffffff81000500 T \n"
		"zzzz T nothing\n"
		"ffffffffc0000200 t cut";
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t helper\n";

	ok(!parse(wp_symtable_kallsyms, text, sizeof(text) - 1), "the kernel's list");
	is(at(0xffffffff81000000), "startup_64", "of two the last one, as perf");
	is(at(0xffffffff81000150), "helper", "a local function");
	is(at(0xffffffff81000250), "helper", "data are none: the function before goes on");
	ok(t.sched_start == 0xffffffff81000600 && t.sched_end == 0xffffffff81000700,
	   "where the scheduler's functions are");
	is(at(0xffffffff81000300), "weak_one", "a weak function");
	is(at(0xffffffff81001fff), "__sched_text_end", "the kernel's last one ends with the next page");
	is(at(0xffffffff81002000), "-", "what is between the kernel and its modules has no name");
	is(module_at(0xffffffffc0000050), "[wallprof]", "a module");
	is(module_at(0xffffffff81000150), "", "no module");
	is(module_at(0xffffffffc0000100), "", "what is no module's name is none");
	is(at(0xffffffffc0000200), "cut", "a line without an end");
	ok(parse(wp_symtable_kallsyms, hidden, sizeof(hidden) - 1) == -EACCES,
	   "hidden addresses are an error");
	wp_symtable_free(&t);
}

static void moved(void)
{
	const struct wp_symtable_entry e = { .start = 0x1000, .end = 0x1000 };

	wp_symtable_add(&t, &e, "_text", "[module]");
	add("before", 0x1800, 0x1900, false, false);
	add("_text", 0x2000, 0x2000, false, false);
	add("__sched_text_start", 0x2100, 0x2100, false, false);
	add("schedule", 0x2110, 0x2180, false, false);
	add("__sched_text_end", 0x2200, 0x2200, false, false);
	ok(!wp_symtable_move(&t, "no_such_label", 0) && t.nr == 6,
	   "a label that is none moves nothing");
	ok(wp_symtable_move(&t, "_text", 0x2000) && t.nr == 6, "nor does one that is there");
	ok(wp_symtable_move(&t, "_text", 0x92000), "a kernel that was elsewhere");
	ok(t.sched_start == 0x92100 && t.sched_end == 0x92200, "with the scheduler's functions");
	wp_symtable_sort(&t);
	is(at(0x91850), "before", "what is before the label");
	is(at(0x92120), "schedule", "what is behind it");
	ok(t.nr == 5, "but not its modules");
	wp_symtable_free(&t);
}

static void perfmap(void)
{
	static const char text[] =
		"7f0000001000 20 LazyCompile:*run app.js:1\n"
		"7f0000002000 0 empty\n"
		"ffffffffffffffff 10 wraps\n"
		"7f0000003000 zz none\n"
		"7f0000004000 10\n"
		"7f0000005000 10 \n"
		"\n"
		"7f0000006000 10 with blanks  inside\n";

	ok(!parse(wp_symtable_perfmap, text, sizeof(text) - 1), "a list of code made at run time");
	is(at(0x7f000000101f), "LazyCompile:*run app.js:1", "its name is the rest of the line");
	is(at(0x7f0000001020), "-", "it has a size");
	is(at(0x7f0000006008), "with blanks  inside", "blanks stay");
	ok(t.nr == 2, "lines that make no sense are left out");
	wp_symtable_free(&t);
}

/* Any text, cut and changed anywhere. */
static void damaged(void)
{
	char text[] = "ffffffff81000000 T _text\nffffffffc0000000 t probe\t[wallprof]\n";
	size_t i, k;

	for (i = 1; i < sizeof(text); i++) {
		parse(wp_symtable_kallsyms, text, i);
		parse(wp_symtable_perfmap, text, i);
	}
	for (i = 0; i < sizeof(text) - 1; i++) {
		char was = text[i];

		for (k = 0; k < 256; k += 3) {
			text[i] = k;
			parse(wp_symtable_kallsyms, text, sizeof(text) - 1);
			parse(wp_symtable_perfmap, text, sizeof(text) - 1);
		}
		text[i] = was;
	}
	wp_symtable_free(&t);
	ok(1, "damaged lists do no harm");
}

int main(void)
{
	addresses();
	names();
	kallsyms();
	moved();
	perfmap();
	damaged();
	return done();
}
