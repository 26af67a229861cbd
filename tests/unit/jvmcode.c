// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the generated code of a JVM: what is found in a memory image, by whatever its
 * process has there; since when it counts; and its unwind table.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/interp/jvmlog.h"
#include "lib/interp/jvmtable.h"
#include "lib/interp/jvmname.h"
#include "jvmimage.h"
#include "pure/unwind_table.h"
#include "tap.h"

/* The method of a hidden class. */
#define HIDDEN	"Main$$Lambda$1/0x8.wait0"

/* struct process - a process; @until: bytes that are there; @change: called for each block */
struct process {
	struct image image;
	size_t until;
	void (*change)(struct process *p, __u64 address);
	unsigned int reads;
};

static struct process process;
static struct wp_pymemory memory;
static struct wp_pybudget budget;
static struct wp_jvmlayout layout;
static struct wp_intern names;

static int read_block(void *ctx, __u64 address, void *to)
{
	struct process *p = ctx;
	__u64 at = address - BASE;

	p->reads++;
	if (p->change)
		p->change(p, at);
	if (address < BASE || at >= p->until)
		return -ENODATA;
	memcpy(to, p->image.memory + at, WP_PYMEMORY_BLOCK);
	return 0;
}

static void reset(void)
{
	make_image(&process.image);
	process.until = SIZE;
	process.change = NULL;
	budget = (struct wp_pybudget){ 4096, 16 << 20 };
	memory.read = read_block;
	memory.ctx = &process;
	memory.budget = &budget;
	wp_pymemory_forget(&memory);
}

static int read_layout(void)
{
	wp_pymemory_forget(&memory);
	memset(&layout, 0, sizeof(layout));
	return wp_jvmlayout_read(&memory, process.image.symbols, &layout);
}

static int look(const struct wp_jvmcodes *before, struct wp_jvmcodes *now)
{
	budget = (struct wp_pybudget){ 4096, 16 << 20 };
	wp_pymemory_forget(&memory);
	memset(now, 0, sizeof(*now));
	return wp_jvmcode_look(&memory, &layout, before, &names, now);
}

static const struct wp_jvmcodes none;

static const struct wp_jvmcode *code_at(const struct wp_jvmcodes *codes, size_t at)
{
	return wp_jvmcode_find(codes, BASE + at);
}

static const char *name_at(const struct wp_jvmcodes *codes, size_t at)
{
	const struct wp_jvmcode *code = code_at(codes, at);
	size_t len;

	return !code ? "none" : code->name ? wp_intern_bytes(&names, code->name, &len) : "?";
}

static void test_layout(void)
{
	size_t i;
	int err;

	reset();
	ok(!read_layout() && layout.heaps == BASE + HEAPS && layout.heap_segmap == 0x78 &&
	   layout.pool_size == POOL_SIZE && layout.nmethod_state == NM_STATE &&
	   layout.perf_data == BASE + HEAPS + 16 && layout.redefines == BASE + HEAPS + 27,
	   "a layout is read by names");
	process.image.symbols[WP_JVMSYMBOL_TYPES] = 0;
	ok(read_layout() == -ENOTSUP, "a libjvm.so without one of its variables is not read");
	reset();
	strcpy((char *)process.image.memory + TEXTS + strlen("Klass") + 1, "x");
	memcpy(process.image.memory + MEMBERS + MEMBER_BYTES + 8, &(__u64){ BASE + TEXTS }, 8);
	ok(read_layout() == -ENOTSUP, "nor a version without a member");
	reset();
	put64(&process.image, 8 * WP_JVMSYMBOL_STRUCT_STRIDE, 0);
	ok(read_layout() == -EBADMSG, "a list whose entries take no bytes is refused");
	reset();
	put64(&process.image, 8 * WP_JVMSYMBOL_STRUCT_OFFSET, ~0ULL);
	ok(read_layout() == -EBADMSG, "and one whose entries have parts elsewhere");
	reset();
	put64(&process.image, MEMBERS + 3 * MEMBER_BYTES + 32, WP_JVMLAYOUT_MAX + 1);
	ok(read_layout() == -EBADMSG, "and a member that is far away");
	reset();
	put32(&process.image, MEMBERS + MEMBER_BYTES + 24, 0);
	ok(read_layout() == -EBADMSG, "and a variable that is a member");
	reset();
	for (i = 0; i < 2 && !(err = 0); i++) {
		put64(&process.image, 8 * WP_JVMSYMBOL_STRUCT_STRIDE, 8);
		put64(&process.image, MEMBERS + 8 * i, BASE + TEXTS);
	}
	for (i = MEMBERS; i < SIZE; i += 8)
		put64(&process.image, i, BASE + TEXTS);
	err = read_layout();
	ok(err == -EBADMSG || err == -ENODATA, "a list without an end ends");
	for (i = 0; i < SIZE; i += WP_PYMEMORY_BLOCK) {
		reset();
		process.until = i;
		if (!read_layout() && i < TEXTS)
			break;
	}
	ok(i >= SIZE, "a list that is cut off is refused");
}

