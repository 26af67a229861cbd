/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of a process with a JVM that has an interpreter, stubs and two compiled
 * methods, as HotSpot 17 lays it out. For jvmcode.c.
 */
#ifndef WP_TESTS_UNIT_JVMIMAGE_H
#define WP_TESTS_UNIT_JVMIMAGE_H

#include <string.h>

#include "lib/interp/jvmcode.h"

#define BASE		0x10000ULL
#define SIZE		0x10000

/* Places: the variables come first, in the order of enum wp_jvmsymbol. */
#define MEMBERS		0x100
#define TYPES		0x900
#define TEXTS		0xa00
#define ARRAY		0x1200		/* of heaps */
#define HEAP		0x1240
#define SEGMAP		0x1400
#define NAMES		0x1800		/* symbols */
#define METHOD_A	0x1a00
#define METHOD_B	0x1a80
#define HEAPS		0x1b00		/* variables, as list_members() has them */
#define CODE		0x2000		/* the heap, with segments of 128 bytes */
#define CODE_END	0x4000

#define SHIFT		7
#define MEMBER_BYTES	48
#define TYPE_BYTES	40

/* Offsets of members. */
#define BLOB		16		/* behind a block's head */
#define BLOB_COMPLETE	20
#define BLOB_FRAME	28
#define BLOB_BEGIN	32
#define BLOB_END	40
#define BLOB_NAME	96
#define NM_METHOD	112
#define NM_ID		0x130
#define NM_STATE	0x13b
#define NM_SIZE		0x160
#define POOL_SIZE	72

/* Blocks: their places, and code. */
#define INTERPRETER	CODE
#define STUBS		(CODE + 0x400)
#define ADAPTER		(CODE + 0x800)
#define NMETHOD_A	(CODE + 0xc00)
#define FREE		(CODE + 0x1000)
#define NMETHOD_B	(CODE + 0x1400)
#define LAST		(CODE + 0x1800)

struct image {
	__u8 memory[SIZE];
	__u64 symbols[WP_JVMSYMBOL_NR];
	size_t members, types, texts, names;
};

static inline void put64(struct image *m, size_t at, __u64 value)
{
	memcpy(m->memory + at, &value, 8);
}

static inline void put32(struct image *m, size_t at, __u32 value)
{
	memcpy(m->memory + at, &value, 4);
}

static inline void put16(struct image *m, size_t at, __u16 value)
{
	memcpy(m->memory + at, &value, 2);
}

static inline __u64 put_text(struct image *m, const char *text)
{
	size_t at = m->texts;

	strcpy((char *)m->memory + at, text);
	m->texts += strlen(text) + 1;
	return BASE + at;
}

static inline void member(struct image *m, const char *type, const char *name, __u64 offset,
			  __u64 variable)
{
	size_t at = m->members;

	put64(m, at, put_text(m, type));
	put64(m, at + 8, put_text(m, name));
	put32(m, at + 24, !!variable);
	put64(m, at + 32, offset);
	put64(m, at + 40, variable);
	m->members += MEMBER_BYTES;
}

static inline void type(struct image *m, const char *name, __u64 size)
{
	put64(m, m->types, put_text(m, name));
	put64(m, m->types + 24, size);
	m->types += TYPE_BYTES;
}

static inline __u64 symbol(struct image *m, const char *text)
{
	size_t at = m->names;

	put16(m, at + 4, strlen(text));
	memcpy(m->memory + at + 6, text, strlen(text));
	m->names += (6 + strlen(text) + 8) & ~7UL;
	return BASE + at;
}

/* A block of whole segments, whose map counts from its first one. */
static inline void block(struct image *m, size_t at, size_t bytes, bool used)
{
	size_t i, nr = bytes >> SHIFT;

	put64(m, at, nr);
	m->memory[at + 8] = used;
	for (i = 0; i < nr; i++)
		m->memory[SEGMAP + ((at - CODE) >> SHIFT) + i] = i;
}

