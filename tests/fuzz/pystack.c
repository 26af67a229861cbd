// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of Python functions in the memory of a process: the first byte selects the version,
 * the rest is the memory, with the runtime at its start and types at fixed addresses. What
 * is found is bounded, has names, and is harmless once it is cleaned. Who holds its GILs is one
 * of its threads.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/interp/pygil.h"
#include "lib/interp/pystack.h"

/* As in tests/unit/pystack.c, which makes such memory. */
#define BASE		0x10000ULL
#define CODE_TYPE	0x11
#define STR_TYPE	0x22
#define BYTES_TYPE	0x33
#define TID		4711

#define BLOCKS		2000
#define BYTES		(1 << 20)

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

static void check_text(char *text)
{
	if (!text || strlen(text) > 4 * 1024 + 3)
		abort();
	wp_text_clean(text, false);
	if (strpbrk(text, "\033\n\t"))
		abort();
}

static void check(const struct wp_pystack *stack)
{
	unsigned int run = 0;
	size_t i;

	if (stack->nr > 1024 || stack->runs > 1024)
		abort();
	for (i = 0; i < stack->nr; i++) {
		check_text(stack->frame[i].function);
		check_text(stack->frame[i].file);
		if (stack->frame[i].run < run || stack->frame[i].run >= stack->runs)
			abort();
		run = stack->frame[i].run;
	}
}

/* The holders of its GILs are threads. */
static void check_gils(struct wp_pymemory *m, const struct wp_pyruntime *py,
		       const struct wp_pythreads *threads)
{
	struct wp_pygils gils;
	unsigned int i;
	__u32 tid;

	if (wp_pygil_list(m, py, &gils))
		return;
	for (i = 0; i < gils.nr; i++) {
		size_t at = 0;

		if (wp_pygil_of(&gils, gils.address[i] + WP_PYLAYOUT_GIL_COND) == 0)
			abort();
		if (wp_pygil_holder(m, py, threads, gils.address[i], &tid) || !tid)
			continue;
		while (at < threads->nr && threads->thread[at].tid != tid)
			at++;
		if (at == threads->nr)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned int version[] = { 9, 11, 12, 13, 14 };
	static struct wp_pymemory m;
	struct process p = { .data = data + 1, .size = size - 1 };
	struct wp_pybudget budget = { BLOCKS, BYTES };
	struct wp_pyruntime py = {
		.runtime = BASE, .code_type = CODE_TYPE, .str_type = STR_TYPE,
		.bytes_type = BYTES_TYPE,
	};
	struct wp_pythreads threads = { 0 };
	struct wp_pystack stack = { 0 };

	if (!size || !wp_pylayout_of(version[data[0] % 5], &py.layout))
		return 0;
	m.read = read_block;
	m.ctx = &p;
	m.budget = &budget;
	wp_pymemory_forget(&m);
	if (!wp_pylayout_check(&m, py.runtime, &py.layout) &&
	    !wp_pystack_threads(&m, &py, &threads)) {
		if (!wp_pystack_read(&m, &py, &threads, TID, &stack))
			check(&stack);
		check_gils(&m, &py, &threads);
	}
	wp_pystack_free(&stack);
	free(threads.thread);
	return 0;
}