static void test_codes(void)
{
	struct wp_jvmcodes codes;
	const struct wp_jvmcode *a, *b;

	reset();
	read_layout();
	ok(!look(&none, &codes) && codes.nr == 6 && !codes.unnamed, "all code is found");
	ok(!strcmp(name_at(&codes, NMETHOD_A + 0x200), "org.some.Klass.run") &&
	   !strcmp(name_at(&codes, NMETHOD_B + 0x200), HIDDEN), "methods have their names");
	ok(!strcmp(name_at(&codes, INTERPRETER + 0x100), "Interpreter") &&
	   !strcmp(name_at(&codes, STUBS + 0x100), "StubRoutines (1)"),
	   "and so has what the JVM made for itself");
	a = code_at(&codes, NMETHOD_A + 0x200);
	b = code_at(&codes, ADAPTER + 0x100);
	ok(a && a->kind == WP_JVMKIND_FRAME && a->frame == 48 && a->complete == 12 && a->id == 7 &&
	   b && b->kind == WP_JVMKIND_FRAME && b->frame == 40 && !b->complete,
	   "frames have their sizes");
	ok(a && a->nr_exits == 1 && codes.exit[a->first_exit].pop == 0x44 &&
	   codes.exit[a->first_exit].after == 0x53, "the place is found where one is removed");
	ok(codes.call_stub == BASE + STUBS + 0x180, "and the one where Java returns");
	wp_jvmcode_free(&codes);
	process.image.memory[NMETHOD_A + BLOB + NM_STATE] = 3;
	process.image.memory[NMETHOD_B + BLOB + NM_STATE] = 0xff;
	ok(!look(&none, &codes) && codes.nr == 4, "code that is dead, or not there yet, is left out");
	wp_jvmcode_free(&codes);
}

/* Code is made anew between when its name was read and when it is checked. */
static void replace(struct process *p, __u64 at)
{
	static unsigned int seen;

	if (at == CODE && seen++ == 1)
		put32(&p->image, NMETHOD_A + BLOB + NM_ID, 99);
}

/* A free block is split, after the map was read. */
static void split(struct process *p, __u64 at)
{
	static bool done;

	if (at != FREE || done)
		return;
	done = true;
	block(&p->image, FREE, 0x200, false);
	block(&p->image, FREE + 0x200, NMETHOD_B - FREE - 0x200, false);
}