static inline void blob(struct image *m, size_t at, size_t begin, size_t end, const char *name,
			__s32 words, __s32 complete)
{
	size_t to = at + BLOB;

	put64(m, to + BLOB_BEGIN, BASE + begin);
	put64(m, to + BLOB_END, BASE + end);
	put64(m, to + BLOB_NAME, put_text(m, name));
	put32(m, to + BLOB_FRAME, words);
	put32(m, to + BLOB_COMPLETE, complete);
}

static inline void nmethod(struct image *m, size_t at, size_t method, __u32 id)
{
	put64(m, at + BLOB + NM_METHOD, BASE + method);
	put32(m, at + BLOB + NM_ID, id);
	m->memory[at + BLOB + NM_STATE] = 0;
}

/* A method with all that leads to its name; it takes 128 bytes with its constants. */
static inline void method(struct image *m, size_t at, size_t pool, const char *klass,
			  const char *name)
{
	/* The structures may lie in one another: const at +16, class at +48. */
	put64(m, at + 8, BASE + at + 16);
	put64(m, at + 16 + 8, BASE + pool);
	put16(m, at + 16 + 34, 2);
	put64(m, pool + 24, BASE + at + 56);
	put32(m, pool + 60, 3);
	put64(m, at + 56 + 24, symbol(m, klass));
	put64(m, pool + POOL_SIZE + 2 * 8, symbol(m, name));
}

static inline void list_members(struct image *m)
{
	member(m, "Klass", "_layout_helper", 8, 0);
	member(m, "CodeCache", "_heaps", 0, BASE + HEAPS);
	member(m, "StubRoutines", "_call_stub_return_address", 0, BASE + HEAPS + 8);
	member(m, "GrowableArrayBase", "_len", 0, 0);
	member(m, "GrowableArray<int>", "_data", 8, 0);
	member(m, "CodeHeap", "_memory", 8, 0);
	member(m, "CodeHeap", "_segmap", 0x78, 0);
	member(m, "CodeHeap", "_log2_segment_size", 0x100, 0);
	member(m, "VirtualSpace", "_low", 16, 0);
	member(m, "VirtualSpace", "_high", 24, 0);
	member(m, "HeapBlock::Header", "_length", 0, 0);
	member(m, "HeapBlock::Header", "_used", 8, 0);
	member(m, "CodeBlob", "_name", BLOB_NAME, 0);
	member(m, "CodeBlob", "_frame_complete_offset", BLOB_COMPLETE, 0);
	member(m, "CodeBlob", "_frame_size", BLOB_FRAME, 0);
	member(m, "CodeBlob", "_code_begin", BLOB_BEGIN, 0);
	member(m, "CodeBlob", "_code_end", BLOB_END, 0);
	member(m, "CompiledMethod", "_method", NM_METHOD, 0);
	member(m, "nmethod", "_compile_id", NM_ID, 0);
	member(m, "nmethod", "_state", NM_STATE, 0);
	member(m, "Method", "_constMethod", 8, 0);
	member(m, "ConstMethod", "_constants", 8, 0);
	member(m, "ConstMethod", "_name_index", 34, 0);
	member(m, "ConstantPool", "_pool_holder", 24, 0);
	member(m, "ConstantPool", "_length", 60, 0);
	member(m, "Klass", "_name", 24, 0);
	member(m, "Symbol", "_length", 4, 0);
	member(m, "Symbol", "_body[0]", 6, 0);
	member(m, "PerfMemory", "_prologue", 0, BASE + HEAPS + 16);
	member(m, "JvmtiExport", "_can_hotswap_or_post_breakpoint", 0, BASE + HEAPS + 27);
	type(m, "oopDesc", 16);
	type(m, "HeapBlock", BLOB);
	type(m, "ConstantPool", POOL_SIZE);
}

