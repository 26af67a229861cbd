// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what stands for the names of functions that have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/framename.h"
#include "tap.h"

static void check(struct wp_frameplace place, const char *wanted)
{
	char *name = wp_framename(&place);

	ok(name && !strcmp(name, wanted), "%s (%s)", wanted, name ? name : "no memory");
	free(name);
}

static struct wp_frameplace file(const char *path, __u64 offset)
{
	return (struct wp_frameplace){ .path = path, .file = true, .user = true,
				       .offset = offset };
}

static struct wp_frameplace memory(const char *path)
{
	return (struct wp_frameplace){ .path = path, .user = true, .offset = 0x7f0012345678 };
}

static struct wp_frameplace kernel(__u64 address, __u64 base)
{
	return (struct wp_frameplace){ .path = "[kernel.kallsyms]", .file = true, .kernel = true,
				       .offset = address, .base = base };
}

static void test_labels(void)
{
	struct wp_framelabels l = { 0 };
	const char *heap = wp_framelabels_get(&l, "[heap]"), *last = NULL;
	char path[32];
	int i;

	ok(heap && heap == wp_framelabels_get(&l, "[heap]") && l.nr == 1, "a label is stored once");
	ok(!strcmp(wp_framelabels_get(&l, ""), "[anon]"), "memory without a name");
	for (i = 0; i < 2 * WP_FRAMELABELS_MAX; i++) {
		snprintf(path, sizeof(path), "/memfd:%d (deleted)", i);
		last = wp_framelabels_get(&l, path);
	}
	ok(last && !strcmp(last, "[anon]") && l.nr == WP_FRAMELABELS_MAX &&
	   heap == wp_framelabels_get(&l, "[heap]"), "their number has a limit");
	wp_framelabels_free(&l);
}

int main(void)
{
	check(file("/usr/lib/x86_64-linux-gnu/libc.so.6", 0x85f16), "libc.so.6+0x85f16");
	check(file("prog", 0), "prog+0x0");
	check(file("/usr/bin/prog (deleted)", 16), "prog (deleted)+0x10");
	check(file("/tmp/", 16), "/tmp/+0x10");
	check(file("[vdso]", 0x9a2), "[vdso]+0x9a2");
	check(memory("//anon"), "[anon]");
	check(memory("/dev/zero (deleted)"), "[anon]");
	check(memory("/SYSV00000000 (deleted)"), "[anon]");
	check(memory("[heap]"), "[heap]");
	check(memory("[stack]"), "[stack]");
	check(memory("/memfd:jit (deleted)"), "[memfd:jit]");
	check(memory("/memfd:jit"), "[memfd:jit]");
	check(kernel(0xffffffff81085f16, 0xffffffff81000000), "[kernel]+0x85f16");
	check(kernel(0xffffffffc0085f16, 0xffffffff81000000), "[kernel]+0xffffffffc0085f16");
	check(kernel(0xffffffff81085f16, 0), "[kernel]+0xffffffff81085f16");
	check(kernel(0xfff, 0xffffffff81000000), "[kernel]+0xfff");
	check((struct wp_frameplace){ .user = true, .offset = 0x1234 }, "[unmapped]");
	check((struct wp_frameplace){ .offset = 0x1234 }, "[guest]");
	test_labels();
	return done();
}