static void test_races(void)
{
	struct wp_jvmcodes codes, again;
	unsigned int reads;

	reset();
	read_layout();
	process.change = replace;
	ok(!look(&none, &codes) && !strcmp(name_at(&codes, NMETHOD_A + 0x200), "?") &&
	   codes.unnamed == 1 && !strcmp(name_at(&codes, NMETHOD_B + 0x200), HIDDEN),
	   "code that was replaced while its name was read has none");
	process.change = NULL;
	ok(!look(&codes, &again) && !strcmp(name_at(&again, NMETHOD_A + 0x200),
	   "org.some.Klass.run"), "but at the next look");
	wp_jvmcode_free(&codes);
	process.image.memory[METHOD_A + 8] = 1;
	reads = process.reads;
	ok(!look(&again, &codes) && !strcmp(name_at(&codes, NMETHOD_A + 0x200),
	   "org.some.Klass.run") && process.reads - reads < 16,
	   "what is known is not read again");
	wp_jvmcode_free(&codes);
	put32(&process.image, NMETHOD_A + BLOB + NM_ID, 100);
	ok(!look(&again, &codes) && !strcmp(name_at(&codes, NMETHOD_A + 0x200), "?"),
	   "unless its address is used again");
	wp_jvmcode_free(&codes);
	wp_jvmcode_free(&again);
	reset();
	process.change = split;
	ok(!look(&none, &codes) && !strcmp(name_at(&codes, NMETHOD_B + 0x200), HIDDEN),
	   "code behind a block that is split during a look is found");
	wp_jvmcode_free(&codes);
}

static void expect(const char *what, int err, size_t nr)
{
	struct wp_jvmcodes codes;
	int got = look(&none, &codes);

	ok(got == err && codes.nr == nr, "%s", what);
	if (got != err || codes.nr != nr)
		printf("# got %d and %zu codes\n", got, codes.nr);
	wp_jvmcode_free(&codes);
}

static void test_hostile(void)
{
	struct wp_jvmcodes codes;
	char name[WP_JVMNAME_MAX];
	size_t i, bad = 0;

	reset();
	read_layout();
	put64(&process.image, HEAPS, 0);
	expect("a JVM that is not set up has no code yet", -EAGAIN, 0);
	reset();
	put32(&process.image, ARRAY, 1 << 30);
	expect("a thousand million heaps are refused", -EBADMSG, 0);
	reset();
	put64(&process.image, HEAP + 8 + 24, BASE + CODE + (1ULL << 40));
	expect("a heap of a terabyte is refused", -EBADMSG, 0);
	reset();
	put64(&process.image, HEAP + 8 + 24, BASE + CODE - 1);
	expect("and one that ends before it begins", -EBADMSG, 0);
	reset();
	put32(&process.image, HEAP + 0x100, 64);
	expect("and one with impossible segments", -EBADMSG, 0);
	reset();
	put64(&process.image, STUBS, 0);
	expect("a block without a length ends its heap", 0, 1);
	reset();
	put64(&process.image, STUBS, ~0ULL);
	expect("and one that is too long", 0, 1);
	reset();
	process.image.memory[SEGMAP + 8] = 1;
	expect("and one that its map has not", 0, 1);
	reset();
	put64(&process.image, HEAP + 0x78 + 24, BASE + SEGMAP + 8);
	expect("and the end of its map", 0, 1);
	reset();
	put64(&process.image, STUBS + BLOB + BLOB_BEGIN, BASE + CODE);
	put64(&process.image, ADAPTER + BLOB + BLOB_END, ~0ULL);
	put64(&process.image, NMETHOD_A + BLOB + NM_METHOD, 0);
	put64(&process.image, NMETHOD_B + BLOB + NM_METHOD, 3);
	expect("code outside its block, or without a method, is left out", 0, 2);
	reset();
	put32(&process.image, ADAPTER + BLOB + BLOB_FRAME, 1 << 30);
	ok(!look(&none, &codes) && code_at(&codes, ADAPTER + 0x100)->kind == WP_JVMKIND_OTHER,
	   "a frame of gigabytes is none");
	wp_jvmcode_free(&codes);
	for (i = 0; i < SIZE; i += WP_PYMEMORY_BLOCK) {
		reset();
		process.until = i;
		bad += !look(&none, &codes) && codes.nr == 6 && !codes.unnamed && i <= NMETHOD_B;
		wp_jvmcode_free(&codes);
	}
	ok(!bad, "memory that is cut off has less");
	reset();
	budget = (struct wp_pybudget){ 0, 0 };
	memset(&codes, 0, sizeof(codes));
	ok(wp_jvmcode_look(&memory, &layout, &none, &names, &codes) == -EDQUOT,
	   "a look ends where nothing more may be read");
	wp_jvmcode_free(&codes);
	reset();
	put16(&process.image, NAMES + 4, 0xffff);
	ok(wp_jvmname_read(&memory, &layout, BASE + METHOD_A, name) == -EBADMSG,
	   "a name with a 0 is refused");
	memset(process.image.memory + NAMES + 6, 'x', 0x180);
	memset(process.image.memory + CODE, 'x', 0x2000);
	reset();
	put64(&process.image, 0x1b80 + 24, BASE + METHOD_A + 57);
	ok(wp_jvmname_read(&memory, &layout, BASE + METHOD_A, name) == -EBADMSG,
	   "and a class that is not aligned");
	reset();
	put16(&process.image, METHOD_A + 16 + 34, 3);
	ok(wp_jvmname_read(&memory, &layout, BASE + METHOD_A, name) == -EBADMSG,
	   "and a constant beyond the last one");
	reset();
	put64(&process.image, METHOD_A + 56 + 24, BASE + 0x6000);
	put16(&process.image, 0x6004, 0x1800);
	memset(process.image.memory + 0x6006, 'x', 0x1800);
	ok(!wp_jvmname_read(&memory, &layout, BASE + METHOD_A, name) &&
	   !strcmp(name + 500, "....run"), "a long name is cut");
}