static inline void heap(struct image *m)
{
	put64(m, HEAPS, BASE + ARRAY);
	put64(m, HEAPS + 8, BASE + STUBS + 0x180);
	put32(m, ARRAY, 1);
	put64(m, ARRAY + 8, BASE + ARRAY + 32);
	put64(m, ARRAY + 32, BASE + HEAP);
	put64(m, HEAP + 8 + 16, BASE + CODE);
	put64(m, HEAP + 8 + 24, BASE + CODE_END);
	put64(m, HEAP + 0x78 + 16, BASE + SEGMAP);
	put64(m, HEAP + 0x78 + 24, BASE + SEGMAP + ((CODE_END - CODE) >> SHIFT));
	put32(m, HEAP + 0x100, SHIFT);
	memset(m->memory + SEGMAP, 0xff, (CODE_END - CODE) >> SHIFT);
}

/* add $N, %rsp; pop %rbp; cmp 0x348(%r15), %rsp; ja; ret */
static inline void leave(struct image *m, size_t at, __u8 bytes)
{
	const __u8 text[] = {
		0x48, 0x83, 0xc4, bytes, 0x5d, 0x49, 0x3b, 0xa7, 0x48, 3, 0, 0,
		0x0f, 0x87, 1, 0, 0, 0, 0xc3,
	};

	memcpy(m->memory + at, text, sizeof(text));
}

static inline void make_image(struct image *m)
{
	size_t i;

	*m = (struct image){ .members = MEMBERS, .types = TYPES, .texts = TEXTS, .names = NAMES };
	for (i = 0; i < WP_JVMSYMBOL_NR; i++)
		m->symbols[i] = BASE + 8 * i;
	put64(m, 8 * WP_JVMSYMBOL_STRUCTS, BASE + MEMBERS);
	put64(m, 8 * WP_JVMSYMBOL_STRUCT_STRIDE, MEMBER_BYTES);
	put64(m, 8 * WP_JVMSYMBOL_STRUCT_NAME, 8);
	put64(m, 8 * WP_JVMSYMBOL_STRUCT_STATIC, 24);
	put64(m, 8 * WP_JVMSYMBOL_STRUCT_OFFSET, 32);
	put64(m, 8 * WP_JVMSYMBOL_STRUCT_ADDRESS, 40);
	put64(m, 8 * WP_JVMSYMBOL_TYPES, BASE + TYPES);
	put64(m, 8 * WP_JVMSYMBOL_TYPE_STRIDE, TYPE_BYTES);
	put64(m, 8 * WP_JVMSYMBOL_TYPE_SIZE, 24);
	list_members(m);
	heap(m);
	block(m, INTERPRETER, 0x400, true);
	blob(m, INTERPRETER, INTERPRETER + 0x100, INTERPRETER + 0x3f0, "Interpreter", 0, -1);
	block(m, STUBS, 0x400, true);
	blob(m, STUBS, STUBS + 0x100, STUBS + 0x400, "StubRoutines (1)", 0, -1);
	block(m, ADAPTER, 0x400, true);
	blob(m, ADAPTER, ADAPTER + 0x100, ADAPTER + 0x200, "SafepointBlob", 5, -1);
	block(m, NMETHOD_A, 0x400, true);
	blob(m, NMETHOD_A, NMETHOD_A + 0x200, NMETHOD_A + 0x300, "nmethod", 6, 12);
	nmethod(m, NMETHOD_A, METHOD_A, 7);
	leave(m, NMETHOD_A + 0x240, 32);
	block(m, FREE, 0x400, false);
	block(m, LAST, 0x400, true);
	blob(m, LAST, LAST + 0x80, LAST + 0x100, "vtable chunks", 0, -1);
	block(m, NMETHOD_B, 0x400, true);
	blob(m, NMETHOD_B, NMETHOD_B + 0x200, NMETHOD_B + 0x280, "native nmethod", 10, 8);
	nmethod(m, NMETHOD_B, METHOD_B, 8);
	memcpy(m->memory + NMETHOD_B + 0x203, "\x55\x48\x83\xec\x40", 5);
	method(m, METHOD_A, 0x1b80, "org/some/Klass", "run");
	method(m, METHOD_B, 0x1c00, "Main$$Lambda$1+0x8", "wait0");
}

#endif /* WP_TESTS_UNIT_JVMIMAGE_H */
