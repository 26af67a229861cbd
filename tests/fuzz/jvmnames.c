// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the names of interpreted methods of a JVM, and of its performance data: the input
 * is the memory of the process, with a layout as HotSpot 17 has it. Each word of its beginning
 * is the method of a frame. What is found is bounded, and harmless when it is shown.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/interp/jvmname.h"
#include "lib/interp/jvmunloads.h"

#define BASE	0x10000ULL

/* Methods that are tried. */
#define METHODS	32

#define BLOCKS	2000
#define BYTES	(1 << 20)

static const struct wp_jvmlayout layout = {
	.method_const = 8, .const_pool = 8, .const_name = 34, .pool_holder = 24, .pool_nr = 60,
	.pool_size = 72, .klass_name = 24, .symbol_length = 4, .symbol_body = 6,
	.perf_data = BASE, .redefines = BASE + 8,
};

struct process {
	const uint8_t *data;
	size_t size;
	unsigned int reads;
};

static int read_block(void *ctx, __u64 address, void *to)
{
	struct process *p = ctx;
	__u64 at = address - BASE, left;

	if (address % WP_PYMEMORY_BLOCK || ++p->reads > BLOCKS)
		abort();
	if (address < BASE || at >= p->size)
		return -ENODATA;
	left = p->size - at;
	memset(to, 0, WP_PYMEMORY_BLOCK);
	memcpy(to, p->data + at, left < WP_PYMEMORY_BLOCK ? left : WP_PYMEMORY_BLOCK);
	return 0;
}

/* What is shown is of one line, and text. */
static void check_name(const char *name)
{
	char shown[WP_JVMNAME_MAX], again[WP_JVMNAME_MAX];
	const char *s;
	unsigned int c;

	wp_text_show(shown, sizeof(shown), name, false);
	for (s = shown; *s; s += (unsigned char)*s < 0x80 ? 1 : wp_text_char(s, &c)) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			abort();
		if ((unsigned char)*s >= 0x80 && !wp_text_char(s, &c))
			abort();
	}
	wp_text_show(again, sizeof(again), shown, false);
	if (strcmp(again, shown))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wp_pymemory m;
	struct process p = { .data = data, .size = size };
	struct wp_pybudget budget = { BLOCKS, BYTES };
	struct wp_jvmunloads u = { 0 };
	char name[WP_JVMNAME_MAX];
	unsigned int i;

	m.read = read_block;
	m.ctx = &p;
	m.budget = &budget;
	wp_pymemory_forget(&m);
	for (i = 0; i < METHODS; i++) {
		memset(name, 'x', sizeof(name));
		if (wp_jvmname_read(&m, &layout, BASE + 8 * i, name))
			continue;
		/* A class and a method, each of one byte at least. */
		if (!memchr(name, 0, sizeof(name)) || strlen(name) < 3 || !strchr(name, '.'))
			abort();
		check_name(name);
	}
	if (!wp_jvmunloads_find(&m, &layout, &u) &&
	    (!u.at || u.at % 8 || !u.loads || u.loads % 8 || u.known))
		abort();
	return 0;
}