/* The name at a time, by what a log has; "" if none. */
static const char *name_then(const struct wp_jitloads *l, size_t at, __u64 time)
{
	const char *name = "";
	__u64 last = 0;
	size_t i;

	for (i = 0; i < l->nr; i++) {
		const struct wp_jitload *o = &l->load[i];

		if (BASE + at < o->start || BASE + at >= o->end || o->time > time ||
		    o->time < last)
			continue;
		last = o->time;
		name = o->name == WP_JITDUMP_NO_NAME ? "" : l->names + o->name;
	}
	return name;
}

static bool is_then(const struct wp_jvmlog *log, size_t at, __u64 time, const char *name)
{
	const char *got = name_then(&log->loads, at, time);

	if (strcmp(got, name))
		printf("# %#zx at %llu: got %s, not %s\n", at, (unsigned long long)time, got, name);
	return !strcmp(got, name);
}

static void test_log(void)
{
	const size_t a = NMETHOD_A + 0x210, b = NMETHOD_B + 0x210, f = FREE + 0x210;
	struct wp_jvmlog log = { .max = 1 << 20 };
	struct wp_jvmcodes codes[5];
	bool changed;
	size_t i;

	reset();
	read_layout();
	look(&none, &codes[0]);
	changed = wp_jvmlog_note(&log, &none, 0, &codes[0], 1000, &names);
	ok(changed && is_then(&log, a, 999, "") && is_then(&log, a, 1000, "org.some.Klass.run") &&
	   is_then(&log, INTERPRETER + 0x200, 1, "Interpreter"),
	   "at the first look methods count from there on, the interpreter from its start");
	look(&codes[0], &codes[1]);
	ok(!wp_jvmlog_note(&log, &codes[0], 1000, &codes[1], 2000, &names), "nothing has changed");
	/* In free memory, without anything removed. */
	block(&process.image, FREE, 0x400, true);
	blob(&process.image, FREE, FREE + 0x200, FREE + 0x300, "nmethod", 4, 8);
	nmethod(&process.image, FREE, METHOD_B, 9);
	look(&codes[1], &codes[2]);
	changed = wp_jvmlog_note(&log, &codes[1], 2000, &codes[2], 3000, &names);
	ok(changed && is_then(&log, f, 2000, "") && is_then(&log, f, 2001, HIDDEN),
	   "new code counts from the look before");
	/* The same address, another method. */
	nmethod(&process.image, NMETHOD_A, METHOD_B, 10);
	look(&codes[2], &codes[3]);
	changed = wp_jvmlog_note(&log, &codes[2], 3000, &codes[3], 4000, &names);
	ok(changed && is_then(&log, a, 3000, "org.some.Klass.run") && is_then(&log, a, 3001, "") &&
	   is_then(&log, a, 3999, "") && is_then(&log, a, 4000, HIDDEN),
	   "where an address is used again, there is no name between both looks");
	/* One goes, one comes elsewhere: something else may have been there before. */
	process.image.memory[NMETHOD_B + BLOB + NM_STATE] = 4;
	nmethod(&process.image, FREE, METHOD_A, 11);
	look(&codes[3], &codes[4]);
	changed = wp_jvmlog_note(&log, &codes[3], 4000, &codes[4], 5000, &names);
	ok(changed && is_then(&log, b, 4000, HIDDEN) && is_then(&log, b, 4001, "") &&
	   is_then(&log, b, 9000, "") && is_then(&log, f, 4500, "") &&
	   is_then(&log, f, 5000, "org.some.Klass.run"), "what is gone has no name any more");
	ok(is_then(&log, a, 1e9, HIDDEN), "what is there has its name");
	wp_jvmlog_end(&log, &codes[4], 5000, true);
	ok(is_then(&log, a, 5000, HIDDEN) && is_then(&log, a, 5001, ""),
	   "where code is removed, none counts after the last look");
	wp_jitdump_free(&log.loads);
	log = (struct wp_jvmlog){ .max = 1 };
	codes[4].code[0].since = 0;
	wp_jvmlog_note(&log, &none, 0, &codes[4], 5000, &names);
	ok(log.loads.cut || log.loads.nr <= 1, "a log that is full takes no more");
	wp_jitdump_free(&log.loads);
	for (i = 0; i < 5; i++)
		wp_jvmcode_free(&codes[i]);
}

