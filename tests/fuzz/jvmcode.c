// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the generated code of a JVM in the memory of a process: the input is the memory,
 * with the variables of libjvm.so at its start. It is looked at twice, with a byte changed in
 * between. What is found is bounded, in order and harmless, and the module takes the tables.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/jvmlog.h"
#include "lib/interp/jvmtable.h"
#include "pure/unwind_table.h"

/* As in tests/unit/jvmimage.h, which makes such memory. */
#define BASE		0x10000ULL

#define BLOCKS		2000
#define BYTES		(4 << 20)

struct process {
	const uint8_t *data;
	size_t size;
	size_t changed;
	unsigned int reads;
};

static int read_block(void *ctx, __u64 address, void *to)
{
	struct process *p = ctx;
	__u64 at = address - BASE, left;

	if (address % WP_PYMEMORY_BLOCK || ++p->reads > 2 * BLOCKS)
		abort();
	if (address < BASE || at >= p->size)
		return -ENODATA;
	left = p->size - at;
	memset(to, 0, WP_PYMEMORY_BLOCK);
	memcpy(to, p->data + at, left < WP_PYMEMORY_BLOCK ? left : WP_PYMEMORY_BLOCK);
	if (p->changed - at < left && p->changed - at < WP_PYMEMORY_BLOCK)
		((uint8_t *)to)[p->changed - at] ^= 1;
	return 0;
}

static void check_codes(const struct wp_jvmcodes *codes, const struct wp_intern *names)
{
	size_t i, len;

	for (i = 0; i < codes->nr; i++) {
		const struct wp_jvmcode *c = &codes->code[i];
		uint32_t k;

		if (c->end <= c->start || (i && c->start < codes->code[i - 1].end))
			abort();
		if (c->first_exit + (size_t)c->nr_exits > codes->nr_exits)
			abort();
		if (c->name && strlen(wp_intern_bytes(names, c->name, &len)) + 1 != len)
			abort();
		for (k = 0; k < c->nr_exits; k++) {
			const struct wp_jvmexit *e = &codes->exit[c->first_exit + k];

			if (e->pop < c->complete || e->pop >= e->after ||
			    e->after > c->end - c->start)
				abort();
		}
	}
}

static void check_table(const struct wp_jvmcodes *codes)
{
	struct wp_table table;
	void *data = NULL;
	size_t size;

	if (!codes->nr)
		return;
	if (!wp_jvmtable_make(codes, codes->code[0].start & ~0xfffULL,
			      (codes->code[0].start & ~0xfffULL) + 0x10000, &data, &size) &&
	    wp_table_check(&table, data, size, EM_X86_64))
		abort();
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wp_pymemory m;
	struct process p = { .data = data, .size = size, .changed = SIZE_MAX };
	struct wp_pybudget budget = { BLOCKS, BYTES };
	struct wp_jvmcodes none = { 0 }, first = { 0 }, second = { 0 };
	struct wp_jvmlog log = { .max = 1 << 20 };
	struct wp_intern names = { 0 };
	__u64 symbols[WP_JVMSYMBOL_NR];
	struct wp_jvmlayout layout = { 0 };
	size_t i;

	for (i = 0; i < WP_JVMSYMBOL_NR; i++)
		symbols[i] = BASE + 8 * i;
	m.read = read_block;
	m.ctx = &p;
	m.budget = &budget;
	wp_pymemory_forget(&m);
	if (!wp_jvmlayout_read(&m, symbols, &layout) &&
	    !wp_jvmcode_look(&m, &layout, &none, &names, &first)) {
		check_codes(&first, &names);
		check_table(&first);
		wp_jvmlog_note(&log, &none, 0, &first, 1000, &names);
		p.changed = size > 8 ? (data[size - 1] | data[size - 2] << 8) % size : 0;
		budget = (struct wp_pybudget){ BLOCKS, BYTES };
		wp_pymemory_forget(&m);
		if (!wp_jvmcode_look(&m, &layout, &first, &names, &second)) {
			check_codes(&second, &names);
			wp_jvmlog_note(&log, &first, 1000, &second, 2000, &names);
			wp_jvmlog_end(&log, &second, 2000, true);
		}
	}
	if (!wp_jitdump_are_valid(&log.loads))
		abort();
	wp_jitdump_free(&log.loads);
	wp_jvmcode_free(&first);
	wp_jvmcode_free(&second);
	wp_intern_free(&names);
	return 0;
}