/* Where names take too much memory, they are read again. */
static void test_forgotten_names(void)
{
	const size_t a = NMETHOD_A + 0x210, b = NMETHOD_B + 0x210;
	struct wp_jvmlog log = { .max = 1 << 20 };
	struct wp_jvmcodes codes[2];

	reset();
	read_layout();
	look(&none, &codes[0]);
	wp_jvmlog_note(&log, &none, 0, &codes[0], 1000, &names);
	wp_jvmcode_forget_names(&codes[0]);
	wp_intern_free(&names);
	nmethod(&process.image, NMETHOD_A, METHOD_B, 10);
	look(&codes[0], &codes[1]);
	wp_jvmlog_note(&log, &codes[0], 1000, &codes[1], 2000, &names);
	ok(!strcmp(name_at(&codes[1], b), HIDDEN) &&
	   !strcmp(name_at(&codes[1], INTERPRETER + 0x100), "Interpreter"),
	   "names that were forgotten are read again");
	ok(is_then(&log, b, 1500, HIDDEN) && is_then(&log, b, 3000, HIDDEN) &&
	   is_then(&log, INTERPRETER + 0x200, 1500, "Interpreter"), "all times have them");
	ok(is_then(&log, a, 1000, "org.some.Klass.run") && is_then(&log, a, 1001, "") &&
	   is_then(&log, a, 1999, "") && is_then(&log, a, 2000, HIDDEN),
	   "an address that was used again since has no name between both looks");
	wp_jitdump_free(&log.loads);
	wp_jvmcode_free(&codes[0]);
	wp_jvmcode_free(&codes[1]);
}

static bool is_rule(const struct wp_table *t, size_t at, const struct wallprof_rule *want)
{
	const struct wallprof_rule *r = wp_table_find(t, at - CODE);
	__u8 index = want->flags & WALLPROF_RULE_WORD ? want->index : WALLPROF_RULE_NO_INDEX;

	if (r && r->kind == want->kind && r->reg == want->reg && r->off == want->off &&
	    r->flags == want->flags && r->ra == want->ra && r->fp == want->fp &&
	    r->index == index)
		return true;
	if (r)
		printf("# at %#zx: kind %u reg %u off %d flags %#x ra %d fp %d index %u\n", at,
		       r->kind, r->reg, r->off, r->flags, r->ra, r->fp, r->index);
	return false;
}

static void test_table(void)
{
	const struct wallprof_rule stop = { .kind = WALLPROF_RULE_CFA, .reg = 7, .off = 1, .ra = -1 };
	const struct wallprof_rule body = {
		.kind = WALLPROF_RULE_CFA, .reg = 7, .off = 48, .ra = -1, .fp = -2,
		.flags = WALLPROF_RULE_FP_SAVED,
	};
	const struct wallprof_rule popping = {
		.kind = WALLPROF_RULE_CFA, .reg = 7, .off = 16, .ra = -1, .fp = -2,
		.flags = WALLPROF_RULE_FP_SAVED,
	};
	const struct wallprof_rule popped = {
		.kind = WALLPROF_RULE_CFA, .reg = 7, .off = 8, .ra = -1,
	};
	const struct wallprof_rule interpreter = {
		.kind = WALLPROF_RULE_DEREF, .reg = 6, .index = 3, .off = -8, .ra = 1,
		.flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP |
			 WALLPROF_RULE_WORD,
	};
	const struct wallprof_rule stub = {
		.kind = WALLPROF_RULE_CFA, .reg = 6, .off = 16, .ra = -1, .fp = -2,
		.flags = WALLPROF_RULE_FP_SAVED,
	};
	const struct wallprof_rule unknown = { .kind = WALLPROF_RULE_NONE };
	const size_t a = NMETHOD_A + 0x200, b = NMETHOD_B + 0x200;
	struct wp_jvmcodes codes;
	struct wp_table table;
	const char *wrong;
	void *data = NULL;
	size_t size;
	int err;

	reset();
	read_layout();
	look(&none, &codes);
	err = wp_jvmtable_make(&codes, BASE + CODE, BASE + CODE_END, &data, &size);
	wrong = err ? "none" : wp_table_check(&table, data, size, EM_X86_64);
	if (!ok(!wrong, "a table is made that the module takes"))
		return;
	ok(is_rule(&table, a, &stop) && is_rule(&table, a + 11, &stop) &&
	   is_rule(&table, a + 12, &body) && is_rule(&table, a + 0x43, &body),
	   "a method has its frame once that is complete");
	ok(is_rule(&table, a + 0x44, &popping) && is_rule(&table, a + 0x45, &popped) &&
	   is_rule(&table, a + 0x52, &popped) && is_rule(&table, a + 0x53, &body) &&
	   is_rule(&table, a + 0xff, &body) && is_rule(&table, a + 0x100, &stop),
	   "and until it is removed");
	ok(is_rule(&table, b, &popped) && is_rule(&table, b + 3, &popped) &&
	   is_rule(&table, b + 4, &popping) && is_rule(&table, b + 7, &popping) &&
	   wp_table_find(&table, b + 8 - CODE)->off == 80,
	   "and before, where it is made as usual");
	ok(is_rule(&table, LAST + 0x80, &popped) && is_rule(&table, LAST + 0x100, &stop),
	   "a stub that only jumps has no frame");
	ok(is_rule(&table, INTERPRETER + 0x100, &interpreter) &&
	   is_rule(&table, INTERPRETER + 0x3ef, &interpreter),
	   "the interpreter has its own rule, with the method");
	ok(is_rule(&table, STUBS + 0x17f, &stub) && is_rule(&table, STUBS + 0x100, &unknown) &&
	   is_rule(&table, STUBS + 0x190, &unknown), "so has the place where Java returns");
	ok(is_rule(&table, LAST + 0x200, &stop) && is_rule(&table, CODE_END - 2, &stop) &&
	   is_rule(&table, FREE + 0x200, &stop),
	   "a walk ends in code that was not there at the last look");
	free(data);
	ok(wp_jvmtable_make(&codes, BASE + 0x100000, BASE + 0x200000, &data, &size) == -ENODATA,
	   "a mapping without code has none");
	wp_jvmcode_free(&codes);
}

/* With a file: write an image there, for the fuzzer to begin with. */
int main(int argc, char **argv)
{
	if (argc > 1) {
		FILE *f = fopen(argv[1], "w");

		reset();
		return !f || fwrite(process.image.memory, CODE_END, 1, f) != 1 || fclose(f);
	}
	test_layout();
	test_codes();
	test_races();
	test_hostile();
	test_log();
	test_forgotten_names();
	test_table();
	wp_intern_free(&names);
	return done();
}
